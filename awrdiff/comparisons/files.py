"""The files in the places of a comparison: of one that holds several reports each, of those that are none nothing."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from django.db import transaction
from msgspec.structs import replace

from awrdiff.analysis.model.comparison import Comparison as Computed
from awrdiff.analysis.model.comparison import Warning_
from awrdiff.analysis.model.traces import TRACE
from awrdiff.comparisons.models import Comparison, ComparisonReport
from awrdiff.processing.claims import Refused
from awrdiff.reports import queries as report_queries
from awrdiff.reports.models import SEVERAL, Report

MOST_REPORTS = 24
TOO_MANY = f"A comparison takes at most {MOST_REPORTS} reports."


def with_parts(reports: Sequence[Report]) -> list[Report]:
    """The same reports; in the place of a file that holds several, these."""
    return [one for r in reports for one in (report_queries.parts_of(r) if r.kind == SEVERAL else [r])]


def by_time(wanted: Sequence[tuple[Report, str]]) -> list[tuple[Report, str]]:
    """Read reports with their aspects, earliest first where every one says when it began; then the traces."""
    traces = [one for one in wanted if one[0].kind == TRACE]
    reports = [one for one in wanted if one[0].kind != TRACE]
    if all(report.begin_at for report, _ in reports):
        reports.sort(key=lambda one: one[0].begin_at)
    return [*reports, *traces]


def place(comparison: Comparison, reports: Sequence[Report], aspects: Sequence[str]) -> None:
    """In a transaction."""
    databases = _lock(reports)
    ComparisonReport.objects.bulk_create(
        ComparisonReport(
            comparison=comparison,
            report=report,
            position=position,
            aspect=aspect,
            database_id=databases.get(report.pk),
        )
        for position, (report, aspect) in enumerate(zip(reports, aspects, strict=True))
    )


def _lock(reports: Sequence[Report]) -> dict[UUID, int | None]:
    """The databases that these are of, and nobody says another until the transaction ends."""
    own = Report.objects.filter(pk__in={report.pk for report in reports}).order_by("pk")
    return dict(own.select_for_update(of=("self",), no_key=True).values_list("pk", "database"))


def places_of(pk: UUID) -> list[ComparisonReport]:
    places = ComparisonReport.objects.filter(comparison=pk).select_related("report").defer("report__header")
    return list(places.order_by("position"))


def open_several(pk: UUID) -> None:
    """Put the reports of a file that turned out to hold several into its place. Done twice it changes nothing.

    A provisional comparison is left as it is: it will be withdrawn.
    """
    several = ComparisonReport.objects.filter(comparison=pk, comparison__provisional=False, report__kind=SEVERAL)
    if not several.exists():
        return
    with transaction.atomic():
        comparison = Comparison.objects.select_for_update().defer("overview").filter(pk=pk).first()
        found = places_of(pk)
        if comparison is None or not any(p.report.kind == SEVERAL for p in found):
            return
        opened = [(report, p.aspect) for p in found for report in with_parts([p.report])]
        _lock([report for report, _ in opened])  # reports are locked before places, as where one is told anew
        ComparisonReport.objects.filter(comparison=pk).delete()
        place(comparison, *zip(*opened, strict=True))


def split_left_out(files: Sequence[ComparisonReport]) -> tuple[list[ComparisonReport], list[ComparisonReport]]:
    """What is compared, and what was left out: it hinders nothing as long as two others are there."""
    kept = [p for p in files if not p.report.is_left_out]
    left_out = [p for p in files if p.report.is_left_out]
    if left_out and len(kept) < 2:
        raise Refused(f"{said_of(left_out)} A comparison needs two reports.", "too-few-reports")
    if len(kept) > MOST_REPORTS:
        raise Refused(TOO_MANY, "too-many-reports")
    return kept, left_out


def with_left_out(computed: Computed, said: str) -> Computed:
    """The comparison, naming the files that are no part of it."""
    return replace(computed, warnings=(Warning_("left-out", said), *computed.warnings)) if said else computed


def said_of(left_out: Sequence[ComparisonReport]) -> str:
    return " ".join(f"“{p.report.name}” was left out: {p.report.error}" for p in left_out)

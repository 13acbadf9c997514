"""Files in a comparison's places; multi-report files are opened, non-reports dropped."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from django.db import transaction
from msgspec.structs import replace

from awrdiff.analysis.model.comparison import Comparison as Computed
from awrdiff.analysis.model.comparison import Warning_
from awrdiff.analysis.model.lgwr_traces import TRACE
from awrdiff.comparisons.models import Comparison, ComparisonReport
from awrdiff.processing.work_claims import Refused
from awrdiff.reports import queries as report_queries
from awrdiff.reports.models import SEVERAL, Report

MOST_REPORTS = 24
TOO_MANY = f"A comparison takes at most {MOST_REPORTS} reports."


def with_parts(reports: Sequence[Report]) -> list[Report]:
    """Multi-report files replaced by their parts."""
    return [part for r in reports for part in (report_queries.parts_of(r) if r.kind == SEVERAL else [r])]


def by_time(wanted: Sequence[tuple[Report, str]]) -> list[tuple[Report, str]]:
    """Reports by begin if all have one, then traces."""
    traces = [entry for entry in wanted if entry[0].kind == TRACE]
    reports = [entry for entry in wanted if entry[0].kind != TRACE]
    if all(report.begin_at for report, _ in reports):
        reports.sort(key=lambda entry: entry[0].begin_at)
    return [*reports, *traces]


def place(comparison: Comparison, reports: Sequence[Report], aspects: Sequence[str]) -> None:
    """Requires a transaction."""
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
    """Their databases, fixed for the transaction."""
    own = Report.objects.filter(pk__in={report.pk for report in reports}).order_by("pk")
    return dict(own.select_for_update(of=("self",), no_key=True).values_list("pk", "database"))


def places_of(pk: UUID) -> list[ComparisonReport]:
    places = ComparisonReport.objects.filter(comparison=pk).select_related("report").defer("report__header")
    return list(places.order_by("position"))


def open_several(pk: UUID) -> None:
    """Replace a multi-report file by its reports, unless provisional. Idempotent."""
    several = ComparisonReport.objects.filter(comparison=pk, comparison__provisional=False, report__kind=SEVERAL)
    if not several.exists():
        return
    with transaction.atomic():
        comparison = Comparison.objects.select_for_update().defer("overview").filter(pk=pk).first()
        places = places_of(pk)
        if comparison is None or not any(p.report.kind == SEVERAL for p in places):
            return
        opened = [(report, p.aspect) for p in places for report in with_parts([p.report])]
        _lock([report for report, _ in opened])  # reports are locked before places, as where one is told anew
        ComparisonReport.objects.filter(comparison=pk).delete()
        place(comparison, *zip(*opened, strict=True))


def split_left_out(files: Sequence[ComparisonReport]) -> tuple[list[ComparisonReport], list[ComparisonReport]]:
    """Compared and left-out places. Raises Refused for too few or too many."""
    compared = [p for p in files if not p.report.is_left_out]
    left_out = [p for p in files if p.report.is_left_out]
    if left_out and len(compared) < 2:
        raise Refused(f"{stray_files_text(left_out)} A comparison needs two reports.", "too-few-reports")
    if len(compared) > MOST_REPORTS:
        raise Refused(TOO_MANY, "too-many-reports")
    return compared, left_out


def with_left_out(computed: Computed, left_out: str) -> Computed:
    return replace(computed, warnings=(Warning_("left-out", left_out), *computed.warnings)) if left_out else computed


def stray_files_text(left_out: Sequence[ComparisonReport]) -> str:
    return " ".join(f"“{p.report.name}” was left out: {p.report.error}" for p in left_out)

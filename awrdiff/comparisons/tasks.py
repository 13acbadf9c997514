"""Computing a comparison once its reports are read: thin, idempotent, safe to run twice."""

from __future__ import annotations

import logging
from dataclasses import replace
from uuid import UUID

from celery import shared_task
from django.db import transaction

from awrdiff.analysis.compare import compare_all
from awrdiff.analysis.model.comparison import Comparison as Computed
from awrdiff.analysis.model.comparison import Warning_
from awrdiff.analysis.model.traces import TOO_FEW, split_traces
from awrdiff.comparisons.models import Comparison, ComparisonReport, ComparisonSection
from awrdiff.comparisons.parts import checked, seen_places
from awrdiff.comparisons.record import pack_overviews, section_rows
from awrdiff.comparisons.versions import CURRENT
from awrdiff.processing.claims import Claim, Refused, claim, working
from awrdiff.processing.dispatch import send
from awrdiff.processing.models import State
from awrdiff.reports import queries as report_queries
from awrdiff.reports import services as report_services
from awrdiff.reports.models import Report
from parsers import PARSER_VERSION

logger = logging.getLogger(__name__)

REPORT_FAILED = "report-failed"


@shared_task(name="comparisons.compute")
def compute_comparison(pk: str) -> None:
    reports = _reports(UUID(pk))
    if not _all_settled(reports):
        return  # the last report to be read sends this task again
    held = claim(Comparison, pk, "comparing", engine_version=CURRENT)
    if held is None:
        return
    with working(held):
        _compute(held)


def report_settled(report_id: UUID) -> None:
    """A report is ready or failed: send the comparisons that waited for it and no longer wait for another."""
    waiting = Comparison.objects.filter(state=State.PENDING, reports=report_id).distinct()
    for pk in waiting.values_list("pk", flat=True):
        if _all_settled(_reports(pk)):
            send(compute_comparison, pk)


def _places(pk: UUID) -> list[ComparisonReport]:
    places = ComparisonReport.objects.filter(comparison=pk).select_related("report").defer("report__header")
    return list(places.order_by("position"))


def _reports(pk: UUID) -> list[Report]:
    return [place.report for place in _places(pk)]


def _all_settled(reports: list[Report]) -> bool:
    """Also starts reading again what an older version of the parsers read."""
    stale = [r for r in reports if r.is_ready and r.parser_version != PARSER_VERSION]
    if stale:
        report_services.restart(stale)
    return not stale and all(r.is_settled for r in reports)


def _compute(held: Claim) -> None:
    comparison = Comparison.objects.get(pk=held.pk)
    files = _places(comparison.pk)
    _refuse_failed([place.report for place in files])
    if not _all_settled([place.report for place in files]):  # one was restarted since; its end sends the task again
        held.give_back()
        return
    reports, traces = _apart(files)
    if comparison.order_by_time:
        reports = _by_time(reports)
    parsed = {pk: report_queries.load_report(r) for pk, r in {p.report_id: p.report for p in files}.items()}
    computed = compare_all(seen_places(reports, parsed), [parsed[t.report_id] for t in traces])
    pairs = [
        checked(reports[0], place, parsed[place.report_id], _warn_same(reports[0], place, pair))
        for place, pair in zip(reports[1:], computed, strict=True)
    ]
    held.stage("storing")
    sections = [row for pair, result in enumerate(pairs) for row in section_rows(comparison, pair, result)]
    with transaction.atomic():
        held.finish(overview=pack_overviews(pairs))
        _keep_order([*reports, *traces])
        ComparisonSection.objects.filter(comparison=comparison).delete()
        ComparisonSection.objects.bulk_create(sections, batch_size=200)


def _warn_same(first: ComparisonReport, second: ComparisonReport, computed: Computed) -> Computed:
    """The same file twice is allowed but said, also where no header tells the engine."""
    same = first.report.sha256 == second.report.sha256 and first.aspect == second.aspect
    if not same or any(w.code == "same-report" for w in computed.warnings):
        return computed
    warning = Warning_("same-report", "First and second are the same file, so nothing can differ.")
    return replace(computed, warnings=(warning, *computed.warnings))


def _refuse_failed(reports: list[Report]) -> None:
    failed = [r for r in reports if r.is_failed]
    if failed:
        said = " ".join(f"“{r.name}” could not be read: {r.error}" for r in {r.pk: r for r in failed}.values())
        raise Refused(said, REPORT_FAILED)


def _apart(files: list[ComparisonReport]) -> tuple[list[ComparisonReport], list[ComparisonReport]]:
    """Reports to compare and traces to attach: which is which is known once they are read."""
    reports, traces = split_traces(files)
    if len(reports) < 2:
        raise Refused(TOO_FEW, "too-few-reports")
    return reports, traces


def _by_time(places: list[ComparisonReport]) -> list[ComparisonReport]:
    """Earliest first, when every report says when it began; else as they were given."""
    if all(p.report.begin_at for p in places):
        return sorted(places, key=lambda p: p.report.begin_at)
    return places


def _keep_order(places: list[ComparisonReport]) -> None:
    for position, place in enumerate(places):
        if place.position != position:
            place.position = position
            place.save(update_fields=["position"])

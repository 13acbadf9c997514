"""Celery tasks that compute comparisons; idempotent."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from itertools import groupby
from typing import Literal, NamedTuple
from uuid import UUID

from celery import shared_task
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from msgspec.structs import replace

from awrdiff import logs
from awrdiff.accounts.models import User
from awrdiff.analysis.baseline.report_vs_median import compare_with_median
from awrdiff.analysis.baseline.section_vs_median import BaselineSelection
from awrdiff.analysis.compare import compare_all, compare_reports
from awrdiff.analysis.export.comparison_json import FORMAT
from awrdiff.analysis.model.comparison import Comparison as Computed
from awrdiff.analysis.model.comparison import Warning_
from awrdiff.analysis.model.lgwr_traces import TOO_FEW, split_traces
from awrdiff.analysis.rows.materiality import DEFAULT
from awrdiff.comparisons import pending_upload_comparison, search_index
from awrdiff.comparisons.files import open_several, places_of, split_left_out, stray_files_text, with_left_out
from awrdiff.comparisons.median_comparison import opens_on
from awrdiff.comparisons.models import (
    REVERSE,
    Comparison,
    ComparisonReport,
    ComparisonSection,
    current_version,
    version_made_of,
)
from awrdiff.comparisons.report_pairs import places_of_pair
from awrdiff.comparisons.report_places_and_titles import (
    check_differences,
    comparison_title,
    contents_by_place,
    placed_reports_of,
)
from awrdiff.comparisons.result_storage import pack_overviews, section_rows
from awrdiff.notices.services import notify
from awrdiff.processing import dispatch, sandbox
from awrdiff.processing.dispatch import wake
from awrdiff.processing.fair_scheduling import claim_next, pass_on
from awrdiff.processing.models import State
from awrdiff.processing.outdated_result_renewal import renew_next
from awrdiff.processing.work_claims import Claim, Refused, claim, outdated_rows, working
from awrdiff.reports import queries as report_queries
from awrdiff.reports.models import SEVERAL, Report
from awrdiff.reports.tasks import STORED_AT_ONCE, outdated_reports
from parsers.model import Report as Parsed

Stored = tuple[bytes, list[bytes]]  # a read report as the database holds it: its head and its sections

logger = logging.getLogger(__name__)

REPORT_FAILED = "report-failed"
LONG = timedelta(minutes=1)


@shared_task(name="comparisons.compute")
def compute_comparison(pk: str) -> None:
    """Compute the next in turn; `pk` is a hint."""
    before = dispatch.sent.copy()
    if own := claim_next(Comparison, pk, "comparing", version=current_version()):
        _work_on(own)
        pass_on(before)


def compute_now(pk: UUID) -> None:
    """Does nothing if claimed or reports are unread."""
    if _is_due(pk) and (own := claim(Comparison, pk, "comparing", version=current_version())):
        _work_on(own)


def outdated_comparisons() -> QuerySet[Comparison]:
    """Settled, of older version, newest first, after their reports."""
    waiting = ComparisonReport.objects.filter(report__in=outdated_reports())
    older = Comparison.objects.filter(outdated_rows(Comparison, current_version()))
    return older.exclude(pk__in=waiting.values("comparison")).order_by("-created_at")


def report_settled(report_id: UUID) -> None:
    """Queue comparisons waiting for it, and a renewed copy's."""
    copies = Comparison.objects.filter(state=State.READY, reports=report_id, copy_of__isnull=False)
    copies.filter(engine_version=current_version()).update(engine_version=current_version() - 1, renewal_tried=0)
    waiting = Comparison.objects.filter(state=State.PENDING, reports=report_id)
    places = ComparisonReport.objects.filter(comparison__in=waiting).select_related("report").order_by("comparison_id")
    states = places.only("comparison", "report__kind", "report__state", "report__stored_format")
    for pk, own in groupby(states, key=lambda place: place.comparison_id):
        reports = [place.report for place in own]
        has_several = any(report.kind == SEVERAL for report in reports)
        if _is_due(pk) if has_several else _all_settled(reports):
            wake(compute_comparison, pk)


def _is_due(pk: UUID) -> bool:
    """The last settled report sends the task again."""
    open_several(pk)
    return _all_settled([place.report for place in places_of(pk)])


def _work_on(claim: Claim) -> None:
    with logs.bound(**claim.outcome.ids), working(claim):
        _compute(claim)
    if claim.renewing:
        renew_next()


def _all_settled(reports: list[Report]) -> bool:
    """Old parser results suffice: renewal follows in the background."""
    return all(r.is_settled for r in reports)


class Result(NamedTuple):
    overview: bytes
    sections: list[ComparisonSection]
    words: search_index.Words
    is_outside: bool  # the latest report lies outside its hour, by default settings


@dataclass(frozen=True, slots=True)
class Material:
    """Placed reports and traces, as the database holds them. `left_out`: places whose files are no reports."""

    comparison: Comparison
    reports: list[ComparisonReport]
    traces: list[ComparisonReport]
    left_out: list[ComparisonReport]
    stored: dict[UUID, Stored]
    left_out_text: str
    view: BaselineSelection | None  # of three reports or more

    @property
    def size(self) -> int:
        return sum(place.report.size for place in (*self.reports, *self.traces))


def _compute(claim: Claim) -> None:
    material = _read(claim)
    if material is None:
        return
    result, failure = _result_of(material)
    claim.stage("storing", is_brief=material.size < STORED_AT_ONCE)
    _store(claim, material, result, failure)
    if not result.is_outside and material.comparison.arrivals.exists():
        pending_upload_comparison.withdraw(claim)


def _read(claim: Claim) -> Material | None:
    """None where nothing is computed: mistaken and withdrawn, or given back until its reports are read."""
    comparison = Comparison.objects.defer("overview").get(pk=claim.pk)
    open_several(comparison.pk)
    places = places_of(comparison.pk)
    mistaken = (
        comparison.provisional
        and not claim.renewing
        and pending_upload_comparison.is_mistaken([p.report for p in places])
    )
    if mistaken and pending_upload_comparison.withdraw(claim):
        return None
    files, left_out = split_left_out(places)
    _refuse_failed([place.report for place in files])
    if not _all_settled([place.report for place in files]):  # one was restarted since; its end sends the task again
        claim.give_back(failed=False)
        return None
    reports, traces = split_traces(files)
    if len(reports) < 2:
        raise Refused(TOO_FEW, "too-few-reports")
    is_sorted = comparison.order_by_time and claim.state != State.READY  # a renewal turns nothing round
    if is_sorted and all(place.report.begin_at for place in reports):
        reports = sorted(reports, key=lambda place: place.report.begin_at)
    stored = {pk: report_queries.packed_report(r) for pk, r in {p.report_id: p.report for p in files}.items()}
    # Their places are gone once the comparison is made.
    left_out_text = stray_files_text(left_out) or comparison.left_out
    view = opens_on(reports) if len(reports) > 2 else None
    return Material(comparison, reports, traces, left_out, stored, left_out_text, view)


def _result_of(material: Material) -> tuple[Result, dict[str, str | int]]:
    """With columns about the reversed pair, whose failure takes nothing else down."""
    both_ways = material.comparison.both_ways
    try:
        return _in_sandbox(material, 2 if both_ways else 1), {}
    except (Refused, sandbox.ChildLost) as failure:
        if not both_ways:
            raise
        logger.warning("the reversed pair failed", exc_info=failure)
        reason = failure.sentence if isinstance(failure, Refused) else "Processing ended without a result."
        return _in_sandbox(material, 1), {"renewal_error": reason, "renewal_tried": current_version()}


def _in_sandbox(material: Material, ways: Literal[1, 2]) -> Result:
    limits = sandbox.limits_for(material.size)
    return sandbox.run(lambda: _compared(material, ways), limits, "Comparing these reports")


def _compared(material: Material, ways: Literal[1, 2]) -> Result:
    parsed = {pk: report_queries.unpack(stored) for pk, stored in material.stored.items()}
    contents = contents_by_place(material.reports, parsed)
    pairs = [
        with_left_out(pair, material.left_out_text)
        for pair in _pairs(material.reports, material.traces, parsed, contents, ways)
    ]
    reversed_pair = pairs.pop() if ways == 2 else None
    sections = [row for number, pair in enumerate(pairs) for row in section_rows(material.comparison, number, pair)]
    view = material.view
    median = compare_with_median([contents[n] for n in view.members], contents[view.second]) if view else None
    words = search_index.words_of(pairs, sections, median)
    sections += section_rows(material.comparison, REVERSE, reversed_pair) if reversed_pair is not None else []
    is_outside = median is not None and median.median is not None and median.median.is_outside(median.ranked, DEFAULT)
    return Result(pack_overviews(pairs, reversed_pair), sections, words, is_outside)


def _store(claim: Claim, material: Material, result: Result, failure: dict[str, str | int]) -> None:
    comparison, places = material.comparison, [*material.reports, *material.traces]
    made_by = version_made_of(place.report for place in places)
    columns = {"overview": result.overview, "left_out": material.left_out_text, **failure}
    with transaction.atomic():
        claim.finish(engine_version=made_by, stored_format=FORMAT, **columns)
        if not comparison.both_ways:  # asked for meanwhile: once more
            requested = Comparison.objects.filter(pk=comparison.pk, both_ways=True)
            requested.update(engine_version=made_by - 1)
        _keep_order(places)
        comparison.places.filter(pk__in=[p.pk for p in material.left_out]).delete()
        ComparisonSection.objects.filter(comparison=comparison).delete()
        ComparisonSection.objects.bulk_create(result.sections, batch_size=200)
        search_index.write(comparison, result.words)
        if not claim.renewing:
            _tell_whoever_waits(comparison, result.words.line, outside=result.is_outside)


def _tell_whoever_waits(comparison: Comparison, line: str, *, outside: bool) -> None:
    arrivals = list(comparison.arrivals.all())
    for arrival in arrivals if outside else ():
        pending_upload_comparison.confirm(comparison)
        recipients = User.objects.filter(arrival_rules__team=comparison.team)
        about = f"{comparison_title(comparison, placed_reports_of(comparison))}: {line}"
        key = str(arrival.report_id)
        notify(comparison.team, "arrived", recipients, kind="comparison", thing=comparison.pk, about=about, key=key)
    if not arrivals:
        _tell_its_maker(comparison, line)


def _tell_its_maker(comparison: Comparison, line: str) -> None:
    queued, maker = comparison.queued_at, comparison.created_by
    if maker is None or queued is None or timezone.now() - queued < LONG:
        return
    about = f"{comparison_title(comparison, placed_reports_of(comparison))}: {line}"
    key = f"{comparison.pk} {queued.isoformat()}"
    notify(comparison.team, "ready", [maker], kind="comparison", thing=comparison.pk, about=about, key=key)


def _pairs(
    reports: list[ComparisonReport],
    traces: list[ComparisonReport],
    parsed: dict[UUID, Parsed],
    contents: list[Parsed],
    ways: Literal[1, 2],
) -> Iterator[Computed]:
    events = [parsed[t.report_id] for t in traces]
    computed = list(compare_all(contents, events))
    together = computed[0].commits_of_all
    what_if = together.what_if if together is not None else None
    if together is not None:
        computed.append(compare_reports(contents[-2], contents[-1], events, what_if=what_if))
    for pair in enumerate(computed):
        yield _checked(reports, parsed, *pair)
    if ways == 2:
        yield _checked(reports, parsed, REVERSE, compare_reports(contents[1], contents[0], events, what_if=what_if))


def _checked(reports: list[ComparisonReport], parsed: dict[UUID, Parsed], pair: int, computed: Computed) -> Computed:
    first, second = (reports[at] for at in places_of_pair(pair, len(reports)))
    return check_differences(first, second, parsed[second.report_id], _warn_same(first, second, computed))


def _warn_same(first: ComparisonReport, second: ComparisonReport, computed: Computed) -> Computed:
    same = first.report.sha256 == second.report.sha256 and first.aspect == second.aspect
    if not same or any(w.code == "same-report" for w in computed.warnings):
        return computed
    warning = Warning_("same-report", "First and second are the same file, so nothing can differ.")
    return replace(computed, warnings=(warning, *computed.warnings))


def _refuse_failed(reports: list[Report]) -> None:
    failed = [r for r in reports if r.is_failed]
    if failed:
        reasons = " ".join(f"“{r.name}” could not be read: {r.error}" for r in {r.pk: r for r in failed}.values())
        raise Refused(reasons, REPORT_FAILED)


def _keep_order(places: list[ComparisonReport]) -> None:
    for position, place in enumerate(places):
        if place.position != position:
            place.position = position
            place.save(update_fields=["position"])

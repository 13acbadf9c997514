"""Writes of the comparisons app."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from django.core.exceptions import PermissionDenied
from django.db import IntegrityError, transaction
from django.db.models import Q

from awrdiff.accounts.access import AccessContext
from awrdiff.analysis.aspects import FIRST, SECOND, WHOLE
from awrdiff.analysis.model.traces import TOO_FEW, split_traces
from awrdiff.comparisons import tasks
from awrdiff.comparisons.errors import ComparisonRefused
from awrdiff.comparisons.models import Comparison, ComparisonReport
from awrdiff.comparisons.parts import choices_of, same_places
from awrdiff.comparisons.versions import CURRENT
from awrdiff.processing.claims import enqueue_values
from awrdiff.processing.dispatch import send_on_commit
from awrdiff.processing.models import State
from awrdiff.reports import services as report_services
from awrdiff.reports.models import Report

MOST_REPORTS = 24


def create_comparison(
    access: AccessContext,
    reports: Sequence[Report],
    *,
    order_by_time: bool,
    title: str = "",
    note: str = "",
    aspects: Sequence[str] = (),
) -> Comparison:
    """A pending comparison of `reports` in this order, or by begin time once all are read. Raises ComparisonRefused.

    `aspects`: the part of each report that is compared; without them, all of it.
    """
    _may_write(access, [r.team_id for r in reports])
    if len(reports) < 2:
        raise ComparisonRefused("A comparison needs two reports: choose at least two.")
    if len(split_traces(reports)[0]) < 2:
        raise ComparisonRefused(TOO_FEW)
    if len(reports) > MOST_REPORTS:
        raise ComparisonRefused(f"A comparison takes at most {MOST_REPORTS} reports.")
    with transaction.atomic():
        comparison = Comparison.objects.create(
            team=access.team,
            created_by=access.user,
            title=title[:200],
            note=note,
            order_by_time=order_by_time,
            **enqueue_values(),
        )
        _place(comparison, reports, aspects or [WHOLE] * len(reports))
        send_on_commit(tasks.compute_comparison, comparison.pk)
    return comparison


def open_compare_report(access: AccessContext, report: Report) -> Comparison:
    """Oracle's own compare report as a comparison of its two periods; the one there is already, or a new one."""
    _may_write(access, [report.team_id])
    return _found_or_made(access, [(report, FIRST), (report, SECOND)])


def choose_part(access: AccessContext, comparison: Comparison, position: int, aspect: str) -> Comparison:
    """The comparison that differs in the part looked at in one place. Raises ComparisonRefused.

    It has an address of its own, so that a link sent to a colleague never changes what it shows.
    """
    _may_write(access, [comparison.team_id])
    places = list(comparison.places.select_related("report").order_by("position"))
    chosen = next((p for p in places if p.position == position), None)
    if chosen is None or aspect not in choices_of(chosen.report):
        raise ComparisonRefused("The report has no such part to look at.")
    wanted = [(p.report, aspect if p is chosen else p.aspect) for p in places]
    return _found_or_made(access, wanted, title=comparison.title)


def _found_or_made(access: AccessContext, wanted: Sequence[tuple[Report, str]], title: str = "") -> Comparison:
    existing = same_places(access.team.pk, wanted)
    if existing is not None:
        return existing
    reports, aspects = zip(*wanted, strict=True)
    return create_comparison(access, reports, order_by_time=False, title=title, aspects=aspects)


def swap(access: AccessContext, comparison: Comparison) -> Comparison:
    """The comparison of the same reports with first and second exchanged: a swap of a swap is the original.

    It has an address of its own, so that a link sent to a colleague never changes direction.
    """
    _may_write(access, [comparison.team_id])
    if comparison.mirror_of is not None:
        return comparison.mirror_of
    existing = Comparison.objects.filter(mirror_of=comparison).first()
    if existing:
        return existing
    places, traces = split_traces(comparison.places.select_related("report"))
    if len(places) < 2:
        raise ComparisonRefused(TOO_FEW)
    turned = [places[1], places[0], *places[2:], *traces]
    try:
        with transaction.atomic():
            mirror = create_comparison(
                access,
                [place.report for place in turned],
                aspects=[place.aspect for place in turned],
                order_by_time=False,
                title=comparison.title,
                note=comparison.note,
            )
            Comparison.objects.filter(pk=mirror.pk).update(mirror_of=comparison, is_demo=comparison.is_demo)
    except IntegrityError:  # pressed twice at the same moment: the other request made it
        return Comparison.objects.get(mirror_of=comparison)
    mirror.refresh_from_db()
    return mirror


def retry(access: AccessContext, comparison: Comparison) -> Comparison:
    """Compute again from the start, and read again those of its reports that failed."""
    _may_write(access, [comparison.team_id])
    report_services.restart([r for r in comparison.reports.all() if r.is_failed])
    restart([comparison])
    comparison.refresh_from_db()
    return comparison


def restart(comparisons: Sequence[Comparison]) -> None:
    """Put settled comparisons back to the start; one that is being worked on is left alone."""
    for comparison in comparisons:
        with transaction.atomic():
            rows = Comparison.objects.filter(pk=comparison.pk, state__in=[State.READY, State.FAILED])
            if rows.update(**enqueue_values()):
                send_on_commit(tasks.compute_comparison, comparison.pk)


def restart_stale(limit: int) -> int:
    """Compute again what another version of the parsers or the engine computed. Returns how many."""
    settled = Q(state__in=[State.READY, State.FAILED])
    outdated = settled & ~Q(engine_version=CURRENT)  # a claim notes the version, so each is met once
    # A report that failed and was then read after all: its comparisons are worth another try.
    recovered = Q(state=State.FAILED, error_code=tasks.REPORT_FAILED) & ~Q(reports__state=State.FAILED)
    found = list(Comparison.objects.filter(outdated | recovered).only("pk").distinct()[:limit])
    restart(found)
    return len(found)


def delete(access: AccessContext, comparison: Comparison) -> None:
    """Delete the comparison with its links and mirror, and those of its reports that nothing else stands on."""
    _may_write(access, [comparison.team_id])
    with transaction.atomic():
        reports = list(comparison.reports.distinct())
        comparison.delete()
        used: set[UUID] = set(
            ComparisonReport.objects.filter(report__in=reports).values_list("report_id", flat=True).distinct()
        )
        report_services.delete([r for r in reports if r.pk not in used])


def _place(comparison: Comparison, reports: Sequence[Report], aspects: Sequence[str]) -> None:
    ComparisonReport.objects.bulk_create(
        ComparisonReport(comparison=comparison, report=report, position=position, aspect=aspect)
        for position, (report, aspect) in enumerate(zip(reports, aspects, strict=True))
    )


def _may_write(access: AccessContext, team_ids: Sequence[int]) -> None:
    if not access.can_write or any(team_id != access.team.pk for team_id in team_ids):
        raise PermissionDenied

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import Exists, Max, OuterRef, Q, QuerySet
from django.utils import timezone

from awrdiff.accounts.access import AccessContext, Can, require_row
from awrdiff.analysis.commit_latency.lgwr_trace_events import TRACE_HEADER, why_foreign
from awrdiff.analysis.model.lgwr_traces import TOO_FEW, TRACE, split_traces
from awrdiff.analysis.report_scopes import FIRST, SECOND, WHOLE
from awrdiff.audit import services as audit
from awrdiff.comparisons import pending_upload_comparison, queries, redacted_copies, tasks
from awrdiff.comparisons.errors import GONE, ComparisonRefused
from awrdiff.comparisons.files import MOST_REPORTS, TOO_MANY, by_time, place, with_parts
from awrdiff.comparisons.models import REVERSE, Comparison, ComparisonReport, current_version
from awrdiff.comparisons.removal import remove
from awrdiff.comparisons.report_pairs import other_way
from awrdiff.comparisons.report_places_and_titles import choices_of, same_places
from awrdiff.processing.dispatch import wake
from awrdiff.processing.fair_scheduling import wake_on_commit
from awrdiff.processing.models import END_STATES, State
from awrdiff.processing.row_locks import lock
from awrdiff.processing.storable_values import one_line, storable_text
from awrdiff.processing.work_claims import enqueue_values, outdated_rows
from awrdiff.reports import queries as report_queries
from awrdiff.reports import services as report_services
from awrdiff.reports.lgwr_traces import why_not
from awrdiff.reports.models import Report

MOST_TITLE = 200
RETIRES_WITHIN = timedelta(hours=1)


def create_comparison(
    access: AccessContext,
    reports: Sequence[Report],
    *,
    order_by_time: bool,
    title: str = "",
    note: str = "",
    aspects: Sequence[str] = (),
    only_if_meant: bool = False,
    chosen_from: UUID | None = None,
) -> Comparison:
    """Existing or new pending one in this order, or by begin. Raises ComparisonRefused.

    A failed one is retried. `only_if_meant`: provisional if new. `chosen_from`: a new one is its view; without, a view
    becomes independent.
    """
    access.check(Can.WRITE, *reports)
    wanted = list(zip(reports, aspects, strict=True)) if aspects else [(r, WHOLE) for r in with_parts(reports)]
    _refuse_number([report for report, _ in wanted])
    if order_by_time and all(report.is_ready for report, _ in wanted):
        wanted, order_by_time = by_time(wanted), False
    with transaction.atomic():
        _hold([report for report, _ in wanted])  # whoever wants the same at this moment waits here, and then finds it
        report_services.wait_for(report for report, _ in wanted)
        existing = same_places(access.team.pk, wanted, by_time=order_by_time)
        if (
            existing is not None
            and existing.provisional
            and not only_if_meant
            and not pending_upload_comparison.confirm(existing)
        ):
            existing = None
        if existing is None:
            return _make(
                access,
                wanted,
                order_by_time=order_by_time,
                title=title,
                note=note,
                provisional=only_if_meant,
                chosen_from_id=chosen_from,
            )
    if existing.chosen_from_id and not chosen_from:
        Comparison.objects.filter(pk=existing.pk).update(chosen_from=None)
    if title and not existing.title:
        rename(access, existing, title)
    return retry(access, existing) if existing.is_failed else existing


def _refuse_number(reports: Sequence[Report]) -> None:
    if len(reports) < 2:
        raise ComparisonRefused("A comparison needs two reports: choose at least two.")
    if len(split_traces(reports)[0]) < 2:
        raise ComparisonRefused(TOO_FEW)
    if len(reports) > MOST_REPORTS:
        raise ComparisonRefused(TOO_MANY)


def _make(
    access: AccessContext, wanted: Sequence[tuple[Report, str]], *, title: str, note: str, **fields: Any
) -> Comparison:
    """New row regardless of others; locks its reports."""
    comparison = Comparison.objects.create(
        team=access.team,
        created_by=access.user,
        title=storable_text(title)[:MOST_TITLE],
        note=storable_text(note),
        **fields,
        **enqueue_values(),
    )
    place(comparison, *zip(*wanted, strict=True))
    audit.note(access, "compared", "comparison", comparison.pk)
    transaction.on_commit(lambda: _announce(comparison.pk), robust=True)
    return comparison


def _announce(pk: UUID) -> None:
    """Once committed; where its reports are still read, whoever reads the last announces it."""
    if queries.waiting().filter(pk=pk).exists():
        wake(tasks.compute_comparison, pk)


def open_compare_report(access: AccessContext, report: Report) -> Comparison:
    """Comparison of an Oracle compare report's two periods."""
    access.check(Can.WRITE, report)
    return create_comparison(access, [report, report], order_by_time=False, aspects=[FIRST, SECOND])


def choose_part(access: AccessContext, comparison: Comparison, position: int | None, aspect: str) -> Comparison:
    """Unlisted, with own address; None: in all places. Raises ComparisonRefused."""
    access.check(Can.WRITE, comparison)
    places = list(comparison.places.select_related("report").order_by("position"))
    offered = {p.position: choices_of(p.report) for p in places if position in (None, p.position)}
    positions = {at for at, parts in offered.items() if parts or position is not None}
    if not positions or any(aspect not in offered[at] for at in positions):
        raise ComparisonRefused("The report has no such part.")
    aspects = [aspect if p.position in positions else p.aspect for p in places]
    reports = [p.report for p in places]
    original = comparison.chosen_from_id or comparison.pk
    return create_comparison(
        access, reports, order_by_time=False, title=comparison.title, aspects=aspects, chosen_from=original
    )


def leave_out(access: AccessContext, comparison: Comparison, position: int) -> Comparison | Report:
    """The rest, with own address, or one report. Raises ComparisonRefused."""
    access.check(Can.WRITE, comparison)
    places = list(comparison.places.select_related("report").order_by("position"))
    remaining = [place for place in places if place.position != position]
    if len(remaining) == len(places):
        raise ComparisonRefused("The comparison has no such report.")
    alone, _ = split_traces(remaining)
    if len(alone) == 1:
        return alone[0].report
    aspects = [place.aspect for place in remaining]
    return create_comparison(access, [place.report for place in remaining], order_by_time=False, aspects=aspects)


def retire(access: AccessContext, comparison: Comparison, is_bare: Callable[[Comparison], bool]) -> None:
    """Remove it if the asker made it within the hour and it `is_bare`. Reports stay."""
    with transaction.atomic():
        locked = lock(Comparison, [comparison.pk])
        if locked and _is_own_and_new(access, locked[0]) and is_bare(locked[0]):
            audit.note(access, "deleted", "comparison", comparison.pk)
            remove([comparison.pk])


def _is_own_and_new(access: AccessContext, original: Comparison) -> bool:
    own = access.can_write and original.team_id == access.team.pk
    own = own and original.created_by_id == (access.user.pk if access.user else None)
    return own and not (original.is_demo or original.title) and timezone.now() - original.created_at < RETIRES_WITHIN


def compute_both_ways(pks: Collection[UUID], *, again: bool = False) -> None:
    """Queue reversed computation; ready results stay. `again`: also those requested before."""
    rows = Comparison.objects.filter(pk__in=pks, **({} if again else {"both_ways": False}))
    with transaction.atomic():
        pks_needed = list(rows.values_list("pk", flat=True))
        rows = Comparison.objects.filter(pk__in=pks_needed)
        rows.update(both_ways=True)
        ready = rows.filter(state=State.READY)
        ready.update(renewal_tried=0, renewal_error="")
        ready.filter(engine_version=current_version()).update(engine_version=current_version() - 1)
        wake_on_commit(tasks.compute_comparison, list(ready.values_list("pk", flat=True)))


def swap(access: AccessContext, comparison: Comparison, pair: int) -> int:
    """Reversed pair, computed now if new. Raises ComparisonRefused."""
    access.check(Can.WRITE, comparison)
    reversed_pair = other_way(pair)
    if len(split_traces(comparison.places.select_related("report"))[0]) < 2:
        raise ComparisonRefused(TOO_FEW)
    if reversed_pair is None:
        raise ComparisonRefused("These two reports are compared in this order alone.")
    if reversed_pair == REVERSE and not (comparison.both_ways and queries.is_stored(comparison, reversed_pair)):
        compute_both_ways([comparison.pk], again=True)
        comparison.refresh_from_db()
    return reversed_pair


def rename(access: AccessContext, comparison: Comparison, title: str) -> Comparison:
    """ "" restores the title from its reports."""
    access.check(Can.WRITE, comparison)
    new_title = one_line(title)[:MOST_TITLE]
    with transaction.atomic():
        lock(Comparison, [comparison.pk])
        Comparison.objects.filter(pk=comparison.pk).update(title=new_title, updated_at=timezone.now())
        audit.note(access, "renamed", "comparison", comparison.pk)
    comparison.refresh_from_db()
    return comparison


def retry(access: AccessContext, comparison: Comparison) -> Comparison:
    """Failed reports too; failed renewals keep the result."""
    access.check(Can.WRITE, comparison)
    restart(comparison)
    comparison.refresh_from_db()
    return comparison


def restart(comparison: Comparison) -> None:
    """`retry` without access check."""
    pending_upload_comparison.confirm(comparison)
    report_services.restart(list(comparison.reports.all()))
    Comparison.objects.filter(pk=comparison.pk, state=State.READY).update(renewal_tried=0, renewal_error="")
    if queries.is_awaited(comparison, REVERSE):
        compute_both_ways([comparison.pk], again=True)
    _start(Comparison.objects.filter(pk=comparison.pk, state=State.FAILED))


def restart_stale(limit: int) -> int:
    """Those whose failed report was read, or in unreadable formats; number reset."""
    recovered = Q(state=State.FAILED, error_code=tasks.REPORT_FAILED) & ~Q(reports__state=State.FAILED)
    unreadable = outdated_rows(Comparison, current_version()) & Q(state=State.READY)
    unreadable &= ~Q(stored_format__in=Comparison.readable_formats)
    stale = Comparison.objects.filter(recovered | unreadable).values_list("pk", flat=True).distinct()
    pks = list(stale[:limit])
    return sum(_start(Comparison.objects.filter(pk=pk, state__in=END_STATES)) for pk in pks)


def _start(row: QuerySet[Comparison]) -> int:
    with transaction.atomic():
        pk = row.values_list("pk", flat=True).first()
        started = row.update(**enqueue_values())
        if started:
            wake_on_commit(tasks.compute_comparison, [pk])
    return started


def delete(
    access: AccessContext, comparison: Comparison, is_bare: Callable[[Comparison], bool] = lambda _: False
) -> None:
    """Delete with links and reports used by nothing else; bare views go, others become independent."""
    access.check(Can.WRITE, comparison)
    with transaction.atomic():
        gone = [comparison_row.pk for comparison_row in lock(Comparison, [comparison.pk])]
        views = lock(Comparison, Comparison.objects.filter(chosen_from__in=gone).values_list("pk", flat=True))
        gone += [view.pk for view in views if not view.title and is_bare(view)]
        copied = lock(Comparison, Comparison.objects.filter(copy_of__in=gone).values_list("pk", flat=True))
        own = set(ComparisonReport.objects.filter(comparison__in=gone).values_list("report", flat=True))
        # Before their copies, as whoever reads a report again does it.
        reports = [r for r in lock(Report, report_services.with_traces(own)) if r.pk in own]
        redacted_copies.remove(copied)
        audit.note_all(access, "deleted", "comparison", gone)
        remove(gone)
        used = set(ComparisonReport.objects.filter(report__in=reports).values_list("report_id", flat=True).distinct())
        used |= report_services.reports_to_keep([r.pk for r in reports])
        report_services.delete(access, [r for r in reports if r.pk not in used])


def keeps(report: Report) -> str:
    """Sentence on comparisons needing it, else ""."""
    standing = Comparison.objects.filter(places__report=report)
    comparisons = list(standing.distinct().order_by("created_at").defer("overview"))
    names = [
        f"“{comparison.title}”" if comparison.title else f"the one of {comparison.created_at:%d %B %Y, %H:%M} UTC"
        for comparison in comparisons
    ]
    if not names:
        return ""
    listed = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
    many = len(names) > 1
    which = f"{len(names)} comparisons ({listed})" if many else f"a comparison ({listed})"
    return f"“{report.name}” is part of {which}: delete {'those' if many else 'that'} first."


def holds() -> Exists:
    """Condition on reports: in a comparison."""
    return Exists(ComparisonReport.objects.filter(report=OuterRef("pk")))


def _hold(reports: Sequence[Report]) -> None:
    """Lock reports until the comparison exists. Raises ComparisonRefused."""
    there = {row.pk for row in lock(Report, {r.pk for r in reports})}
    missing = next((r for r in reports if r.pk not in there), None)
    if missing:
        raise ComparisonRefused(f"“{missing.name}” has been deleted: upload it again.")


def attach_trace(access: AccessContext, comparison: Comparison, trace: Report) -> Comparison:
    """Recompute under its address, `trace` last. Raises ComparisonRefused."""
    access.check(Can.WRITE, comparison, trace)
    if why := why_not(trace):
        raise ComparisonRefused(why)
    _refuse_full(comparison, trace)
    _refuse_foreign(comparison, trace)
    with _traces_changing(access, comparison, trace):
        last = comparison.places.aggregate(last=Max("position"))["last"]
        ComparisonReport.objects.create(comparison=comparison, report=trace, position=(last or 0) + 1)
    return comparison


def detach_trace(access: AccessContext, comparison: Comparison, trace_id: UUID) -> Comparison:
    """Recompute without it; the trace is deleted if unused."""
    traces = Report.objects.filter(pk=trace_id, kind=TRACE, places__comparison=comparison)
    trace = require_row(traces, "The comparison has no such trace.")
    access.check(Can.WRITE, comparison, trace)
    with _traces_changing(access, comparison, trace):
        comparison.places.filter(report=trace).delete()
        if not ComparisonReport.objects.filter(report=trace).exists():
            report_services.delete(access, [trace])
    return comparison


def _refuse_foreign(comparison: Comparison, trace: Report) -> None:
    compared = [p.report for p in comparison.places.select_related("report").order_by("position")]
    heads = [report_queries.load_head(r) for r in compared if r.is_ready and r.kind != TRACE]
    read = report_queries.load_sections(trace, (TRACE_HEADER,))
    if heads and (why := why_foreign(read, (heads[0], heads[-1]) if len(heads) > 1 else heads)):
        raise ComparisonRefused(f"“{trace.name}” is not attached. {why}")


def _refuse_full(comparison: Comparison, trace: Report) -> None:
    digests = list(comparison.places.values_list("report__sha256", flat=True))
    if trace.sha256 in digests:
        raise ComparisonRefused(f"“{trace.name}” is attached already.")
    if len(digests) >= MOST_REPORTS:
        raise ComparisonRefused(f"A comparison takes at most {MOST_REPORTS} files.")


@contextmanager
def _traces_changing(access: AccessContext, comparison: Comparison, trace: Report) -> Iterator[None]:
    """Both locked; it is computed again afterwards."""
    with transaction.atomic():
        if not lock(Comparison, [comparison.pk]):
            raise ComparisonRefused(GONE)
        if not lock(Report, [trace.pk]):
            raise ComparisonRefused(f"“{trace.name}” has been deleted: upload it again.")
        restartable = Comparison.objects.filter(pk=comparison.pk, state__in=[State.READY, State.FAILED])
        if not restartable.update(**enqueue_values()):
            raise ComparisonRefused("The comparison is being computed: try again once it is done.")
        wake_on_commit(tasks.compute_comparison, [comparison.pk])
        audit.note(access, "changed", "comparison", comparison.pk)
        yield
    comparison.refresh_from_db()

"""Attaching and detaching LGWR traces; the comparison is recomputed under its address."""

from __future__ import annotations

from collections.abc import Iterable
from uuid import UUID

from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import Max

from awrdiff.accounts.access import AccessContext, NotFound
from awrdiff.analysis.commit_latency.events import TRACE_HEADER, why_foreign
from awrdiff.analysis.model.traces import TRACE
from awrdiff.audit.services import note
from awrdiff.comparisons import tasks
from awrdiff.comparisons.errors import GONE, ComparisonRefused
from awrdiff.comparisons.files import MOST_REPORTS
from awrdiff.comparisons.models import Comparison, ComparisonReport
from awrdiff.processing.claims import enqueue_values
from awrdiff.processing.fairness import wake_on_commit
from awrdiff.processing.models import State
from awrdiff.processing.row_locks import lock
from awrdiff.reports import queries as report_queries
from awrdiff.reports import services as report_services
from awrdiff.reports.models import Report
from awrdiff.reports.traces import why_not


def attach(access: AccessContext, comparison: Comparison, trace: Report) -> Comparison:
    """Pending again, `trace` last. Raises ComparisonRefused."""
    _may_write(access, comparison, trace)
    if why := why_not(trace):
        raise ComparisonRefused(why)
    _refuse_full(comparison, trace)
    _refuse_foreign(comparison, trace)
    with transaction.atomic():
        _lock(comparison, trace)
        last = comparison.places.aggregate(last=Max("position"))["last"]
        ComparisonReport.objects.create(comparison=comparison, report=trace, position=(last or 0) + 1)
        _start_again(comparison)
        note(access, "changed", "comparison", comparison.pk)
    comparison.refresh_from_db()
    return comparison


def detach(access: AccessContext, comparison: Comparison, trace_id: UUID) -> Comparison:
    """Pending again; the trace is deleted if unused."""
    trace = Report.objects.filter(pk=trace_id, kind=TRACE, places__comparison=comparison).first()
    if trace is None:
        raise NotFound("The comparison has no such trace.")
    _may_write(access, comparison, trace)
    with transaction.atomic():
        _lock(comparison, trace)
        comparison.places.filter(report=trace).delete()
        _start_again(comparison)
        note(access, "changed", "comparison", comparison.pk)
        if not ComparisonReport.objects.filter(report=trace).exists():
            report_services.delete(access, [trace])
    comparison.refresh_from_db()
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


def _lock(comparison: Comparison, trace: Report) -> None:
    if not lock(Comparison, [comparison.pk]):
        raise ComparisonRefused(GONE)
    if not lock(Report, [trace.pk]):
        raise ComparisonRefused(f"“{trace.name}” has been deleted: upload it again.")


def _start_again(comparison: Comparison) -> None:
    restartable = Comparison.objects.filter(pk=comparison.pk, state__in=[State.READY, State.FAILED])
    if not restartable.update(**enqueue_values()):
        raise ComparisonRefused("The comparison is being computed: try again once it is done.")
    wake_on_commit(tasks.compute_comparison, [comparison.pk])


def _may_write(access: AccessContext, *theirs: Comparison | Report) -> None:
    if not access.can_write or _foreign(access, theirs):
        raise PermissionDenied


def _foreign(access: AccessContext, theirs: Iterable[Comparison | Report]) -> bool:
    return any(entry.team_id != access.team.pk for entry in theirs)

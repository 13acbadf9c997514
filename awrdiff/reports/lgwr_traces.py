"""LGWR traces attached to one report and deleted with it.

Events are placed at view time, so few are allowed.
"""

from __future__ import annotations

from uuid import UUID

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, Sum

from awrdiff.accounts.access import AccessContext, Can, require_row
from awrdiff.analysis.commit_latency.lgwr_trace_events import TRACE_HEADER, why_foreign
from awrdiff.analysis.model.lgwr_traces import TRACE
from awrdiff.audit.services import note
from awrdiff.processing.row_locks import lock
from awrdiff.reports import queries, services
from awrdiff.reports.errors import TraceRefused
from awrdiff.reports.models import SEVERAL, Report, ReportTrace

MOST_TRACES = 8
MOST_EVENTS = 20_000  # of one trace: they are read in some tenths of a second


def why_not(trace: Report) -> str:
    """Sentence against attaching, or ""."""
    if trace.is_failed:
        return f"“{trace.name}” could not be read: {trace.error}"
    if not trace.is_ready:
        return f"“{trace.name}” is still being read: attach it once it is."
    if trace.kind != TRACE:
        return f"“{trace.name}” is not an LGWR trace: it can be compared, not attached."
    return ""


def takes(report: Report) -> bool:
    return report.is_ready and report.kind not in (TRACE, SEVERAL)


def attach(access: AccessContext, report: Report, trace: Report) -> None:
    """Raises TraceRefused."""
    access.check(Can.WRITE, report, trace)
    if why := why_not(trace) or _too_much(report, trace) or _foreign(report, trace):
        raise TraceRefused(why)
    with transaction.atomic():
        if len(lock(Report, [report.pk, trace.pk])) < 2:
            raise TraceRefused("The report or the trace has been deleted.")
        own = queries.traces_of(report)
        if own.filter(sha256=trace.sha256).exists():
            raise TraceRefused(f"“{trace.name}” is attached already.")
        if own.count() >= MOST_TRACES:
            raise TraceRefused(f"A report takes at most {MOST_TRACES} traces: detach one first.")
        ReportTrace.objects.create(report=report, trace=trace)
        note(access, "changed", "report", report.pk)


def _foreign(report: Report, trace: Report) -> str:
    """Reason it does not belong to this report, else ""."""
    read = queries.load_sections(trace, (TRACE_HEADER,))
    why = why_foreign(read, (queries.load_head(report),))
    return f"“{trace.name}” is not attached. {why}" if why else ""


def detach(access: AccessContext, report: Report, trace_id: UUID) -> None:
    """Deletes the trace if nothing else uses it."""
    trace = require_row(queries.traces_of(report).filter(pk=trace_id), "The report has no such trace.")
    access.check(Can.WRITE, report, trace)
    with transaction.atomic():
        lock(Report, [report.pk, trace.pk])
        if ReportTrace.objects.filter(report=report, trace=trace).delete()[0]:
            note(access, "changed", "report", report.pk)
        if not services.kept_by(trace):
            services.delete(access, [trace])


def keeps(trace: Report) -> str:
    """Sentence on reports needing it, else ""."""
    with_it = Report.objects.filter(traces__trace=trace).order_by("created_at")
    names = list(with_it.values_list("name", flat=True)[:3])
    if not names:
        return ""
    listed = " and ".join(f"“{name}”" for name in names)
    return f"“{trace.name}” is attached to {listed}: detach it first."


def holds() -> Exists:
    """Condition: has a trace, or is an attached one."""
    return Exists(ReportTrace.objects.filter(Q(report=OuterRef("pk")) | Q(trace=OuterRef("pk"))))


def _too_much(report: Report, trace: Report) -> str:
    if not takes(report):
        return f"No trace can be attached to “{report.name}”."
    events = queries.sections_of(trace).aggregate(all=Sum("rows"))["all"] or 0
    if events > MOST_EVENTS:
        return (
            f"“{trace.name}” holds {events:,} events, and a report alone takes traces of at most {MOST_EVENTS:,}: "
            "attach it to a comparison."
        )
    return ""

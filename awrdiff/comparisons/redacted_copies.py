"""Redacted copies of comparisons, computed from redacted reports for redacted links."""

from __future__ import annotations

from collections.abc import Iterable

from django.db import transaction

from awrdiff.analysis.model.lgwr_traces import split_traces
from awrdiff.comparisons.errors import GONE, ComparisonRefused
from awrdiff.comparisons.files import place
from awrdiff.comparisons.models import Comparison, ComparisonReport
from awrdiff.processing.row_locks import lock
from awrdiff.processing.work_claims import enqueue_values
from awrdiff.redaction.link_options import Redaction
from awrdiff.reports import redacted_copies

NOT_READY = "The comparison is not finished yet: a redacted link can be made once it is."


def make(comparison: Comparison, rule: Redaction) -> Comparison:
    """Pending copy without traces, title and file names. Needs a transaction. Raises ComparisonRefused."""
    if not lock(Comparison, [comparison.pk]):
        raise ComparisonRefused(GONE)
    comparison.refresh_from_db(fields=["state", "stored_format", "both_ways"])
    if not comparison.is_ready:
        raise ComparisonRefused(NOT_READY)
    places, _ = split_traces(comparison.places.select_related("report").order_by("position"))
    reports = redacted_copies.make(comparison.team, {p.report_id: p.report for p in places}, rule)
    team = redacted_copies.team_of_copies(comparison.team)
    copy_row = Comparison.objects.create(
        team=team, copy_of=comparison, both_ways=comparison.both_ways, **enqueue_values()
    )
    place(copy_row, [reports[p.report_id] for p in places], [p.aspect for p in places])
    return copy_row


def remove(comparisons: Iterable[Comparison]) -> None:
    """Delete copies with their reports, theirs alone."""
    with transaction.atomic():
        copy_rows = lock(Comparison, [c.pk for c in comparisons if c.copy_of_id])
        reports = list(ComparisonReport.objects.filter(comparison__in=copy_rows).values_list("report", flat=True))
        Comparison.objects.filter(pk__in=[c.pk for c in copy_rows]).delete()
        redacted_copies.remove(reports)

"""A comparison without its names, for outsiders: rows of its own, made by the workers of copies of its reports.

All pages, exports and searches of a redacted link are those of its copy, so none of them has to leave anything out.
"""

from __future__ import annotations

from collections.abc import Iterable

from django.db import transaction

from awrdiff.analysis.model.traces import split_traces
from awrdiff.comparisons.errors import GONE, ComparisonRefused
from awrdiff.comparisons.files import place
from awrdiff.comparisons.models import Comparison, ComparisonReport
from awrdiff.processing.claims import enqueue_values
from awrdiff.processing.rows import lock
from awrdiff.redaction.rule import Redaction
from awrdiff.reports import copies

NOT_READY = "The comparison is not finished yet: a redacted link can be made once it is."


def make(comparison: Comparison, rule: Redaction) -> Comparison:
    """A pending copy, in the transaction of whoever asks for it. Traces, title and file names do not go along.

    Raises ComparisonRefused.
    """
    if not lock(Comparison, [comparison.pk]):
        raise ComparisonRefused(GONE)
    comparison.refresh_from_db(fields=["state", "stored_format", "both_ways"])
    if not comparison.is_ready:
        raise ComparisonRefused(NOT_READY)
    places, _ = split_traces(comparison.places.select_related("report").order_by("position"))
    reports = copies.make(comparison.team, {p.report_id: p.report for p in places}, rule)
    team = copies.team_of_copies(comparison.team)
    made = Comparison.objects.create(team=team, copy_of=comparison, both_ways=comparison.both_ways, **enqueue_values())
    place(made, [reports[p.report_id] for p in places], [p.aspect for p in places])
    return made


def remove(comparisons: Iterable[Comparison]) -> None:
    """Delete copies with their reports, which no other comparison has."""
    with transaction.atomic():
        found = lock(Comparison, [c.pk for c in comparisons if c.copy_of_id])
        reports = list(ComparisonReport.objects.filter(comparison__in=found).values_list("report", flat=True))
        Comparison.objects.filter(pk__in=[c.pk for c in found]).delete()
        copies.remove(reports)

"""Titles of comparisons."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from uuid import UUID

from awrdiff.analysis.aspects import aspect_text
from awrdiff.analysis.model.traces import split_traces
from awrdiff.analysis.windows import window, windows
from awrdiff.comparisons.models import Comparison
from awrdiff.comparisons.pairs import latest_pair, places_of_pair
from awrdiff.comparisons.placed_reports import PlacedReport, placed_reports_in


def titles_of(comparisons: Collection[Comparison]) -> dict[UUID, str]:
    """Expects comparisons with places loaded."""
    placed_reports = placed_reports_in(comparisons)
    return {
        comparison.pk: comparison_title(comparison, split_traces(placed_reports[comparison.pk])[0])
        if comparison.pk in placed_reports
        else "Comparison"
        for comparison in comparisons
    }


def comparison_title(comparison: Comparison, reports: Sequence[PlacedReport], pair: int | None = None) -> str:
    """Own title, with Second's window unless the latest pair (None)."""
    if len(reports) < 2:
        return comparison.title or "Comparison"
    latest = latest_pair(len(reports))
    places = places_of_pair(latest if pair is None else pair, len(reports))
    first, second = (reports[at] for at in places)
    if comparison.title:
        another = f" · {window(second.begin_at, second.end_at)}" if pair not in (None, latest) else ""
        return f"{comparison.title}{another}"
    if not first.begin_at or not second.begin_at:
        further = (r for at, r in enumerate(reports) if at not in places)
        return " → ".join(r.name for r in (first, second, *further))
    names = list(dict.fromkeys(database_of(r) for r in (first, second)))
    spans = windows((first.begin_at, first.end_at), (second.begin_at, second.end_at))
    more = f" and {len(reports) - 2} more" if len(reports) > 2 else ""
    return f"{' and '.join(names)} · {spans}{more}"


def database_of(report: PlacedReport) -> str:
    """`PAY`, or `PAY instance 2`."""
    name = report.db_name or report.instance_name or "?"
    return f"{name} {aspect_text(report.aspect)}" if report.aspect.startswith("instance") else name

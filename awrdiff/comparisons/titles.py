"""What a comparison is called, wherever it is named."""

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
    """For comparisons with their places at hand."""
    seen = placed_reports_in(comparisons)
    return {
        one.pk: comparison_title(one, split_traces(seen[one.pk])[0]) if one.pk in seen else "Comparison"
        for one in comparisons
    }


def comparison_title(comparison: Comparison, reports: Sequence[PlacedReport], pair: int | None = None) -> str:
    """The given title, with Second's window in another pair than the latest (None); else what is compared: database,
    first window → second window of the pair that is looked at."""
    if len(reports) < 2:
        return comparison.title or "Comparison"
    latest = latest_pair(len(reports))
    places = places_of_pair(latest if pair is None else pair, len(reports))
    first, second = (reports[at] for at in places)
    if comparison.title:
        another = f" · {window(second.begin_at, second.end_at)}" if pair not in (None, latest) else ""
        return f"{comparison.title}{another}"
    if not first.begin_at or not second.begin_at:
        others = (r for at, r in enumerate(reports) if at not in places)
        return " → ".join(r.name for r in (first, second, *others))
    names = list(dict.fromkeys(database_of(r) for r in (first, second)))
    spans = windows((first.begin_at, first.end_at), (second.begin_at, second.end_at))
    more = f" and {len(reports) - 2} more" if len(reports) > 2 else ""
    return f"{' and '.join(names)} · {spans}{more}"


def database_of(seen: PlacedReport) -> str:
    """`PAY`, or `PAY instance 2`."""
    name = seen.db_name or seen.instance_name or "?"
    return f"{name} {aspect_text(seen.aspect)}" if seen.aspect.startswith("instance") else name

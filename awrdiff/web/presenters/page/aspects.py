"""Visible part of a report, and its alternatives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from awrdiff.analysis.aspects import WHOLE, aspect_text
from awrdiff.analysis.oracle_compare.figures import PERIODS
from awrdiff.comparisons.aspects import choices_of
from awrdiff.comparisons.pairs import places_of_pair
from awrdiff.comparisons.placed_reports import PlacedReport
from awrdiff.web.presenters.page.pieces import Choice

ALL = "all"


@dataclass(frozen=True, slots=True)
class LookedAt:
    """`place`: of the report, or `all`; `choices`: permitted alternatives."""

    side: str
    place: int | str
    label: str
    choices: tuple[Choice, ...]

    @property
    def looks(self) -> str:
        return f"{self.side} look at" if self.place == ALL else f"{self.side} looks at"


def of_sides(
    placed_reports: Sequence[PlacedReport], pair: int, *, may_choose: bool
) -> tuple[LookedAt | None, tuple[LookedAt, ...]]:
    """One choice if both sides offer the same, else one for each."""
    if len(placed_reports) < 2:
        return None, ()
    first, second = places_of_pair(pair, len(placed_reports))
    sides = (("First", placed_reports[first]), ("Second", placed_reports[second]))
    parts = tuple(
        p
        for p in (_looked_at(side, placed_report, may_choose=may_choose) for side, placed_report in sides)
        if p.label or p.choices
    )
    return _common_choice(parts), parts


def _common_choice(parts: Sequence[LookedAt]) -> LookedAt | None:
    """Compare reports choose per side: their periods always differ."""
    if len(parts) < 2 or not parts[0].choices or any(choice.value in PERIODS for choice in parts[0].choices):
        return None
    first, second = parts
    if [c.value for c in first.choices] != [c.value for c in second.choices]:
        return None
    choices = [a._replace(current=a.current and b.current) for a, b in zip(first.choices, second.choices, strict=True)]
    return LookedAt("Both", ALL, first.label, tuple(choices))


def _looked_at(side: str, placed_report: PlacedReport, *, may_choose: bool) -> LookedAt:
    kind = placed_report.report.kind
    offered = choices_of(placed_report.report) if may_choose or not placed_report.aspect else ()
    label = aspect_text(placed_report.aspect, kind) if placed_report.aspect or offered else ""
    if not may_choose:
        return LookedAt(side, placed_report.position, label, ())
    # both periods at once are no interval: once one is chosen, there is no way back to them
    aspects = [a for a in offered if a != WHOLE or kind != "awr_compare" or placed_report.aspect == WHOLE]
    return LookedAt(
        side,
        placed_report.position,
        label,
        tuple(Choice(a, aspect_text(a, kind), a == placed_report.aspect) for a in aspects),
    )

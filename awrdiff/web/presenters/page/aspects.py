"""The part of a report that a side looks at, and what else it could look at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from awrdiff.analysis.aspects import WHOLE, aspect_text
from awrdiff.analysis.oracle_compare.figures import PERIODS
from awrdiff.comparisons.aspects import choices_of
from awrdiff.comparisons.pairs import places_of_pair
from awrdiff.comparisons.placed_reports import PlacedReport

ALL = "all"


@dataclass(frozen=True, slots=True)
class Choice:
    aspect: str
    label: str
    current: bool


@dataclass(frozen=True, slots=True)
class LookedAt:
    """`place` of the side's report, or `all`; `choices` are empty where there is nothing to choose, or nobody may."""

    side: str
    place: int | str
    label: str
    choices: tuple[Choice, ...]

    @property
    def looks(self) -> str:
        return f"{self.side} look at" if self.place == ALL else f"{self.side} looks at"


@dataclass(frozen=True, slots=True)
class Parts:
    """`both`: one choice for the two sides, where they offer the same; else None. `apart`: of each side by itself."""

    both: LookedAt | None
    apart: tuple[LookedAt, ...]


def of_sides(seen: Sequence[PlacedReport], pair: int, *, may_choose: bool) -> Parts | None:
    """For the identity strip: First and the report it is compared with, where they are parts or could be."""
    if len(seen) < 2:
        return None
    first, second = places_of_pair(pair, len(seen))
    sides = (("First", seen[first]), ("Second", seen[second]))
    parts = tuple(
        p for p in (_looked_at(side, one, may_choose=may_choose) for side, one in sides) if p.label or p.choices
    )
    return Parts(_both(parts), parts) if parts else None


def _both(parts: Sequence[LookedAt]) -> LookedAt | None:
    """Two periods of one compare report are looked at each by itself: of both there is no same period."""
    if len(parts) < 2 or not parts[0].choices or any(one.aspect in PERIODS for one in parts[0].choices):
        return None
    one, other = parts
    if [c.aspect for c in one.choices] != [c.aspect for c in other.choices]:
        return None
    choices = [replace(a, current=a.current and b.current) for a, b in zip(one.choices, other.choices, strict=True)]
    return LookedAt("Both", ALL, one.label, tuple(choices))


def _looked_at(side: str, seen: PlacedReport, *, may_choose: bool) -> LookedAt:
    kind = seen.report.kind
    offered = choices_of(seen.report) if may_choose or not seen.aspect else ()
    label = aspect_text(seen.aspect, kind) if seen.aspect or offered else ""
    if not may_choose:
        return LookedAt(side, seen.position, label, ())
    # both periods at once are no interval: once one is chosen, there is no way back to them
    kept = [a for a in offered if a != WHOLE or kind != "awr_compare" or seen.aspect == WHOLE]
    return LookedAt(side, seen.position, label, tuple(Choice(a, aspect_text(a, kind), a == seen.aspect) for a in kept))

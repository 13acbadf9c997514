"""The part of a report that a side looks at, and what else it could look at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from awrdiff.analysis.aspects import WHOLE, in_words
from awrdiff.comparisons.aspects import choices_of
from awrdiff.comparisons.pairs import places_of_pair
from awrdiff.comparisons.placed_reports import PlacedReport


@dataclass(frozen=True, slots=True)
class Choice:
    aspect: str
    label: str
    current: bool


@dataclass(frozen=True, slots=True)
class LookedAt:
    """`place` of the side's report; `choices` are empty where there is nothing to choose, or nobody may."""

    side: str
    place: int
    label: str
    choices: tuple[Choice, ...]


def of_sides(seen: Sequence[PlacedReport], pair: int, *, may_choose: bool) -> tuple[LookedAt, ...]:
    """For the identity strip: First and the report it is compared with, where they are parts or could be."""
    if len(seen) < 2:
        return ()
    first, second = places_of_pair(pair, len(seen))
    sides = (("First", seen[first]), ("Second", seen[second]))
    parts = [_looked_at(side, one, may_choose=may_choose) for side, one in sides]
    return tuple(p for p in parts if p.label or p.choices)


def _looked_at(side: str, seen: PlacedReport, *, may_choose: bool) -> LookedAt:
    kind = seen.report.kind
    offered = choices_of(seen.report) if may_choose or not seen.aspect else ()
    label = in_words(seen.aspect, kind) if seen.aspect or offered else ""
    if not may_choose:
        return LookedAt(side, seen.position, label, ())
    # both periods at once are no interval: once one is chosen, there is no way back to them
    kept = [a for a in offered if a != WHOLE or kind != "awr_compare" or seen.aspect == WHOLE]
    return LookedAt(side, seen.position, label, tuple(Choice(a, in_words(a, kind), a == seen.aspect) for a in kept))

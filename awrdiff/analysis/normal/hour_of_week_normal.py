"""Normal value of a figure at an hour of the week.

Median of the same hour, else of the hour on like days (working days, weekends), else `first_days.py`.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from datetime import datetime
from typing import Literal, NamedTuple

from msgspec import Struct

from awrdiff.analysis.baseline.robust_statistics import LEAST_FOR_Z, OF_NORMAL, absolute_deviation
from awrdiff.analysis.metrics.declaration_helpers import Unit
from awrdiff.analysis.normal.minimum_deviation import (
    USUAL_OF,
    floor_of,
    level_of,
    spread_by_weekday,
    spread_of_hour,
    usual_spread,
)
from awrdiff.analysis.normal.sparse_hour_fallback import (
    days_of,
    hours_around,
    is_unlike_any,
    of_the_hour,
    spread_of_days,
    spread_of_few,
)
from parsers.model import Value

By = Literal["hour of the week", "hour of the day", "hours around", "all hours"]
LEAST = LEAST_FOR_Z  # reports, before anything is said
ALARM = 6.0  # deviations: what is farther from normal is no chance (docs/fleet.md has what was measured)


class Measured(NamedTuple):
    """Figure of one report; `era`: equal for comparable reports."""

    begin: datetime
    value: Value
    era: Hashable = None


class Normal(Struct, frozen=True):
    """`deviation`: as a standard deviation, at least `minimum_deviation.py`'s."""

    median: Value
    deviation: float
    of: int
    by: By

    def departure(self, value: Value) -> float:
        """Robust z-score; coarse print brings values no farther off."""
        return (value.number - self.median.number) / max(self.deviation, 2 * value.half)


def normal_at(
    begin: datetime, era: Hashable, history: Sequence[Measured], *, unit: Unit | None = None
) -> Normal | None:
    """None under five earlier reports; `unit` sets the least deviation.

    `history`: by time; only of this `era`.
    """
    same = [m for m in history if m.begin < begin and m.era == era]
    of_day, of_week = of_the_hour(begin, same)
    return normal_of(of_week, of_day, same, unit=unit) or _of_other_hours(begin, same, unit)


def normal_of(
    of_week: Sequence[Measured], of_day: Sequence[Measured], every: Sequence[Measured], *, unit: Unit | None = None
) -> Normal | None:
    """Hour of the week first, then like days'.

    `every`: hours by time whose spread replaces an unknown one.
    """
    groups: tuple[tuple[By, Sequence[Measured]], ...] = (("hour of the week", of_week), ("hour of the day", of_day))
    by, of = next(((by, of) for by, of in groups if days_of(of) >= LEAST), ("all hours", ()))
    if not of:
        return None
    centre, printed = _middle(of)
    level = level_of(centre.number, unit)
    floor = max(floor_of(centre.number, printed, unit), spread_of_days(days_of(of_day)) * level)
    deviation = absolute_deviation([m.value for m in of], centre.number) / OF_NORMAL
    if by == "hour of the week":
        spread = spread_by_weekday([(m.begin, m.value.number) for m in of_day], centre.number)
    else:
        spread = spread_of_hour([m.value.number for m in of_day])
    deviation = max(deviation, spread)
    if deviation <= printed:
        floor = max(floor, usual_spread([(m.begin, m.value.number) for m in every[-USUAL_OF:]]))
    return Normal(centre, max(deviation, floor), len(of), by)


def _of_other_hours(begin: datetime, same: Sequence[Measured], unit: Unit | None) -> Normal | None:
    """Deviation of at least half the way to the farthest hour: jobs shift."""
    near = hours_around(begin, same)
    of: Sequence[Measured] = near or same
    if len(of) < LEAST:
        return None
    centre, printed = _middle(of)
    figures = [m.value.number for m in same]
    deviation = spread_of_few(begin, near, figures, unit) * level_of(centre.number, unit)
    deviation = max(deviation, _reach(of, centre.number) / 2)
    if deviation <= printed:
        deviation = _reach(same, centre.number) / 2
    if not near and is_unlike_any(begin, same):
        deviation = max(deviation, *map(abs, figures))
    deviation = max(deviation, floor_of(centre.number, printed, unit))
    return Normal(centre, deviation, len(of), "hours around" if near else "all hours")


def _middle(of: Sequence[Measured]) -> tuple[Value, float]:
    values = sorted([m.value for m in of])
    middle = values[(len(values) - 1) // 2 : len(values) // 2 + 1]
    centre = Value((middle[0].number + middle[-1].number) / 2, max(v.half for v in middle))
    return centre, 2 * max([v.half for v in values])


def _reach(of: Sequence[Measured], centre: float) -> float:
    return max(abs(m.value.number - centre) for m in of)

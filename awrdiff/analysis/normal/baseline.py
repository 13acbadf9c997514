"""What is normal for a figure at an hour of the week, and how far from it one report lies.

Median and median absolute deviation as in `awrdiff.analysis.baseline`, of the reports of the same hour of the week;
where these are too few, of the same hour of days like it (working days, weekends); else of the hours around it on days
before, or of all, by wider deviations (`first_days.py`). A report counts only while nothing was changed since: it is of
the same `era` (start of the instance, release, parameters) as the one it is held against.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from datetime import datetime
from typing import Literal, NamedTuple

from msgspec import Struct

from awrdiff.analysis.baseline.spread import LEAST_FOR_Z, OF_NORMAL, absolute_deviation
from awrdiff.analysis.metrics.declare import Unit
from awrdiff.analysis.normal.first_days import (
    days_of,
    hours_around,
    is_unlike_any,
    of_the_hour,
    spread_of_days,
    spread_of_few,
)
from awrdiff.analysis.normal.floor import USUAL_OF, floor_of, level_of, spread_by_weekday, spread_of_hour, usual_spread
from parsers.model import Value

By = Literal["hour of the week", "hour of the day", "hours around", "all hours"]
LEAST = LEAST_FOR_Z  # reports, before anything is said
ALARM = 6.0  # deviations: what is farther from normal is no chance (docs/fleet.md has what was measured)


class Measured(NamedTuple):
    """One figure of one report. `era`: whatever of the database has to be the same for two reports to compare."""

    begin: datetime
    value: Value
    era: Hashable = None


class Normal(Struct, frozen=True):
    """`deviation`: of the median, as a standard deviation, and never less than what `floor.py` allows."""

    median: Value
    deviation: float
    of: int
    by: By

    def departure(self, value: Value) -> float:
        """A robust z-score: by how many deviations the figure lies above what is normal. One that is printed more
        coarsely than those before is no farther off than its print allows."""
        return (value.number - self.median.number) / max(self.deviation, 2 * value.half)


def normal_at(
    begin: datetime, era: Hashable, history: Sequence[Measured], *, unit: Unit | None = None
) -> Normal | None:
    """Of the reports in `history`, in the order of time, that began before; None where fewer than five of them count.

    `unit`: what the least deviation is told by.
    """
    same = [m for m in history if m.begin < begin and m.era == era]
    of_day, of_week = of_the_hour(begin, same)
    return normal_of(of_week, of_day, same, unit=unit) or _of_other_hours(begin, same, unit)


def normal_of(
    of_week: Sequence[Measured], of_day: Sequence[Measured], every: Sequence[Measured], *, unit: Unit | None = None
) -> Normal | None:
    """By the first of these that are enough: reports of the same hour of the week, and of the day, on days like it.
    `every`: the hours whose spread stands in where those of one hour do not tell theirs, in the order of time."""
    groups: tuple[tuple[By, Sequence[Measured]], ...] = (("hour of the week", of_week), ("hour of the day", of_day))
    by, of = next(((by, of) for by, of in groups if days_of(of) >= LEAST), ("all hours", ()))
    if not of:
        return None
    centre, printed = _middle(of)
    level = level_of(centre.number, unit)
    floor = max(floor_of(centre.number, printed, unit), spread_of_days(days_of(of_day)) * level)
    deviation = absolute_deviation([m.value for m in of], centre.number) / OF_NORMAL
    told = [(m.begin, m.value.number) for m in of_day]
    by_weekday = by == "hour of the week"
    moved = spread_by_weekday(told, centre.number) if by_weekday else spread_of_hour([figure for _, figure in told])
    deviation = max(deviation, moved)
    if deviation <= printed:
        floor = max(floor, usual_spread([(m.begin, m.value.number) for m in every[-USUAL_OF:]]))
    return Normal(centre, max(deviation, floor), len(of), by)


def _of_other_hours(begin: datetime, same: Sequence[Measured], unit: Unit | None) -> Normal | None:
    """One deviation is at least half of the way to the farthest of them, so that neither a morning nor a nightly job is
    an alarm where it begins an hour earlier."""
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
    """The median, and one step of the print of what is printed most coarsely."""
    values = sorted([m.value for m in of])
    middle = values[(len(values) - 1) // 2 : len(values) // 2 + 1]
    centre = Value((middle[0].number + middle[-1].number) / 2, max(v.half for v in middle))
    return centre, 2 * max([v.half for v in values])


def _reach(of: Sequence[Measured], centre: float) -> float:
    return max(abs(m.value.number - centre) for m in of)


__all__ = ["ALARM", "LEAST", "By", "Measured", "Normal", "normal_at"]

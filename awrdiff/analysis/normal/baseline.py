"""What is normal for a figure at an hour of the week, and how far from it one report lies.

Median and median absolute deviation as in `awrdiff.analysis.baseline`, of the reports of the same hour of the week;
where these are too few, of the same hour of the day; else of all. A report counts only while nothing was changed since:
it is of the same `era` (start of the instance, release, parameters) as the one it is held against.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, NamedTuple

from awrdiff.analysis.baseline.spread import LEAST_FOR_Z, OF_NORMAL, absolute_deviation, spread_of
from parsers.model import Value

By = Literal["hour of the week", "hour of the day", "all hours", "chosen periods"]
LEAST = LEAST_FOR_Z  # reports, before anything is said
# No hour of a database repeats more closely than this part of its median: a smaller deviation is chance among few.
STEADIEST = 0.05
ALARM = 6.0  # deviations: what is farther from normal is no chance (docs/fleet.md has what was measured)


class Measured(NamedTuple):
    """One figure of one report. `era`: whatever of the database has to be the same for two reports to compare."""

    begin: datetime
    value: Value
    era: Hashable = None


class TimeSpan(NamedTuple):
    """Chosen by hand as a good time: reports that begin in it, up to but not at its end."""

    begin: datetime
    end: datetime

    def holds(self, moment: datetime) -> bool:
        return self.begin <= moment < self.end


@dataclass(frozen=True, slots=True)
class Normal:
    """`deviation`: of the median, as a standard deviation, and never less than print and `STEADIEST` allow."""

    median: Value
    deviation: float
    of: int
    by: By

    def departure(self, value: Value) -> float:
        """A robust z-score: by how many deviations the figure lies above what is normal."""
        return (value.number - self.median.number) / self.deviation if self.deviation else 0.0


def normal_at(
    begin: datetime, era: Hashable, history: Sequence[Measured], chosen: Sequence[TimeSpan] = ()
) -> Normal | None:
    """Of the reports in `history` that began before; None where fewer than five of them count.

    `chosen`: only those in these spans, whatever was changed since.
    """
    before = [m for m in history if m.begin < begin]
    if chosen:
        return _normal([m.value for m in before if any(s.holds(m.begin) for s in chosen)], "chosen periods")
    same = [m for m in before if m.era == era]
    of_day = [m for m in same if m.begin.hour == begin.hour]
    of_week = [m for m in of_day if m.begin.weekday() == begin.weekday()]
    groups: tuple[tuple[By, list[Measured]], ...] = (
        ("hour of the week", of_week),
        ("hour of the day", of_day),
        ("all hours", same),
    )
    return next((found for by, of in groups if (found := _normal([m.value for m in of], by)) is not None), None)


def _normal(values: Sequence[Value], by: By) -> Normal | None:
    found = spread_of(values)
    if found is None or found.printed < LEAST:
        return None
    middle = found.median
    deviation = absolute_deviation(values, middle.number) / OF_NORMAL
    floor = max(*(v.half for v in values), STEADIEST * abs(middle.number))
    return Normal(middle, max(deviation, floor), len(values), by)


__all__ = ["ALARM", "LEAST", "Measured", "Normal", "TimeSpan", "normal_at"]

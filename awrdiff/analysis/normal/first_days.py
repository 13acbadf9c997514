"""What stands in for an hour of the day that was not seen five times yet, and how little that says of it.

In the first days, and after each restart, what the hours around it did on days like it says what is normal. Some days'
neighbouring hours are no sample of one hour: their median absolute deviation is the shape of the day. What they spread
by is therefore told by three other things, each of which may be wide: days that nobody has seen yet, how unevenly one
hour follows another, and how far the hours around lie apart.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import pairwise
from statistics import median
from typing import Final, Protocol, TypeVar

from awrdiff.analysis.baseline.spread import LEAST_FOR_Z, OF_NORMAL
from awrdiff.analysis.metrics.declare import Unit
from awrdiff.analysis.normal.floor import STEADIEST, level_of

DAY: Final = timedelta(days=1)
_DAY_S: Final = DAY.total_seconds()
A_DAY: Final = timedelta(hours=23)  # from the first to the last beginning, of hourly reports
# On either side: five hourly reports of one day, and seven where some of these are missing.
_AROUND: Final = (2.5 * 3600, 3.5 * 3600)  # seconds
# By how much a day differs from the one before it nobody knows who has seen one. Student's distribution of the four
# degrees of freedom that five reports have reaches about four times as far as the normal one where that ends.
_OF_ONE_DAY: Final = 4 * STEADIEST


class Begun(Protocol):
    @property
    def begin(self) -> datetime: ...


Report = TypeVar("Report", bound=Begun)


def hours_around(begin: datetime, reports: Sequence[Report]) -> list[Report]:
    """Those of days before that began about the same hour of the day; none where these are fewer than five.

    Of working days where it is one, else of weekends: after a weekend every Monday is unlike the days before. A weekend
    of which there is no other is held against working days, which mostly do more.
    """
    beside = [(beside, one) for one in reports if (beside := _beside(begin, one.begin)) is not None]
    for around in _AROUND:
        near = [one for seconds, one in beside if seconds <= around]
        like = [one for one in near if is_weekend(_same_hour(begin, one.begin)) == is_weekend(begin)]
        if len(like) >= LEAST_FOR_Z:
            return like
        if is_weekend(begin) and len(near) >= LEAST_FOR_Z:
            return near
    return []


def of_the_hour(begin: datetime, reports: Sequence[Report]) -> tuple[list[Report], list[Report]]:
    """Those of the same hour: of days like its own, and of these its own weekday's."""
    of_hour = [one for one in reports if one.begin.hour == begin.hour]
    of_day = [one for one in of_hour if is_weekend(one.begin) == is_weekend(begin)]
    return of_day, [one for one in of_day if one.begin.weekday() == begin.weekday()]


def days_of(reports: Sequence[Begun]) -> int:
    """How many days they began on: four reports of one hour are no four days."""
    return len({one.begin.date() for one in reports})


def days_before(begin: datetime, earlier: datetime) -> int:
    return round((begin - earlier) / DAY)


def _beside(begin: datetime, earlier: datetime) -> float | None:
    """By how many seconds it began before or after the same time of its day; None on the same day, or by too many."""
    gap = (begin - earlier).total_seconds()
    days = round(gap / _DAY_S)
    beside = abs(gap - days * _DAY_S)
    return beside if days and beside <= _AROUND[-1] else None


def is_unlike_any(begin: datetime, reports: Sequence[Begun]) -> bool:
    """A working day, of less than a day of which there are reports: as many as come in a day, whenever they began. From
    Friday night to Monday morning it is three days, and ten hours of working days."""
    working = sum(not is_weekend(one.begin) for one in reports)
    gaps_s = [(after.begin - before.begin).total_seconds() for before, after in pairwise(reports)]
    return not is_weekend(begin) and (not gaps_s or working * median(gaps_s) < A_DAY.total_seconds())


def spread_of_few(begin: datetime, near: Sequence[Begun], figures: Sequence[float], unit: Unit | None) -> float:
    """One deviation, as a part of the level, where `near` say what is normal: what days differ by, of which so many are
    seen, and what hours do beside it. `figures`: all of them, in the order of time."""
    days = len({days_before(begin, one.begin) for one in near}) or 1
    return math.hypot(spread_of_days(days), _unevenness(figures, unit))


def spread_of_days(days: int) -> float:
    """One deviation is no smaller a part of the level where so many days alike were seen."""
    return _OF_ONE_DAY / math.sqrt(days)


def _unevenness(figures: Sequence[float], unit: Unit | None) -> float:
    """What hours usually lie beside the middle of the two around them, as a standard deviation: a ramp has none."""
    found = []
    for before, figure, after in zip(figures, figures[1:], figures[2:], strict=False):
        middle = (before + after) / 2
        if level := level_of(middle, unit):
            found.append(abs(figure - middle) / level)
    return median(found) / OF_NORMAL if found else 0.0


def _same_hour(begin: datetime, earlier: datetime) -> datetime:
    """On the day of the earlier one."""
    return begin - days_before(begin, earlier) * DAY


def is_weekend(day: datetime) -> bool:
    """As in most countries; days are alike where both are or none is."""
    return day.weekday() >= 5


__all__ = [
    "A_DAY",
    "days_before",
    "days_of",
    "hours_around",
    "is_unlike_any",
    "is_weekend",
    "of_the_hour",
    "spread_of_days",
    "spread_of_few",
]

"""Stand-ins for an hour seen under five times: hours around it on like days.

Spread comes from unseen days, unevenness between hours and distance; their own deviation is the shape of the day.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import pairwise
from statistics import median
from typing import Final, Protocol, TypeVar

from awrdiff.analysis.baseline.robust_statistics import LEAST_FOR_Z, OF_NORMAL
from awrdiff.analysis.metrics.declaration_helpers import Unit
from awrdiff.analysis.normal.minimum_deviation import STEADIEST, level_of

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
    """Earlier days' reports of about this time; none under five.

    Working days and weekends apart, unless no other weekend exists.
    """
    beside = [(beside, report) for report in reports if (beside := _beside(begin, report.begin)) is not None]
    for around in _AROUND:
        near = [report for seconds, report in beside if seconds <= around]
        like = [report for report in near if is_weekend(_same_hour(begin, report.begin)) == is_weekend(begin)]
        if len(like) >= LEAST_FOR_Z:
            return like
        if is_weekend(begin) and len(near) >= LEAST_FOR_Z:
            return near
    return []


def of_the_hour(begin: datetime, reports: Sequence[Report]) -> tuple[list[Report], list[Report]]:
    """This hour's on like days, and those of its weekday."""
    of_hour = [report for report in reports if report.begin.hour == begin.hour]
    of_day = [report for report in of_hour if is_weekend(report.begin) == is_weekend(begin)]
    return of_day, [report for report in of_day if report.begin.weekday() == begin.weekday()]


def days_of(reports: Sequence[Begun]) -> int:
    """Number of days they began on."""
    return len({report.begin.date() for report in reports})


def days_before(begin: datetime, earlier: datetime) -> int:
    return round((begin - earlier) / DAY)


def _beside(begin: datetime, earlier: datetime) -> float | None:
    gap = (begin - earlier).total_seconds()
    days = round(gap / _DAY_S)
    beside = abs(gap - days * _DAY_S)
    return beside if days and beside <= _AROUND[-1] else None


def is_unlike_any(begin: datetime, reports: Sequence[Begun]) -> bool:
    """A working day after under a day of working-day reports."""
    working = sum(not is_weekend(report.begin) for report in reports)
    gaps_s = [(after.begin - before.begin).total_seconds() for before, after in pairwise(reports)]
    return not is_weekend(begin) and (not gaps_s or working * median(gaps_s) < A_DAY.total_seconds())


def spread_of_few(begin: datetime, near: Sequence[Begun], figures: Sequence[float], unit: Unit | None) -> float:
    """Deviation as a part of the level; `figures` by time."""
    days = len({days_before(begin, report.begin) for report in near}) or 1
    return math.hypot(spread_of_days(days), _unevenness(figures, unit))


def spread_of_days(days: int) -> float:
    """Least deviation as a part of the level."""
    return _OF_ONE_DAY / math.sqrt(days)


def _unevenness(figures: Sequence[float], unit: Unit | None) -> float:
    triples = zip(figures, figures[1:], figures[2:], strict=False)
    pairs = ((figure, (before + after) / 2) for before, figure, after in triples)
    distances = [abs(figure - middle) / level for figure, middle in pairs if (level := level_of(middle, unit))]
    return median(distances) / OF_NORMAL if distances else 0.0


def _same_hour(begin: datetime, earlier: datetime) -> datetime:
    return begin - days_before(begin, earlier) * DAY


def is_weekend(day: datetime) -> bool:
    return day.weekday() >= 5

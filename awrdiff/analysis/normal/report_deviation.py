"""Deviation of one report from normal at its hour, in active sessions."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from datetime import datetime, timedelta
from statistics import median
from typing import Generic, NamedTuple, TypeVar

from msgspec import Struct

from awrdiff.analysis.baseline.robust_statistics import absolute_deviation
from awrdiff.analysis.normal.hour_of_week_normal import ALARM, LEAST, Measured, Normal, normal_at
from awrdiff.analysis.normal.sparse_hour_fallback import A_DAY, days_of, hours_around, of_the_hour
from parsers.model import Value

HISTORY = timedelta(weeks=8)  # before it, which is looked at
PARTS_OF = 30  # of those that say what is normal, the latest: of these it is looked at what carried them

Key = TypeVar("Key", bound=Hashable)


class Hour(NamedTuple, Generic[Key]):
    """Report with its average active `sessions`."""

    key: Key
    begin: datetime
    era: Hashable
    sessions: Value


class Departure(Struct, Generic[Key], frozen=True):
    """`above`: active sessions above the median; `deviations` of it.

    `alike`: latest comparable reports, `nearest` to their median.
    """

    normal: Normal
    above: float
    deviations: float
    is_alarm: bool
    alike: tuple[Key, ...]
    nearest: Key


def departure_of(hour: Hour[Key], history: Sequence[Hour[Key]]) -> Departure[Key] | None:
    """None under five comparable reports, or a day of them."""
    before = [earlier for earlier in history if hour.begin - HISTORY <= earlier.begin < hour.begin]
    measured = [Measured(earlier.begin, earlier.sessions, earlier.era) for earlier in before]
    normal = normal_at(hour.begin, hour.era, measured, unit="sessions")
    if normal is None:
        return None
    normal_hours = _that_say(normal, [earlier for earlier in before if earlier.era == hour.era], hour)
    last = hour if normal.by == "hours around" else normal_hours[-1]
    if last.begin - normal_hours[0].begin < A_DAY:
        return None
    middle = normal.median.number
    nearest = min(reversed(normal_hours), key=lambda earlier: abs(earlier.sessions.number - middle))
    deviations = normal.departure(hour.sessions)
    return Departure(
        normal,
        hour.sessions.number - middle,
        deviations,
        deviations >= ALARM,
        tuple(earlier.key for earlier in normal_hours[-PARTS_OF:]),
        nearest.key,
    )


def tell_themselves(of_day: Sequence[Hour[Key]], hour: Hour[Key]) -> bool:
    """True if its hour's reports suffice for normal and spread."""
    alike, of_week = of_the_hour(hour.begin, [report for report in of_day if report.era == hour.era])
    return _vary(alike) and (days_of(of_week) < LEAST or _vary(of_week))


def _vary(group: Sequence[Hour[Key]]) -> bool:
    values = [report.sessions for report in group]
    if days_of(group) < LEAST:
        return False
    return absolute_deviation(values, median(v.number for v in values)) > max(2 * v.half for v in values)


def _that_say(normal: Normal, same: Sequence[Hour[Key]], hour: Hour[Key]) -> Sequence[Hour[Key]]:
    if normal.by == "all hours":
        return same
    if normal.by == "hours around":
        return hours_around(hour.begin, same)
    of_day, of_week = of_the_hour(hour.begin, same)
    return of_week if normal.by == "hour of the week" else of_day

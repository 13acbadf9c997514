"""How far one report lies from what is normal at its hour, in active sessions, and which reports say what is normal."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from datetime import datetime, timedelta
from statistics import median
from typing import Generic, NamedTuple, TypeVar

from msgspec import Struct

from awrdiff.analysis.baseline.spread import absolute_deviation
from awrdiff.analysis.normal.baseline import ALARM, LEAST, Measured, Normal, normal_at
from awrdiff.analysis.normal.first_days import A_DAY, days_of, hours_around, of_the_hour
from parsers.model import Value

HISTORY = timedelta(weeks=8)  # before it, which is looked at
PARTS_OF = 30  # of those that say what is normal, the latest: of these it is looked at what carried them

Key = TypeVar("Key", bound=Hashable)


class Hour(NamedTuple, Generic[Key]):
    """A report: its `sessions` that were active on average."""

    key: Key
    begin: datetime
    era: Hashable
    sessions: Value


class Departure(Struct, Generic[Key], frozen=True):
    """`above`: active sessions above the median of those reports; `deviations` of it. `alike` are the latest of them,
    `nearest` the one that is nearest to their median."""

    normal: Normal
    above: float
    deviations: float
    is_alarm: bool
    alike: tuple[Key, ...]
    nearest: Key


def departure_of(hour: Hour[Key], history: Sequence[Hour[Key]]) -> Departure[Key] | None:
    """`history`: in the order of time. None where fewer than five reports before it may be held against it, or
    these are of less than a day: every morning is unlike the night before it."""
    before = [one for one in history if hour.begin - HISTORY <= one.begin < hour.begin]
    measured = [Measured(one.begin, one.sessions, one.era) for one in before]
    normal = normal_at(hour.begin, hour.era, measured, unit="sessions")
    if normal is None:
        return None
    said = _that_say(normal, [one for one in before if one.era == hour.era], hour)
    last = hour if normal.by == "hours around" else said[-1]
    if last.begin - said[0].begin < A_DAY:
        return None
    middle = normal.median.number
    nearest = min(reversed(said), key=lambda one: abs(one.sessions.number - middle))
    deviations = normal.departure(hour.sessions)
    return Departure(
        normal,
        hour.sessions.number - middle,
        deviations,
        deviations >= ALARM,
        tuple(one.key for one in said[-PARTS_OF:]),
        nearest.key,
    )


def tell_themselves(of_day: Sequence[Hour[Key]], hour: Hour[Key]) -> bool:
    """Whether reports of its hour of the day say what is normal, and how far they spread, without those of others."""
    alike, of_week = of_the_hour(hour.begin, [one for one in of_day if one.era == hour.era])
    return _vary(alike) and (days_of(of_week) < LEAST or _vary(of_week))


def _vary(group: Sequence[Hour[Key]]) -> bool:
    values = [one.sessions for one in group]
    if days_of(group) < LEAST:
        return False
    return absolute_deviation(values, median(v.number for v in values)) > max(2 * v.half for v in values)


def _that_say(normal: Normal, same: Sequence[Hour[Key]], hour: Hour[Key]) -> Sequence[Hour[Key]]:
    """The reports that the normal is of."""
    if normal.by == "all hours":
        return same
    if normal.by == "hours around":
        return hours_around(hour.begin, same)
    of_day, of_week = of_the_hour(hour.begin, same)
    return of_week if normal.by == "hour of the week" else of_day


__all__ = ["HISTORY", "PARTS_OF", "Departure", "Hour", "departure_of", "tell_themselves"]

"""How well hours are found by their active sessions alone: what the list of databases calls an alarm."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from random import Random
from typing import Any

from awrdiff.analysis.normal.report_deviation import Hour, departure_of
from bench.line import line
from fixtures.fleet.figures import half_of
from fixtures.fleet.hours import BEGIN, ELAPSED_S, HOUR, SORTS, FleetDatabase, Planted, Sort, fleet, hours_of, plant
from fixtures.fleet.offices import office_hours
from parsers.model import Value

WEEK_H = 7 * 24
WITHIN = 3  # reports
FACTORS: dict[Sort, float] = {"load step": 1.5, "plan change": 8.0, "log switch storm": 6.0, "quiet week": 0.4}
LARGE: dict[Sort, float] = {"load step": 2.5, "plan change": 20.0, "log switch storm": 3000.0}
FIRST_DAYS = 2
FIRST: dict[Sort, float] = {"load step": 3.0}
WEEKDAYS = {"Monday": 0, "Friday": 4, "Saturday": 5, "Sunday": 6}  # the day after it is like it, or not

OTHERWISE: dict[str, dict[str, Any]] = {
    "that do three times as much on Mondays": {"monday": 3.0},
    "that are free on Friday and Saturday": {"free": (4, 5)},
}


@dataclass
class Alarms:
    """By sort: of what was planted, how much was found; of a quiet week, that the day after it is none. `others`: hours
    with an alarm that are neither planted nor bursts."""

    planted: Counter[str] = field(default_factory=Counter)
    found: Counter[str] = field(default_factory=Counter)
    others: int = 0
    hours: int = 0


def score_alarms(count: int, days: int, factors: Mapping[Sort, float], seed: int = 11) -> Alarms:
    """Active sessions of the last day, in which each database has four hours of something, or comes back from a quiet
    week."""
    score, random = Alarms(), Random(seed)  # noqa: S311 - the same fleet every time
    sorts = [sort for sort in SORTS if sort in factors]
    for number, database in enumerate(fleet(count, seed)):
        sort, last = sorts[number % len(sorts)], (days - 1) * 24
        quiet = sort == "quiet week"
        first = last - WEEK_H if quiet else last + random.randrange(20)
        planted = Planted(sort, first, last if quiet else first + 4, factors[sort])
        _score_day(score, plant(database, planted), days * 24)
    return score


def _score_day(score: Alarms, database: FleetDatabase, hours: int) -> None:
    (planted,) = database.planted
    made_hours = list(hours_of(database, hours))
    history = [Hour(h.begin, h.begin, None, Value(h.db_time_s / ELAPSED_S, half_of("db_time"))) for h in made_hours]
    alarms, within = [], []
    for made, hour in list(zip(made_hours, history, strict=True))[-24:]:
        departure = departure_of(hour, history)
        number = round((hour.begin - BEGIN) / HOUR)
        is_alarm = departure is not None and departure.is_alarm and not made.is_burst
        score.hours += 1
        if planted.sort != "quiet week" and planted.holds(number):
            within.append(is_alarm)
        elif is_alarm:
            alarms.append(number)
    score.planted[planted.sort] += 1
    score.found[planted.sort] += not alarms if planted.sort == "quiet week" else any(within[:WITHIN])
    score.others += len(alarms)


def score_offices(
    count: int,
    first: datetime,
    factor: float = 1.0,
    *,
    days: int = FIRST_DAYS,
    seed: int = 1,
    missed_h: int = 0,
    per_hour: int = 1,
    **shape: Any,
) -> tuple[int, int]:
    """Of the last day of as many office databases, of which each has `factor` times the load in four hours: how many
    are found within three of these, and how many other reports are an alarm. Of the first `missed_h` hours there are no
    reports; `shape` is that of `office_hours`."""
    random, in_time, others = Random(seed), 0, 0  # noqa: S311 - the same offices every time
    for number in range(count):
        last = (days - 1) * 24
        start = last + random.randrange(21)
        held = range(per_hour * start, per_hour * (start + (4 if factor > 1 else 0)))
        loads = enumerate(office_hours(1000 * seed + number, first, days, per_hour=per_hour, **shape))
        hours = [Hour(n, at, None, Value(s * (factor if n in held else 1), half_of("db_time"))) for n, (at, s) in loads]
        hours = hours[missed_h * per_hour :]
        asked = hours[-24 * per_hour :]
        alarms = {hour.key for hour in asked if (of := departure_of(hour, hours)) is not None and of.is_alarm}
        in_time += not alarms.isdisjoint(held[: WITHIN * per_hour])
        others += len(alarms.difference(held))
    return in_time, others


def run() -> Iterator[str]:
    first = [(FIRST_DAYS, LARGE), (FIRST_DAYS, FIRST)]
    for days, factors in [*first, *((days, factors) for factors in (FACTORS, LARGE) for days in (16, 52))]:
        score = score_alarms(120, days, factors)
        for sort, factor in factors.items():
            name = f"found by active sessions after {days} days: {sort} × {factor:g}, of {score.planted[sort]}"
            yield line(name, score.found[sort], "count")
        yield line(f"other alarms after {days} days, of {score.hours} hours", score.others, "count")
    yield from _offices()


def _offices() -> Iterator[str]:
    for weekday, days in WEEKDAYS.items():
        others = sum(score_offices(300, BEGIN + timedelta(days=days), seed=seed)[1] for seed in (1, 2, 3))
        yield line(f"alarms of 3 × 300 quiet offices on the day after a {weekday}, of 21600 hours", others, "count")
    for days, loads in ((FIRST_DAYS, (2.5, 3.0, 5.0)), (16, (2.5, 3.0)), (52, (2.5, 3.0))):
        for factor in loads:
            in_time, _ = score_offices(300, BEGIN, factor, days=days)
            yield line(f"found in offices after {days} days: load step × {factor:g}, of 300", in_time, "count")
    for days in (16, 52):
        _, others = score_offices(300, BEGIN, days=days)
        yield line(f"alarms of 300 quiet offices after {days} days, of 7200 hours", others, "count")
    for per_hour, days in ((2, 4), (4, 3), (6, 3)):
        _, others = score_offices(100, BEGIN, days=days, per_hour=per_hour)
        name = f"alarms of 100 quiet offices on day {days}, of {2400 * per_hour} reports of {60 // per_hour} minutes"
        yield line(name, others, "count")
    _, others = score_offices(300, BEGIN + timedelta(days=4), days=4, missed_h=22, batch_times=1.0)
    name = "alarms of 300 quiet offices without a batch on a Monday, seen since Friday 22:00, of 7200 hours"
    yield line(name, others, "count")
    for kind, shape in OTHERWISE.items():
        for days in (16, 52):
            in_time, others = score_offices(300, BEGIN, 3.0, days=days, **shape)
            yield line(f"found in offices {kind} after {days} days: load step × 3, of 300", in_time, "count")
            yield line(f"other alarms in offices {kind} after {days} days, of 6000 hours", others, "count")

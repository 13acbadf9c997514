"""Weight of a change in percent of DB time, one measure for the rows of all tables.

Timed rows: change of active sessions, in percent of the busier side's (at least one). Others, against the same
threshold:

- counts and levels: ten times it (10 % at 1 %), beyond print and chance (twice the root of the count), sizes also 1 MB;
parts of a total (files, latches, segments) must be that share of it;
- shares: points; texts: any difference, but not beside shares. Idle waits never count.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from msgspec import Struct

from awrdiff.analysis.model.comparison import ComparedSection, Delta, SectionWeight, Status
from awrdiff.analysis.report.figures_by_name import Event, Side
from parsers.model import Column, Section, Value

STEPS = (0.0, 0.1, 0.5, 1.0, 2.0, 5.0, 10.0)  # percent of DB time, as a reader can choose them; 0 hides what held only
DEFAULT = 1.0
ALWAYS = 1000.0  # above every threshold
OF_ITSELF = 10.0  # how much more of itself than of DB time a figure without a price has to move by
LEAST_SESSIONS = 1.0
_LEAST_BYTES = 1024.0**2
_NOISE = 2.0
_TIMES = ("total_wait_time_s", "time_s", "wait_time_s", "db_time_s", "elapsed_time_s")
_WHOLE = ("pct_total", "pct_capture", "pct_captured", "pct_of_capture")  # a row's share of all that a list is about
_PER_WORK = frozenset({"per_txn", "per_exec", "per_call"})
_REPEATS = frozenset({"per_second", "per_transaction", "waits_per_txn", "per_sec", "per_trans"})
_OF_KINDS = re.compile(r"^(instance_activity|os_statistics|snapshot|host_|database_|memory_|sga_|resource_limits)")
# Shares of the time itself: points of them are as good as a price.
_OF_TIME = frozenset({"pct_activity", "pct_event", "pct_db_time"})
# The work itself, which all time is spent on: read whatever it costs.
_OF_LOAD = re.compile(r"load_profile$|instance_efficiency")
_HISTOGRAM = "wait_event_histogram"
Price = Callable[[Mapping[str, str], Mapping[str, Delta]], float | None]  # of a row's key and figures, in sessions


class Yardstick(Struct, frozen=True):
    """`sessions`: of the busier side. `events`: change in sessions by lower-case name."""

    sessions: float | None
    events: Mapping[str, float]

    @classmethod
    def of(cls, first: Side, second: Side) -> Yardstick:
        levels = [s for s in (first.active_sessions, second.active_sessions) if s is not None]
        return cls(max(LEAST_SESSIONS, *levels) if levels else None, _events(first, second))

    def percent(self, sessions: float) -> float:
        return 100.0 * abs(sessions) / self.sessions if self.sessions else 0.0


NO_YARDSTICK = Yardstick(None, {})


def _events(first: Side, second: Side) -> dict[str, float]:
    changes: dict[str, float] = {}
    for a, b in ((first.foreground, second.foreground), (first.background, second.background)):
        for event in {**a, **b}:
            before, now = (_rate(side, of.get(event)) for side, of in ((first, a), (second, b)))
            changes[event] = max(changes.get(event, 0.0), abs(now - before))
    return changes


def _rate(side: Side, event: Event | None) -> float:
    return side.per_second(event.total) or 0.0 if event is not None else 0.0


class Whole(Struct, frozen=True):
    """Total of rows: a share column, or one adding up to `sums`."""

    column: str
    sums: tuple[float, float] | None = None

    @classmethod
    def of(cls, section_id: str, columns: Sequence[Column], sides: Sequence[Section | None]) -> Whole | None:
        printed = next((c.id for c in columns if c.id in _WHOLE), None)
        if printed is not None:
            return cls(printed)
        column = next((c for c in columns if c.measure == "total" and c.unit in ("count", "bytes")), None)
        if column is None or _OF_KINDS.match(section_id):
            return None
        first, second = (_sum(side, column.id) for side in sides) if sides else (0.0, 0.0)
        return cls(column.id, (first, second)) if max(first, second) > 0 else None

    def part(self, values: Mapping[str, Delta]) -> float:
        """Percent, on the larger side; 100 without figure."""
        delta = values.get(self.column)
        sides = (delta.first, delta.second) if delta is not None else ()
        figures = [(abs(v.number), at) for at, v in enumerate(sides) if isinstance(v, Value)]
        if self.sums is None:
            return max((number for number, _ in figures), default=100.0)
        return max((100.0 * number / of for number, at in figures if (of := self.sums[at]) > 0), default=100.0)


def _sum(section: Section | None, column: str) -> float:
    if section is None or column not in section.index:
        return 0.0
    at = section.index[column]
    return sum(v.number for r in section.records if isinstance(v := r.cells[at], Value) and v.number > 0)


class Scale(Struct, frozen=True):
    """Weights for one section's rows, prepared once."""

    yardstick: Yardstick
    price: Price | None
    columns: tuple[Telling, ...]
    whole: Whole | None
    counts_only: bool  # what has no price in it is hidden from every threshold on, and said in one line

    @classmethod
    def of(
        cls, section_id: str, columns: Sequence[Column], yardstick: Yardstick, sides: Sequence[Section | None] = ()
    ) -> Scale:
        """`sides`: the sections, for their totals."""
        price = _price(section_id, columns, yardstick) if yardstick.sessions is not None else None
        is_of_time = any(c.id in _OF_TIME for c in columns)  # then a small count beside it (XIDs) is no part of a whole
        whole = None if is_of_time else Whole.of(section_id, columns, sides)
        is_read_anyway = is_of_time or _OF_LOAD.match(section_id)
        telling = tuple(map(Telling.of, _telling(columns)))
        return cls(yardstick, price, telling, whole, bool(yardstick.sessions) and not is_read_anyway)

    def weight(self, status: Status, key: Mapping[str, str], values: Mapping[str, Delta]) -> float:
        """Percent of DB time, or equivalent."""
        return self.weigh(status, key, values)[0]

    def weigh(self, status: Status, key: Mapping[str, str], values: Mapping[str, Delta]) -> tuple[float, bool]:
        """Weight, and whether unpriced beside priced rows."""
        if status == "same":
            return 0.0, False
        change = self.price(key, values) if self.price is not None else None
        if change is not None:
            return self.yardstick.percent(change), False
        most = 0.0
        for column in self.columns:
            delta = values.get(column.id)
            if delta is not None:
                most = max(most, _change_weight(delta, column))
        weight = most if self.whole is None or most >= ALWAYS else min(most, self.whole.part(values))
        return weight, self.counts_only and 0.0 < weight < ALWAYS


class Telling(NamedTuple):
    """Column that decides a weight, its rule."""

    id: str
    is_share: bool
    is_size: bool
    is_counted: bool  # chance has a part in it

    @classmethod
    def of(cls, column: Column) -> Telling:
        is_count = column.measure == "total" and column.unit in ("count", "as_labelled")
        return cls(column.id, column.unit == "percent", column.unit == "bytes", is_count)


def _price(section_id: str, columns: Sequence[Column], yardstick: Yardstick) -> Price | None:
    time = next((t for t in _TIMES for c in columns if c.id == t and c.unit == "s" and c.measure == "total"), None)
    level = next((c.id for c in columns if c.unit == "sessions"), None)
    if section_id.startswith(_HISTOGRAM):
        return lambda key, _: yardstick.events.get(key.get("event", "").lower(), 0.0)
    if time is not None:
        return lambda _, values: _sessions(values.get(time))
    return (lambda _, values: _level(values.get(level))) if level is not None else None


def _telling(columns: Sequence[Column]) -> Iterable[Column]:
    """Totals per transaction move with the transactions."""
    totals = {c.id for c in columns if c.measure == "total" and c.unit is not None}
    shares = any(c.unit == "percent" for c in columns)
    for column in columns:
        if column.unit in _PER_WORK or (column.unit is None and shares):
            continue
        repeats = column.id in _REPEATS or column.id.removesuffix("_per_s") in totals - {column.id}
        if not (totals and repeats):
            yield column


def _sessions(time: Delta | None) -> float | None:
    if time is None or (time.first_per_s is None and time.second_per_s is None):
        return None
    if (time.first is None) != (time.first_per_s is None) or (time.second is None) != (time.second_per_s is None):
        return None
    if None not in (time.first, time.second) and not (time.significant or time.significant_per_s):
        return 0.0
    return abs((time.second_per_s or 0.0) - (time.first_per_s or 0.0))


def _level(sessions: Delta | None) -> float | None:
    if sessions is None or isinstance(sessions.first, str) or isinstance(sessions.second, str):
        return None
    a, b = sessions.first, sessions.second
    if a is None and b is None:
        return None
    if a is not None and b is not None and not sessions.significant:
        return 0.0
    return abs((b.number if b else 0.0) - (a.number if a else 0.0))


def _change_weight(delta: Delta, column: Telling) -> float:
    a, b = delta[0], delta[1]
    if isinstance(a, str) or isinstance(b, str):
        return ALWAYS if delta.significant else 0.0
    if a is None or b is None:
        alone = b if a is None else a
        if alone is None:
            return 0.0
        size = abs(alone.number)
        return _certain_change(column, (size, 0.0), alone.half, size, 1.0)
    if not (delta.significant or delta.significant_per_s):
        return 0.0
    x, y, of_x, of_y = a.number, b.number, 1.0, 1.0
    if delta.first_per_s and delta.second_per_s and x and y:  # totals as rates, whichever side is the first
        of_x, of_y = delta.first_per_s / x, delta.second_per_s / y
        x, y = delta.first_per_s, delta.second_per_s
    variance = abs(x) * of_x + abs(y) * of_y  # of counts, as rates
    return _certain_change(column, (x, y), a.half * of_x + b.half * of_y, variance, max(of_x, of_y))


def _certain_change(column: Telling, sides: tuple[float, float], print_: float, variance: float, scale: float) -> float:
    change, largest = abs(sides[1] - sides[0]), max(abs(sides[0]), abs(sides[1]))
    if column.is_share:
        return change
    rest = change - print_
    if column.is_size:
        rest -= _LEAST_BYTES * scale
    elif column.is_counted:
        rest -= _NOISE * math.sqrt(variance)
    return 100.0 / OF_ITSELF * rest / largest if rest > 0.0 else 0.0


def significance(delta: Delta | None) -> float:
    """Log of the factor times log of size."""
    if delta is None or isinstance(delta.first, str) or isinstance(delta.second, str):
        return 0.0
    a, b = delta.first, delta.second
    if a is not None and b is not None and not (delta.significant or delta.significant_per_s):
        return 0.0
    x, y = (max(v.number, 0.0) if v is not None else 0.0 for v in (a, b))
    if delta.first_per_s and delta.second_per_s:
        x = max(delta.first_per_s * y / delta.second_per_s, 0.0)
    return abs(math.log((y + 1) / (x + 1))) * math.log10(2 + max(x, y))


def weight_of_section(section: ComparedSection, yardstick: Yardstick) -> SectionWeight:
    """Rows from each step, largest change in sessions."""
    changed = [row for row in section.rows if row.status != "same"]
    counts = tuple(sum(row.shows(step) for row in changed) for step in STEPS)
    unpriced = sum(row.unpriced for row in section.rows)
    valued = [c for c in section.columns if c.id not in section.key]
    if yardstick.sessions is None or _price(section.id, valued, yardstick) is None:
        return SectionWeight(section.id, counts, unpriced=unpriced)
    most = max((row.weight for row in section.rows), default=0.0)
    return SectionWeight(section.id, counts, most / 100.0 * yardstick.sessions, unpriced)

"""Shared pool short of memory: sessions wait for its latch while it frees memory or is resized.

Source: Oracle Database Performance Tuning Guide, shared pool; Reference, V$MEMORY_DYNAMIC_COMPONENTS.
"""

from __future__ import annotations

from msgspec import Struct

from awrdiff.analysis.model.comparison import Evidence, Range, Subject
from awrdiff.analysis.report.side import Event, Side
from awrdiff.analysis.verdict.facts import LEAST_SESSIONS, Facts, row
from awrdiff.analysis.verdict.rule_result import QUIET, WAITS, Contradicted, Observation, RuleResult, Unknown
from awrdiff.analysis.verdict.rules import headroom, sizes
from awrdiff.analysis.verdict.thresholds import FELT, SATURATED_PCT
from awrdiff.analysis.words import number, percent, seconds, several, size

_EVENTS = ("latch: shared pool", "sga: allocation forcing component growth")
_LONG_S = 0.1  # on average: the latch is held for microseconds, unless its holder frees memory or has no CPU
_MANY = 10.0  # hard parses per second: each takes the latch many times
_POOL, _SECTION = "shared pool", "memory_dynamic_components"
_NEAR = 1.05  # of its least size
_SUBJECT = Subject("memory", "shared pool")
_EXPLAINS = ("parsing-dominates", "cost-per-unit", "top-wait")


class Pressure(Struct, frozen=True):
    """Waits of one side. `sizes`: of the pool, in words; `denied`: another explanation."""

    sessions: Range
    each_s: float
    sizes: str
    rows: tuple[Evidence, ...]
    denied: str

    @property
    def text(self) -> str:
        return f"{seconds(self.each_s)} per wait, which neither CPU nor hard parses explain. The pool: {self.sizes}"


def pressure_of(side: Side) -> Pressure | Unknown | None:
    """None where waits are few or short, or the pool stayed above its minimum."""
    background = _in_background(side)
    events = [*sizes.events_named(side, _EVENTS.__contains__), *background]
    waits = sum(e.waits.number for e in events if e.waits is not None)
    total = sum(e.total.number for e in events)
    sessions, whole, processes = _waiting(side), side.active_sessions, _total(side, background)
    if not events or sessions is None or not whole:
        return None
    if sessions.middle - processes.middle < FELT * whole and processes.middle < LEAST_SESSIONS:
        return None
    if not waits or total / waits < _LONG_S:
        return None
    if side.value(_SECTION, "begin_bytes", _POOL) is None:
        return Unknown("Memory Dynamic Components: shared pool")
    rows = (*(e.evidence() for e in events), row(_SECTION, _POOL, "begin_bytes"))
    of_pool = _sizes(side)
    return Pressure(sessions, total / waits, of_pool, rows, _denied(side)) if of_pool else None


def _in_background(side: Side) -> list[Event]:
    """Waits of background processes, which are outside DB time."""
    return [e for name, e in side.background.items() if name in _EVENTS]


def _total(side: Side, events: list[Event]) -> Range:
    return sizes.total(r for e in events if (r := side.sessions(e.total)) is not None)


def _waiting(side: Side) -> Range | None:
    sessions = sizes.waits(side, _EVENTS.__contains__)
    return sizes.total((sessions, _total(side, _in_background(side)))) if sessions is not None else None


def _sizes(side: Side) -> str:
    """Size and resizes where it moved or is at its minimum; else ""."""
    columns = ("begin_bytes", "current_bytes", "min_bytes", "max_bytes", "operations")
    begin, end, least, most, resized = (_of_pool(side, column) for column in columns)
    end = begin if end is None else end
    if begin is None or end is None:
        return ""
    is_least = _is_least(end, least, most)
    if begin == end and not is_least and not resized:
        return ""
    text = f"{size(end, 3)} throughout"
    if begin != end:
        text = f"{size(begin, 3)} at the beginning, {size(end, 3)} at the end"
    if is_least:
        text += f", its least; it had up to {size(most or 0.0, 3)}"
    return f"{text}; resized {several(resized, 'time', 'times')}" if resized else text


def _doubt(side: Side) -> str:
    """Clause on a small pool without waits; "" where it has room."""
    end, least, most = (_of_pool(side, column) for column in ("current_bytes", "min_bytes", "max_bytes"))
    end = _of_pool(side, "begin_bytes") if end is None else end
    if end is None:
        return "the size of the pool is not printed"
    return f"the pool has {size(end, 3)}, the least that it had" if _is_least(end, least, most) else ""


def _is_least(end: float, least: float | None, most: float | None) -> bool:
    """All in bytes."""
    return least is not None and most is not None and end <= _NEAR * least < most / _NEAR


def _of_pool(side: Side, column: str) -> float | None:
    printed = side.value(_SECTION, column, _POOL)
    return printed.number if printed is not None else None


def _denied(side: Side) -> str:
    busy = side.host_busy_pct or 0.0
    if busy >= SATURATED_PCT:
        return f"BUSY_TIME: the host is {percent(busy / 100)} busy"
    if short := headroom.sign_in_settings(side):
        return short
    hard, printed = side.per_second(side.statistic("parse count (hard)")), side.load("Hard parses (SQL)", "Hard parses")
    rate = hard if hard is not None else printed.number if printed is not None else 0.0
    return f"parse count (hard): {number(rate)} per second" if rate >= _MANY else ""


def shared_pool_pressure(facts: Facts) -> RuleResult:
    """Waits of {_LONG_S:s} for shared pool latch or growth, {FELT:%} of DB time; pool resized, CPU to spare."""
    if not all(side.foreground for side in facts.sides):
        return WAITS
    each = [pressure_of(side) for side in facts.sides]
    pressure = each[-1] or each[0]
    if not isinstance(pressure, Pressure):
        return pressure or QUIET
    if pressure.denied:
        return Contradicted(pressure.denied)
    sessions = sizes.of_sides([_waiting(side) for side in facts.sides])
    doubt = "" if pressure is each[-1] else _doubt(facts.sides[-1])
    title = "The shared pool is short of memory."
    if pressure is not each[-1]:
        title = facts.end_of_trouble(title[:-1], "The shared pool is no longer short of memory.", doubt)
    text = f"Sessions wait for its latch: {sizes.text(sessions)}"
    text += (
        f"; in {'Second' if pressure is each[1] else 'First'} {pressure.text}." if each[1:] else f", {pressure.text}."
    )
    tone = "neutral" if doubt and not facts.unrelated else sizes.tone(sessions)
    return Observation(title, text, pressure.rows, sessions, _SUBJECT, tone, explains=_EXPLAINS)

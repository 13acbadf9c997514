"""What changed most between two times of a database: in active sessions, and other figures by what is usual of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from statistics import median
from typing import Literal

from msgspec import Struct

from awrdiff.analysis.baseline.spread import OF_NORMAL, absolute_deviation
from awrdiff.analysis.course.history import Largest
from awrdiff.analysis.course.slots import Slot
from awrdiff.analysis.metrics.declared import BY_ID
from awrdiff.analysis.metrics.packed import numbers_in
from awrdiff.analysis.normal.baseline import ALARM, LEAST
from awrdiff.analysis.normal.floor import floor_of
from parsers.model import Value

Sort = Literal["figure", "event", "statement"]
MOST, MOST_OTHERS = 10, 3
LEAST_SESSIONS, LEAST_SHARE = 0.01, 0.05  # of a change: active sessions, and of the figure
_HALF = 0.5  # of the reports: what is known of fewer says too little of all
_OF_ALL = ("time", "waits")  # groups of figures whose seconds are told; events are told by name
_EVENTS = {m.title.lower(): m.id for m in BY_ID.values() if m.id.startswith("event_")}


class Mover(Struct, frozen=True):
    """`before`, `now`: None where it is not among the largest of most reports. `known`: in how many of the reports of
    each it is. `key`: the metric's id, the event's name, the SQL id."""

    kind: Sort
    key: str
    before: float | None
    now: float | None
    known: tuple[int, int]
    of: tuple[int, int]

    @property
    def change(self) -> float:
        return (self.now or 0.0) - (self.before or 0.0)


Told = tuple[Slot, Iterable[Largest | None]]  # a slot, and the largest of each of its reports, read once
_Key = tuple[Sort, str]
_WHOLE = frozenset(m.id for m in BY_ID.values() if m.group in _OF_ALL)
_NAMES = {i: name for name, i in _EVENTS.items()}
_OTHERS = frozenset(m.id for m in BY_ID.values() if m.unit != "sessions")


class _Time(Struct):
    """What is known of one of the two: active sessions with the seconds of each slot of which every instance has them;
    other figures, which do not add up, where there is one instance."""

    slots: int
    sessions: dict[_Key, list[tuple[float, float]]]
    others: dict[str, list[Value]]


def movers_of(before: Sequence[Told], now: Sequence[Told]) -> list[Mover]:
    """Those in active sessions first, by how much they changed; then figures of other units, by how far they left what
    they were. Nothing where either time has fewer reports than say what is usual."""
    whole = [[told for told in side if told[0].is_made and not told[0].is_partial] for side in (before, now)]
    if min(map(len, whole)) < LEAST:
        return []
    first, second = (_time_of(side) for side in whole)
    found = (_mover(key, first, second) for key in {*first.sessions, *second.sessions})
    moved = sorted((m for m in found if m is not None), key=lambda m: (-abs(m.change), m.kind, m.key))
    others = _others(first, second)[:MOST_OTHERS]
    return [*moved[: MOST - len(others)], *others]


def _time_of(told: Sequence[Told]) -> _Time:
    found = _Time(len(told), defaultdict(list), defaultdict(list))
    for slot, largest in told:
        seconds = slot.length.total_seconds()
        added: dict[_Key, list[float]] = defaultdict(list)
        for point, one in zip(slot.points, largest, strict=True):
            events: dict[str, float] = {}
            for metric, number, half in numbers_in(point.figures or b""):
                if metric in _WHOLE:
                    added["figure", metric].append(number)
                elif metric in _NAMES:
                    events[_NAMES[metric]] = number
                elif slot.of == 1 and metric in _OTHERS:
                    found.others[metric].append(Value(number, half))
            for key, sessions in _named(one, events):
                added[key].append(sessions)
        for key, parts in added.items():
            if len(parts) == slot.of:
                found.sessions[key].append((sum(parts), seconds))
    return found


def _named(largest: Largest | None, events: dict[str, float]) -> Iterator[tuple[_Key, float]]:
    """Events and statements; an event that is a figure of its own is known also where it is not listed."""
    if largest is not None:
        events |= {row[0].lower(): row[2][0] for row in largest["events"] if row[2]}
        statements: dict[str, float] = defaultdict(float)  # one may be in several pluggable databases
        for row in largest["statements"]:
            if row[3]:
                statements[row[0]] += row[3][0]
        yield from ((("statement", key), sessions) for key, sessions in statements.items())
    yield from ((("event", name), sessions) for name, sessions in events.items())


def _mover(key: _Key, first: _Time, second: _Time) -> Mover | None:
    known = len(first.sessions.get(key, ())), len(second.sessions.get(key, ()))
    before, now = (
        _mean(side.sessions[key]) if n >= _HALF * side.slots else None
        for side, n in zip((first, second), known, strict=True)
    )
    mover = Mover(key[0], key[1], before, now, known, (first.slots, second.slots))
    least = max(LEAST_SESSIONS, LEAST_SHARE * max(before or 0.0, now or 0.0))
    return mover if abs(mover.change) >= least else None


def _mean(found: Sequence[tuple[float, float]]) -> float:
    """By how long each slot is."""
    return sum(sessions * seconds for sessions, seconds in found) / sum(seconds for _, seconds in found)


def _others(first: _Time, second: _Time) -> list[Mover]:
    ranked: list[tuple[float, Mover]] = []
    for metric in first.others.keys() & second.others.keys():
        earlier, later = first.others[metric], second.others[metric]
        if len(earlier) < max(LEAST, _HALF * first.slots) or len(later) < max(LEAST, _HALF * second.slots):
            continue
        before, now = median(v.number for v in earlier), median(v.number for v in later)
        spread = absolute_deviation(earlier, before) / OF_NORMAL
        z = (now - before) / max(spread, floor_of(before, 2 * max(v.half for v in earlier), BY_ID[metric].unit))
        if abs(z) >= ALARM:
            known, of = (len(earlier), len(later)), (first.slots, second.slots)
            ranked.append((abs(z), Mover("figure", metric, before, now, known, of)))
    return [mover for _, mover in sorted(ranked, key=lambda one: (-one[0], one[1].key))]


__all__ = ["Mover", "Told", "movers_of"]

"""Largest changes between two times: active sessions first, then others by their usual spread."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from statistics import median
from typing import Literal

from msgspec import Struct

from awrdiff.analysis.baseline.robust_statistics import OF_NORMAL, absolute_deviation
from awrdiff.analysis.course.report_timeline import Slot
from awrdiff.analysis.course.statement_and_event_history import Largest
from awrdiff.analysis.metrics.binary_storage import numbers_in
from awrdiff.analysis.metrics.catalogue import BY_ID
from awrdiff.analysis.normal.hour_of_week_normal import ALARM, LEAST
from awrdiff.analysis.normal.minimum_deviation import floor_of
from parsers.model import Value

Sort = Literal["figure", "event", "statement"]
MOST, MOST_OTHERS = 10, 3
LEAST_SESSIONS, LEAST_SHARE = 0.01, 0.05  # of a change: active sessions, and of the figure
_HALF = 0.5  # of the reports: what is known of fewer says too little of all
_OF_ALL = ("time", "waits")  # groups of figures whose seconds are told; events are told by name
_EVENTS = {m.title.lower(): m.id for m in BY_ID.values() if m.id.startswith("event_")}


class Mover(Struct, frozen=True):
    """`before`, `now`: None where mostly unlisted. `key`: metric, event or SQL id."""

    kind: Sort
    key: str
    before: float | None
    now: float | None
    listed_in: tuple[int, int]
    of: tuple[int, int]

    @property
    def change(self) -> float:
        return (self.now or 0.0) - (self.before or 0.0)


SlotLargest = tuple[Slot, Iterable[Largest | None]]  # a slot, and the largest of each of its reports, read once
_Key = tuple[Sort, str]
_WHOLE = frozenset(m.id for m in BY_ID.values() if m.group in _OF_ALL)
_NAMES = {i: name for name, i in _EVENTS.items()}
_OTHER_UNITS = frozenset(m.id for m in BY_ID.values() if m.unit != "sessions")


class _Time(Struct):
    """(active sessions, seconds) of complete slots; other figures of one instance."""

    slots: int
    sessions: dict[_Key, list[tuple[float, float]]]
    other_figures: dict[str, list[Value]]


def movers_of(before: Sequence[SlotLargest], now: Sequence[SlotLargest]) -> list[Mover]:
    """Sessions by change, others by deviation; empty under `LEAST`."""
    whole = [[of for of in side if of[0].is_made and not of[0].is_partial] for side in (before, now)]
    if min(map(len, whole)) < LEAST:
        return []
    first, second = (_time_of(side) for side in whole)
    candidates = (_mover(key, first, second) for key in {*first.sessions, *second.sessions})
    ranked = sorted((m for m in candidates if m is not None), key=lambda m: (-abs(m.change), m.kind, m.key))
    other_figures = _other_figures(first, second)[:MOST_OTHERS]
    return [*ranked[: MOST - len(other_figures)], *other_figures]


def _time_of(slots: Sequence[SlotLargest]) -> _Time:
    time = _Time(len(slots), defaultdict(list), defaultdict(list))
    for slot, largest in slots:
        seconds = slot.length.total_seconds()
        added: dict[_Key, list[float]] = defaultdict(list)
        for point, largest_of_point in zip(slot.points, largest, strict=True):
            events: dict[str, float] = {}
            for metric, number, half in numbers_in(point.figures or b""):
                if metric in _WHOLE:
                    added["figure", metric].append(number)
                elif metric in _NAMES:
                    events[_NAMES[metric]] = number
                elif slot.of == 1 and metric in _OTHER_UNITS:
                    time.other_figures[metric].append(Value(number, half))
            for key, sessions in _sessions_by_key(largest_of_point, events):
                added[key].append(sessions)
        for key, parts in added.items():
            if len(parts) == slot.of:
                time.sessions[key].append((sum(parts), seconds))
    return time


def _sessions_by_key(largest: Largest | None, events: dict[str, float]) -> Iterator[tuple[_Key, float]]:
    if largest is not None:
        events |= {row[0].lower(): row[2][0] for row in largest["events"] if row[2]}
        statements: dict[str, float] = defaultdict(float)  # one may be in several pluggable databases
        for row in largest["statements"]:
            if row[3]:
                statements[row[0]] += row[3][0]
        yield from ((("statement", key), sessions) for key, sessions in statements.items())
    yield from ((("event", name), sessions) for name, sessions in events.items())


def _mover(key: _Key, first: _Time, second: _Time) -> Mover | None:
    counts = len(first.sessions.get(key, ())), len(second.sessions.get(key, ()))
    before, now = (
        sum(sessions * s for sessions, s in side.sessions[key]) / sum(s for _, s in side.sessions[key])
        if n >= _HALF * side.slots
        else None
        for side, n in zip((first, second), counts, strict=True)
    )
    mover = Mover(key[0], key[1], before, now, counts, (first.slots, second.slots))
    least = max(LEAST_SESSIONS, LEAST_SHARE * max(before or 0.0, now or 0.0))
    return mover if abs(mover.change) >= least else None


def _other_figures(first: _Time, second: _Time) -> list[Mover]:
    ranked: list[tuple[float, Mover]] = []
    for metric in first.other_figures.keys() & second.other_figures.keys():
        earlier, later = first.other_figures[metric], second.other_figures[metric]
        if len(earlier) < max(LEAST, _HALF * first.slots) or len(later) < max(LEAST, _HALF * second.slots):
            continue
        before, now = median(v.number for v in earlier), median(v.number for v in later)
        spread = absolute_deviation(earlier, before) / OF_NORMAL
        z = (now - before) / max(spread, floor_of(before, 2 * max(v.half for v in earlier), BY_ID[metric].unit))
        if abs(z) >= ALARM:
            counts, of = (len(earlier), len(later)), (first.slots, second.slots)
            ranked.append((abs(z), Mover("figure", metric, before, now, counts, of)))
    return [mover for _, mover in sorted(ranked, key=lambda ranked_mover: (-ranked_mover[0], ranked_mover[1].key))]

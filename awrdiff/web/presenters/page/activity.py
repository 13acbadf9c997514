"""Activity over time of both windows as one time line: geometry for the SVG that the server draws, and its table."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from awrdiff.analysis.model.sampled import Activity, Stretch
from awrdiff.web import format as fmt

WIDTH, HEIGHT = 960, 240
LEFT, RIGHT, TOP, BASE = 44.0, 948.0, 26.0, 206.0
_STEPS_S = (60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 28800, 86400)
_MOST_X, _MOST_Y = 8, 4
_JOINS_S = 4.0  # lengths are printed to a tenth of a minute: a gap of less is none


@dataclass(frozen=True, slots=True)
class ActivityLine:
    """One side: the edge of its slots, and the area below."""

    cls: str
    edge: str
    area: str


@dataclass(frozen=True, slots=True)
class Mark:
    at: float
    text: str


@dataclass(frozen=True, slots=True)
class Hit:
    """A slot to point at, with what it says."""

    x: float
    y: float
    width: float
    height: float
    title: str


@dataclass(frozen=True, slots=True)
class SlotCell:
    clock: str
    sessions: str
    mostly: str


@dataclass(frozen=True, slots=True)
class SlotRow:
    offset: str
    first: SlotCell | None
    second: SlotCell | None


@dataclass(frozen=True, slots=True)
class ActivityView:
    lines: tuple[ActivityLine, ...]
    x: tuple[Mark, ...]
    y: tuple[Mark, ...]
    hits: tuple[Hit, ...]
    rows: tuple[SlotRow, ...]
    said: str
    width: int = WIDTH
    height: int = HEIGHT


def present(activity: Activity | None) -> ActivityView | None:
    if activity is None:
        return None
    both = (*activity.first, *activity.second)
    frame = _Frame(max(s.begin_s + s.length_s for s in both), max(s.sessions for s in both))
    rows = tuple(_rows(activity))
    lines = tuple(frame.line(cls, side) for cls, side in (("first", activity.first), ("second", activity.second)))
    return ActivityView(
        lines, frame.minutes(), frame.levels(), tuple(frame.hits(activity)), rows, _highest_text(activity)
    )


def _highest_text(activity: Activity) -> str:
    tops = (max(side, key=lambda s: s.sessions) for side in (activity.first, activity.second))
    highest = ", ".join(
        f"{name} {fmt.significant(top.sessions)} from {_offset(top)} on"
        for name, top in zip(("First", "Second"), tops, strict=True)
    )
    return f"Highest: {highest}"


def _rows(activity: Activity) -> Iterator[SlotRow]:
    if not activity.joined:
        sides = [(s.begin_s, at, s) for at, side in enumerate((activity.first, activity.second)) for s in side]
        for _, at, one in sorted(sides, key=lambda s: s[:2]):
            yield SlotRow(_offset(one), _cell(one) if at == 0 else None, _cell(one) if at else None)
        return
    first, second = ({s.number: s for s in side} for side in (activity.first, activity.second))
    for number in sorted({*first, *second}):
        a, b = first.get(number), second.get(number)
        shown = a or b
        if shown is not None:
            yield SlotRow(_offset(shown), _cell(a), _cell(b))


def _cell(one: Stretch | None) -> SlotCell | None:
    if one is None:
        return None
    name, sessions = one.events[0] if one.events else ("", 0.0)
    mostly = f"{name} {fmt.significant(sessions)}" if name else ""
    return SlotCell(one.clock, fmt.significant(one.sessions), mostly)


def _offset(one: Stretch) -> str:
    return _minutes(one.begin_s)


def _minutes(seconds: float) -> str:
    """`+5 min`, `+1:05 h`."""
    minutes = round(seconds / 60)
    return f"+{minutes} min" if minutes < 60 else f"+{minutes // 60}:{minutes % 60:02} h"


class _Frame:
    """So many seconds from left to right, under a round number of sessions."""

    def __init__(self, seconds: float, sessions: float) -> None:
        self._seconds = seconds or 1.0
        self._step = _nice(max(sessions, 0.01) / _MOST_Y)
        self._top = self._step * math.ceil(max(sessions, 0.01) / self._step - 1e-9)

    def line(self, cls: str, side: Sequence[Stretch]) -> ActivityLine:
        runs = list(_runs(side))
        edge = "".join(self._edge(run) for run in runs)
        area = "".join(f"{self._edge(run)}V{BASE}H{self._x(run[0].begin_s)}Z" for run in runs)
        return ActivityLine(cls, edge, area)

    def _edge(self, run: Sequence[Stretch]) -> str:
        steps = "".join(f"V{self._y(s.sessions)}H{self._x(s.begin_s + s.length_s)}" for s in run)
        return f"M{self._x(run[0].begin_s)} {BASE}{steps}"

    def minutes(self) -> tuple[Mark, ...]:
        step = next((s for s in _STEPS_S if self._seconds / s <= _MOST_X), _STEPS_S[-1])
        count = int(self._seconds / step)
        return tuple(Mark(self._x(n * step), _minutes(n * step) if n else "begin") for n in range(count + 1))

    def levels(self) -> tuple[Mark, ...]:
        count = round(self._top / self._step)
        return tuple(Mark(self._y(n * self._step), f"{n * self._step:,g}") for n in range(count + 1))

    def hits(self, activity: Activity) -> Iterator[Hit]:
        """The slots of both sides one above the other would hide each other: Second's are the lower half."""
        half = (BASE - TOP) / 2
        for name, side, y in (("First", activity.first, TOP), ("Second", activity.second, TOP + half)):
            for one in side:
                events = ", ".join(f"{event} {fmt.significant(n)}" for event, n in one.events[:3])
                title = f"{name}, {one.clock}: {fmt.significant(one.sessions)} active sessions ({events})"
                x = self._x(one.begin_s)
                yield Hit(x, y, round(max(self._x(one.begin_s + one.length_s) - x, 1.0), 1), half, title)

    def _x(self, seconds: float) -> float:
        return round(LEFT + seconds / self._seconds * (RIGHT - LEFT), 1)

    def _y(self, sessions: float) -> float:
        return round(BASE - sessions / self._top * (BASE - TOP), 1)


def _runs(side: Sequence[Stretch]) -> Iterator[list[Stretch]]:
    """Slots without a gap between them: where nothing was sampled there is no line."""
    run: list[Stretch] = []
    for one in side:
        if run and one.begin_s > run[-1].begin_s + run[-1].length_s + _JOINS_S:
            yield run
            run = []
        run.append(one)
    if run:
        yield run


def _nice(step: float) -> float:
    power = 10 ** math.floor(math.log10(step))
    return float(next(m * power for m in (1, 2, 5, 10) if m * power >= step * 0.999))


__all__ = ["ActivityView", "present"]

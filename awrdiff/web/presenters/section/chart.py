"""One event's histogram, first beside second: bars of the shares, over them the lines of what took less. Geometry for
the SVG that the server draws."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

WIDTH, HEIGHT = 960, 260
LEFT, RIGHT, TOP, BASE = 44.0, 912.0, 26.0, 226.0
_GAP = 0.25  # of a bucket's place, between it and the next
_STEPS = (1, 2, 5, 10, 20, 25, 50)
_MOST_TICKS = 5
_CHARACTER = 6.6  # width of one of a label


@dataclass(frozen=True, slots=True)
class Bar:
    x: float
    y: float
    width: float
    height: float
    cls: str  # first, second
    title: str


@dataclass(frozen=True, slots=True)
class Mark:
    """A tick of the share's axis, or the name of a bucket."""

    at: float
    text: str


@dataclass(frozen=True, slots=True)
class ShareLine:
    """How much took less than the end of each bucket, on the axis of 0 to 100 %."""

    cls: str
    points: str


@dataclass(frozen=True, slots=True)
class Chart:
    """`bars` of what was waited at all; an empty bucket between others keeps its place."""

    row_id: str
    bars: tuple[Bar, ...]
    lines: tuple[ShareLine, ...]
    wholes: tuple[Mark, ...]  # ticks of the axis of the lines
    ticks: tuple[Mark, ...]
    names: tuple[Mark, ...]
    width: int = WIDTH
    height: int = HEIGHT


def chart(row_id: str, buckets: Sequence[str], first: Sequence[float | None], second: Sequence[float | None]) -> Chart:
    """`first` and `second`: the share of the waits in each bucket, in percent; None = not printed."""
    begin, end = filled_buckets(first, second)
    frame = _Frame(max(1, end - begin), max((v or 0.0 for v in (*first, *second)), default=0.0))
    shown = list(buckets[begin:end])
    sides = (("First", first[begin:end]), ("Second", second[begin:end]))
    bars = [
        frame.bar(at, place, share, f"{side}, {shown[at]}: {share:g} % of the waits")
        for place, (side, shares) in enumerate(sides)
        for at, share in enumerate(shares)
        if share
    ]
    lines = [frame.line(side.lower(), shares) for side, shares in sides if any(shares)]
    return Chart(row_id, tuple(bars), tuple(lines), frame.wholes(), frame.ticks(), frame.names(shown))


def filled_buckets(first: Sequence[float | None], second: Sequence[float | None]) -> tuple[int, int]:
    """From the bucket before the first that holds anything to the one after the last: others only make these narrow."""
    full = [at for at, pair in enumerate(zip(first, second, strict=True)) if any(pair)]
    return (max(full[0] - 1, 0), min(full[-1] + 2, len(first))) if full else (0, 0)


class _Frame:
    """So many buckets side by side, under a round share above the largest."""

    def __init__(self, buckets: int, most: float) -> None:
        self._pitch = (RIGHT - LEFT) / buckets
        self._step = next((step for step in _STEPS if most / step <= _MOST_TICKS), _STEPS[-1])
        self._top = self._step * max(1, math.ceil(most / self._step))

    def bar(self, at: int, place: int, share: float, title: str) -> Bar:
        """`place`: 0 on the left of the bucket's, 1 on the right."""
        width = self._pitch * (1 - _GAP) / 2
        y = self._y(share)
        return Bar(
            x=round(LEFT + self._pitch * (at + _GAP / 2) + place * width, 1),
            y=y,
            width=round(width, 1),
            height=round(max(BASE - y, 0.5), 1),
            cls=("first", "second")[place],
            title=title,
        )

    def line(self, cls: str, shares: Sequence[float | None]) -> ShareLine:
        """From the end of one bucket of this side to the end of the next."""
        whole, so_far = sum(s or 0.0 for s in shares), 0.0
        points = [(LEFT, BASE)]
        for at, share in enumerate(shares):
            if share is not None:
                so_far += share
                points.append((LEFT + self._pitch * (at + 1), BASE - so_far / whole * (BASE - TOP)))
        return ShareLine(cls, " ".join(f"{x:.1f},{y:.1f}" for x, y in points))

    def wholes(self) -> tuple[Mark, ...]:
        return tuple(Mark(round(BASE - part / 100 * (BASE - TOP), 1), f"{part} %") for part in (0, 25, 50, 75, 100))

    def ticks(self) -> tuple[Mark, ...]:
        return tuple(Mark(self._y(share), f"{share} %") for share in range(0, self._top + 1, self._step))

    def names(self, shown: Sequence[str]) -> tuple[Mark, ...]:
        """Every bucket's name, or every second, third … where they would run into each other."""
        every = max(1, math.ceil(max(map(len, shown), default=0) * _CHARACTER / self._pitch))
        places = (round(LEFT + self._pitch * (at + 0.5), 1) for at in range(len(shown)))
        return tuple(Mark(x, name) for at, (x, name) in enumerate(zip(places, shown, strict=True)) if at % every == 0)

    def _y(self, share: float) -> float:
        return round(BASE - share / self._top * (BASE - TOP), 1)

"""Commit waits and redo writes over a logarithmic time: geometry for the SVG that the server draws."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from awrdiff.web import format as fmt

WIDTH, HEIGHT = 440, 290
LEFT, RIGHT, TOP, BASE = 46.0, 430.0, 12.0, 190.0
LEGEND = 226.0  # where the first of its lines stands
LEAST = 0.05  # percent: buckets that hold less only make the rest narrow
_STEPS = (1, 2, 5, 10, 20, 25, 50)
_MOST_TICKS = 5


@dataclass(frozen=True, slots=True)
class Mark:
    at: float
    text: str


@dataclass(frozen=True, slots=True)
class CurveLine:
    cls: str  # first or second, and of the redo writes dotted
    points: str


@dataclass(frozen=True, slots=True)
class Legend:
    cls: str
    x: float
    y: float
    text: str


@dataclass(frozen=True, slots=True)
class Drawn:
    lines: tuple[CurveLine, ...]
    times: tuple[Mark, ...]
    shares: tuple[Mark, ...]
    legend: tuple[Legend, ...]
    width: int = WIDTH
    height: int = HEIGHT


def shares(curves: Sequence[dict[str, Any]]) -> Drawn | None:
    """Steps: the share of the waits from each edge to the next. `curves`: as histograms.py makes them."""
    most = max((s for c in curves for s in c["shares"]), default=0.0)
    return _drawn(curves, most, (list(_steps(c["edges"], c["shares"])) for c in curves))


def below(curves: Sequence[dict[str, Any]]) -> Drawn | None:
    """How much took less than each edge."""
    return _drawn(curves, 100.0, (list(zip(c["edges"], [0.0, *c["below"]], strict=False)) for c in curves))


def _steps(edges: Sequence[float], values: Sequence[float]) -> Iterable[tuple[float, float]]:
    for at, value in enumerate(values):
        yield from ((edges[at], value), (edges[at + 1], value))


def _drawn(curves: Sequence[dict[str, Any]], most: float, lines: Iterable[list[tuple[float, float]]]) -> Drawn | None:
    held = [e for c in curves for at, s in enumerate(c["shares"]) if s >= LEAST for e in c["edges"][at : at + 2]]
    if not held:
        return None
    frame = _Frame(min(held), max(held), most)
    return Drawn(
        lines=tuple(CurveLine(_cls(c), frame.points(line)) for c, line in zip(curves, lines, strict=True)),
        times=tuple(frame.times()),
        shares=tuple(frame.shares()),
        legend=tuple(_legend(at, c) for at, c in enumerate(curves)),
    )


def _cls(curve: dict[str, Any]) -> str:
    return f"{curve['side']} dotted" if curve["style"] == "lfpw" else curve["side"]


def _legend(at: int, curve: dict[str, Any]) -> Legend:
    return Legend(_cls(curve), LEFT, LEGEND + at * 18, curve["name"])


class _Frame:
    """Times from `least` to `longest` (ms) by their logarithm, under a round share above the largest."""

    def __init__(self, least: float, longest: float, most: float) -> None:
        self._low, self._high = math.log10(least) - 0.1, math.log10(longest) + 0.1
        self._step = next((step for step in _STEPS if most / step <= _MOST_TICKS), _STEPS[-1])
        self._top = self._step * max(1, math.ceil(most / self._step))

    def points(self, line: Sequence[tuple[float, float]]) -> str:
        """What lies beyond the frame ends at its edge."""
        return " ".join(f"{self._x(ms):.1f},{self._y(share):.1f}" for ms, share in line)

    def times(self) -> Iterable[Mark]:
        for power in range(math.ceil(self._low), math.floor(self._high) + 1):
            yield Mark(round(self._x(10.0**power), 1), f"{fmt.plain(10.0**power, max(-power, 0))} ms")

    def shares(self) -> Iterable[Mark]:
        return (Mark(round(self._y(share), 1), f"{share} %") for share in range(0, self._top + 1, self._step))

    def _x(self, ms: float) -> float:
        power = min(max(math.log10(ms) if ms > 0 else self._low, self._low), self._high)
        return LEFT + (power - self._low) / (self._high - self._low) * (RIGHT - LEFT)

    def _y(self, share: float) -> float:
        return BASE - share / self._top * (BASE - TOP)

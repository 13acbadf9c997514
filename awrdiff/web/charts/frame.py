"""Surroundings of marks: margins, gridlines, labels, keys; and data to redraw."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import groupby

from awrdiff.web.charts.axis import Scale, Time
from awrdiff.web.charts.shapes import Mark, decimal

WIDE, HALF, NARROW = 640.0, 430.0, 245.0  # pixels of a frame, at least: on a desk, one of two there, on a phone
_CHARACTER = 6.6  # pixels of one of a label
_GAP = 8.0  # between two labels
_EDGE = 1.0  # percent: what stands nearer to an end is written from there inwards


@dataclass(frozen=True, slots=True)
class Rule:
    """Across the frame, in percent of width or height."""

    at: str
    upright: bool
    cls: str = "axis"
    title: str = ""
    text: str = ""  # above it, with the title


@dataclass(frozen=True, slots=True)
class Label:
    """`wide`: only where the frame is."""

    at: float
    text: str
    wide: bool = False

    @property
    def place(self) -> str:
        return decimal(self.at)

    @property
    def anchor(self) -> str:
        return "start" if self.at < _EDGE else "end" if self.at > 100 - _EDGE else ""


@dataclass(frozen=True, slots=True)
class Key:
    """Legend entry. `key`: of the marks that it switches."""

    cls: str
    name: str
    url: str = ""
    key: str = ""

    @property
    def is_edge(self) -> bool:
        return self.cls.startswith("edge")


SIDES = (Key("fill-first", "First", key="first"), Key("fill-second", "Second", key="second"))


@dataclass(frozen=True, slots=True)
class Chart:
    """`height` in pixels; `alt`: text alternative."""

    marks: tuple[Mark, ...]
    height: int
    alt: str = ""
    note: str = ""  # above the frame
    left: int = 0
    right: int = 0
    top: int = 0
    bottom: int = 0
    rules: tuple[Rule, ...] = ()
    levels: tuple[Label, ...] = ()  # left of the frame
    right_levels: tuple[Label, ...] = ()  # right of it
    names: tuple[Label, ...] = ()  # below it
    keys: tuple[Key, ...] = ()

    @property
    def whole(self) -> int:
        return self.top + self.height + self.bottom

    @property
    def role(self) -> str:
        """ "group" if marks are links: images may not contain links."""
        return "group" if any(mark.url for mark in self.marks) else "img"

    @property
    def layers(self) -> list[tuple[bool, tuple[Mark, ...]]]:
        """Consecutive paths share one stretched layer."""
        return [(paths, tuple(layer)) for paths, layer in groupby(self.marks, key=lambda mark: bool(mark.d))]

    @property
    def padding(self) -> str:
        """CSS: percentages refer to the frame."""
        return f"{self.top}px {self.right}px {self.bottom}px {self.left}px"


@dataclass(frozen=True, slots=True)
class Frame:
    """Measures x from the left, y from the top."""

    across: Scale
    up: Scale

    def x(self, value: float) -> float:
        return self.across.at(value)

    def y(self, value: float) -> float:
        return 100.0 - self.up.at(value)


def levels(scale: Scale, ticks: Iterable[tuple[float, str]], unit: str = "") -> tuple[Label, ...]:
    return tuple(Label(100.0 - scale.at(value), text + unit) for value, text in ticks)


def rules(labels: Iterable[Label], *, upright: bool = False) -> tuple[Rule, ...]:
    return tuple(Rule(label.place, upright) for label in labels)


def room(labels: Iterable[Label]) -> int:
    """Pixels beside the frame."""
    return 10 + round(_CHARACTER * max((len(label.text) for label in labels), default=0))


def fitting(labels: Sequence[Label], *, wide: float = WIDE, last_first: bool = False) -> tuple[Label, ...]:
    """Without overlaps; `wide`: only those that overlap on a phone."""
    ordered = sorted(labels, key=lambda label: label.at, reverse=last_first)
    room = max((len(label.text) for label in labels), default=0) * _CHARACTER + _GAP
    apart = _apart(ordered, room / wide * 100)
    narrow = _apart(apart, room / NARROW * 100)
    labels_marked = [label if label in narrow else replace(label, wide=True) for label in apart]
    return tuple(sorted(labels_marked, key=lambda label: label.at))


def moments_of(scale: Time) -> tuple[Label, ...]:
    """None near the ends: they would leave the page."""
    return fitting([Label(at, text) for m, text in scale.moments() if 4 < (at := scale.at(m)) < 96])


def _apart(labels: Sequence[Label], least: float) -> list[Label]:
    labels_apart: list[Label] = []
    for label in labels:
        if not labels_apart or abs(label.at - labels_apart[-1].at) >= least:
            labels_apart.append(label)
    return labels_apart


_SUFFIXES = {"s": "s", "bytes": "B", "bytes_per_s": "B/s", "percent": " %"}  # of the units that figures are kept in


@dataclass(frozen=True, slots=True)
class Run:
    """Line or layer of bars, with texts."""

    name: str
    cls: str
    values: Sequence[float | None]
    texts: Sequence[str]


def explored(
    across: Sequence[datetime | str], runs: Iterable[Run], *, unit: str | None = None, stacked: bool = False
) -> str:
    """`across`: moments, or names. `stacked`: bars, else lines."""
    moments = [at.isoformat() for at in across if isinstance(at, datetime)]
    chart_data = {
        "x": moments if len(moments) == len(across) else list(range(len(across))),
        "names": [] if len(moments) == len(across) else [*map(str, across)],
        "unit": _SUFFIXES.get(unit or "", ""),
        "stacked": stacked,
        "runs": [{"name": r.name, "cls": r.cls, "y": list(r.values), "texts": list(r.texts)} for r in runs],
    }
    return json.dumps(chart_data, separators=(",", ":"), ensure_ascii=False)

"""DB time of every report by CPU and event, a bar for each in the order of time: geometry for the SVG that the server
draws, and its table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from awrdiff.analysis.baseline.changes import ParameterChange
from awrdiff.analysis.baseline.members import by_time, restarted_between
from awrdiff.analysis.baseline.stacked import Layer, Stacked
from awrdiff.analysis.baseline.words import hour_said
from awrdiff.analysis.rows.align import anchor
from awrdiff.analysis.words import number
from awrdiff.web import format as fmt
from awrdiff.web.presenters.baseline.strip import gap_text
from awrdiff.web.presenters.baseline.trend import changes_said
from parsers.model import Report

WIDTH, HEIGHT = 960.0, 250.0
LEFT, RIGHT, TOP, BASE = 52.0, 948.0, 20.0, 210.0
_WIDEST, _ROOM = 72.0, 104.0  # of a bar; units that a date takes
_COLOURS = 6


@dataclass(frozen=True, slots=True)
class Piece:
    cls: str
    x: float
    y: float
    width: float
    height: float
    title: str


@dataclass(frozen=True, slots=True)
class Between:
    """What lies between two reports: `gap` where nothing is known of that time, and letters."""

    x: float
    gap: bool
    letters: str
    title: str


@dataclass(frozen=True, slots=True)
class Text:
    at: float
    text: str


@dataclass(frozen=True, slots=True)
class Key:
    """A layer in the legend, from the top down; `row`: the query of its course over time."""

    cls: str
    name: str
    row: str


@dataclass(frozen=True, slots=True)
class ReportBar:
    when: str
    between: str
    cells: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class StackedView:
    pieces: tuple[Piece, ...]
    between: tuple[Between, ...]
    levels: tuple[Text, ...]
    labels: tuple[Text, ...]
    keys: tuple[Key, ...]
    lines: tuple[ReportBar, ...]
    missing: int  # reports without DB time
    width: float = WIDTH
    height: float = HEIGHT

    @property
    def has_gaps(self) -> bool:
        return any(b.gap for b in self.between)

    @property
    def letters(self) -> str:
        return "".join(b.letters for b in self.between)


def present(
    found: Stacked, heads: Sequence[Report], changes: Sequence[tuple[ParameterChange, ...]]
) -> StackedView | None:
    """`changes`: of each report in the order of time. None where no report prints DB time."""
    if not any(found.sessions):
        return None
    order = by_time(heads)
    bars = _Bars(found, heads, order)
    return StackedView(
        pieces=tuple(piece for at in range(len(order)) for piece in bars.bar(at)),
        between=tuple(_between(heads, order, changes, bars.slot)),
        levels=tuple(Text(bars.y(v), number(v)) for v in (0.0, bars.most / 2, bars.most)),
        labels=tuple(_labels([heads[n] for n in order], bars.slot)),
        keys=tuple(_key(layer, cls) for layer, cls in reversed(bars.layers)),
        lines=tuple(_lines(found, heads, order)),
        missing=sum(s is None for s in found.sessions),
    )


def _classes(layers: Sequence[Layer]) -> Iterator[str]:
    events = 0
    for layer in layers:
        yield f"k{events % _COLOURS}" if layer.part == "event" else layer.part
        events += layer.part == "event"


class _Bars:
    def __init__(self, found: Stacked, heads: Sequence[Report], order: Sequence[int]) -> None:
        self.layers = [*zip(found.layers, _classes(found.layers), strict=True)]
        self.slot = (RIGHT - LEFT) / len(order)
        heights = [sum(layer.sessions[n] or 0.0 for layer in found.layers) for n in order]
        self.most = max(*heights, *(s for s in found.sessions if s is not None))
        self._found, self._heads, self._order = found, heads, order

    def y(self, sessions: float) -> float:
        return round(BASE - sessions / self.most * (BASE - TOP), 1)

    def bar(self, at: int) -> Iterator[Piece]:
        report, width, below = self._order[at], min(_WIDEST, self.slot * 0.72), 0.0
        whole = self._found.sessions[report]
        x = round(LEFT + self.slot * (at + 0.5) - width / 2, 1)
        for layer, cls in self.layers if whole is not None else ():
            sessions = layer.sessions[report]
            if not sessions:
                continue
            top, bottom = self.y(below + sessions), self.y(below)
            below += sessions
            title = f"{hour_said(self._heads[report])}: {layer.name} {number(sessions)} of {number(whole or 0.0)}"
            yield Piece(cls, x, top, round(width, 1), round(bottom - top, 1), title)


def _between(
    heads: Sequence[Report], order: Sequence[int], changes: Sequence[tuple[ParameterChange, ...]], slot: float
) -> Iterator[Between]:
    for at in range(1, len(order)):
        before, after = heads[order[at - 1]], heads[order[at]]
        said = [gap_text(before, after), *changes_said(changes[at])]
        letters = f"{'R' if restarted_between(before, after) else ''}{'P' if changes[at] else ''}"
        gap = _is_gap(before, after)
        if gap or letters:
            yield Between(round(LEFT + slot * at, 1), gap, letters, "; ".join(s for s in said if s))


def _is_gap(before: Report, after: Report) -> bool:
    """Half of a window is nothing known of."""
    a, b = before.period, after.period
    if not (a.begin.time and a.end.time and b.begin.time):
        return False
    return (b.begin.time - a.end.time) > (a.end.time - a.begin.time) / 2


def _labels(heads: Sequence[Report], slot: float) -> Iterator[Text]:
    """As many as have room, the last one first; with the time of day where that is not always the same."""
    begins = [h.period.begin.time for h in heads]
    clock = len({(b.hour, b.minute // 30) for b in begins if b is not None}) > 1
    step = max(1, -int(-_ROOM // slot))
    for at in range(len(heads) - 1, -1, -step):
        begin = begins[at]
        if begin is not None:
            text = f"{begin:%a} {begin.day} {begin:%b}{f' {begin:%H:%M}' if clock else ''}"
            yield Text(round(LEFT + slot * (at + 0.5), 1), text)


def _key(layer: Layer, cls: str) -> Key:
    row = f"section={layer.section}&row={anchor(layer.section, layer.name)}" if layer.section else ""
    return Key(cls, layer.name, row)


def _lines(found: Stacked, heads: Sequence[Report], order: Sequence[int]) -> Iterator[ReportBar]:
    for at, n in enumerate(order):
        figures = [found.sessions[n], *(layer.sessions[n] for layer in reversed(found.layers))]
        cells = tuple(number(f) if f is not None else fmt.NONE for f in figures)
        yield ReportBar(hour_said(heads[n]), gap_text(heads[order[at - 1]], heads[n]) if at else "", cells)

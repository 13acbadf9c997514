"""The course of a row over all the reports: a chart for each figure, drawn here, and the table that says the same."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from awrdiff.analysis.baseline.against import Chosen
from awrdiff.analysis.baseline.changes import ParameterChange
from awrdiff.analysis.baseline.members import by_time, restarted_between
from awrdiff.analysis.baseline.series import Series, SeriesRow
from awrdiff.analysis.baseline.spread import spread_of
from awrdiff.analysis.baseline.words import hour_said
from awrdiff.analysis.model.spread import Spread
from awrdiff.web import format as fmt
from awrdiff.web.presenters.baseline.each import as_section
from awrdiff.web.presenters.baseline.figures import cell_text, numbers
from awrdiff.web.presenters.baseline.strip import gap_text
from awrdiff.web.presenters.section.compared import row_name
from awrdiff.web.presenters.section.figures import Basis, ColumnGroup, Formatted, own_unit, with_unit
from awrdiff.web.presenters.section.layouts import layout_of
from parsers.model import Report, Value

WIDTH, HEIGHT = 760.0, 190.0
LEFT, RIGHT, TOP, BASE = 64.0, 748.0, 14.0, 160.0
MOST_FIGURES = 6
MOST_CHANGES = 6  # parameters named of one mark
_ROOM = 80.0  # units that a date under the chart takes


@dataclass(frozen=True, slots=True)
class Point:
    x: float
    y: float
    cls: str
    title: str


@dataclass(frozen=True, slots=True)
class Stretch:
    """Between two reports: `gap` where nothing is known of the time between."""

    path: str
    gap: bool


@dataclass(frozen=True, slots=True)
class Mark:
    """A restart or changed parameters, where they happened."""

    x: float
    kind: str
    letter: str
    title: str


@dataclass(frozen=True, slots=True)
class Label:
    x: float
    text: str


@dataclass(frozen=True, slots=True)
class Level:
    y: float
    text: str


@dataclass(frozen=True, slots=True)
class Band:
    """The range of the baseline, and its median."""

    y: float
    height: float
    middle: float


@dataclass(frozen=True, slots=True)
class Chart:
    title: str
    said: str
    points: tuple[Point, ...]
    stretches: tuple[Stretch, ...]
    levels: tuple[Level, ...]
    band: Band | None


@dataclass(frozen=True, slots=True)
class ReportLine:
    """One report in the table."""

    when: str
    between: str
    changes: tuple[str, ...]
    cells: tuple[str, ...]
    cls: str


@dataclass(frozen=True, slots=True)
class TrendView:
    name: str
    beside: str
    section: str
    title: str
    charts: tuple[Chart, ...]
    marks: tuple[Mark, ...]
    labels: tuple[Label, ...]
    lines: tuple[ReportLine, ...]
    has_marks: bool
    has_gaps: bool
    width: float = WIDTH
    height: float = HEIGHT


def columns_of(series: Series, line: SeriesRow, basis: Basis) -> list[Formatted]:
    """The figures of the row that any report prints."""
    shown = layout_of(as_section(series), basis, everything=True).figures
    return [_column(f, line) for f in shown if not f.text and any(numbers(f, line))][:MOST_FIGURES]


@dataclass(frozen=True, slots=True)
class Reports:
    """The reports that a trend is over, in the order of the series. `changes`: of each in the order of time."""

    heads: Sequence[Report]
    chosen: Chosen | None
    changes: Sequence[tuple[ParameterChange, ...]]

    @property
    def order(self) -> list[int]:
        return by_time(self.heads)

    def side(self, place: int) -> str:
        if self.chosen is None:
            return "plain"
        return "second" if place == self.chosen.second else "first" if place in self.chosen.members else "rest"


def present(series: Series, line: SeriesRow, reports: Reports, basis: Basis) -> TrendView:
    axis = Axis([reports.heads[n] for n in reports.order])
    columns = columns_of(series, line, basis)
    charts = tuple(_chart(c, line, reports, axis) for c in columns)
    section = as_section(series)
    row = next(r for r in section.rows if r.row_id == line.row_id)
    name, beside = row_name(section, row)
    marks = tuple(_marks(reports, axis))
    return TrendView(
        name=name,
        beside=beside,
        section=series.id,
        title=series.title,
        charts=tuple(c for c in charts if c.points),
        marks=marks,
        labels=tuple(axis.labels()),
        lines=tuple(_lines(columns, line, reports)),
        has_marks=bool(marks),
        has_gaps=any(s.gap for c in charts for s in c.stretches),
    )


class Axis:
    """Time from left to right, the middle of each window; side by side where a report does not say when it was."""

    def __init__(self, heads: Sequence[Report]) -> None:
        self._heads = heads
        begins = [h.period.begin.time for h in heads]
        ends = [h.period.end.time or h.period.begin.time for h in heads]
        known = [b for b in begins if b], [e for e in ends if e]
        self._begin = min(known[0]) if len(known[0]) == len(heads) else None
        self._span = (max(known[1]) - self._begin).total_seconds() if self._begin else 0.0

    def x(self, at: int) -> float:
        begin, end = self._heads[at].period.begin.time, self._heads[at].period.end.time
        if self._begin is None or not self._span or begin is None:
            return LEFT + 12 + (RIGHT - LEFT - 24) * at / max(1, len(self._heads) - 1)
        return self.moment(begin + ((end or begin) - begin) / 2)

    def moment(self, when: datetime) -> float:
        if self._begin is None or not self._span:
            return LEFT
        return LEFT + 12 + (RIGHT - LEFT - 24) * (when - self._begin).total_seconds() / self._span

    def follows(self, at: int) -> bool:
        """Whether nothing but what is known lies between a report and the one before it."""
        a, b = self._heads[at - 1].period, self._heads[at].period
        if not (a.begin.time and a.end.time and b.begin.time):
            return True
        return (b.begin.time - a.end.time) <= (a.end.time - a.begin.time) / 2

    def labels(self) -> Iterator[Label]:
        """As many dates as have room, the last one first; with the time of day where that is not always the same."""
        begins = [h.period.begin.time for h in self._heads]
        hours = {(b.hour, b.minute // 30) for b in begins if b is not None}
        clock, room = (False, _ROOM) if len(hours) < 2 else (True, 1.5 * _ROOM)
        next_one = float("inf")
        for at, begin in reversed(list(enumerate(begins))):
            x = min(max(self.x(at), LEFT + room / 3), RIGHT - room / 3)
            if begin is not None and next_one - x >= room:
                next_one = x
                yield Label(round(x, 1), f"{begin:%a} {begin.day} {begin:%b}{f' {begin:%H:%M}' if clock else ''}")


def _column(figure: ColumnGroup, line: SeriesRow) -> Formatted:
    own = own_unit(line.unit, figure.unit)
    found = [] if own else [v.number for v in numbers(figure, line) if v is not None]
    return Formatted(figure, fmt.column_format(figure.unit, found))


def _chart(column: Formatted, line: SeriesRow, reports: Reports, axis: Axis) -> Chart:
    values, order, chosen = numbers(column.figure, line), reports.order, reports.chosen
    known = [(at, v) for at, n in enumerate(order) if (v := values[n]) is not None]
    found = spread_of([values[n] for n in chosen.members]) if chosen is not None else None
    scale = _scale([v.number for _, v in known])
    points = tuple(
        Point(
            round(axis.x(at), 1),
            round(scale.y(v.number), 1),
            reports.side(order[at]),
            f"{hour_said(reports.heads[order[at]])}: {_with_unit(column, line, v)}",
        )
        for at, v in known
    )
    levels = tuple(Level(round(scale.y(v), 1), _with_unit(column, line, Value(v, 0.0))) for v in scale.levels)
    return Chart(
        title=column.figure.label,
        said=f"{len(known)} of {len(order)} reports print it",
        points=points,
        stretches=tuple(_stretches(known, points, axis)),
        levels=levels,
        band=_band(found, scale),
    )


def _with_unit(column: Formatted, line: SeriesRow, value: Value) -> str:
    unit = line.unit if own_unit(line.unit, column.figure.unit) else column.figure.unit
    return fmt.quantity(value.number, unit if unit != "as_labelled" else None, value.half)


@dataclass(frozen=True, slots=True)
class _Scale:
    low: float
    high: float

    @property
    def levels(self) -> tuple[float, ...]:
        return tuple(dict.fromkeys((self.low, (self.low + self.high) / 2, self.high)))

    def y(self, number: float) -> float:
        return BASE - (number - self.low) / ((self.high - self.low) or 1.0) * (BASE - TOP)


def _scale(known: Sequence[float]) -> _Scale:
    """From 0, so that a change looks as large as it is."""
    return _Scale(min(0.0, *known, 0.0), max(0.0, *known, 0.0))


def _stretches(known: Sequence[tuple[int, Value]], points: Sequence[Point], axis: Axis) -> Iterator[Stretch]:
    for (before, _), (at, _), a, b in zip(known, known[1:], points, points[1:], strict=False):
        yield Stretch(f"M{a.x} {a.y}L{b.x} {b.y}", gap=at != before + 1 or not axis.follows(at))


def _band(found: Spread | None, scale: _Scale) -> Band | None:
    if found is None or found.printed < 2:
        return None
    top, bottom, middle = (scale.y(v.number) for v in (found.high, found.low, found.median))
    return Band(round(top, 1), round(max(bottom - top, 1.0), 1), round(middle, 1))


def _marks(reports: Reports, axis: Axis) -> Iterator[Mark]:
    order, changes = reports.order, reports.changes
    for at in range(1, len(order)):
        before, after = reports.heads[order[at - 1]], reports.heads[order[at]]
        for moment in restarted_between(before, after):
            yield Mark(round(axis.moment(moment), 1), "restart", "R", f"restarted {moment.day} {moment:%b %Y %H:%M}")
        if changes[at]:
            x = round((axis.x(at - 1) + axis.x(at)) / 2, 1)
            yield Mark(x, "parameters", "P", "; ".join(changes_said(changes[at])))


def changes_said(changes: Sequence[ParameterChange]) -> list[str]:
    """`sga_target 8G → 12G`"""
    said = [f"{c.name} {c.before or 'default'} → {c.after or 'default'}" for c in changes[:MOST_CHANGES]]
    more = len(changes) - len(said)
    return [*said, f"{more} more"] if more else said


def _lines(columns: Sequence[Formatted], line: SeriesRow, reports: Reports) -> Iterator[ReportLine]:
    heads, order = reports.heads, reports.order
    found = [numbers(c.figure, line) for c in columns]
    for at, n in enumerate(order):
        missing = line.values[n] is None
        cells = tuple(
            "not listed" if missing and not i else cell_text(c, line, values[n])
            for i, (c, values) in enumerate(zip(columns, found, strict=True))
        )
        since = gap_text(heads[order[at - 1]], heads[n]) if at else ""
        yield ReportLine(hour_said(heads[n]), since, tuple(changes_said(reports.changes[at])), cells, reports.side(n))


def heads_of_columns(series: Series, line: SeriesRow, basis: Basis) -> list[str]:
    return [with_unit(column) for column in columns_of(series, line, basis)]

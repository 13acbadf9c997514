"""One thing against the baseline: each of its rows, table by table, with its figures one below the other."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TypedDict

from awrdiff.analysis.baseline.against import Against
from awrdiff.analysis.baseline.series import Series, SeriesRow
from awrdiff.analysis.baseline.spread import standing_said
from awrdiff.analysis.baseline.words import lies_said
from awrdiff.analysis.entities.kinds import EntityKind, Ref
from awrdiff.analysis.model.comparison import ComparedRow
from awrdiff.web import format as fmt
from awrdiff.web.presenters.baseline.figures import Triple, cell_text, median_text, range_text, text_of, triple
from awrdiff.web.presenters.section import words
from awrdiff.web.presenters.section.compared import order_rows, row_name
from awrdiff.web.presenters.section.figures import Basis, Formatted, Number, format_figures, tone, with_unit
from awrdiff.web.presenters.section.layouts import layout_of
from awrdiff.web.presenters.section.window import cut

MOST_TABLES = 12
MOST_ROWS = 8  # of one table
_LONGEST = 300


class Cell(TypedDict):
    """One table cell: class names, text, and a smaller text below it."""

    c: str
    t: str
    s: str


@dataclass(frozen=True, slots=True)
class FigureView:
    label: str
    cells: tuple[Cell, ...]  # the baseline, Second, where it lies


@dataclass(frozen=True, slots=True)
class RowView:
    id: str
    name: str
    beside: str
    figures: tuple[FigureView, ...]


@dataclass(frozen=True, slots=True)
class PartView:
    id: str
    title: str
    rows: tuple[RowView, ...]
    more: int


@dataclass(frozen=True, slots=True)
class ThingView:
    kind: str
    name: str
    path: str
    parts: tuple[PartView, ...]
    more: int  # tables that name it and are not shown


@dataclass(frozen=True, slots=True)
class Named:
    """One table against the baseline, and the ids of its rows that name the thing."""

    found: Against
    series: Series
    rows: Collection[str]


def present(kind: EntityKind, key: str, named: Sequence[Named], basis: Basis, more: int) -> ThingView:
    parts = tuple(part for one in named if (part := _part(one, basis)).rows)
    return ThingView(kind.name, key, Ref(kind.id, key).path, parts, more)


def _part(one: Named, basis: Basis) -> PartView:
    section = one.found.section
    named = [r for r in section.rows if r.row_id in one.rows]
    layout = layout_of(section, basis, everything=True)
    rows = order_rows(named[:MOST_ROWS], layout, "")
    lines = {line.row_id: line for line in one.series.lines}
    printer = _Printer(one.found, format_figures(layout.figures, rows))
    shown = tuple(printer.row(row, lines[row.row_id]) for row in rows)
    return PartView(section.id, section.title, shown, max(0, len(named) - MOST_ROWS))


def _says(figure: FigureView) -> bool:
    """Whether either side prints it."""
    return any(cell["t"] not in ("", fmt.NONE, "not printed", "not listed") for cell in figure.cells[:2])


@dataclass(frozen=True, slots=True)
class _Printer:
    found: Against
    columns: Sequence[Formatted]

    def row(self, row: ComparedRow, line: SeriesRow) -> RowView:
        name, beside = row_name(self.found.section, row)
        figures = (
            FigureView(with_unit(column), tuple(self.cells(row, line, column, first=not at)))
            for at, column in enumerate(self.columns)
        )
        return RowView(row.row_id, cut(name, _LONGEST), cut(beside, _LONGEST), tuple(f for f in figures if _says(f)))

    def cells(self, row: ComparedRow, line: SeriesRow, column: Formatted, *, first: bool) -> list[Cell]:
        if column.figure.text:
            return self._texts(row, line, column)
        one = triple(column.figure, line)
        return [
            self._baseline(row, line, column, one),
            self._second(line, column, one, first=first),
            self._lies(row, column, one),
        ]

    def _baseline(self, row: ComparedRow, line: SeriesRow, column: Formatted, one: Triple) -> Cell:
        if one.found is None:
            absent = "not printed" if not self.found.section.first_present else fmt.NONE
            return Cell(c="na", t="not listed" if row.status == "only_second" else absent, s="")
        return Cell(c="", t=median_text(column, line, one.found), s=range_text(column, line, one.found))

    def _second(self, line: SeriesRow, column: Formatted, one: Triple, *, first: bool) -> Cell:
        if one.second is None:
            missing = line.values[-1] is None
            said = words.absent(self.found.section, first=False).text if missing and first else fmt.NONE
            return Cell(c="na", t=said, s="")
        return Cell(c="", t=cell_text(column, line, one.second), s="")

    def _lies(self, row: ComparedRow, column: Formatted, one: Triple) -> Cell:
        if one.lies is None or one.found is None or one.second is None:
            said = lies_said(self.found, row, column.figure.column) if row.status == "only_second" else ""
            return Cell(c="same", t="", s=said)
        if not one.lies.is_outside:
            return Cell(c="same", t="", s=standing_said(one.lies))
        way: fmt.Direction = "up" if one.lies.place == "above" else "down"
        middle = Number(one.found.median.number, one.found.median.half)
        change = column.change_text(middle, Number(one.second.number, one.second.half), column.figure.unit_of(row))
        return Cell(c=tone(way, column.figure.better), t=f"{fmt.ARROWS[way]} {change}", s=standing_said(one.lies))

    def _texts(self, row: ComparedRow, line: SeriesRow, column: Formatted) -> list[Cell]:
        delta = row.values[column.figure.column]
        usual = delta.first if isinstance(delta.first, str) else ""
        own = text_of(column.figure, line.values[-1])
        said = lies_said(self.found, row, column.figure.column) if usual or own else ""
        differs = "differs" if delta.significant else ""
        return [
            Cell(c="l" if usual else "l na", t=cut(usual, _LONGEST) or fmt.NONE, s=""),
            Cell(c="l" if own else "l na", t=cut(own, _LONGEST) or fmt.NONE, s=""),
            Cell(c="l down0" if differs else "l same", t=differs, s=said),
        ]

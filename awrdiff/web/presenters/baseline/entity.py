"""One entity's rows against the baseline."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TypedDict

from awrdiff.analysis.baseline.against import Against
from awrdiff.analysis.baseline.aligned_sections import Series, SeriesRow
from awrdiff.analysis.baseline.spread import standing_said
from awrdiff.analysis.baseline.words import lies_said
from awrdiff.analysis.entities.kinds import EntityKind, Ref
from awrdiff.analysis.model.comparison import ComparedRow
from awrdiff.analysis.model.spread import Spread
from awrdiff.web import format as fmt
from awrdiff.web.presenters.baseline.figures import Triple, cell_text, median_text, range_text, text_of, triple
from awrdiff.web.presenters.section import words
from awrdiff.web.presenters.section.compared import order_rows, row_name
from awrdiff.web.presenters.section.figures import Basis, Formatted, format_figures, tone, with_unit
from awrdiff.web.presenters.section.layouts import layout_of
from awrdiff.web.presenters.section.window import cut
from parsers.model import Value

MOST_TABLES = 12
MOST_ROWS = 8  # of one table
_LONGEST = 300


class Cell(TypedDict):
    c: str
    t: str
    s: str


FigureView = tuple[str, list[Cell]]  # label; baseline, Second, where it lies


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
    """Table against a baseline, with the entity's row ids."""

    found: Against
    series: Series
    rows: Collection[str]


def present(kind: EntityKind, key: str, tables: Sequence[Named], basis: Basis, more: int) -> ThingView:
    parts = tuple(part for table in tables if (part := _part(table, basis)).rows)
    return ThingView(kind.name, key, Ref(kind.id, key).path, parts, more)


def _part(table: Named, basis: Basis) -> PartView:
    section = table.found.section
    entity_rows = [r for r in section.rows if r.row_id in table.rows]
    layout = layout_of(section, basis, everything=True)
    rows = order_rows(entity_rows[:MOST_ROWS], layout, "")
    lines = {line.row_id: line for line in table.series.lines}
    printer = _Printer(table.found, format_figures(layout.figures, rows))
    row_views = tuple(printer.row(row, lines[row.row_id]) for row in rows)
    return PartView(section.id, section.title, row_views, max(0, len(entity_rows) - MOST_ROWS))


def _says(figure: FigureView) -> bool:
    return any(cell["t"] not in ("", fmt.NONE, "not printed", "not listed") for cell in figure[1][:2])


@dataclass(frozen=True, slots=True)
class _Printer:
    found: Against
    columns: Sequence[Formatted]

    def row(self, row: ComparedRow, line: SeriesRow) -> RowView:
        name, beside = row_name(self.found.section, row)
        figures = (
            (with_unit(column), self.cells(row, line, column, first=not at)) for at, column in enumerate(self.columns)
        )
        return RowView(row.row_id, cut(name, _LONGEST), cut(beside, _LONGEST), tuple(f for f in figures if _says(f)))

    def cells(self, row: ComparedRow, line: SeriesRow, column: Formatted, *, first: bool) -> list[Cell]:
        if column.figure.text:
            return self._texts(row, line, column)
        figures = triple(column.figure, line)
        return [
            self._baseline(row, line, column, figures[0]),
            self._second(line, column, figures[1], first=first),
            self._lies(row, column, figures),
        ]

    def _baseline(self, row: ComparedRow, line: SeriesRow, column: Formatted, spread: Spread | None) -> Cell:
        if spread is None:
            absent = "not printed" if not self.found.section.first_present else fmt.NONE
            return Cell(c="na", t="not listed" if row.status == "only_second" else absent, s="")
        return Cell(c="", t=median_text(column, line, spread), s=range_text(column, line, spread))

    def _second(self, line: SeriesRow, column: Formatted, second: Value | None, *, first: bool) -> Cell:
        if second is None:
            missing = line.values[-1] is None
            absence = words.absent(self.found.section, first=False).text if missing and first else fmt.NONE
            return Cell(c="na", t=absence, s="")
        return Cell(c="", t=cell_text(column, line, second), s="")

    def _lies(self, row: ComparedRow, column: Formatted, figures: Triple) -> Cell:
        spread, second, lies = figures
        if lies is None or spread is None or second is None:
            lie_text = lies_said(self.found, row, column.figure.column) if row.status == "only_second" else ""
            return Cell(c="same", t="", s=lie_text)
        if not lies.is_outside:
            return Cell(c="same", t="", s=standing_said(lies))
        way: fmt.Direction = "up" if lies.place == "above" else "down"
        change = column.change_text(spread.median, second, column.figure.unit_of(row))
        return Cell(c=tone(way, column.figure.better), t=f"{fmt.ARROWS[way]} {change}", s=standing_said(lies))

    def _texts(self, row: ComparedRow, line: SeriesRow, column: Formatted) -> list[Cell]:
        delta = row.values[column.figure.column]
        usual = delta.first if isinstance(delta.first, str) else ""
        own = text_of(column.figure, line.values[-1])
        lie_text = lies_said(self.found, row, column.figure.column) if usual or own else ""
        differs = "differs" if delta.significant else ""
        return [
            Cell(c="l" if usual else "l na", t=cut(usual, _LONGEST) or fmt.NONE, s=""),
            Cell(c="l" if own else "l na", t=cut(own, _LONGEST) or fmt.NONE, s=""),
            Cell(c="l down0" if differs else "l same", t=differs, s=lie_text),
        ]

"""A section of Second against the baseline: each figure's median with its range, Second, and where it lies."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TypedDict

from awrdiff.analysis.baseline.against import Against
from awrdiff.analysis.baseline.series import Series, SeriesRow
from awrdiff.analysis.baseline.spread import spread_of, standing, standing_said
from awrdiff.analysis.baseline.words import lies_said
from awrdiff.analysis.entities.kinds import refs
from awrdiff.analysis.model.comparison import ComparedRow
from awrdiff.analysis.model.spread import Spread, Standing
from awrdiff.web import format as fmt
from awrdiff.web.presenters.baseline.figures import cell_text, median_text, numbers, range_text, text_of
from awrdiff.web.presenters.section import words
from awrdiff.web.presenters.section.compared import (
    Options,
    SortHead,
    main_key,
    name_head,
    order_rows,
    row_name,
    shown_rows,
)
from awrdiff.web.presenters.section.figures import ColumnGroup, Formatted, Number, format_figures, tone, with_unit
from awrdiff.web.presenters.section.layouts import Layout, layout_of
from awrdiff.web.presenters.section.window import cut, start_of, window_of
from awrdiff.web.presenters.section.windowed import Windowed
from parsers.model import Value

SIDES = (("f", "Baseline", "th-first"), ("s", "Second", "th-second"), ("c", "Second lies", ""))
MOST_FIGURES = 3
_LONGEST = 300


class Cell(TypedDict):
    """One table cell: class names, text, and a smaller text below it."""

    c: str
    t: str
    s: str


class RowView(TypedDict):
    id: str
    name: str
    beside: str
    path: str  # of what the name names, below the comparison's address
    cells: list[Cell]
    cls: str


@dataclass(frozen=True, slots=True)
class Head:
    label: str
    text: bool
    columns: tuple[SortHead, ...]
    column: str  # id of what is shown


@dataclass(frozen=True, slots=True)
class TableView(Windowed):
    id: str
    title: str
    name_head: str
    heads: tuple[Head, ...]
    rows: list[RowView]
    total: int
    hidden: int
    matched: int
    start: int
    window: int
    next: int | None
    left_out: int
    everything: bool
    step: float
    missing: str  # which side prints no such section

    @property
    def hidden_text(self) -> str:
        rows = "row" if self.hidden == 1 else "rows"
        small = f", or worth less than {self.step:g} %" if self.step else ""
        return f"{self.hidden} {rows} hidden: inside the baseline{small}"


def present(found: Against, series: Series, options: Options) -> TableView:
    """The series is of the baseline's reports in order, then Second."""
    section = found.section
    kept = shown_rows(section, options)
    hidden = 0 if options.text else len(section.rows) - len(kept)
    layout = _fitting(layout_of(section, options.basis, everything=options.everything), options)
    kept = order_rows(kept, layout, options.sort)
    window = window_of(3 * len(layout.figures))
    start = start_of([r.row_id for r in kept] if options.row else [], options.row, options.start, window)
    shown = kept[start : start + window]
    columns = format_figures(layout.figures, kept)
    maker = _Maker(found, {line.row_id: line for line in series.lines}, columns, options.step)
    after = start + len(shown)
    return TableView(
        id=section.id,
        title=section.title,
        name_head=name_head(section),
        heads=tuple(_head(at, c, options.sort) for at, c in enumerate(columns)),
        rows=[maker.row(r) for r in shown],
        total=len(section.rows),
        hidden=hidden,
        matched=len(kept),
        start=start,
        window=window,
        next=after if after < len(kept) else None,
        left_out=layout.left_out,
        everything=options.everything,
        step=options.step,
        missing=_missing(found),
    )


def _fitting(layout: Layout, options: Options) -> Layout:
    """A figure takes more room than in the table of a pair."""
    kept = layout.figures if options.everything else layout.figures[:MOST_FIGURES]
    return replace(layout, figures=kept, left_out=layout.left_out + len(layout.figures) - len(kept))


def _head(at: int, column: Formatted, sort: str) -> Head:
    columns = tuple(SortHead(f"{at}{code}", label, cls, sort == f"{at}{code}") for code, label, cls in SIDES)
    return Head(with_unit(column), column.figure.text, columns, column.figure.column)


def _missing(found: Against) -> str:
    if not found.section.second_present:
        return "Second does not print this section: it is unknown there, not zero."
    if not found.section.first_present:
        return "No report of the baseline prints this section: it is unknown there, not zero."
    return ""


@dataclass(frozen=True, slots=True)
class Triple:
    """One figure of one row: the spread of the baseline, Second, and where it lies among the numbers."""

    found: Spread | None
    second: Value | None
    lies: Standing | None


def triple(figure: ColumnGroup, line: SeriesRow) -> Triple:
    *members, second = numbers(figure, line)
    found = spread_of(members)
    lies = standing(second, members, found) if second is not None and found is not None else None
    return Triple(found, second, lies)


@dataclass(frozen=True, slots=True)
class _Maker:
    found: Against
    lines: dict[str, SeriesRow]
    columns: list[Formatted]
    step: float

    def row(self, row: ComparedRow) -> RowView:
        line = self.lines[row.row_id]
        name, beside = row_name(self.found.section, row)
        cells = [cell for at, column in enumerate(self.columns) for cell in self.cells(row, line, column, first=not at)]
        cls = "idle" if row.idle else "" if row.counts(self.step) else "same"
        named = refs(row, frozenset(c.id for c in self.found.section.columns))
        own = named.get(main_key(self.found.section))
        return RowView(
            id=row.row_id,
            name=cut(name, _LONGEST),
            beside=cut(beside, _LONGEST),
            path=own.path if own else "",
            cells=cells,
            cls=cls,
        )

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

"""One report's section: text first, then numbers."""

from __future__ import annotations

from collections.abc import Container, Iterator
from dataclasses import dataclass
from typing import Any

from awrdiff.analysis.entities.single_report_entity import refs_of, rows_with_anchors
from awrdiff.reports.queries import matches
from awrdiff.web import value_formatting as fmt
from awrdiff.web.presenters.section import missing_rows
from awrdiff.web.presenters.section.columns_and_cells import ROW_UNITS, Cell, own_unit
from awrdiff.web.presenters.section.compared_section import Options
from awrdiff.web.presenters.section.row_limits import Windowed, fit_rows, start_of, window_of
from parsers.model import Cell as Printed
from parsers.model import Column, Row, Section, Value


@dataclass(frozen=True, slots=True, kw_only=True)
class PlainView(Windowed):
    section: Section
    heads: tuple[tuple[str, bool], ...]  # label; whether of text
    rows: list[dict[str, Any]]

    @property
    def notes(self) -> tuple[str, ...]:
        return self.section.notes

    @property
    def coverage_text(self) -> str:
        return missing_rows.one_report_coverage(self.section.coverage)


def present(section: Section, options: Options, only: Container[str] | None = None) -> PlainView:
    """`only`: visible anchors, None for all."""
    rows = [(i, r) for i, r in _matching(section, options) if only is None or i in only]
    window = window_of(len(section.columns))
    start = start_of((i for i, _ in rows), options.row, options.start, window)
    window_rows = rows[start : start + window]
    order = sorted(range(len(section.columns)), key=lambda at: section.columns[at].id not in section.key)
    formats = [(at, _format(section.columns[at], at, [r for _, r in rows])) for at in order]
    return PlainView(
        section=section,
        heads=tuple(
            (fmt.head(fmt.title_of(c.label, c.unit, c.id), c.unit, form.suffix), c.unit is None)
            for c, form in ((section.columns[at], form) for at, form in formats)
        ),
        rows=fit_rows(_row(section, i, r, formats) for i, r in window_rows),
        total=len(section.records),
        matched=len(rows),
        start=start,
        window=window,
    )


def rows_shown(section: Section, options: Options) -> Iterator[Row]:
    return (r for _, r in _matching(section, options))


def _matching(section: Section, options: Options) -> Iterator[tuple[str, Row]]:
    return ((i, r) for i, r in rows_with_anchors(section) if not options.text or matches(r.cells, options.text))


def _format(column: Column, at: int, records: list[Row]) -> fmt.ColumnFormat:
    numbers = (r.cells[at] for r in records if own_unit(r.unit, column.unit) is None)
    return fmt.column_format(column.unit, (n.number for n in numbers if isinstance(n, Value)))


def _row(section: Section, anchor: str, record: Row, formats: list[tuple[int, fmt.ColumnFormat]]) -> dict[str, Any]:
    """`path`: of the entity, below the report."""
    cells = [_cell(record.cells[at], form, own_unit(record.unit, form.unit)) for at, form in formats]
    # The object if the row's name is its owner.
    entities = refs_of(section, record)
    columns = (section.columns[at].id for at, _ in formats)
    path = next((entities[c].path for c in columns if c in entities and c in section.key), "")
    return {"id": anchor, "name": cells[0]["t"] if cells else "", "path": path, "cells": cells[1:]}


def _cell(printed: Printed, form: fmt.ColumnFormat, row_unit: str | None) -> Cell:
    if printed is None or printed == "":
        return Cell(c="l na" if form.unit is None else "na", t=fmt.NONE, h="")
    if isinstance(printed, str):
        return Cell(c="l", t=printed, h="")
    if row_unit:
        unit, factor = ROW_UNITS.get(row_unit.lower(), (row_unit, 1.0))
        return Cell(c="", t=fmt.quantity(printed.number * factor, unit, printed.half * factor), h="")
    return Cell(c="", t=form.cell(printed.number, printed.half), h="")

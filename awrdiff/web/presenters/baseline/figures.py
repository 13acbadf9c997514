"""Figures of a table in several reports, and their spread."""

from __future__ import annotations

from awrdiff.analysis.baseline.series import SeriesRow, Values
from awrdiff.analysis.baseline.spread import spread_of, standing
from awrdiff.analysis.model.comparison import ComparedRow
from awrdiff.analysis.model.spread import Spread, Standing
from awrdiff.web import format as fmt
from awrdiff.web.presenters.section.figures import Basis, ColumnGroup, Formatted, own_unit
from parsers.model import Value

BASES: tuple[tuple[Basis, str], ...] = (("s", "per second"), ("txn", "per transaction"))


def basis_of(requested: Basis | None) -> Basis:
    """Rates only: totals of reports of different length are not comparable."""
    return "txn" if requested == "txn" else "s"


def numbers(figure: ColumnGroup, line: SeriesRow) -> list[Value | None]:
    """The figure in each report; averages from total and count where more precise."""
    return [_number(figure, line, values) for values in line.values]


def _number(figure: ColumnGroup, line: SeriesRow, values: Values | None) -> Value | None:
    if values is None or figure.text:
        return None
    value, _ = figure.pair(ComparedRow(line.row_id, line.name, "only_first", values, unit=line.unit))
    return Value(value.number, value.half) if value is not None else None


def text_of(figure: ColumnGroup, values: Values | None) -> str:
    cell = values[figure.column].first if values is not None and figure.column in values else None
    return cell if isinstance(cell, str) else ""


def cell_text(column: Formatted, line: SeriesRow, value: Value | None) -> str:
    """A figure in its column's format, or the row's own unit."""
    if value is None:
        return fmt.NONE
    row = ComparedRow(line.row_id, line.name, "same", {}, unit=line.unit)
    if own_unit(line.unit, column.figure.unit):
        return fmt.quantity(value.number, column.figure.unit_of(row), value.half)
    return column.column.cell(value.number, value.half)


def median_text(column: Formatted, line: SeriesRow, spread: Spread) -> str:
    """Below the printed resolution only an upper bound is known."""
    if spread.is_figure:
        return cell_text(column, line, spread.median)
    unit = column.figure.unit_of(ComparedRow(line.row_id, line.name, "same", {}, unit=line.unit))
    return f"<{fmt.quantity(2 * spread.median.half, unit, digits=1)}"


def range_text(column: Formatted, line: SeriesRow, spread: Spread) -> str:
    """`26.1 – 30.4`, with the number of reports that print it, if not all."""
    low, high = (cell_text(column, line, v).strip() for v in (spread.low, spread.high))
    apart = f"{low} – {high}" if spread.printed > 1 and low != high else ""
    partly = f"in {spread.printed} of {spread.of}" if spread.printed < spread.of else ""
    return " · ".join(p for p in (apart, partly) if p)


Triple = tuple[Spread | None, Value | None, Standing | None]


def triple(figure: ColumnGroup, line: SeriesRow) -> Triple:
    """Spread of the baseline, Second, and its position among the numbers."""
    *members, second = numbers(figure, line)
    spread = spread_of(members)
    lies = standing(second, members, spread) if second is not None and spread is not None else None
    return spread, second, lies

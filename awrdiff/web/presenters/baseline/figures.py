"""The figures of a table as each of several reports has them, and how far apart they are."""

from __future__ import annotations

from dataclasses import dataclass

from awrdiff.analysis.baseline.series import SeriesRow, Values
from awrdiff.analysis.baseline.spread import spread_of, standing
from awrdiff.analysis.model.comparison import ComparedRow
from awrdiff.analysis.model.spread import Spread, Standing
from awrdiff.web import format as fmt
from awrdiff.web.presenters.section.figures import Basis, ColumnGroup, Formatted, own_unit
from parsers.model import Value

BASES: tuple[tuple[Basis, str], ...] = (("s", "per second"), ("txn", "per transaction"))


def basis_of(chosen: Basis | None) -> Basis:
    """Totals of reports that differ in length cannot be held against each other: there are rates only."""
    return "txn" if chosen == "txn" else "s"


def numbers(figure: ColumnGroup, line: SeriesRow) -> list[Value | None]:
    """The figure of each report: as the table of a pair has it, averages as closely as total and count tell them."""
    return [_number(figure, line, values) for values in line.values]


def _number(figure: ColumnGroup, line: SeriesRow, values: Values | None) -> Value | None:
    if values is None or figure.text:
        return None
    found, _ = figure.pair(ComparedRow(line.row_id, line.name, "only_first", values, unit=line.unit))
    return Value(found.number, found.half) if found is not None else None


def text_of(figure: ColumnGroup, values: Values | None) -> str:
    cell = values[figure.column].first if values is not None and figure.column in values else None
    return cell if isinstance(cell, str) else ""


def cell_text(column: Formatted, line: SeriesRow, value: Value | None) -> str:
    """One figure as its column is written; a row with a unit of its own in that."""
    if value is None:
        return fmt.NONE
    row = ComparedRow(line.row_id, line.name, "same", {}, unit=line.unit)
    if own_unit(line.unit, column.figure.unit):
        return fmt.quantity(value.number, column.figure.unit_of(row), value.half)
    return column.column.cell(value.number, value.half)


def median_text(column: Formatted, line: SeriesRow, found: Spread) -> str:
    """Below the printed resolution there is no figure, only the most it can be."""
    if found.is_figure:
        return cell_text(column, line, found.median)
    unit = column.figure.unit_of(ComparedRow(line.row_id, line.name, "same", {}, unit=line.unit))
    return f"<{fmt.quantity(2 * found.median.half, unit, digits=1)}"


def range_text(column: Formatted, line: SeriesRow, found: Spread) -> str:
    """`26.1 – 30.4`, and in how many reports it is printed where that is not all."""
    low, high = (cell_text(column, line, v).strip() for v in (found.low, found.high))
    apart = f"{low} – {high}" if found.printed > 1 and low != high else ""
    partly = f"in {found.printed} of {found.of}" if found.printed < found.of else ""
    return " · ".join(p for p in (apart, partly) if p)


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

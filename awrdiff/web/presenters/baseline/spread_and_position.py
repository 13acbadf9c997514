"""Figures in several reports, their spread, and Second's position."""

from __future__ import annotations

from dataclasses import dataclass, replace

from awrdiff.analysis.baseline.aligned_sections import Series, SeriesRow, Values
from awrdiff.analysis.baseline.baseline_sentences import row_position_text
from awrdiff.analysis.baseline.robust_statistics import spread_of, standing, standing_text
from awrdiff.analysis.baseline.section_vs_median import Against
from awrdiff.analysis.figures_in_words import number
from awrdiff.analysis.model.baseline_spread import Spread, Standing
from awrdiff.analysis.model.comparison import ComparedRow, Evidence, Median
from awrdiff.web import value_formatting as fmt
from awrdiff.web.presenters.section.columns_and_cells import Basis, ColumnGroup, Formatted, format_figures, own_unit
from awrdiff.web.presenters.section.compared_section import Options
from awrdiff.web.presenters.section.layouts import layout_of
from parsers.model import Value

BASES: tuple[tuple[Basis, str], ...] = (("s", "per second"), ("txn", "per transaction"))


def basis_of(requested: Basis | None) -> Basis:
    """Rates only: report lengths differ."""
    return "txn" if requested == "txn" else "s"


def numbers(figure: ColumnGroup, line: SeriesRow) -> list[Value | None]:
    """Averages from total and count where more precise."""
    return [
        figure.pair(ComparedRow(line.row_id, line.name, "only_first", values, unit=line.unit))[0]
        if values is not None and not figure.text
        else None
        for values in line.values
    ]


def text_of(figure: ColumnGroup, values: Values | None) -> str:
    cell = values[figure.column].first if values is not None and figure.column in values else None
    return cell if isinstance(cell, str) else ""


def cell_text(column: Formatted, line: SeriesRow, value: Value | None) -> str:
    """In the column's format, or the row's own unit."""
    if value is None:
        return fmt.NONE
    if own_unit(line.unit, column.figure.unit):
        return fmt.quantity(value.number, column.figure.unit_of(line.unit), value.half)
    return column.column.cell(value.number, value.half)


def median_text(column: Formatted, line: SeriesRow, spread: Spread) -> str:
    """Below the printed resolution only an upper bound is known."""
    if spread.is_figure:
        return cell_text(column, line, spread.median)
    unit = column.figure.unit_of(line.unit)
    return f"<{fmt.quantity(2 * spread.median.half, unit, digits=1)}"


def range_text(column: Formatted, line: SeriesRow, spread: Spread) -> str:
    """`26.1 – 30.4`, with the number of reports unless all."""
    low, high = (cell_text(column, line, v).strip() for v in (spread.low, spread.high))
    apart = f"{low} – {high}" if spread.printed > 1 and low != high else ""
    partly = f"in {spread.printed} of {spread.of}" if spread.printed < spread.of else ""
    return " · ".join(p for p in (apart, partly) if p)


Triple = tuple[Spread | None, Value | None, Standing | None]


def triple(figure: ColumnGroup, line: SeriesRow) -> Triple:
    """Baseline spread, Second, and its position."""
    *members, second = numbers(figure, line)
    spread = spread_of(members)
    lies = standing(second, members, spread) if second is not None and spread is not None else None
    return spread, second, lies


@dataclass(frozen=True, slots=True)
class Lie:
    """`text`: `above all 5`; `of`: figure and range."""

    text: str
    of: str
    outside: bool


def of_head(median: Median, evidence: Evidence, about: str = "") -> Lie | None:
    """Says the row's name unless it is `about`."""
    lie = median.lies.get((evidence.section, evidence.row_id or ""))
    if lie is None:
        return None
    low, high = (number(v.number) for v in (lie.spread.low, lie.spread.high))
    of = f"{low} – {high}{' per second' if lie.per_s else ''}" if low != high else ""
    of = f"{evidence.key} {of}" if of and evidence.key != about else of
    return Lie(standing_text(lie.standing), of, lie.standing.is_marked)


def of_rows(against: Against, series: Series, requested: Options) -> dict[str, Lie]:
    """By row id. `series` ends with Second; totals become rates."""
    section, options = against.section, replace(requested, basis=basis_of(requested.basis))
    layout = layout_of(section, options.basis, everything=options.everything)
    columns = format_figures(layout.figures, section.rows)
    plain = columns[0] if columns and requested.basis == options.basis else None
    lines = {line.row_id: line for line in series.lines}
    lies: dict[str, Lie] = {}
    for row in section.rows:
        row_lies = [lie for c in columns if (lie := _of_figure(against, row, lines[row.row_id], c, plain)) is not None]
        if row_lies:
            lies[row.row_id] = next((lie for lie in row_lies if lie.outside), row_lies[0])
    return lies


def _of_figure(
    against: Against, row: ComparedRow, line: SeriesRow, column: Formatted, plain: Formatted | None
) -> Lie | None:
    if column.figure.text:
        delta = row.values.get(column.figure.column)
        lie_text = row_position_text(against, row, column.figure.column) if row.status in ("same", "changed") else ""
        return Lie(lie_text, "", bool(delta and delta.significant)) if lie_text else None
    spread, _, lies = triple(column.figure, line)
    if lies is None or spread is None:
        return None
    of = " ".join(p for p in ("" if column is plain else column.figure.label, range_text(column, line, spread)) if p)
    return Lie(standing_text(lies), of, lies.is_marked)

"""A report against a baseline as CSV; its first lines name the baseline's reports."""

from __future__ import annotations

from collections.abc import Iterator

from awrdiff.analysis.baseline.against import Against, BaselineFigure
from awrdiff.analysis.baseline.words import hour_said, lies_said
from awrdiff.analysis.export.baseline import BaselineReading
from awrdiff.analysis.export.csv import csv_line
from awrdiff.analysis.export.document import plain
from awrdiff.analysis.model.comparison import ComparedRow
from parsers.model import Column, Value

HEADER = (
    *("section", "row_id", "key", "column", "unit", "status", "per_s"),
    *("median", "low", "high", "second", "place", "higher_than", "z", "printed", "of", "said"),
)
_REPORTS = "baseline"  # what stands under `section` in the lines that name the reports


def baseline_csv(comparison: BaselineReading, *, brief: bool = False) -> Iterator[str]:
    """A line for each report, then one for each figure; `brief`: reports only."""
    yield csv_line(HEADER)
    for n in (*comparison.chosen.members, comparison.chosen.second):
        status, report = "Second" if n == comparison.chosen.second else "baseline", comparison.reports[n]
        yield csv_line(_pad(_REPORTS, n, hour_said(report), "report", "", status, text=report.name))
    if not brief:
        for against in comparison.sections():
            section = against.section
            valued = [c for c in section.columns if c.id not in section.key]
            for row in section.rows:
                for column in valued:
                    delta = row.values[column.id]
                    if delta.first is not None or delta.second is not None:
                        yield csv_line(_csv_figure(against, row, column))


def _csv_figure(against: Against, row: ComparedRow, column: Column) -> tuple[object, ...]:
    delta, figure = row.values[column.id], against.figures[row.row_id][column.id]
    first, second = (delta.first, delta.second) if not figure.per_s else (delta.first_per_s, delta.second_per_s)
    unit = row.unit if row.unit and column.unit == "as_labelled" else column.unit or ""
    identity = (against.section.id, row.row_id, " / ".join(row.key.values()), column.id, unit, row.status)
    lies = (against.printed[row.row_id], against.of, lies_said(against, row, column.id))
    per_s = "yes" if figure.per_s else "no"
    return (*identity, per_s, *_spread_cells(figure, _csv_cell(first)), _csv_cell(second), *_standing(figure), *lies)


def _spread_cells(figure: BaselineFigure, usual: object) -> tuple[object, object, object]:
    if figure.spread is None:
        return usual, "", ""
    spread = figure.spread
    return plain(spread.median.number) if spread.is_figure else "", plain(spread.low.number), plain(spread.high.number)


def _standing(figure: BaselineFigure) -> tuple[object, object, object]:
    lies = figure.standing
    return ("", "", "") if lies is None else (lies.place, lies.higher_than, "" if lies.z is None else plain(lies.z))


def _csv_cell(cell: Value | float | str | None) -> object:
    if isinstance(cell, str):
        return cell
    return "" if cell is None else plain(cell.number if isinstance(cell, Value) else cell)


def _pad(*cells: object, text: str) -> tuple[object, ...]:
    return (*cells, *("" for _ in range(len(HEADER) - len(cells) - 1)), text)

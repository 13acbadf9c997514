"""A report against a baseline as CSV, written section by section; its first lines say which baseline."""

from __future__ import annotations

from collections.abc import Iterator

from awrdiff.analysis.baseline.against import Against, Held
from awrdiff.analysis.baseline.words import hour_said, lies_said
from awrdiff.analysis.export.baseline import Found
from awrdiff.analysis.export.csv import csv_line
from awrdiff.analysis.export.document import plain
from awrdiff.analysis.model.comparison import ComparedRow
from parsers.model import Column, Value

HEADER = (
    *("section", "row_id", "key", "column", "unit", "status", "per_s"),
    *("median", "low", "high", "second", "place", "higher_than", "z", "printed", "of", "said"),
)
_REPORTS = "baseline"  # what stands under `section` in the lines that name the reports


def baseline_csv(found: Found, *, brief: bool = False) -> Iterator[str]:
    """One line for each report, then one for each figure; `brief`: the reports alone."""
    yield csv_line(HEADER)
    for n in (*found.chosen.members, found.chosen.second):
        status, report = "Second" if n == found.chosen.second else "baseline", found.reports[n]
        yield csv_line(_pad(_REPORTS, n, hour_said(report), "report", "", status, said=report.name))
    if not brief:
        for held in found.sections():
            yield from _figures(held)


def _figures(held: Against) -> Iterator[str]:
    section = held.section
    valued = [c for c in section.columns if c.id not in section.key]
    for row in section.rows:
        for column in valued:
            delta = row.values[column.id]
            if delta.first is not None or delta.second is not None:
                yield csv_line(_figure(held, row, column))


def _figure(held: Against, row: ComparedRow, column: Column) -> tuple[object, ...]:
    """Medians below the printed resolution are no figures: the cell is empty, as in the document."""
    delta, figure = row.values[column.id], held.held[row.row_id][column.id]
    first, second = (delta.first, delta.second) if not figure.per_s else (delta.first_per_s, delta.second_per_s)
    unit = row.unit if row.unit and column.unit == "as_labelled" else column.unit or ""
    named = (held.section.id, row.row_id, " / ".join(row.key.values()), column.id, unit, row.status)
    lies = (held.printed[row.row_id], held.of, lies_said(held, row, column.id))
    per_s = "yes" if figure.per_s else "no"
    return (*named, per_s, *_spread_cells(figure, _cell(first)), _cell(second), *_standing(figure), *lies)


def _spread_cells(figure: Held, usual: object) -> tuple[object, object, object]:
    """Of a text what most of the baseline print."""
    if figure.spread is None:
        return usual, "", ""
    found = figure.spread
    return plain(found.median.number) if found.is_figure else "", plain(found.low.number), plain(found.high.number)


def _standing(figure: Held) -> tuple[object, object, object]:
    lies = figure.standing
    return ("", "", "") if lies is None else (lies.place, lies.higher_than, "" if lies.z is None else plain(lies.z))


def _cell(cell: Value | float | str | None) -> object:
    if isinstance(cell, str):
        return cell
    return "" if cell is None else plain(cell.number if isinstance(cell, Value) else cell)


def _pad(*cells: object, said: str) -> tuple[object, ...]:
    return (*cells, *("" for _ in range(len(HEADER) - len(cells) - 1)), said)

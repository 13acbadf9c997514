"""A comparison as CSV: a line per figure."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator, Sequence

from awrdiff.analysis.export.json_encoding import plain
from awrdiff.analysis.model.comparison import ComparedSection, Comparison, Delta
from parsers.model import Cell, Value

_FIGURES = Delta._fields[: Delta._fields.index("significant")]  # in their order: heads and cells cannot come apart
HEADER = ("pair", "section", "row_id", "key", "column", "unit", "status", *_FIGURES, "significant")
# A spreadsheet takes a cell that begins with one of these for a formula; the wide ones are what some read alike.
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")


class _Echo:
    """File whose `write` returns its text, for csv writers."""

    def write(self, text: str) -> str:
        return text


def csv_pieces(comparisons: Sequence[Comparison]) -> Iterator[str]:
    """Lines; sections and rows are iterated once."""
    line: Callable[[Iterable[object]], str] = csv.writer(_Echo(), lineterminator="\n").writerow
    yield line(HEADER)
    for pair, comparison in enumerate(comparisons, start=1):
        for section in comparison.sections:
            yield from map(line, _lines(pair, section))


def csv_line(cells: Iterable[object]) -> str:
    """One line; no text is a formula."""
    line: str = csv.writer(_Echo(), lineterminator="\n").writerow(
        [_safe(c) if isinstance(c, str) else c for c in cells]
    )
    return line


def as_csv(comparisons: Sequence[Comparison]) -> str:
    return "".join(csv_pieces(comparisons))


def _lines(pair: int, section: ComparedSection) -> Iterator[list[object]]:
    valued = [c for c in section.columns if c.id not in section.key]
    for row in section.rows:
        key = _safe(" / ".join(row.key.values()))
        for column in valued:
            delta = row.values[column.id]
            if delta.first is not None or delta.second is not None:
                unit = _safe(row.unit if row.unit and column.unit == "as_labelled" else column.unit or "")
                figures = ["" if f is None else csv_cell(f) for f in delta[: len(_FIGURES)]]
                significant = "yes" if delta.significant else "no"
                yield [pair, section.id, row.row_id, key, column.id, unit, row.status, *figures, significant]


def csv_cell(cell: Cell | float) -> object:
    if isinstance(cell, str):
        return _safe(cell)
    return "" if cell is None else plain(cell.number if isinstance(cell, Value) else cell)


def _safe(text: str) -> str:
    line = text.replace("\r", " ")  # the csv module leaves it bare, and some take it for the end of the line
    return f"'{line}" if text.startswith(_FORMULA) or line.lstrip().startswith(_FORMULA) else line

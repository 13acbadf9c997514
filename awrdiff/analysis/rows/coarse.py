"""Identifying numbers printed more coarsely in one report than the other.

An advisory's size factors are 0.88, 0.91, 0.94 in HTML and .9, .9, .9 in text: rows match if figures agree within the
print, and take the finer one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from math import log10

from msgspec.structs import replace

from awrdiff.analysis.names.renames import canonical_name
from awrdiff.analysis.rows.align import Key, cell_text
from parsers.model import Row, Section, Value

_MOST_PAIRS = 10_000  # of numbers looked at one against the other
_ROUNDING = 1e-6


def with_finer_numbers(first: Section, second: Section, key: Key) -> tuple[Section, Section]:
    """Both sides with the finer number in agreeing rows; coarse ones fitting none or several stay."""
    columns = [c for c in key if first.columns[first.index[c]].unit and second.columns[second.index[c]].unit]
    if len(columns) != 1:
        return first, second
    coarse, fine = _resolution(first, columns[0]), _resolution(second, columns[0])
    if coarse == fine:
        return first, second
    if coarse > fine:
        return _refine(first, second, key, columns[0]), second
    return first, _refine(second, first, key, columns[0])


def _resolution(section: Section, column: str) -> float:
    return max((v.half for r in section.records if (v := section.number(r, column)) is not None), default=0.0)


def _refine(coarse: Section, fine: Section, key: Key, column: str) -> Section:
    at, there = coarse.index[column], fine.index[column]
    finer = dict(_matches(coarse, fine, key, column))
    records = []
    for i, record in enumerate(coarse.records):
        cells = list(record.cells)
        match, printed = finer.get(i), cells[at]
        if match is not None:
            cells[at] = fine.records[match].cells[there]
        elif isinstance(printed, Value):
            decimals = max(0, round(-log10(2 * printed.half))) if printed.half > 0 else 0
            cells[at] = f"{printed.number:.{min(decimals, 12)}f}"
        records.append(Row(tuple(cells), *record[1:]))
    return replace(coarse, records=tuple(records))


def _matches(coarse: Section, fine: Section, key: Key, column: str) -> Iterator[tuple[int, int]]:
    groups = _figures_by_key(coarse, key, column), _figures_by_key(fine, key, column)
    for rest, coarse_rows in groups[0].items():
        right = groups[1].get(rest, [])
        if len(coarse_rows) == len(right) and all(
            _agree(a, b) for (_, a), (_, b) in zip(coarse_rows, right, strict=True)
        ):
            yield from ((i, j) for (i, _), (j, _) in zip(coarse_rows, right, strict=True))
        elif len(coarse_rows) * len(right) <= _MOST_PAIRS:
            yield from _only_fits(coarse_rows, right)


def _only_fits(coarse_rows: list[tuple[int, Value]], fine_rows: list[tuple[int, Value]]) -> Iterator[tuple[int, int]]:
    uses: dict[int, list[int]] = defaultdict(list)
    for i, a in coarse_rows:
        fits = [j for j, b in fine_rows if _agree(a, b)]
        for j in fits:
            uses[j].append(i if len(fits) == 1 else -1)
    yield from ((rows[0], j) for j, rows in uses.items() if len(rows) == 1 and rows[0] >= 0)


def _figures_by_key(section: Section, key: Key, column: str) -> dict[Key, list[tuple[int, Value]]]:
    other_columns = [section.index[c] for c in key if c != column]
    figures: dict[Key, list[tuple[int, Value]]] = defaultdict(list)
    for i, record in enumerate(section.records):
        value = section.number(record, column)
        if value is not None:
            rest = tuple(canonical_name(section.id, cell_text(record.cells[o])) for o in other_columns)
            figures[rest].append((i, value))
    return figures


def _agree(a: Value, b: Value) -> bool:
    return abs(a.number - b.number) <= (a.half + b.half) * (1 + _ROUNDING)

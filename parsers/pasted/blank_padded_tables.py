"""Tables with columns padded by blanks: cut where all lines are blank, or by a rule."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import accumulate, pairwise, product
from math import prod
from typing import Final

from parsers.pasted.collapsed_blank_columns import has_labels, is_word, kind_of_word, split_labels, titled, untitled
from parsers.tables.rawtable import OneCopy, Room, collapse, normal_label
from parsers.tables.section_declarations import ColumnSpec, Declaration

Slots = list[tuple[int, int | None]]
MOST_COLUMNS: Final = 400
_WIDE: Final = 4_000  # characters of a line that columns are found in
_RUNS: Final = {2: re.compile(r"1(?:0?1)*"), 1: re.compile(r"1+")}  # of signs with fewer blanks between, by the gap
_DASHES: Final = re.compile(r"[-=~_\u2013\u2014]+")
_MOST_WAYS: Final = 64  # in which what stands under no label may belong to its neighbours
_DEEPEST: Final = 4  # lines that labels are broken over


def ruled(line: str) -> Slots:
    """Columns under the dashes; the first and last are open."""
    begins = [m.start() for m in _DASHES.finditer(line)]
    return [*pairwise([0, *begins[1:]]), (begins[-1], None)] if len(begins) > 1 else []


def cut(block: Sequence[str], rule: Slots, above: Sequence[str], line_above: str) -> list[list[str]]:
    """Rows of cells, labels first.

    `line_above`: last of the lines `above`, unstripped. Without a rule every label must be of its section.
    """
    if rule:
        return _cells(block, rule)
    sections = next((titles for title in reversed(above) if (titles := titled(title))), untitled())
    rows = _cells(block, _columns(block, 2))
    if labelled := _labelled(rows, sections) or _labelled(_cells(block, _columns(block, 1)), sections):
        return labelled
    return _by_labels(block, line_above, sections) or rows


def _cells(block: Sequence[str], slots: Slots) -> list[list[str]]:
    if not Room().takes(len(block) * len(slots), sum(map(len, block))):
        return []
    copy_of = OneCopy().__getitem__
    return [[copy_of(collapse(line[a:b])) for a, b in slots] for line in block]


def _labelled(rows: list[list[str]], sections: Sequence[Declaration]) -> list[list[str]]:
    for groups in (0, 1):
        for depth in range(1, min(_DEEPEST, len(rows) - groups - 1) + 1):
            pieces = zip(*rows[groups : groups + depth], strict=True)
            labels = [" ".join(filter(None, column)) for column in pieces]
            if any(has_labels(section, labels) for section in sections):
                return [labels, *rows[groups + depth :]]
    return []


def _by_labels(block: Sequence[str], line_above: str, sections: Sequence[Declaration]) -> list[list[str]]:
    for header, lines in ((block[0], block[1:]), ("".join(block[1:2]), block[2:]), (line_above, block)):
        for section in sections if lines else ():
            labels = split_labels(section, (header,), None)
            for unnamed in ((), ("",)) if labels else ():
                labels_of_columns = (*unnamed, *(labels or ()))
                if has_labels(section, labels_of_columns) and (
                    slots := _only_way(header, labels_of_columns, lines, section)
                ):
                    return [list(labels_of_columns), *_cells(lines, slots)]
    return []


def _only_way(header: str, labels: Sequence[str], lines: Sequence[str], section: Declaration) -> Slots:
    """Empty for no way and for several."""
    words = [m.start() for m in re.finditer(r"\S+", header)]
    begins = list(accumulate((len(label.split()) for label in labels if label), initial=0))
    runs = [m.span() for m in _RUNS[1].finditer(_printed([header, *lines]))][:MOST_COLUMNS]
    at = [next(n for n, run in enumerate(runs) if run[0] <= words[word] < run[1]) for word in begins[:-1]]
    ends = [next(n for n, run in enumerate(runs) if run[0] <= words[word - 1] < run[1]) for word in begins[1:]]
    if any(end >= begin for end, begin in zip(ends, at[1:], strict=False)):
        return []
    choices = [range(end + 1, begin + 1) for end, begin in zip(ends, at[1:], strict=False)]
    choices.insert(0, range(1, at[0] + 1) if not labels[0] else range(1))
    if not labels[0]:
        choices.insert(0, range(1))
    if prod(map(len, choices)) > _MOST_WAYS:
        return []
    specs = [section.by_label[normal_label(label)] for label in labels]
    ways = []
    for choice in product(*choices):
        slots: Slots = [*pairwise(runs[n][0] if n else 0 for n in choice), (runs[choice[-1]][0], None)]
        rows = _cells(lines, slots)
        if rows and all(_holds(spec, row[n]) for row in rows for n, spec in enumerate(specs)):
            ways.append(slots)
    return ways[0] if len(ways) == 1 else []


def _holds(spec: ColumnSpec, cell: str) -> bool:
    words = cell.split()
    if spec.column.unit is None:
        return len(words) < 2 or not is_word(spec)
    return len(words) < 2 and (not words or kind_of_word(cell) != "x")


def _columns(block: Sequence[str], gap: int) -> Slots:
    begins = [m.start() for m in _RUNS[gap].finditer(_printed(block))][:MOST_COLUMNS]
    return list(zip(begins, [*begins[1:], None], strict=True))


def _printed(block: Sequence[str]) -> str:
    printed = 0
    width = min(_WIDE, max(map(len, block)))
    for line in block:
        printed |= int("1" + "".join(["0" if c == " " else "1" for c in line[:width].ljust(width)]), 2)
    return bin(printed)[3:]

"""Small tables in ADDM's prose: instances analyzed or affected, and containers from 23ai."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from parsers.tables.rawtable import collapse
from parsers.text.heads import read_level, segments

_MOST_COLUMNS: Final = 12
_MOST_ROWS: Final = 10_000  # of all the tables of a file; the most seen in a report are 4
_MOST_HEAD: Final = 3  # lines of labels
_FIRST_LABELS: Final = frozenset(("Number", "DBID"))


class Grid(Struct, frozen=True):
    """Lines `begin` to `end`, with labels; `title`: the line above, or ""."""

    begin: int
    end: int
    title: str
    labels: tuple[str, ...]
    rows: list[list[str]]
    whole: bool  # not cut


def find_grids(lines: Sequence[str]) -> dict[int, Grid]:
    out: dict[int, Grid] = {}
    at, room = 0, _MOST_ROWS
    while at < len(lines):
        grid = _grid(lines, at, room) if "-  " in lines[at] and not lines[at].strip(" -") else None
        if grid:
            out[grid.begin] = grid
            room -= len(grid.rows)
        at = grid.end if grid else at + 1
    return out


def _grid(lines: Sequence[str], ruler: int, room: int) -> Grid | None:
    """Known table underlined by line `ruler`; `room`: maximum of rows."""
    slots = segments(lines[ruler])
    begin = ruler
    while begin and ruler - begin < _MOST_HEAD and lines[begin - 1].strip(" -") and not lines[begin - 1].endswith(":"):
        begin -= 1
    if not 2 < len(slots) <= _MOST_COLUMNS or begin == ruler:
        return None
    level = read_level(lines[begin:ruler], slots)
    if level.labels[0] not in _FIRST_LABELS:
        return None
    end = ruler + 1
    while end < len(lines) and lines[end].strip():
        end += 1
    above = begin - 1
    while above >= 0 and begin - above <= 2 and not lines[above].strip(" -"):
        above -= 1
    title = collapse(lines[above]) if above >= 0 else ""
    last = min(end, ruler + 1 + room)
    rows = [level.cells(line) for line in lines[ruler + 1 : last]]
    return Grid(begin, end, title, level.labels, rows, last == end)

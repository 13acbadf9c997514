"""Data lines of a text table as rows of cells."""

from __future__ import annotations

import re
from collections.abc import Sequence

from parsers.tables.rawtable import collapse
from parsers.text.column_heads import Level

_SQL_ID = re.compile(r"[0-9a-z]{13}$")
_HASH = re.compile(r"\d{1,12}$")
_SQL_LABELS = ("sql id", "old hash value", "hash value")
_PIECES = (63, 79)  # a line of SQL text is 64 or 80 wide: one less means that the cut fell on a blank
_MAX_WRAP = 6


def is_sql(level: Level) -> bool:
    """True if SQL text follows the rows (SQL ordered by …)."""
    return len(level.slots) > 1 and level.labels[-1].lower() in _SQL_LABELS


def read_rows(levels: Sequence[Level], lines: Sequence[str], *, several: bool) -> list[list[str]]:
    """`several`: continuation lines are further values of a parameter."""
    printed = [line for line in lines if line and not line.isspace()]
    if len(levels) > 1:
        return _read_levels(levels, printed)
    level = levels[0]
    rows: list[list[str]] = []
    going_on: dict[int, list[str]] = {}  # columns of the last row whose text takes several lines
    for row in level.cells_of(printed):
        if not row[0] and rows:
            if several:
                row[0] = rows[-1][0]
            elif (at := _continued_column(level, row, rows[-1])) is not None:
                going_on.setdefault(at, [rows[-1][at]]).append(row[at])
                continue
        _complete(rows, going_on)
        rows.append(row)
    _complete(rows, going_on)
    _collapse_texts(level, rows)
    return rows


def _complete(rows: list[list[str]], going_on: dict[int, list[str]]) -> None:
    for at, pieces in going_on.items():
        rows[-1][at] = "".join(pieces)
    going_on.clear()


def _continued_column(level: Level, row: list[str], before: list[str]) -> int | None:
    filled = [i for i, cell in enumerate(row) if cell]
    if len(filled) != 1 or filled[0] in level.figures or not before[filled[0]]:
        return None
    return filled[0]


def _collapse_texts(level: Level, rows: list[list[str]]) -> None:
    for at in range(len(level.slots)):
        if at and at in level.figures:
            continue
        for row in rows:
            if "  " in row[at]:
                row[at] = collapse(row[at])


def _read_levels(levels: Sequence[Level], lines: Sequence[str]) -> list[list[str]]:
    """Long names continue in the next line."""
    rows: list[list[str]] = []
    parts: list[list[str]] = []
    indents: list[bool] = [False] * len(levels)
    wraps = 0
    for line in lines:
        at = len(parts)
        if at == 0 and rows and _repeats_last(levels, line, indents):
            rows.append([*rows[-1][: -len(levels[-1].slots)], *levels[-1].cells(line)])
            continue
        if at == 0 or wraps >= _MAX_WRAP or levels[at].fits(line):
            if wraps >= _MAX_WRAP:
                parts, at = [], 0
            parts.append(levels[at].cells(line))
            indents[at] = line[:1] == " "
            wraps = 0
        else:
            wraps += 1
            parts[-1] = [f"{a} {b}".strip() for a, b in zip(parts[-1], levels[at - 1].cells(line), strict=True)]
        if len(parts) == len(levels):
            rows.append(_join(parts, rows))
            parts = []
    if parts and rows == []:
        missing = sum(len(k.slots) for k in levels[len(parts) :])
        rows.append([*_join(parts, rows), *[""] * missing])
    for at, level in enumerate(levels):
        _collapse_from(level, rows, sum(len(k.slots) for k in levels[:at]))
    return rows


def _join(parts: list[list[str]], rows: list[list[str]]) -> list[str]:
    """A blank first cell repeats the row above (files of a tablespace)."""
    first = parts[0]
    if rows and not first[0] and any(first):
        first[0] = rows[-1][0]
    return [cell for part in parts for cell in part]


def _repeats_last(levels: Sequence[Level], line: str, indents: list[bool]) -> bool:
    """Further last lines are indented (PL/SQL procedures)."""
    return line[:1] == " " and not indents[0] and indents[-1] and levels[-1].fits(line)


def _collapse_from(level: Level, rows: list[list[str]], offset: int) -> None:
    for row in rows:
        for at in range(offset, offset + len(level.slots)):
            if "  " in row[at]:
                row[at] = collapse(row[at])


def begins_with_name(lines: Sequence[str]) -> bool:
    """True if only a name; some 12.2 rulers are a blank off."""
    first = next((line.split() for line in lines if line.strip()), [])
    return not any(word[0] in "0123456789." for word in first)


def read_named(level: Level, lines: Sequence[str]) -> list[list[str]]:
    """Figures below a name without ruler (IOStat by Function/Filetype)."""
    rows: list[list[str]] = []
    name = ""
    for line in lines:
        if not line.strip():
            continue
        if level.fits(line):
            rows.append([name, *level.cells(line)])
            name = ""
        else:
            name = collapse(f"{name} {line}")[:200]
    return rows


class Statement:
    def __init__(self) -> None:
        self.module = self.pdb = ""
        self._text: list[str] = []

    def feed(self, line: str) -> None:
        if not self._text and line.startswith("Module:"):
            self.module = line[7:].strip()
        elif not self._text and line.startswith("PDB:"):
            self.pdb = line[4:].strip()
        else:
            self._text.append(line + " " if len(line) in _PIECES else line)

    @property
    def text(self) -> str:
        return collapse("".join(self._text))


def read_sql(level: Level, lines: Sequence[str]) -> tuple[list[str], list[list[str]]]:
    """Rows of SQL with module, container and text, and labels."""
    key = _SQL_ID if level.labels[-1].lower() == "sql id" else _HASH
    rows: list[list[str]] = []
    statements: list[Statement] = []
    for line in lines:
        cells = _sql_row(level, line, key)
        if cells:
            rows.append(cells)
            statements.append(Statement())
        elif statements and line and not line.isspace():
            statements[-1].feed(line.rstrip())
    tails = [(s.module, s.pdb, s.text) for s in statements]
    used = [i for i in range(3) if any(t[i] for t in tails)]
    names = ("SQL Module", "PDB Name", "SQL Text")
    return [names[i] for i in used], [[*r, *(t[i] for i in used)] for r, t in zip(rows, tails, strict=True)]


def _sql_row(level: Level, line: str, key: re.Pattern[str]) -> list[str] | None:
    begin = level.slots[-1][0]
    if len(line) <= begin or not key.match(line[begin:].strip()):
        return None
    cells = level.cutter.cut(line)
    if cells:
        return cells if all(not c or c[0] in "0123456789.-#N" for c in cells[:-1]) else None
    # Wide figures push the rest to the right: then as many words as columns make a row.
    words = line.split()
    figures = all(w[0] in "0123456789.-#N" for w in words[:-1])
    return words if figures and len(words) == len(level.slots) and key.match(words[-1]) else None


def is_statements(levels: Sequence[Level]) -> bool:
    """Two levels under a statement's id (Top SQL with Top Events)."""
    return len(levels) == 2 and levels[0].labels[0].lower() == "sql id"


def read_statements(levels: Sequence[Level], lines: Sequence[str]) -> list[list[str]]:
    """A blank line precedes more figures, or the next statement."""
    upper, lower = levels
    rows: list[list[str]] = []
    texts: list[tuple[int, Statement]] = []
    head: list[str] = []
    fresh = True
    for line in lines:
        if not line.strip():
            fresh = True
        elif fresh and (cells := upper.cells(line)) and _SQL_ID.match(cells[0]) and len(line.split()) <= len(cells):
            head, fresh = cells, True
            texts.append((len(rows), Statement()))
        elif fresh and head and lower.cutter.cut(line):
            rows.append([*head, *map(collapse, lower.cells(line))])
            fresh = False
        elif texts:
            fresh = False
            texts[-1][1].feed(line.rstrip())
    bounds = [at for at, _ in texts] + [len(rows)]
    for (begin, statement), end in zip(texts, bounds[1:], strict=True):
        text = statement.text
        for row in rows[begin:end]:
            row.append(text)
    return rows

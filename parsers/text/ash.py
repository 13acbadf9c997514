"""Text of Active Session History alone: its period, and rows of two lines that omit repeats.

A fully repeated line is empty, so an empty line may be half a row.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from parsers.tables.rawtable import collapse, normal_title
from parsers.text.column_heads import Level

PERIOD_LABELS = ("", "Sample Time", "Data Source")
_BEGIN = "Analysis Begin Time"
_SOURCES = {"Begin Data Source": _BEGIN, "End Data Source": "Analysis End Time"}
_PERIOD_LINES = 60
_SQL_ID = 13  # characters

# Lists whose rows take two lines with an empty one between them.
_IN_PAIRS = frozenset(
    (
        "top event p1/p2/p3 values",
        "top client ids",
        "top sessions",
        "top blocking sessions",
        "top sessions running pqs",
        "top db objects",
        "top db files",
        "top latches",
    )
)
# Lists of one line a row, which leave repeats blank too.
_IN_LINES = frozenset(("activity over time", "top service/module", "top remote instances", "top parsing module/action"))


def is_in_pairs(heading: str, levels: Sequence[Level]) -> bool:
    return len(levels) == 2 and normal_title(heading) in _IN_PAIRS


def read_pairs_of_lines(levels: Sequence[Level], lines: Sequence[str]) -> list[list[str]]:
    """An empty line ends a row of one."""
    upper, lower = levels
    rows: list[list[str]] = []
    begun: list[str] | None = None
    for line in lines:
        blank = not line or line.isspace()
        if begun is None:
            begun = None if blank else upper.cells(line)
        else:
            rest = [""] * len(lower.slots) if blank else lower.cells(line)
            rows.append(list(map(collapse, [*begun, *rest])))
            begun = None
    if begun is not None:
        rows.append(list(map(collapse, [*begun, *[""] * len(lower.slots)])))
    return rows


def is_statement_rows(heading: str, levels: Sequence[Level]) -> bool:
    """Reports to 11.1 print statements and events in like lines."""
    return normal_title(heading) == "top sql statements" and levels[0].labels[0].lower() == "sql id"


def read_statement_rows(level: Level, lines: Sequence[str]) -> list[list[str]]:
    """Rows of a statement's events; repeated ids are blank."""
    rows: list[list[str]] = []
    owners: list[int] = []
    statements: list[list[str]] = []
    fresh = True  # at the beginning, and below an empty line
    for line in lines:
        if not line or line.isspace():
            fresh = True
            continue
        cells = list(map(collapse, level.cells(line))) if fresh and level.fits(line) else []
        if cells and (len(cells[0]) == _SQL_ID or (not cells[0] and rows)):
            if cells[0]:
                statements.append([])
            else:
                cells = [cell or above for cell, above in zip(cells, rows[-1], strict=True)]
            rows.append(cells)
            owners.append(len(statements) - 1)
        elif statements:
            statements[-1].append(line)
        fresh = False
    texts = [collapse("".join(pieces)) for pieces in statements]
    return [[*row, texts[owner]] for row, owner in zip(rows, owners, strict=True)]


def fill_down(heading: str, rows: Sequence[list[str]]) -> None:
    """Fills cells left blank as repeats, as in HTML."""
    title = normal_title(heading)
    if title not in _IN_PAIRS and title not in _IN_LINES:
        return
    for before, row in pairwise(rows):
        if not row[0] and any(row):
            row[:] = [cell or above for cell, above in zip(row, before, strict=True)]


def without_na(cell: str) -> str:
    """HTML leaves the hash blank for statements without plan."""
    return "" if cell == "N/A" else cell


def is_period(lines: Sequence[str]) -> bool:
    """True if `lines` give an ASH report's period."""
    return any(line.lstrip().startswith(_BEGIN) for line in lines[:_PERIOD_LINES])


def read_period(lines: Sequence[str]) -> list[list[str]]:
    """Facts in the HTML report's order: sources beside begin and end."""
    facts: dict[str, str] = {}
    last = ""
    for line in lines[:_PERIOD_LINES]:
        label, colon, value = line.partition(": ")
        if colon and not line.startswith("->"):
            last = collapse(label)
            facts[last] = collapse(value)
        elif last and line.startswith(" "):  # a source that takes two lines
            facts[last] = f"{facts[last]} {collapse(line)}".strip()
    sources = {whose: facts.pop(label, "") for label, whose in _SOURCES.items()}
    return [[label, value, sources.get(label, "")] for label, value in facts.items()]

"""Lines of one text table to a RawTable, by kind of table."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct, field

from parsers.tables.rawtable import OneCopy, RawTable, collapse, unique_labels
from parsers.text import summary_blocks as text_summary
from parsers.text.ash import (
    PERIOD_LABELS,
    is_in_pairs,
    is_period,
    is_statement_rows,
    read_pairs_of_lines,
    read_period,
    read_statement_rows,
    without_na,
)
from parsers.text.column_heads import Level
from parsers.text.data_rows import begins_with_name, is_statements, read_named, read_rows, read_sql, read_statements
from parsers.text.ruler_column_cutting import Slot
from parsers.text.truncated_names import complete_names, name_label

WARNING = "Warning:"
_MOST_SNAPSHOT_LINES = 200  # of the table of both snapshots, which has four


class OpenTable(Struct):
    """Table in progress; without levels pairs of label and value."""

    heading: str
    line: int
    notes: list[str]
    levels: list[Level]
    labels: list[tuple[int, str]] = field(default_factory=list)  # of pairs: where each ends, and the label
    lines: list[str] = field(default_factory=list)
    in_chapter: bool = False
    sql: bool = False
    slots: frozenset[Slot] = frozenset()

    def __post_init__(self) -> None:
        self.slots = frozenset(slot for level in self.levels for slot in level.slots)


def finish_table(table: OpenTable, database: str) -> list[RawTable]:
    """`database`: from page headings."""
    lines, below = _own_lines(table)
    raw = _columns(table, lines, database) if table.levels else _pairs(table, lines)
    complete_names(raw)
    tables = [raw, _table_below(table, below)] if below else [raw]
    return [t for t in tables if t.rows]


def _own_lines(table: OpenTable) -> tuple[list[str], list[str]]:
    """Blank lines end tables in the head, boxed warnings elsewhere."""
    if table.levels and not table.in_chapter:
        blank = next((i for i, line in enumerate(table.lines) if not line.strip()), len(table.lines))
        return table.lines[:blank], table.lines[blank:]
    warned = next((i for i, line in enumerate(table.lines) if line.startswith(WARNING)), None)
    if warned is None or table.sql:
        return table.lines, []
    table.notes.extend(notes_in(table.lines[warned:]))
    return table.lines[:warned], []


def _table_below(table: OpenTable, lines: list[str]) -> RawTable:
    """Reports to 10.2 print ratios below the load profile, without heading."""
    if is_period(lines):
        return raw_table(OpenTable("", table.line, [], []), list(PERIOD_LABELS), read_period(lines))
    below = OpenTable(f"{table.heading} Ratios", table.line, [], [])
    return _pairs(below, lines)


def notes_in(lines: Sequence[str]) -> list[str]:
    """Notes `-> …` between heading and table, with continuations."""
    out: list[list[str]] = []
    going = False
    for line in lines:
        if line.startswith(("->", WARNING)):
            out.append([collapse(line.removeprefix("->"))])
            going = True
        elif going and line.startswith(" ") and line.strip():
            out[-1].append(collapse(line))
        else:
            going = False
    return list(map(" ".join, out))


def _pairs(table: OpenTable, lines: list[str]) -> RawTable:
    if table.labels:
        rows = text_summary.read_labelled(lines, [end for end, _ in table.labels])
        labels = ["", *(label for _, label in table.labels)]
    else:
        rows = text_summary.pad(text_summary.read_pairs(lines))
        if table.heading == "Instance CPU" and rows:
            return raw_table(table, [row[0] for row in rows], [[row[1] for row in rows]])
        labels = [""] * len(rows[0]) if rows else []
    return raw_table(table, labels, rows)


def _columns(table: OpenTable, lines: list[str], database: str) -> RawTable:
    levels = table.levels
    labels = [label for level in levels for label in level.labels]
    groups = [group for level in levels for group in level.groups]
    widths = tuple(width for level in levels for width in level.widths)
    if is_statement_rows(table.heading, levels):
        rows = read_statement_rows(levels[0], lines)
        return raw_table(table, [*labels, "SQL Text"], rows, widths=widths)
    if is_statements(levels):
        rows = [[without_na(cell) for cell in row] for row in read_statements(levels, lines)]
        return raw_table(table, [*labels, "SQL Text"], rows, widths=widths)
    if table.sql:
        tail, rows = read_sql(levels[0], lines)
        return raw_table(table, [*labels, *tail], rows, widths=widths)
    if len(levels) == 1 and levels[0].slots[0][0] in (1, 2) and begins_with_name(lines):
        rows = read_named(levels[0], lines)
        return raw_table(table, [name_label(table.heading), *labels], rows, ["", *groups])
    if not table.in_chapter:
        labels, rows = _head_rows(table, lines, labels, database)
    else:
        rows = _chapter_rows(table, lines)
    return raw_table(table, *_without_empty(labels, rows, groups, widths))


def _chapter_rows(table: OpenTable, lines: list[str]) -> list[list[str]]:
    if is_in_pairs(table.heading, table.levels):
        return read_pairs_of_lines(table.levels, lines)
    return read_rows(table.levels, lines, several="Multi-Valued" in table.heading)


def _head_rows(
    table: OpenTable, lines: list[str], labels: list[str], database: str
) -> tuple[list[str], list[list[str]]]:
    level = table.levels[0]
    if "Snap Id" in labels:
        rows = _snapshot_rows(level, lines)
    elif any(":" in line[level.width :] for line in lines):
        rows = _rows_with_rest(level, lines)
    else:
        rows = read_rows(table.levels, lines, several=False)
    labels, rows = _own_ways(table, labels, rows, database)
    width = max(map(len, rows), default=0)
    return [*labels, *[""] * (width - len(labels))], rows


def _own_ways(
    table: OpenTable, labels: list[str], rows: list[list[str]], database: str
) -> tuple[list[str], list[list[str]]]:
    if table.heading == "Database" and labels[0] != "DB Name":
        return ["DB Name", *labels[1:]], [[row[0] or database, *row[1:]] for row in rows]
    if table.heading == "Host":
        return text_summary.host_labels(len(labels)), rows
    if table.heading.startswith("Host CPU"):
        names, values = text_summary.host_cpu_columns(table.heading)
        return [*(f"%{k}" if k in _UNSIGNED else k for k in labels), *names], [[*row, *values] for row in rows]
    return labels, rows


_UNSIGNED = ("User", "System", "Idle", "WIO", "WCPU")  # Statspack prints them without the percent sign


def _snapshot_rows(level: Level, lines: Sequence[str]) -> list[list[str]]:
    rows: list[list[str]] = []
    for line in lines[:_MOST_SNAPSHOT_LINES]:
        low = line.lower()
        rows.extend(text_summary.minute_rows(line) if "(min" in low else [level.cells(line)])
    return text_summary.pad(rows)


def _rows_with_rest(level: Level, lines: Sequence[str]) -> list[list[str]]:
    rows: list[list[str]] = []
    for line in lines:
        row = level.cells(line[: level.width + 1])
        label, colon, value = line[level.width + 1 :].partition(":")
        rows.append([*row, collapse(label), value.strip()] if colon else row)
    return rows


def _without_empty(
    labels: list[str], rows: list[list[str]], groups: list[str], widths: tuple[int, ...]
) -> tuple[list[str], list[list[str]], list[str], tuple[int, ...]]:
    if labels and not labels[0] and rows and not any(row[0] for row in rows):
        return labels[1:], [row[1:] for row in rows], groups[1:], widths[1:]
    return labels, rows, groups, widths


def raw_table(
    table: OpenTable,
    labels: list[str],
    rows: list[list[str]],
    groups: Sequence[str] = (),
    widths: Sequence[int] = (),
) -> RawTable:
    """Rows are cut or padded, equal cells shared."""
    width = len(labels)
    shared = OneCopy().__getitem__
    for row in rows:
        row[:] = map(shared, row)
    full = [*groups, *[""] * (width - len(groups))]
    return RawTable(
        heading=table.heading,
        caption="",
        summary="",
        labels=unique_labels(labels, full),
        rows=[r if len(r) == width else [*r[:width], *[""] * (width - len(r))] for r in rows],
        notes=tuple(table.notes),
        line=table.line,
        groups=tuple(full),
        widths=tuple(widths),
    )

"""Readers for tables that are not plain rows under labels."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from parsers.model import Cell, Row, Section, Value
from parsers.tables.issues import Notebook
from parsers.tables.rawtable import RawTable
from parsers.tables.section_builder import finish, read_tables, reader_of
from parsers.tables.section_declarations import Declaration


def read_pairs(declaration: Declaration, tables: Sequence[RawTable], notebook: Notebook) -> Section:
    """Label and value, once or twice per row, without header."""
    label, value = declaration.columns or ()
    numbers = reader_of(value, value.column.label)
    rows: list[tuple[Cell, ...]] = []
    for row in (r for t in tables for r in t.rows):
        for name, printed in zip(row[::2], row[1::2], strict=False):
            if name:
                rows.append((name.rstrip(":").rstrip(), numbers[printed]))
    return finish(declaration, tables, [label, value], rows)


def read_cache_sizes(declaration: Declaration, tables: Sequence[RawTable], notebook: Notebook) -> Section:
    """Pool, begin, end; `Std Block Size`, `Log Buffer` have one value."""
    name, begin, end = declaration.columns or ()
    numbers = reader_of(begin, "Begin")
    rows: list[tuple[Cell, ...]] = []
    for row in (r for t in tables for r in t.rows):
        cells = [*row, "", "", "", "", ""]
        if cells[0]:
            rows.append((cells[0].rstrip(":"), numbers[cells[1]], numbers[cells[2]]))
        if cells[3]:
            rows.append((cells[3].rstrip(":"), numbers[cells[4]], None))
    return finish(declaration, tables, [name, begin, end], rows)


def read_load_profile(declaration: Declaration, tables: Sequence[RawTable], notebook: Notebook) -> Section:
    """Metrics in both tables (11.2.0.4) take the finer print."""
    section = read_tables(declaration, tables, notebook)
    at = section.index.get("per_second")
    best: dict[Cell, Row] = {}
    for record in section.records:
        other = best.setdefault(record.cells[0], record)
        if at is not None and _half(record, at) < _half(other, at):
            best[record.cells[0]] = record
    return replace(section, records=tuple(r._replace(ordinal=0) for r in best.values()))


def _half(record: Row, at: int) -> float:
    cell = record.cells[at]
    return cell.half if isinstance(cell, Value) else float("inf")


def read_filled_down(declaration: Declaration, tables: Sequence[RawTable], notebook: Notebook) -> Section:
    """Tables that print their first column once for several rows."""
    for table in tables:
        if "" not in table.labels:
            continue
        at, last = table.labels.index(""), ""
        for row in table.rows:
            last = row[at] or last
            row[at] = last
    return read_tables(declaration, tables, notebook)


def read_process_memory(declaration: Declaration, tables: Sequence[RawTable], notebook: Notebook) -> Section:
    """Statspack prints snapshot and process once for several components."""
    for table in tables:
        if table.labels[:2] != ("", "PId"):
            continue
        last = ["", ""]
        for row in table.rows:
            last = [row[0] or last[0], row[1] or ("" if row[0] else last[1])]
            row[:2] = last
    return read_tables(declaration, tables, notebook)


def read_once(declaration: Declaration, tables: Sequence[RawTable], notebook: Notebook) -> Section:
    """Second table of 12.1 on repeats key statistics: first wins."""
    keys: set[tuple[str, ...]] = set()
    for table in tables:
        rows = [row for row in table.rows if tuple(row) not in keys]
        keys.update(map(tuple, table.rows))
        table.rows[:] = rows
    return read_tables(declaration, tables, notebook)


def read_lost_time(declaration: Declaration, tables: Sequence[RawTable], notebook: Notebook) -> Section:
    """`Lost Time`: milliseconds to 12.1, microseconds from 12.2."""
    for table in tables:
        if any("(us)" in label for label in table.labels):
            table.labels = tuple("Lost Time (us)" if label == "Lost Time" else label for label in table.labels)
    return read_tables(declaration, tables, notebook)

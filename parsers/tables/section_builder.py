"""RawTables of one section → Section, by its declaration."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import repeat
from operator import itemgetter
from typing import cast

from msgspec import Struct

from parsers.model import Cell, Column, Row, Section
from parsers.tables.column_inference import inspect_columns, slug
from parsers.tables.issues import Notebook
from parsers.tables.number_parsing import EXACT_UNITS, NumberReader, label_scale, number_reader
from parsers.tables.rawtable import RawTable, normal_label
from parsers.tables.section_declarations import ColumnSpec, Declaration

# Where every table brings columns of its own, all rows would have them all: beyond this they are left out.
_FEW_CELLS, _PADDING = 100_000, 3


def build_section(declaration: Declaration, tables: Sequence[RawTable], notebook: Notebook) -> Section:
    """Section printed by one table, or several continuing each other."""
    if declaration.reader:
        return declaration.reader(declaration, tables, notebook)
    return read_tables(declaration, tables, notebook)


class _Head(Struct, frozen=True):
    """Columns of a section, and those of its key."""

    columns: tuple[Column, ...]
    key: tuple[str, ...]
    key_at: tuple[int, ...]


class _Layout(Struct, frozen=True):
    head: _Head
    specs: tuple[ColumnSpec, ...]
    readers: tuple[NumberReader | None, ...]


# The reports of one release print the same heads: working each out once takes a fifth off all that follows the tables.
@lru_cache(maxsize=1024)
def _layout(declaration: Declaration, labels: tuple[str, ...], widths: tuple[int, ...]) -> _Layout | None:
    """None for an unknown or ambiguous label."""
    declared = [declaration.by_label.get(normal_label(label)) for label in labels]
    specs = tuple(s for s in declared if s)
    ids = [s.id for s in specs]
    if len(specs) != len(labels) or len(set(ids)) != len(ids):
        return None
    head = _head(declaration, list(map(with_label, specs, labels)), [(labels, widths)])
    return _Layout(head, specs, tuple(map(_column_reader, specs, labels)))


def read_tables(declaration: Declaration, tables: Sequence[RawTable], notebook: Notebook) -> Section:
    """Default reader: columns by label, tables appended."""
    table = tables[0]
    layout = _layout(declaration, table.labels, table.widths) if len(tables) == 1 else None
    if layout is None:
        return _join_tables(declaration, tables, notebook)
    converted = _convert(declaration, table, layout.specs, layout.readers, notebook)
    return _section(declaration, tables, layout.head, list(zip(*converted, strict=True)))


def _join_tables(declaration: Declaration, tables: Sequence[RawTable], notebook: Notebook) -> Section:
    columns: dict[str, ColumnSpec] = {}
    rows_in_all = sum(len(t.rows) for t in tables)
    most = (_FEW_CELLS + _PADDING * sum(len(t.rows) * len(t.labels) for t in tables)) // max(1, rows_in_all)
    resolved = [resolve_columns(declaration, table, notebook) for table in tables]
    for table, specs in zip(tables, resolved, strict=True):
        for spec, label in zip(specs, table.labels, strict=True):
            earlier = columns.get(spec.id)
            # By its looks a column can be one of numbers here and of texts there: as texts it loses nothing.
            if len(columns) < most if earlier is None else earlier.column.unit and spec.column.unit is None:
                columns[spec.id] = with_label(spec, label)
    parts: list[tuple[RawTable, list[str], list[list[Cell]]]] = []
    for table, specs in zip(tables, resolved, strict=True):
        shared = [columns.get(s.id, s) for s in specs]
        parts.append((table, [s.id for s in shared], convert_columns(declaration, table, shared, notebook)))
    ids = list(columns)
    rows: list[tuple[Cell, ...]] = []
    for table, present, cells in parts:
        rows.extend(_rows(ids, present, cells, len(table.rows)))
    return finish(declaration, tables, list(columns.values()), rows)


def finish(
    declaration: Declaration, tables: Sequence[RawTable], specs: Sequence[ColumnSpec], rows: Sequence[tuple[Cell, ...]]
) -> Section:
    """Section of converted rows: key, units, ordinals of duplicates."""
    return _section(declaration, tables, _head(declaration, specs, [(t.labels, t.widths) for t in tables]), rows)


def _head(
    declaration: Declaration, specs: Sequence[ColumnSpec], printed: Iterable[tuple[tuple[str, ...], tuple[int, ...]]]
) -> _Head:
    ids = [s.id for s in specs]
    key = tuple(k for k in declaration.key if k in ids) or _leading_text(specs)
    return _Head(_cut(printed, specs), key, tuple(map(ids.index, key)))


def _section(
    declaration: Declaration, tables: Sequence[RawTable], head: _Head, rows: Sequence[tuple[Cell, ...]]
) -> Section:
    return Section(
        id=declaration.id,
        title=declaration.title,
        known=True,
        coverage=declaration.coverage,
        key=head.key,
        columns=head.columns,
        records=_records(rows, head.key_at, declaration),
        notes=tuple(dict.fromkeys(n for t in tables for n in t.notes)),
        line=tables[0].line,
    )


def _cut(printed: Iterable[tuple[tuple[str, ...], tuple[int, ...]]], specs: Sequence[ColumnSpec]) -> tuple[Column, ...]:
    widths = {label: width for labels, ruler in printed for label, width in zip(labels, ruler, strict=False)}
    if not widths:
        return tuple(s.column for s in specs)
    return tuple(_cut_at(s.column, widths.get(s.column.label)) for s in specs)


def _cut_at(c: Column, width: int | None) -> Column:
    if c.unit is not None or not width:
        return c
    return Column(c.id, c.label, c.unit, c.better, c.measure, c.holds, width)


def _rows(ids: list[str], present: list[str], cells: list[list[Cell]], n: int) -> list[tuple[Cell, ...]]:
    if present == ids:
        return list(zip(*cells, strict=True))
    nothing: list[Cell] = [None] * n
    at = {column_id: i for i, column_id in enumerate(present)}
    return list(zip(*(cells[at[i]] if i in at else nothing for i in ids), strict=True))


def _records(rows: Sequence[tuple[Cell, ...]], key: Sequence[int], declaration: Declaration | None) -> tuple[Row, ...]:
    units: Iterable[str | None] = repeat(None)
    if declaration and declaration.row_unit and key:
        units = [declaration.row_unit(cast(str, cells[key[0]] or "")) for cells in rows]
    identity: Callable[[tuple[Cell, ...]], object] = itemgetter(*key) if key else lambda _: ()
    if len(set(map(identity, rows))) == len(rows):
        # As tuple(map(Row, rows, units)), in half the time.
        return tuple(map(tuple.__new__, repeat(Row), zip(rows, units, repeat(0), strict=False)))
    counts: Counter[object] = Counter()
    out: list[Row] = []
    for cells, unit in zip(rows, units, strict=False):
        row_key = identity(cells)
        out.append(Row(cells, unit, counts[row_key]))
        counts[row_key] += 1
    return tuple(out)


def _leading_text(specs: Sequence[ColumnSpec]) -> tuple[str, ...]:
    out: list[str] = []
    for spec in specs:
        if spec.column.unit is not None:
            break
        out.append(spec.id)
    return tuple(out)


def with_label(spec: ColumnSpec, label: str) -> ColumnSpec:
    if not label or label == spec.column.label:
        return spec
    c = spec.column
    return ColumnSpec(type(c)(c.id, label, c.unit, c.better, c.measure, c.holds), spec.labels, spec.scale, spec.per_row)


def resolve_columns(declaration: Declaration, table: RawTable, notebook: Notebook) -> list[ColumnSpec]:
    """Declared column of each label; others inspected and noted."""
    if declaration.columns is None:
        return list(inspect_columns(table))
    declared = [declaration.by_label.get(normal_label(label)) for label in table.labels]
    if None not in declared:
        return cast("list[ColumnSpec]", declared)
    inspected = inspect_columns(table)
    used_ids = {s.id for s in declared if s}
    out: list[ColumnSpec] = []
    for at, (spec, guess) in enumerate(zip(declared, inspected, strict=True)):
        if spec is None and any(row[at] for row in table.rows):
            notebook.note(
                "unknown-column",
                f'The column "{table.labels[at]}" of "{declaration.title}" is not declared; it was read by its looks.',
                section=declaration.id,
                line=table.line,
                ours=True,
            )
        column_spec = spec or guess
        while spec is None and column_spec.id in used_ids:
            column = column_spec.column
            column_spec = ColumnSpec(
                type(column)(column.id + "_2", column.label, column.unit, column.better, column.measure),
                column_spec.labels,
            )
        used_ids.add(column_spec.id)
        out.append(column_spec)
    return out


def convert_columns(
    declaration: Declaration | None, table: RawTable, specs: Sequence[ColumnSpec], notebook: Notebook
) -> list[list[Cell]]:
    return _convert(declaration, table, specs, list(map(_column_reader, specs, table.labels)), notebook)


def _convert(
    declaration: Declaration | None,
    table: RawTable,
    specs: Sequence[ColumnSpec],
    readers: Sequence[NumberReader | None],
    notebook: Notebook,
) -> list[list[Cell]]:
    columns = list(zip(*table.rows, strict=True)) or [()] * len(specs)
    key = declaration.key if declaration else ()
    out: list[list[Cell]] = []
    for spec, reader, cells in zip(specs, readers, columns, strict=True):
        if reader is None:
            out.append(_texts(cells, key=spec.id in key))
            continue
        out.append(list(map(reader.__getitem__, cells)))
        if reader.unreadable and not reader.unreadable.isdisjoint(cells):
            bad = [c for c in cells if c in reader.unreadable]
            title, section_id = (declaration.title, declaration.id) if declaration else (table.heading, None)
            notebook.note_unreadable(bad, spec.column.label, table, title=title, section=section_id)
    return out


def _column_reader(spec: ColumnSpec, label: str) -> NumberReader | None:
    return reader_of(spec, label) if spec.column.unit is not None else None


def _texts(cells: Sequence[str], *, key: bool) -> list[Cell]:
    if key:
        return [c.rstrip(":").rstrip() or None for c in cells]
    return [c or None for c in cells]


def reader_of(spec: ColumnSpec, label: str) -> NumberReader:
    unit = spec.column.unit or "count"
    scale = None if spec.per_row else label_scale(label, unit)
    if scale is None:
        scale = spec.scale or 1.0
    exact = unit in EXACT_UNITS and spec.column.measure in ("total", "level")
    return number_reader(unit, scale, exact=exact)


def build_unknown(table: RawTable, used_ids: Counter[str], notebook: Notebook) -> Section:
    """Undeclared table: id from heading and summary, types by inspection."""
    title = table.caption or table.heading or table.summary[:80] or "Untitled table"
    stem = slug(table.caption or table.heading) or slug(table.summary[:60]) or "table"
    section_id = stem
    while used_ids[section_id]:
        used_ids[stem] += 1
        section_id = f"{stem}_{used_ids[stem]}"
    used_ids[section_id] += 1
    specs = inspect_columns(table)
    cells = convert_columns(None, table, specs, notebook)
    rows = list(zip(*cells, strict=True)) if specs else []
    key = _leading_text(specs)
    ids = [s.id for s in specs]
    return Section(
        id=section_id,
        title=title,
        known=False,
        coverage="all",
        key=key,
        columns=_cut([(table.labels, table.widths)], specs),
        records=_records(rows, [ids.index(k) for k in key], None),
        notes=table.notes,
        line=table.line,
    )

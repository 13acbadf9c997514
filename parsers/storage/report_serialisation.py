"""Reports and sections as compact bytes and back, lossless, with printed resolutions.

A number is [number, half], or bare if exact. New keys get a default where read; other changes raise `FORMAT`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any, NamedTuple

from msgspec import convert

from parsers.model import (
    Cell,
    Column,
    Database,
    Host,
    Instance,
    Issue,
    Number,
    Period,
    Report,
    Row,
    Section,
    Snapshot,
    Value,
)
from parsers.storage import compressed_blocks

FORMAT = 1
StoredCell = Value | str | Number | None
_BARE = (int, float)  # looked for in every cell: a union of types takes twice as long


class StoredRow(NamedTuple):
    cells: list[StoredCell]
    unit: str | None = None
    ordinal: int = 0


def pack_section(section: Section) -> bytes:
    return compressed_blocks.pack_section(dump_section(section))


def unpack_section(data: bytes) -> Section:
    packed = compressed_blocks.Packed(data)
    return load_section(packed.document, packed.rows(StoredRow))


def unpack_block(packed: compressed_blocks.Packed, number: int) -> Section:
    return load_section(packed.document, packed.block(number, StoredRow))


def pack_head(report: Report) -> bytes:
    return compressed_blocks.pack(dump_head(report))


def unpack_report(head: bytes, sections: tuple[Section, ...]) -> Report:
    return load_head(compressed_blocks.unpack(head), sections)


def dump_section(section: Section) -> dict[str, Any]:
    return {
        "id": section.id,
        "title": section.title,
        "known": section.known,
        "coverage": section.coverage,
        "key": list(section.key),
        "columns": [[c.id, c.label, c.unit, c.better, c.measure, c.holds, c.cut_at] for c in section.columns],
        "rows": [_dump_row(r) for r in section.records],
        "notes": list(section.notes),
        "line": section.line,
    }


def load_section(document: dict[str, Any], rows: Iterable[StoredRow]) -> Section:
    return Section(
        id=document["id"],
        title=document["title"],
        known=document["known"],
        coverage=document["coverage"],
        key=tuple(document["key"]),
        columns=tuple(Column(*c) for c in document["columns"]),
        records=tuple(load_rows(rows)),
        notes=tuple(document["notes"]),
        line=document["line"],
    )


def load_rows(rows: Iterable[StoredRow]) -> Iterator[Row]:
    return (Row(tuple(map(_load_cell, cells)), unit, ordinal) for cells, unit, ordinal in rows)


def dump_head(report: Report) -> dict[str, Any]:
    d, h, p = report.database, report.host, report.period
    return {
        "name": report.name,
        "kind": report.kind,
        "format": report.format,
        "encoding": report.encoding,
        "source": report.source,
        "release": report.release,
        "database": [d.name, d.dbid, d.unique_name, d.role, d.edition, d.rac, d.cdb],
        "instances": [[i.number, i.name, _iso(i.startup), i.host] for i in report.instances],
        "host": [h.name, h.platform, h.cpus, h.cores, h.sockets, _dump_cell(h.memory_bytes)],
        "begin": _dump_snapshot(p.begin),
        "end": _dump_snapshot(p.end),
        "elapsed_s": _dump_cell(p.elapsed_s),
        "db_time_s": _dump_cell(p.db_time_s),
        "issues": [[i.code, i.text, i.section, i.line, i.ours] for i in report.issues],
    }


def load_head(document: dict[str, Any], sections: tuple[Section, ...]) -> Report:
    name, platform, cpus, cores, sockets, memory = document["host"]
    return Report(
        kind=document["kind"],
        format=document["format"],
        encoding=document["encoding"],
        release=document["release"],
        database=Database(*document["database"]),
        instances=tuple(Instance(i, n, _moment(t), h) for i, n, t, h in document["instances"]),
        host=Host(name, platform, cpus, cores, sockets, _load_number(memory)),
        period=Period(
            begin=_load_snapshot(document["begin"]),
            end=_load_snapshot(document["end"]),
            elapsed_s=_load_number(document["elapsed_s"]),
            db_time_s=_load_number(document["db_time_s"]),
        ),
        sections=sections,
        issues=tuple(Issue(*i) for i in document["issues"]),
        name=document["name"],
        source=document.get("source", "file"),
    )


def _dump_row(row: Row) -> list[Any]:
    cells = [_dump_cell(c) for c in row.cells]
    return [cells, row.unit, row.ordinal] if row.unit is not None or row.ordinal else [cells]


def _dump_cell(cell: Cell) -> Any:
    if isinstance(cell, Value):
        return cell if cell.half else cell.number
    return cell


def _load_cell(cell: StoredCell) -> Cell:
    return Value(cell, 0.0) if isinstance(cell, _BARE) else cell


def _load_number(cell: Any) -> Value | None:
    loaded = _load_cell(convert(cell, StoredCell))
    return loaded if isinstance(loaded, Value) else None


def _dump_snapshot(snapshot: Snapshot) -> list[Any]:
    return [snapshot.id, _iso(snapshot.time), snapshot.sessions]


def _load_snapshot(cells: list[Any]) -> Snapshot:
    return Snapshot(cells[0], _moment(cells[1]), cells[2])


def _iso(moment: datetime | None) -> str | None:
    return moment.isoformat() if moment else None


def _moment(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None

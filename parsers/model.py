"""A parsed report: typed, frozen, independent of its format.

Figures are in base units and carry their printed resolution: a smaller difference is no difference.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from functools import cached_property
from typing import Any, Final, Literal, NamedTuple

from msgspec import Struct, field

from parsers.version import VERSION

SCHEMA = "awrdiff.report/1"

Kind = Literal[
    "awr",
    "awr_pdb",
    "awr_global",
    "awr_compare",
    "awr_sql",
    "statspack",
    "ash",
    "addm",
    "lgwr_trace",
]
# How a report came: as Oracle wrote it, pasted with tabs or padded columns, converted, with blanks lost, cut out.
Source = Literal["file", "copy", "markdown", "squeezed", "excerpt"]
Coverage = Literal["top", "nonzero", "all"]
Better = Literal["lower", "higher", "neither"]
Measure = Literal["total", "average", "rate", "share", "level", "text"]
Holds = Literal["sql_text", "sql_id", "host", "path", "user", "object", "database", "address", "program", "value"]


Number = int | float  # whole numbers stay whole when they are read back from storage


class Value(NamedTuple):
    """Printed number: `half` of its last printed digit (0 = exact)."""

    number: Number
    half: Number

    @property
    def low(self) -> float:
        return self.number - self.half

    @property
    def high(self) -> float:
        return self.number + self.half


Cell = str | Value | None


class Column(Struct, frozen=True):
    """A section's column.

    `measure`: a `total` accumulates over the interval, a `level` is a state. `holds`: sensitive content. `cut_at`:
    width in text reports, cut on the right, partitions on the left.
    """

    id: str
    label: str
    unit: str | None = None
    better: Better = "neither"
    measure: Measure = "text"
    holds: Holds | None = None
    cut_at: int | None = None


class Row(NamedTuple):
    """`cells` in column order; `unit` if the label carries it."""

    cells: tuple[Cell, ...]
    unit: str | None = None
    ordinal: int = 0  # true duplicates of a key are told apart by their order


class Section(Struct, frozen=True, dict=True):
    """Table, or several that continue each other, under a stable id."""

    id: str
    title: str
    known: bool
    coverage: Coverage
    key: tuple[str, ...]  # ids of the columns that identify a row
    columns: tuple[Column, ...]
    records: Sequence[Row]
    notes: tuple[str, ...] = ()
    line: int | None = None

    @cached_property
    def index(self) -> Mapping[str, int]:
        return {c.id: i for i, c in enumerate(self.columns)}

    @property
    def rows(self) -> Iterator[dict[str, Cell]]:
        """Cells by column id; None: not printed or unreadable."""
        ids = [c.id for c in self.columns]
        for record in self.records:
            yield dict(zip(ids, record.cells, strict=True))

    def cell(self, record: Row, column: str) -> Cell:
        at = self.index.get(column)
        return None if at is None else record.cells[at]

    def number(self, record: Row, column: str) -> Value | None:
        cell = self.cell(record, column)
        return cell if isinstance(cell, Value) else None

    def text(self, record: Row, column: str) -> str:
        cell = self.cell(record, column)
        return cell if isinstance(cell, str) else ""

    def key_of(self, record: Row) -> tuple[str, ...]:
        """Printed identity of a row; true duplicates get an ordinal."""
        parts = [self.cell(record, c) for c in self.key]
        key = tuple(_plain(p) for p in parts)
        return (*key, f"#{record.ordinal + 1}") if record.ordinal else key

    def find(self, *key: str) -> Row | None:
        return next((r for r in self.records if self.key_of(r) == key), None)

    def as_dict(self) -> dict[str, Any]:
        columns = [{"id": c.id, "label": c.label, "unit": c.unit} for c in self.columns]
        return {
            "id": self.id,
            "title": self.title,
            "known": self.known,
            "coverage": self.coverage,
            "notes": list(self.notes),
            "columns": columns,
            "rows": [self.row_dict(r) for r in self.records],
        }

    def row_dict(self, record: Row) -> dict[str, Any]:
        row: dict[str, Any] = {
            c.id: cell.number if isinstance(cell, Value) else cell
            for c, cell in zip(self.columns, record.cells, strict=True)
        }
        if record.unit is not None:
            row["unit"] = record.unit
        return row


def _plain(cell: Cell) -> str:
    if isinstance(cell, Value):
        return f"{cell.number:g}" if cell.number != int(cell.number) else str(int(cell.number))
    return cell or ""


class Issue(Struct, frozen=True):
    """Remark on the file for its owner; `line` from 1."""

    code: str
    text: str
    section: str | None = None
    line: int | None = None
    ours: bool = False  # True: the report is fine, this project does not know what it printed

    def as_dict(self) -> dict[str, Any]:
        return {"code": self.code, "section": self.section, "line": self.line, "text": self.text}


# Codes of issues that say that rows of a report are not, or not as printed, in its file.
GAPS: Final = ("truncated", "damaged-markup", "left-out", "table-cut", "not-read", "excerpt")
# Codes of issues that concern a whole report, gaps or not: what is made of it says them too.
OF_REPORT: Final = (*GAPS, "unreadable-time")


class Database(Struct, frozen=True):
    name: str | None = None
    dbid: str | None = None
    unique_name: str | None = None
    role: str | None = None
    edition: str | None = None
    rac: bool | None = None
    cdb: bool | None = None


class Instance(Struct, frozen=True):
    number: int | None = None
    name: str | None = None
    startup: datetime | None = None
    host: str | None = None


class Host(Struct, frozen=True):
    name: str | None = None
    platform: str | None = None
    cpus: int | None = None
    cores: int | None = None
    sockets: int | None = None
    memory_bytes: Value | None = None


class Snapshot(Struct, frozen=True):
    id: int | None = None
    time: datetime | None = None
    sessions: int | None = None


class Period(Struct, frozen=True):
    """Interval between two snapshots; seconds with their uncertainty."""

    begin: Snapshot = field(default_factory=Snapshot)
    end: Snapshot = field(default_factory=Snapshot)
    elapsed_s: Value | None = None
    db_time_s: Value | None = None


class Report(Struct, frozen=True, dict=True):
    """Parsed file; `sections` in report order, each id once."""

    kind: Kind
    format: Literal["html", "text"]
    encoding: str
    release: str | None
    database: Database
    instances: tuple[Instance, ...]
    host: Host
    period: Period
    sections: tuple[Section, ...]
    issues: tuple[Issue, ...] = ()
    name: str = ""
    source: Source = "file"

    @cached_property
    def by_id(self) -> Mapping[str, Section]:
        return {s.id: s for s in self.sections}

    def section(self, section_id: str) -> Section | None:
        return self.by_id.get(section_id)

    @property
    def partial(self) -> bool:
        """True for an excerpt, whose origin may be unknown."""
        return self.source == "excerpt"

    @property
    def gaps(self) -> tuple[Issue, ...]:
        """Reasons why rows may be missing; empty for a complete file."""
        return tuple(i for i in self.issues if i.code in GAPS)

    @property
    def cautions(self) -> tuple[Issue, ...]:
        """Gaps and unreadable times."""
        return tuple(i for i in self.issues if i.code in OF_REPORT)

    def header(self) -> dict[str, Any]:
        d, h, p = self.database, self.host, self.period
        return {
            "schema": SCHEMA,
            "file": self.name,
            "kind": self.kind,
            "format": self.format,
            "encoding": self.encoding,
            "source": self.source,
            "partial": self.partial,
            "release": self.release,
            "database": {
                "name": d.name,
                "dbid": d.dbid,
                "unique_name": d.unique_name,
                "role": d.role,
                "edition": d.edition,
                "rac": d.rac,
                "cdb": d.cdb,
            },
            "instances": [
                {"number": i.number, "name": i.name, "startup": _iso(i.startup), "host": i.host} for i in self.instances
            ],
            "host": {
                "name": h.name,
                "platform": h.platform,
                "cpus": h.cpus,
                "cores": h.cores,
                "sockets": h.sockets,
                "memory_bytes": _number(h.memory_bytes),
            },
            "snapshots": {
                "begin": _snapshot(p.begin),
                "end": _snapshot(p.end),
                "elapsed_s": _number(p.elapsed_s),
                "db_time_s": _number(p.db_time_s),
            },
        }

    def as_dict(self) -> dict[str, Any]:
        """Schema awrdiff.report/1."""
        return {
            "schema": SCHEMA,
            "awrdiff_version": VERSION,
            **self.header(),
            "sections": [s.as_dict() for s in self.sections],
            "issues": [i.as_dict() for i in self.issues],
        }


class UnsupportedReport(ValueError):
    """No supported report; the message tells the user why."""

    def __init__(self, message: str, *, code: str = "unsupported") -> None:
        super().__init__(message)
        self.code = code


def _iso(moment: datetime | None) -> str | None:
    return moment.isoformat() if moment else None


def _number(value: Value | None) -> float | None:
    return value.number if value else None


def _snapshot(snapshot: Snapshot) -> dict[str, Any]:
    return {"id": snapshot.id, "time": _iso(snapshot.time), "sessions": snapshot.sessions}

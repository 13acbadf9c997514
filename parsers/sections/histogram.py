"""Wait histograms: one event's distribution, stitched from a chain of tables.

Main table: 1 to 32 ms to 12.1, 8 to 512 us from 12.2; detail tables: percent of total waits, first and last buckets
open (up to 64 us only the last); blank: exactly zero.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec import Struct

from parsers.model import Cell, Column, Section, Value
from parsers.tables.issues import Notebook
from parsers.tables.number_parsing import number_reader
from parsers.tables.rawtable import RawTable, normal_label
from parsers.tables.section_builder import finish
from parsers.tables.section_declarations import ColumnSpec, Declaration

_BUCKET = re.compile(r"(<=|>=|<|>)(?:1/)?(\d{1,6})(us|ms|s|m|h)$")
_SCALE_US = {"us": 1.0, "ms": 1e3, "s": 1e6, "m": 6e7, "h": 3.6e9}
_NOTHING = Value(0, 0)
_MOST = 12  # tables in a chain, which has four, and
_MOST_BUCKETS = 60  # buckets of each, of which 22 have been seen


class Bucket(Struct, frozen=True):
    """`sign`: <, <=, > or >=; `edge_us` orders the chain."""

    sign: str
    edge_us: float
    name: str

    @property
    def column_id(self) -> str:
        word = {"<": "lt", "<=": "le", ">": "gt", ">=": "ge"}[self.sign]
        return f"pct_{word}_{self.name}"


_FRACTIONS = {"1/8s": "125ms", "1/4s": "250ms", "1/2s": "500ms", "1/4h": "15m", "1/2h": "30m"}


def parse_bucket(label: str) -> Bucket | None:
    """Reads `<8us`, `<1/8s`, `< 1m`, `>=1h`, `<=1s` …, or None."""
    plain = normal_label(label)
    for fraction, name in _FRACTIONS.items():
        plain = plain.replace(fraction, name)
    match = _BUCKET.match(plain)
    if not match:
        return None
    sign, amount, unit = match.groups()
    return Bucket(sign, int(amount) * _SCALE_US[unit], f"{amount}{unit}")


class _Link(Struct):
    """Table of the chain, with its columns' buckets."""

    table: RawTable
    event_at: int
    waits_at: int
    buckets: list[tuple[int, Bucket]]

    @property
    def is_main(self) -> bool:
        """Heading `Total Waits`; in global reports `Waits`, with all 22 buckets."""
        return normal_label(self.table.labels[self.waits_at]) in ("totalwaits", "waits")

    @property
    def is_fine(self) -> bool:
        """The table up to 64 us details the main table's first bucket, not its last."""
        return not self.is_main and self.buckets[0][1].name == "1us"

    @property
    def waits_id(self) -> str:
        ends = [b.name for _, b in self.buckets if b.sign == "<"]
        first = ends[0] if self.is_fine else ends[min(1, len(ends) - 1)]
        return "waits" if self.is_main else f"waits_{first}_to_{ends[-1]}"

    def own(self) -> list[tuple[int, Bucket]]:
        """Buckets without more detail elsewhere."""
        first = 0 if self.is_main or self.is_fine else 1
        return [(at, b) for at, b in self.buckets[first:] if b.sign == "<"]

    def overflow(self) -> list[tuple[int, Bucket]]:
        """Buckets beyond this table: `>=512us`; `<=1s` and `>1s` to 12.1."""
        return [(at, b) for at, b in self.buckets if b.sign != "<"]


def read_histogram(declaration: Declaration, tables: Sequence[RawTable], notebook: Notebook) -> Section:
    """A row per event, with each detail table's count."""
    links = sorted(filter(None, map(_link, tables)), key=lambda k: (not k.is_main, k.buckets[-1][1].edge_us))[:_MOST]
    rows = _stitch(links)
    printed = {column for row in rows for column, cell in row.items() if cell is not None}
    buckets = {b.column_id: b for k in links for _, b in (*k.own(), *k.overflow()) if b.column_id in printed}
    ordered = sorted(buckets.values(), key=lambda b: (b.edge_us, b.sign != "<"))
    specs = [*(declaration.columns or ()), *map(_bucket_spec, ordered), *_detail_specs(links)]
    ids = [s.id for s in specs]
    cells = [tuple(map(row.get, ids)) for row in rows]
    return finish(declaration, tables, specs, cells)


def _link(table: RawTable) -> _Link | None:
    labels = [normal_label(label) for label in table.labels]
    waits = [i for i, label in enumerate(labels) if "waits" in label]
    buckets = [(i, b) for i, b in enumerate(map(parse_bucket, table.labels)) if b]
    if "event" not in labels or not waits or not 2 <= sum(b.sign == "<" for _, b in buckets) <= _MOST_BUCKETS:
        return None
    return _Link(table, labels.index("event"), waits[0], buckets)


def _stitch(links: Sequence[_Link]) -> list[dict[str, Cell]]:
    rows: dict[tuple[str, int], dict[str, Cell]] = {}
    over: dict[tuple[str, int], dict[str, Cell]] = {}
    for link in links:
        listed: set[tuple[str, int]] = set()
        ordinals: dict[str, int] = {}
        waits_id = link.waits_id
        own = [(at, b.column_id) for at, b in link.own()]
        beyond = [(at, b.column_id) for at, b in link.overflow()]
        for printed in link.table.rows:
            event = printed[link.event_at]
            ordinals[event] = ordinals.get(event, 0) + 1
            key = (event, ordinals[event])
            listed.add(key)
            row = rows.setdefault(key, {"event": event})
            row[waits_id] = _COUNTS[printed[link.waits_at]]
            for at, column in own:
                row[column] = _SHARES[printed[at]] if printed[at] else _NOTHING
            if not link.is_fine:
                over[key] = {column: _SHARES[printed[at]] if printed[at] else _NOTHING for at, column in beyond}
        if not (link.is_main or link.is_fine):
            _nothing_beyond(link, listed, rows, over)
    for key, row in rows.items():
        row.update(over.get(key, {}))
    return list(rows.values())


def _nothing_beyond(
    link: _Link,
    listed: set[tuple[str, int]],
    rows: dict[tuple[str, int], dict[str, Cell]],
    over: dict[tuple[str, int], dict[str, Cell]],
) -> None:
    inner: dict[str, Cell] = {b.column_id: _NOTHING for _, b in link.own()}
    outer: dict[str, Cell] = {b.column_id: _NOTHING for _, b in link.overflow()}
    for key, beyond in over.items():
        if key not in listed and all(cell == _NOTHING for cell in beyond.values()):
            rows[key].update(inner)
            over[key] = dict(outer)


_COUNTS = number_reader("count", 1.0, exact=True)
_SHARES = number_reader("percent", 1.0, exact=False)


def _bucket_spec(bucket: Bucket) -> ColumnSpec:
    label = f"{bucket.sign}{bucket.name}"
    return ColumnSpec(Column(bucket.column_id, label, "percent", "neither", "share"), (label,))


def _detail_specs(links: Sequence[_Link]) -> list[ColumnSpec]:
    out: dict[str, ColumnSpec] = {}
    for link in links:
        if not link.is_main:
            label = link.table.labels[link.waits_at]
            column = Column(link.waits_id, label, "count", "neither", "total")
            out.setdefault(column.id, ColumnSpec(column, (label,)))
    return list(out.values())

"""A comparison as plain data, for storage (and back), and as the published awrdiff.comparison/1.

Stored comparisons outlive releases: new keys get defaults where read; other changes of shape raise `FORMAT`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple, overload

from msgspec import Struct, convert, to_builtins
from msgspec.structs import astuple, replace

from awrdiff.analysis.export.json_encoding import Parts, plain, published, whole
from awrdiff.analysis.model.comparison import (
    SCHEMA,
    ComparedRow,
    ComparedSection,
    Comparison,
    Delta,
    IdentityFacts,
    RuleOutcome,
    SameStatement,
    Sentence,
    Status,
)
from awrdiff.analysis.model.ranked_changes import Ranked
from parsers.model import Cell, Column, Number, Value
from parsers.storage import compressed_blocks
from parsers.version import VERSION


def dump(thing: Any) -> Any:
    """Plain values; fields with their default are omitted."""
    if isinstance(thing, Struct):
        names = thing.__struct_fields__
        defaults = dict(zip(reversed(names), reversed(thing.__struct_defaults__), strict=False))
        values = ((name, getattr(thing, name)) for name in names)
        return {name: dump(v) for name, v in values if name not in defaults or v != defaults[name]}
    if isinstance(thing, tuple | list):
        return [dump(t) for t in thing]
    if isinstance(thing, Mapping):
        return {k: dump(v) for k, v in thing.items()}
    return thing


FORMAT = 1

# The published document


def as_dict(comparison: Comparison) -> dict[str, Any]:
    return as_dict_of_all([comparison])


def as_dict_of_all(comparisons: Sequence[Comparison]) -> dict[str, Any]:
    document: dict[str, Any] = whole(parts_of_all(comparisons))
    return document


def parts_of_all(comparisons: Sequence[Comparison]) -> Parts:
    """The first pair at the top, all under `pairs`; sections are iterators."""
    first = comparisons[0]
    document = Parts(
        {"schema": SCHEMA, "awrdiff_version": VERSION, "reports": list(first.headers), **_pair_parts(first)}
    )
    if len(comparisons) == 1:
        return document
    document["reports"] = [comparisons[0].headers[0], *(c.headers[1] for c in comparisons)]
    if (commits := comparisons[0].commits_of_all) is not None:
        document["commit_latency"] = published(commits)
    pairs = enumerate(comparisons, start=1)
    document["pairs"] = (Parts({"first": 0, "second": i, **_pair_parts(c)}) for i, c in pairs)
    return document


def _pair_parts(comparison: Comparison) -> dict[str, Any]:
    check = comparison.oracle_check
    checked = {"oracle_check": published(check)} if check else {}
    return {**checked, **conclusions_of_pair(comparison), "sections": (section_parts(s) for s in comparison.sections)}


_CONCLUSIONS = (
    *("warnings", "summary", "attribution", "commit_latency", "findings", "rules", "ranked"),
    *("activity", "sampled", "commonality", "answer"),
)


def conclusions_of_pair(comparison: Comparison) -> dict[str, Any]:
    document = {name: published(getattr(comparison, name)) for name in _CONCLUSIONS}
    for finding, (_, judgement) in zip(document["findings"], comparison.what_stands_out, strict=True):
        if judgement:
            finding["verdict"] = published(judgement)
    return document


_HEAD = ("id", "title", "known", "family", "coverage")
_SIDES = ("first_present", "second_present", "first_notes", "second_notes")


def section_parts(section: ComparedSection) -> Parts:
    """Document of a section; `rows` is an iterator."""
    document = Parts({name: published(getattr(section, name)) for name in (*_HEAD, *_SIDES)})
    document["columns"] = [{"id": c.id, "label": c.label, "unit": c.unit, "better": c.better} for c in section.columns]
    document["rows"] = (_row_dict(r) for r in section.rows)
    return document


def _row_dict(row: ComparedRow) -> dict[str, Any]:
    document: dict[str, Any] = {
        "id": row.row_id,
        "key": dict(row.key),
        "status": row.status,
        "minor": row.minor,
        "weight": plain(row.weight),
        "idle": row.idle,
        "values": {column: delta_dict(d) for column, d in row.values.items()},
    }
    if row.unpriced:
        document["unpriced"] = True
    if row.unit is not None:
        document["unit"] = row.unit
    if row.elsewhere:
        document["elsewhere"] = dict(row.elsewhere)
    return document


def delta_dict(delta: Delta) -> dict[str, Any]:
    document: dict[str, Any] = {
        "first": _cell(delta.first),
        "second": _cell(delta.second),
        "diff": plain(delta.diff),
        "pct": plain(delta.pct),
    }
    if delta.first_per_s is not None or delta.second_per_s is not None:
        document["first_per_s"] = plain(delta.first_per_s)
        document["second_per_s"] = plain(delta.second_per_s)
        document["pct_per_s"] = plain(delta.pct_per_s)
        document["significant_per_s"] = delta.significant_per_s
    if delta.first_per_txn is not None or delta.second_per_txn is not None:
        document["first_per_txn"] = plain(delta.first_per_txn)
        document["second_per_txn"] = plain(delta.second_per_txn)
        document["pct_per_txn"] = plain(delta.pct_per_txn)
    document["significant"] = delta.significant
    return document


def _cell(cell: Cell) -> str | float | int | None:
    return plain(cell.number) if isinstance(cell, Value) else cell


# Storage: positions instead of names where there are many


def dump_section(section: ComparedSection) -> dict[str, Any]:
    value_columns = [c.id for c in section.columns if c.id not in section.key]
    return {
        **{name: getattr(section, name) for name in _HEAD},
        "columns": [[c.id, c.label, c.unit, c.better, c.measure, c.holds] for c in section.columns],
        "key": list(section.key),
        "rows": [_dump_row(r, section.key, value_columns) for r in section.rows],
        "elsewhere": {r.row_id: dict(r.elsewhere) for r in section.rows if r.elsewhere},
        **({"weighed": True} if section.rows and all(r.weighed for r in section.rows) else {}),
        "present": [section.first_present, section.second_present],
        "notes": [list(section.first_notes), list(section.second_notes)],
    }


def load_section(document: Mapping[str, Any], rows: Iterable[StoredRow] | None = None) -> ComparedSection:
    """`rows`: to load instead of all in the document."""
    first, second = document["present"]
    first_notes, second_notes = document["notes"]
    return ComparedSection(
        **{name: document[name] for name in _HEAD},
        columns=tuple(Column(*c) for c in document["columns"]),
        key=tuple(document["key"]),
        rows=tuple(map(RowLoader(document), convert(document["rows"], list[StoredRow]) if rows is None else rows)),
        first_present=first,
        second_present=second,
        first_notes=tuple(first_notes),
        second_notes=tuple(second_notes),
    )


def _dump_row(row: ComparedRow, key: Sequence[str], columns: Sequence[str]) -> list[Any]:
    deltas = [_dump_delta(row.values[c]) for c in columns]
    keys = [row.key.get(k, "") for k in key]
    stored = [row.row_id, keys, row.status, row.unit, row.idle, row.weight, deltas]
    return [*stored, row.minor, True] if row.unpriced else [*stored, True] if row.minor else stored


class StoredRow(NamedTuple):
    """Row as `_dump_row` stores it; deltas in the order of the columns without the key."""

    row_id: str
    keys: list[str]
    status: Status
    unit: str | None
    idle: bool
    weight: Number | None
    deltas: list[Delta]
    minor: bool = False
    unpriced: bool = False


class RowLoader:
    """Rows of one section from the form of `dump_section`."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self.key: list[str] = list(document["key"])
        self.columns = [c[0] for c in document["columns"] if c[0] not in self.key]
        self.elsewhere: Mapping[str, dict[str, str]] = document.get("elsewhere", {})
        self.weighed = bool(document.get("weighed"))  # engines before 10 stored what rows are ordered by as weight

    def __call__(self, stored: StoredRow) -> ComparedRow:
        row_id, keys, status, unit, idle, weight, deltas, minor, unpriced = stored
        return ComparedRow(
            row_id=row_id,
            key=dict(zip(self.key, keys, strict=True)),
            status=status,
            values=dict(zip(self.columns, deltas, strict=True)),
            unit=unit,
            idle=idle,
            weight=weight or 0.0,
            minor=minor,
            elsewhere=self.elsewhere.get(row_id, {}),
            weighed=self.weighed,
            unpriced=unpriced,
        )


_EMPTY = Delta()


def _dump_delta(delta: Delta) -> Sequence[Any]:
    end = len(delta)
    while end and delta[end - 1] == _EMPTY[end - 1]:
        end -= 1
    return delta[:end]


# Parts that are stored cell by cell; engines before 7 stored numbers of rules only.
_BY_PLACE = {"rules": RuleOutcome, "same_statements": SameStatement, "verdict": Sentence}
_WHOLE = ("attribution", "oracle_check")  # also where a field has its default
_NOT_STORED = ("sections", "step", "address", "median", "finding_verdicts")


def dump_overview(comparison: Comparison) -> dict[str, Any]:
    def stored(name: str) -> Any:
        part = getattr(comparison, name)
        if name in _BY_PLACE:
            return [list(astuple(each)) for each in part]
        return to_builtins(part) if name in _WHOLE else dump(part)

    return {name: stored(name) for name in Comparison.__struct_fields__ if name not in _NOT_STORED}


def load_overview(document: Mapping[str, Any]) -> Comparison:
    """Overview with `sections=()`."""
    parts = {
        name: [dict(zip(kind.__struct_fields__, cells, strict=False)) for cells in _cells(document.get(name, ()))]
        for name, kind in _BY_PLACE.items()
    }
    return convert({**document, **parts, "answer": document.get("answer") or {}, "sections": ()}, Comparison)


def _cells(stored: Sequence[Any]) -> Iterable[Sequence[Any]]:
    if not stored or not isinstance(stored[0], int):
        return stored
    checked, quiet, unknown = stored
    counts = {"fired": checked - quiet - unknown, "quiet": quiet, "unknown": unknown}
    return (("", state) for state, count in counts.items() for _ in range(count))


def load_identity(document: Mapping[str, Any]) -> tuple[IdentityFacts, IdentityFacts]:
    """Identities of an overview, without loading the rest."""
    return convert(document["identity"], tuple[IdentityFacts, IdentityFacts])


def load_ranked(document: Mapping[str, Any]) -> Ranked | None:
    return convert(document.get("ranked"), Ranked | None)


# Stored bytes: entire, a block of rows, or row by row (parsers.storage.compressed_blocks)


def pack_section(section: ComparedSection) -> bytes:
    return compressed_blocks.pack_section(dump_section(section))


def unpack_section(payload: bytes) -> ComparedSection:
    packed = compressed_blocks.Packed(payload)
    return load_section(packed.document, packed.rows(StoredRow))


def unpack_block(packed: compressed_blocks.Packed, number: int) -> ComparedSection:
    """Section with rows of one block only."""
    return load_section(packed.document, packed.block(number, StoredRow))


def unpack_rows(payload: bytes, rows: Iterable[int]) -> ComparedSection:
    """Section with only these rows, ascending."""
    packed = compressed_blocks.Packed(payload)
    return load_section(packed.document, packed.rows_at(rows, StoredRow))


def open_section(payload: bytes) -> ComparedSection:
    """Rows are read again, block by block, at each iteration."""
    packed = compressed_blocks.Packed(payload)
    return replace(load_section(packed.document, ()), rows=_Rows(packed))


class _Rows(Sequence[ComparedRow]):
    """One block stays loaded; of several only the last."""

    def __init__(self, packed: compressed_blocks.Packed) -> None:
        self._packed = packed
        self._load = RowLoader(packed.document)
        self._only: list[ComparedRow] | None = None

    def __len__(self) -> int:
        return len(self._packed)

    def __iter__(self) -> Iterator[ComparedRow]:
        if len(self._packed.counts) > 1:
            return map(self._load, self._packed.rows(StoredRow))
        if self._only is None:
            self._only = list(map(self._load, self._packed.rows(StoredRow)))
        return iter(self._only)

    @overload
    def __getitem__(self, at: int) -> ComparedRow: ...

    @overload
    def __getitem__(self, at: slice) -> Sequence[ComparedRow]: ...

    def __getitem__(self, at: Any) -> Any:
        if isinstance(at, slice):
            return tuple(self)[at]
        return next(islice(self, range(len(self))[at], None))

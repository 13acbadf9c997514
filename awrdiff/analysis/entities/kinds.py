"""Kinds of entities, and the columns that name them, in any section.

Kinds and keys are in links and never change; other spellings lead to the same entity.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import quote

from msgspec import Struct

from awrdiff.analysis.model.comparison import ComparedRow
from awrdiff.analysis.names.names_across_releases import RENAMED
from parsers.model import Value

LONGEST_KEY = 500
_NOTHING = re.compile(r"[-*\s]*|.*\*\*.*|\(blank\)|N/A|0+", re.DOTALL)  # `** UNAVAILABLE **`, `--`


class Ref(NamedTuple):
    """`key` as printed: owner.name of objects, sid,serial# of sessions."""

    kind: str
    key: str

    @property
    def path(self) -> str:
        """Below a comparison's address, percent-encoded."""
        return f"{self.kind}/{quote(self.key.encode('utf-8', 'replace'), safe='')}/"


class Way(Struct, frozen=True):
    """Columns that name an entity, the last not empty. `read`: key from texts."""

    columns: tuple[str, ...]
    read: Callable[[str], str] | None = None

    def key(self, texts: Sequence[str]) -> str:
        """ "" where the texts name nothing."""
        if not texts[-1] or any(_NOTHING.fullmatch(t) for t in texts if t):
            return ""
        text = ".".join(t for t in texts if t)
        return self.read(text) if self.read else text


class EntityKind(Struct, frozen=True):
    """`folds`: case is ignored. `renamed`: section with renamed labels."""

    id: str
    name: str
    ways: tuple[Way, ...]
    folds: bool = False
    renamed: str = ""

    def same(self, key: str) -> str:
        plain = " ".join(key.split()).rstrip(":").rstrip()
        if not self.folds:
            return plain
        low = plain.lower()
        return RENAMED.get(self.renamed, {}).get(low, low)

    def spellings(self, key: str) -> tuple[str, ...]:
        """Lower case; every row of the key has one."""
        wanted = self.same(key)
        if self.id == "object":  # its owner stands in another column
            wanted = wanted.partition(".")[2] or wanted
        older = [old for old, new in RENAMED.get(self.renamed, {}).items() if new == wanted]
        return (wanted.lower(), *older)


def _way(*columns: str, read: Callable[[str], str] | None = None) -> Way:
    return Way(columns, read)


def _segment(text: str) -> str:
    """ASH's `SOE.ORDERS.P1 (TABLE PARTITION)` without partition and type."""
    return ".".join(re.sub(r"\s*\([^()]*\)$", "", text).split(".")[:2])


def _session(text: str) -> str:
    """`17, 4242( 1)`: session 17, serial number 4242, instance 1."""
    return "".join(re.sub(r"\s*\(\s*\d+\s*\)$", "", text).split())


SQL = "sql"
EVENT = "event"
OBJECT = "object"
# Where one column names two things, the first of these is meant.
_DECLARED = (
    EntityKind(SQL, "SQL statement", (_way("sql_id"), _way("old_hash_value"))),
    EntityKind(EVENT, "wait event", (_way("event"),), folds=True, renamed="top_timed_events"),
    EntityKind(OBJECT, "object", (_way("owner", "object_name"), _way("object", read=_segment))),
    EntityKind("file", "file", (_way("file"), _way("filename"))),
    EntityKind("tablespace", "tablespace", (_way("tablespace"),)),
    EntityKind("parameter", "parameter", (_way("parameter"),), folds=True),
    EntityKind(
        "statistic", "statistic", (_way("statistic"), _way("statistic_name")), folds=True, renamed="instance_activity"
    ),
    EntityKind("service", "service", (_way("service"), _way("service_name"))),
    EntityKind("module", "module", (_way("module"), _way("sql_module"))),
    EntityKind("session", "session", (_way("session", read=_session), _way("blocking_session", read=_session))),
    EntityKind("user", "user", (_way("user"),)),
    EntityKind("program", "program", (_way("program"),)),
    EntityKind("plan", "execution plan", (_way("plan_hash"),)),
    EntityKind("latch", "latch", (_way("latch"), _way("latch_name")), folds=True),
    EntityKind("enqueue", "enqueue", (_way("enqueue"),), folds=True),
    EntityKind("wait-class", "wait class", (_way("wait_class"),), folds=True),
    EntityKind("pdb", "pluggable database", (_way("pdb_name"),)),
)
KINDS = {kind.id: kind for kind in _DECLARED}


@lru_cache(maxsize=1024)
def ways_in(columns: frozenset[str]) -> tuple[tuple[EntityKind, Way], ...]:
    return tuple((kind, way) for kind in _DECLARED for way in kind.ways if columns.issuperset(way.columns))


def refs(row: ComparedRow, columns: frozenset[str]) -> dict[str, Ref]:
    """By last naming column; Second's if sides differ."""
    by_column: dict[str, Ref] = {}
    for kind, way in ways_in(columns):
        key = way.key(_texts(row, way, first=False)) or way.key(_texts(row, way, first=True))
        if key and len(key) <= LONGEST_KEY:
            by_column.setdefault(way.columns[-1], Ref(kind.id, key))
    return by_column


def keys_named(row: ComparedRow, columns: frozenset[str], kind: EntityKind) -> Iterator[tuple[str, bool, bool]]:
    """(key, in First, in Second)"""
    for other, way in ways_in(columns):
        if other.id == kind.id:
            sides = [way.key(_texts(row, way, first=first)) for first in (True, False)]
            for key in dict.fromkeys(k for k in sides if k):
                yield (
                    key,
                    _has(row, way, first=True) and key == sides[0],
                    _has(row, way, first=False) and key == sides[1],
                )


def _has(row: ComparedRow, way: Way, *, first: bool) -> bool:
    return row.status != ("only_second" if first else "only_first")


def _texts(row: ComparedRow, way: Way, *, first: bool) -> list[str]:
    cells = (row.cell(column, first=first) for column in way.columns)
    return [f"{cell.number:.15g}" if isinstance(cell, Value) else cell or "" for cell in cells]

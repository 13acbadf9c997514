"""An entity of both reports: its rows in all sections, and its findings."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from msgspec import Struct
from msgspec.structs import replace

from awrdiff.analysis.entities.kinds import KINDS, OBJECT, SQL, EntityKind, Ref, keys_named, refs
from awrdiff.analysis.entities.statement import JoinedStatement, ids_of, join_statements
from awrdiff.analysis.model.comparison import ComparedRow, ComparedSection, Comparison, Finding, SameStatement
from parsers.model import Section

MOST_ROWS = 200  # of one section
ADDM = re.compile(r"(?:top_)?addm_")
_TEXT = "sql_text"
_LEAST_MENTIONED = 4  # characters of a name that is looked for in prose


class SectionRows(Struct, frozen=True):
    """Reduced to the entity's rows; `left_out`: beyond the limit."""

    section: ComparedSection
    left_out: int = 0


class Entity(Struct, frozen=True):
    """`name`: printed key. `mentions`: rows in prose. `first`, `second`: named there. `ids`: merged. `cited`:
    findings on a row.
    """

    ref: Ref
    kind: EntityKind
    first: bool
    second: bool
    parts: tuple[SectionRows, ...]
    mentions: tuple[SectionRows, ...]
    findings: tuple[Finding, ...]
    cited: tuple[Finding, ...]
    statements: tuple[JoinedStatement, ...] = ()
    ids: SameStatement | None = None

    @property
    def name(self) -> str:
        return self.ref.key


def keys_of(comparison: Comparison, ref: Ref) -> tuple[str, ...]:
    """Keys of its rows; all ids of a statement."""
    if ref.kind != SQL:
        return (ref.key,)
    ids = ids_of(ref.key, comparison.same_statements)
    return tuple(dict.fromkeys((ref.key, *ids.first, *ids.second)))


def entity(comparison: Comparison, sections: Iterable[ComparedSection], ref: Ref) -> Entity | None:
    """`sections`: with all rows, or those of `keys_of`. None if unnamed."""
    kind = KINDS[ref.kind]
    wanted = {kind.same(k) for k in keys_of(comparison, ref)}
    collector = _Collector(kind, wanted)
    for section in sections:
        collector.look_at(section)
    findings = tuple(f for f in comparison.findings if f.subject and _is_about(f, kind, wanted))
    if not collector.parts and not findings:
        return None
    about = {id(f) for f in findings}
    rows = {(p.section.id, r.row_id) for p in collector.parts for r in p.section.rows}
    cited = tuple(
        f
        for f in comparison.findings
        if id(f) not in about and any(e.row_id is not None and (e.section, e.row_id) in rows for e in f.evidence)
    )
    ids = ids_of(ref.key, comparison.same_statements) if kind.id == SQL else None
    return Entity(
        ref=Ref(kind.id, collector.printed.get(kind.same(ref.key), ref.key)),
        kind=kind,
        first=collector.first,
        second=collector.second,
        parts=tuple(sorted(collector.parts, key=lambda p: not is_own_table(p.section, kind))),
        mentions=tuple(collector.mentions),
        findings=findings,
        cited=cited,
        statements=join_statements(
            collector.printed.get(ref.key, ref.key), [p.section for p in collector.parts], ids, comparison.headers
        )
        if ids
        else (),
        ids=ids,
    )


class _Collector:
    def __init__(self, kind: EntityKind, wanted: set[str]) -> None:
        self.kind, self.wanted = kind, wanted
        self.first = self.second = False
        self.printed: dict[str, str] = {}
        self.parts: list[SectionRows] = []
        self.mentions: list[SectionRows] = []
        self._prose = _in_prose(kind, frozenset(wanted))

    def look_at(self, section: ComparedSection) -> None:
        columns = frozenset(c.id for c in section.columns)
        rows, mentions = [], []
        for row in section.rows:
            if self._names(row, columns):
                rows.append(row)
            elif self._mentions(row, section):
                mentions.append(row)
        if rows:
            self.parts.append(_part(section, rows))
        if mentions:
            self.mentions.append(_part(section, mentions))

    def _names(self, row: ComparedRow, columns: frozenset[str]) -> bool:
        is_named = False
        for key, first, second in keys_named(row, columns, self.kind):
            same = self.kind.same(key)
            if same in self.wanted:
                is_named = True
                self.first, self.second = self.first or first, self.second or second
                if second or same not in self.printed:
                    self.printed[same] = key
        return is_named

    def _mentions(self, row: ComparedRow, section: ComparedSection) -> bool:
        if self._prose is None:
            return False
        if ADDM.match(section.id):
            return any(self._prose.search(text) for text in _texts(row))
        if self.kind.id != OBJECT or _TEXT not in row.values:
            return False
        return any(self._prose.search(t) for t in row.values[_TEXT][:2] if isinstance(t, str))


def statements_naming(subject: Entity) -> tuple[Ref, ...]:
    named_by = (
        ref
        for part in subject.mentions
        if not ADDM.match(part.section.id)
        for row in part.section.rows
        for ref in refs(row, frozenset(c.id for c in part.section.columns)).values()
        if ref.kind == SQL
    )
    return tuple(dict.fromkeys(named_by))


def _part(section: ComparedSection, rows: Sequence[ComparedRow]) -> SectionRows:
    return SectionRows(replace(section, rows=tuple(rows[:MOST_ROWS])), max(0, len(rows) - MOST_ROWS))


def _texts(row: ComparedRow) -> Iterator[str]:
    yield from row.key.values()
    yield from (side for delta in row.values.values() for side in delta[:2] if isinstance(side, str))


@lru_cache(maxsize=64)
def _in_prose(kind: EntityKind, wanted: frozenset[str]) -> re.Pattern[str] | None:
    names = {key.partition(".")[2] or key if kind.id == OBJECT else key for key in wanted}
    names = {n for n in names if len(n) >= _LEAST_MENTIONED}
    if not names:
        return None
    return re.compile(rf"(?<![\w$#])(?:{'|'.join(map(re.escape, sorted(names)))})(?![\w$#])", re.IGNORECASE)


def _is_about(finding: Finding, kind: EntityKind, wanted: set[str]) -> bool:
    subject = finding.subject
    return subject is not None and subject.kind == kind.id and kind.same(subject.key) in wanted


def is_own_table(section: ComparedSection | Section, kind: EntityKind) -> bool:
    return any(set(way.columns) <= set(section.key) for way in kind.ways)

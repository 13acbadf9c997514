"""Rows of one report that name an entity, by section."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct

from awrdiff.analysis.entities.kinds import LONGEST_KEY, EntityKind, Ref, Way, ways_in
from awrdiff.analysis.entities.two_report_entity import is_own_table
from awrdiff.analysis.model.comparison import row_id
from awrdiff.analysis.rows.align import cell_text, keyed_rows
from parsers.model import Row, Section


class SectionRows(Struct, frozen=True):
    """Section, and its rows that name the entity, by anchor."""

    section: Section
    rows: Mapping[str, Row]


def refs_of(section: Section, record: Row) -> dict[str, Ref]:
    """By last naming column."""
    by_column: dict[str, Ref] = {}
    for kind, way in ways_in(frozenset(section.index)):
        key = _key(way, section, record)
        if key and len(key) <= LONGEST_KEY:
            by_column.setdefault(way.columns[-1], Ref(kind.id, key))
    return by_column


def rows_with_anchors(section: Section) -> Iterator[tuple[str, Row]]:
    """Anchors as in a comparison; none without key."""
    if not section.key:
        yield from (("", r) for r in section.records)
        return
    yield from ((row_id(section.id, key), r) for key, r in keyed_rows(section, section.key).items())


def named_in(sections: Iterable[Section], kind: EntityKind, key: str) -> tuple[SectionRows, ...]:
    wanted = kind.same(key)
    sections_with_rows = [SectionRows(s, rows) for s in sections if (rows := dict(_rows(s, kind, wanted)))]
    return tuple(sorted(sections_with_rows, key=lambda part: not is_own_table(part.section, kind)))


def _rows(section: Section, kind: EntityKind, wanted: str) -> Iterator[tuple[str, Row]]:
    ways = [way for other, way in ways_in(frozenset(section.index)) if other.id == kind.id]
    for at, (anchor, record) in enumerate(rows_with_anchors(section) if ways else ()):
        if any((key := _key(way, section, record)) and kind.same(key) == wanted for way in ways):
            yield anchor or f"#{at}", record


def _key(way: Way, section: Section, record: Row) -> str:
    return way.key([cell_text(section.cell(record, c)) for c in way.columns])

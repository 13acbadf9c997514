"""What one report by itself prints of a thing: the rows that name it, section by section, as they are printed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct

from awrdiff.analysis.entities.kinds import LONGEST_KEY, EntityKind, Ref, Way, ways_in
from awrdiff.analysis.rows.align import cell_text, keyed_rows, row_id
from parsers.model import Row, Section


class Named(Struct, frozen=True):
    """One section, and which of its rows name the thing: their anchors, as on the page of the report."""

    section: Section
    rows: Mapping[str, Row]


def refs_of(section: Section, record: Row) -> dict[str, Ref]:
    """What a row's columns name, each by the last column that names it."""
    found: dict[str, Ref] = {}
    for kind, way in ways_in(frozenset(section.index)):
        key = _key(way, section, record)
        if key and len(key) <= LONGEST_KEY:
            found.setdefault(way.columns[-1], Ref(kind.id, key))
    return found


def rows_with_anchors(section: Section) -> Iterator[tuple[str, Row]]:
    """Every row with its anchor, the same as in a comparison; none where the section has no key."""
    if not section.key:
        yield from (("", r) for r in section.records)
        return
    yield from ((row_id(section.id, key), r) for key, r in keyed_rows(section, section.key).items())


def named_in(sections: Iterable[Section], kind: EntityKind, key: str) -> tuple[Named, ...]:
    """In the order of the report; the tables of such things first."""
    wanted = kind.same(key)
    found = [Named(s, rows) for s in sections if (rows := dict(_rows(s, kind, wanted)))]
    return tuple(sorted(found, key=lambda one: not _is_own(one.section, kind)))


def _rows(section: Section, kind: EntityKind, wanted: str) -> Iterator[tuple[str, Row]]:
    ways = [way for other, way in ways_in(frozenset(section.index)) if other.id == kind.id]
    for at, (anchor, record) in enumerate(rows_with_anchors(section) if ways else ()):
        if any((key := _key(way, section, record)) and kind.same(key) == wanted for way in ways):
            yield anchor or f"#{at}", record


def _key(way: Way, section: Section, record: Row) -> str:
    return way.key([cell_text(section.cell(record, c)) for c in way.columns])


def _is_own(section: Section, kind: EntityKind) -> bool:
    return any(set(way.columns) <= set(section.key) for way in kind.ways)


__all__ = ["Named", "named_in", "refs_of", "rows_with_anchors"]

"""What an anchor names, and what stands there: the same in the address of a page, in a pin or a thread, and after a
recomputation.

`foreground_wait_events/5d41402a` is a row, `foreground_wait_events` a section with its chart or table,
`finding:sql-dominant/5d41402a` what a rule says of one subject, `entity:event/log file sync` all that is printed of a
thing, `summary` the comparison itself, `unaccounted` the DB time that is neither on CPU nor in a wait. A row's id is a
hash of its section and key, the same both ways round; so is a subject's of its kind and key.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TypeAlias
from uuid import UUID

from awrdiff.accounts.access import NotFound
from awrdiff.analysis.export.outline import row_said
from awrdiff.analysis.export.packed import unpack_block
from awrdiff.analysis.model.comparison import Comparison as Computed
from awrdiff.analysis.model.comparison import Finding
from awrdiff.analysis.model.single import SingleFinding
from awrdiff.analysis.rows.align import row_id
from awrdiff.analysis.verdict.attribution import unaccounted
from awrdiff.comparisons import entities, queries
from awrdiff.comparisons.models import Comparison
from awrdiff.reports.parts import Wanted, part_of
from parsers.storage import blocks

FINDING, ENTITY = "finding:", "entity:"
LONGEST, LONGEST_TEXT = 200, 300
MOST_FIGURES, MOST_CONSUMERS = 12, 4
WATERFALL, WHOLE, UNACCOUNTED = "time", "summary", "unaccounted"
OF_THE_PAGE = {
    WHOLE: "The whole comparison",
    WATERFALL: "Where the time went",
    UNACCOUNTED: "DB time unaccounted for",
    "commit": "Commit latency",
}


@dataclass(frozen=True, slots=True)
class Standing:
    """What stands at an anchor: its title, the section it is of, its figures as labels and texts."""

    title: str
    place: str = ""
    figures: tuple[tuple[str, str], ...] = ()


def of_finding(finding: Finding | SingleFinding) -> str:
    """A rule may speak of several statements or objects: each finding has an anchor of its own."""
    about = finding.subject
    return f"{FINDING}{finding.rule}{f'/{row_id(finding.rule, (about.kind, about.key))}' if about else ''}"


@dataclass(frozen=True, slots=True)
class Anchored:
    """An anchor in one pair of a comparison."""

    comparison: Comparison
    anchor: str
    pair: int

    @property
    def of(self) -> tuple[UUID, int]:
        return self.comparison.pk, self.pair

    @property
    def section(self) -> str:
        """Of a row or a section; "" of what the overview has."""
        above = self.anchor.startswith((FINDING, ENTITY)) or self.anchor in OF_THE_PAGE
        return "" if above else self.anchor.partition("/")[0]

    @property
    def is_computed(self) -> bool:
        """What stands there is in the overview."""
        return self.anchor in (WATERFALL, UNACCOUNTED) or self.anchor.startswith(FINDING)

    @property
    def row(self) -> str:
        return self.anchor.partition("/")[2] if self.section else ""


def standing(comparison: Comparison, anchor: str, pair: int) -> Standing | None:
    """None where the anchor matches nothing (any more)."""
    return standings([Anchored(comparison, anchor, pair)])[0]


def standings(places: Sequence[Anchored]) -> list[Standing | None]:
    """The same of many at once: each overview and each section is read once, sections of all comparisons together.

    Only things ask for themselves.
    """
    found = {**_overviews(places), **_rows([one for one in places if one.row])}
    found |= _sections([one for one in places if one.section and not one.row])
    return [found.get((*one.of, one.anchor)) for one in places]


_Found: TypeAlias = dict[tuple[UUID, int, str], Standing | None]


def _overviews(places: Sequence[Anchored]) -> _Found:
    """What stands in the overviews, each of which is read once, if at all."""
    found: _Found = {}
    by_overview = sorted((one for one in places if not one.section), key=lambda one: one.of)
    for key, group in groupby(by_overview, key=lambda one: one.of):
        computed: Computed | None = None
        for one in group:
            try:
                if one.is_computed:
                    computed = computed or queries.overview(one.comparison, one.pair)
                found[*key, one.anchor] = _of_overview(one, computed)
            except NotFound:
                continue
    return found


def _of_overview(one: Anchored, computed: Computed | None) -> Standing | None:
    if one.anchor.startswith(ENTITY):
        return _entity(one)
    if one.anchor == UNACCOUNTED:
        return _unaccounted(computed)
    if one.anchor in OF_THE_PAGE:
        figures = _consumers(computed) if computed and one.anchor == WATERFALL else ()
        return Standing(OF_THE_PAGE[one.anchor], "", figures)
    found = next((f for f in computed.findings if of_finding(f) == one.anchor), None) if computed else None
    return Standing(cut(found.title), "What stands out", (("", cut(found.text)),)) if found else None


def _rows(places: Sequence[Anchored]) -> _Found:
    wanted: dict[tuple[UUID, int, str], set[str]] = {}
    for one in places:
        wanted.setdefault((*one.of, one.section), set()).add(one.row)
    found: _Found = {}
    for (comparison, pair, section_id), payload in queries.payloads(wanted):
        for row, standing in _in_section(payload, wanted[comparison, pair, section_id]):
            found[comparison, pair, f"{section_id}/{row}"] = standing
    return found


def _in_section(payload: bytes, ids: Collection[str]) -> Iterator[tuple[str, Standing]]:
    """Of those ids the rows that there are; blocks without any are not read."""
    packed = blocks.Packed(payload)
    for number in {part_of(packed, Wanted(row=one), lambda _: None) for one in ids}:
        section = unpack_block(packed, number)
        for row in section.rows:
            if row.row_id in ids:
                name, said = row_said(section, row)
                figures = tuple((cut(a), cut(b)) for a, b in said[:MOST_FIGURES])
                yield row.row_id, Standing(cut(name or section.title), cut(section.title), figures)


def _sections(places: Sequence[Anchored]) -> _Found:
    return {
        (one.comparison_id, one.pair, one.section_id): Standing(
            cut(one.title), "", (("", f"{one.changed} of {one.rows} rows changed"),)
        )
        for one in queries.counts({(*one.of, one.section) for one in places})
    }


def _entity(place: Anchored) -> Standing:
    """Its figures are those of the first section that lists it."""
    kind, _, key = place.anchor.removeprefix(ENTITY).partition("/")
    found = entities.find_entity(place.comparison, kind, key, place.pair)
    rows = next(((part.section, row) for part in found.parts for row in part.section.rows), None)
    figures = row_said(*rows)[1][:MOST_FIGURES] if rows else []
    return Standing(cut(found.name), cut(found.kind.name), tuple((cut(a), cut(b)) for a, b in figures))


def _consumers(computed: Computed) -> tuple[tuple[str, str], ...]:
    """Where most of the difference lies, in active sessions."""
    parts = computed.attribution.parts if computed.attribution else ()
    return tuple((cut(p.key), f"{p.diff_per_s:+.2f}") for p in parts if abs(p.diff_per_s) >= 0.005)[:MOST_CONSUMERS]


def _unaccounted(computed: Computed | None) -> Standing | None:
    """In active sessions; a side of which waits and CPU come to more than DB time has no figure."""
    rest = unaccounted(computed.attribution) if computed and computed.attribution else None
    if rest is None:
        return None
    *sides, change = rest
    said = tuple(("–" if side is None else f"{side:.2f}") for side in sides)
    figures = (*zip(("First", "Second"), said, strict=True), ("change", f"{change:+.2f}"))
    return Standing(OF_THE_PAGE[UNACCOUNTED], OF_THE_PAGE[WATERFALL], figures)


def cut(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LONGEST_TEXT else f"{line[: LONGEST_TEXT - 1]}…"

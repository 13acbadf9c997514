"""Anchors, stable across addresses, pins, threads and recomputation.

`foreground_wait_events/5d41402a` is a row, `foreground_wait_events` a section, `finding:sql-dominant/5d41402a` a
finding, `entity:event/log file sync` an entity; also `summary` and `unaccounted`. Ids hash section and key, equal in
both directions.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TypeAlias
from uuid import UUID

from awrdiff.accounts.access import NotFound
from awrdiff.analysis.export.comparison_json import unpack_block
from awrdiff.analysis.export.outline import row_said
from awrdiff.analysis.model.comparison import Comparison as Computed
from awrdiff.analysis.model.comparison import Finding
from awrdiff.analysis.model.single_report import SingleFinding
from awrdiff.analysis.rows.align import row_id
from awrdiff.analysis.verdict.active_sessions_attribution import unaccounted
from awrdiff.comparisons import queries
from awrdiff.comparisons.models import Comparison
from awrdiff.reports.section_pages import Wanted, part_of
from parsers.storage import compressed_blocks

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
    title: str
    place: str = ""
    figures: tuple[tuple[str, str], ...] = ()


def of_finding(finding: Finding | SingleFinding) -> str:
    """Anchor of a finding; a rule may have several subjects."""
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
        """ "" in the overview."""
        above = self.anchor.startswith((FINDING, ENTITY)) or self.anchor in OF_THE_PAGE
        return "" if above else self.anchor.partition("/")[0]

    @property
    def is_computed(self) -> bool:
        return self.anchor in (WATERFALL, UNACCOUNTED) or self.anchor.startswith(FINDING)

    @property
    def row(self) -> str:
        return self.anchor.partition("/")[2] if self.section else ""


def standing(comparison: Comparison, anchor: str, pair: int) -> Standing | None:
    """None where the anchor matches nothing (any more)."""
    return standings([Anchored(comparison, anchor, pair)])[0]


def standings(places: Sequence[Anchored]) -> list[Standing | None]:
    """Each overview and section is read once, entities singly."""
    by_anchor = {**_overviews(places), **_rows([place for place in places if place.row])}
    by_anchor |= _sections([place for place in places if place.section and not place.row])
    return [by_anchor.get((*place.of, place.anchor)) for place in places]


_Standings: TypeAlias = dict[tuple[UUID, int, str], Standing | None]


def _overviews(places: Sequence[Anchored]) -> _Standings:
    by_anchor: _Standings = {}
    by_overview = sorted((place for place in places if not place.section), key=lambda place: place.of)
    for key, group in groupby(by_overview, key=lambda place: place.of):
        computed: Computed | None = None
        for overview_place in group:
            try:
                if overview_place.is_computed:
                    computed = computed or queries.overview(overview_place.comparison, overview_place.pair)
                by_anchor[*key, overview_place.anchor] = _of_overview(overview_place, computed)
            except NotFound:
                continue
    return by_anchor


def _of_overview(place: Anchored, computed: Computed | None) -> Standing | None:
    if place.anchor.startswith(ENTITY):
        return _entity(place)
    if place.anchor == UNACCOUNTED:
        return _unaccounted(computed)
    if place.anchor in OF_THE_PAGE:
        figures = _consumers(computed) if computed and place.anchor == WATERFALL else ()
        return Standing(OF_THE_PAGE[place.anchor], "", figures)
    finding = next((f for f in computed.findings if of_finding(f) == place.anchor), None) if computed else None
    return Standing(cut(finding.title), "What stands out", (("", cut(finding.text)),)) if finding else None


def _rows(places: Sequence[Anchored]) -> _Standings:
    wanted: dict[tuple[UUID, int, str], set[str]] = {}
    for place in places:
        wanted.setdefault((*place.of, place.section), set()).add(place.row)
    by_anchor: _Standings = {}
    for (comparison, pair, section_id), payload in queries.payloads(wanted):
        for row, standing in _in_section(payload, wanted[comparison, pair, section_id]):
            by_anchor[comparison, pair, f"{section_id}/{row}"] = standing
    return by_anchor


def _in_section(payload: bytes, ids: Collection[str]) -> Iterator[tuple[str, Standing]]:
    packed = compressed_blocks.Packed(payload)
    for number in {part_of(packed, Wanted(row=wanted_id), lambda _: None) for wanted_id in ids}:
        section = unpack_block(packed, number)
        for row in section.rows:
            if row.row_id in ids:
                name, row_text = row_said(section, row)
                figures = tuple((cut(a), cut(b)) for a, b in row_text[:MOST_FIGURES])
                yield row.row_id, Standing(cut(name or section.title), cut(section.title), figures)


def _sections(places: Sequence[Anchored]) -> _Standings:
    return {
        (place.comparison_id, place.pair, place.section_id): Standing(
            cut(place.title), "", (("", f"{place.changed} of {place.rows} rows changed"),)
        )
        for place in queries.counts({(*key.of, key.section) for key in places})
    }


def _entity(place: Anchored) -> Standing:
    kind, _, key = place.anchor.removeprefix(ENTITY).partition("/")
    named_entity = queries.find_entity(place.comparison, kind, key, place.pair)
    rows = next(((part.section, row) for part in named_entity.parts for row in part.section.rows), None)
    figures = row_said(*rows)[1][:MOST_FIGURES] if rows else []
    return Standing(cut(named_entity.name), cut(named_entity.kind.name), tuple((cut(a), cut(b)) for a, b in figures))


def _consumers(computed: Computed) -> tuple[tuple[str, str], ...]:
    parts = computed.attribution.parts if computed.attribution else ()
    return tuple((cut(p.key), f"{p.diff_per_s:+.2f}") for p in parts if abs(p.diff_per_s) >= 0.005)[:MOST_CONSUMERS]


def _unaccounted(computed: Computed | None) -> Standing | None:
    """Active sessions; no figure where waits and CPU exceed DB time."""
    rest = unaccounted(computed.attribution) if computed and computed.attribution else None
    if rest is None:
        return None
    *sides, change = rest
    side_texts = tuple(("–" if side is None else f"{side:.2f}") for side in sides)
    figures = (*zip(("First", "Second"), side_texts, strict=True), ("change", f"{change:+.2f}"))
    return Standing(OF_THE_PAGE[UNACCOUNTED], OF_THE_PAGE[WATERFALL], figures)


def cut(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LONGEST_TEXT else f"{line[: LONGEST_TEXT - 1]}…"

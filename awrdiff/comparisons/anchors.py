"""Anchors, stable across addresses, pins, threads and recomputation.

`foreground_wait_events/5d41402a` is a row, `foreground_wait_events` a section, `finding:sql-dominant/5d41402a` a
finding, `entity:event/log file sync` an entity; also `summary` and `unaccounted`. Ids hash section and key, equal in
both directions. They are of a pair, or of a baseline view of places: `0,1,2/3` is the fourth against the first three.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias
from uuid import UUID

from awrdiff.accounts.access import NotFound
from awrdiff.analysis.baseline.baseline_sentences import (
    baseline_name,
    hour_text,
    rows_outside_text,
    sessions_text,
    unlike_members_text,
)
from awrdiff.analysis.baseline.section_vs_median import BaselineSelection, rows_outside
from awrdiff.analysis.export.baseline import row_texts as row_texts_in_view
from awrdiff.analysis.export.comparison_json import unpack_block
from awrdiff.analysis.export.outline import row_texts
from awrdiff.analysis.model.comparison import Comparison as Computed
from awrdiff.analysis.model.comparison import Finding, row_id
from awrdiff.analysis.model.single_report import SingleFinding
from awrdiff.analysis.rows.materiality import DEFAULT
from awrdiff.comparisons import baseline_reports, queries
from awrdiff.comparisons.errors import ComparisonRefused
from awrdiff.comparisons.median_comparison import against_median
from awrdiff.comparisons.models import Comparison, ComparisonReport
from awrdiff.processing.storable_values import storable, storable_text
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
_VIEW = re.compile(r"([0-9]{1,2}(?:,[0-9]{1,2}){0,30})/([0-9]{1,2})")


class PairOrView(NamedTuple):
    pair: int = 0
    baseline: BaselineSelection | None = None


def view_text(view: BaselineSelection | None) -> str:
    """ "" for a pair."""
    return "" if view is None else f"{','.join(map(str, view.members))}/{view.second}"


def view_of(text: str) -> BaselineSelection | None:
    """None for what is no view of several reports."""
    match = _VIEW.fullmatch(text)
    if match is None:
        return None
    second, members = int(match[2]), sorted({int(n) for n in match[1].split(",")})
    return BaselineSelection(tuple(members), second) if second not in members else None


def pair_or_view(pair: int, view: str) -> PairOrView:
    stored = view_of(view)
    return PairOrView(pair) if stored is None else PairOrView(0, stored)


@dataclass(frozen=True, slots=True)
class Standing:
    title: str
    place: str = ""
    figures: tuple[tuple[str, str], ...] = ()

    @classmethod
    def then(cls, row: Any) -> Standing:
        """As a pin, thread or piece of evidence keeps it."""
        return cls(row.title, row.place, tuple((label, text) for label, text in row.figures))

    @property
    def columns(self) -> dict[str, Any]:
        """Columns of such a row."""
        return {
            "title": storable_text(self.title),
            "place": storable_text(self.place),
            "figures": storable(self.figures),
        }


def of_finding(finding: Finding | SingleFinding) -> str:
    """Anchor of a finding; a rule may have several subjects."""
    about = finding.subject
    return f"{FINDING}{finding.rule}{f'/{row_id(finding.rule, (about.kind, about.key))}' if about else ''}"


_Key: TypeAlias = tuple[UUID, int, BaselineSelection | None]  # a comparison, a pair or a view of it


@dataclass(frozen=True, slots=True)
class Anchored:
    """An anchor in one pair or view of a comparison."""

    comparison: Comparison
    anchor: str
    pair: int = 0
    view: BaselineSelection | None = None

    @property
    def of(self) -> _Key:
        return self.comparison.pk, self.pair, self.view

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

    @property
    def columns(self) -> dict[str, Any]:
        """Columns of a pin, thread or piece of evidence there."""
        return {"anchor": self.anchor, "pair": 0 if self.view else self.pair, "baseline": view_text(self.view)}


def standing(
    comparison: Comparison, anchor: str, pair: int = 0, view: BaselineSelection | None = None
) -> Standing | None:
    """None where the anchor matches nothing (any more)."""
    return standings([Anchored(comparison, anchor, pair, view)])[0]


def columns_at(
    comparison: Comparison, anchor: str, pair: int, view: BaselineSelection | None
) -> tuple[dict[str, Any], dict[str, Any]] | None:
    """Columns of a place and of what stands there; None where nothing does, or nothing is computed."""
    place = Anchored(comparison, storable_text(anchor), pair, view)
    if len(place.anchor) > LONGEST or not comparison.is_ready or (present := standings([place])[0]) is None:
        return None
    return place.columns, present.columns


_Standings: TypeAlias = dict[tuple[UUID, int, BaselineSelection | None, str], Standing | None]


def standings(places: Sequence[Anchored]) -> list[Standing | None]:
    """Each overview, table and section is read once, entities singly."""
    of_pairs = [place for place in places if place.view is None]
    by_anchor = {**_overviews(of_pairs), **_rows([place for place in of_pairs if place.row])}
    by_anchor |= _sections([place for place in of_pairs if place.section and not place.row])
    by_anchor |= _views([place for place in places if place.view is not None])
    return [by_anchor.get((*place.of, place.anchor)) for place in places]


def _overviews(places: Sequence[Anchored]) -> _Standings:
    by_anchor: _Standings = {}
    overviews: dict[_Key, Computed] = {}
    for place in places:
        if place.section:
            continue
        try:
            if place.is_computed and place.of not in overviews:
                overviews[place.of] = queries.overview(place.comparison, place.pair)
            by_anchor[*place.of, place.anchor] = _of_overview(place, overviews.get(place.of))
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
    findings = computed.findings if computed else ()
    return next((_finding(finding) for finding in findings if of_finding(finding) == place.anchor), None)


def _finding(finding: Finding, *where: str) -> Standing:
    return Standing(cut(finding.title), cut(", ".join(("What stands out", *where))), (("", cut(finding.text)),))


def _rows(places: Sequence[Anchored]) -> _Standings:
    wanted: dict[tuple[UUID, int, str], set[str]] = {}
    for place in places:
        wanted.setdefault((place.comparison.pk, place.pair, place.section), set()).add(place.row)
    by_anchor: _Standings = {}
    for (comparison, pair, section_id), payload in queries.payloads(wanted):
        for row, standing in _in_section(payload, wanted[comparison, pair, section_id]):
            by_anchor[comparison, pair, None, f"{section_id}/{row}"] = standing
    return by_anchor


def _in_section(payload: bytes, ids: Collection[str]) -> Iterator[tuple[str, Standing]]:
    packed = compressed_blocks.Packed(payload)
    for number in {part_of(packed, Wanted(row=wanted_id), lambda _: None) for wanted_id in ids}:
        section = unpack_block(packed, number)
        for row in section.rows:
            if row.row_id in ids:
                name, figures = row_texts(section, row)
                yield row.row_id, _row(name or section.title, section.title, figures)


def _row(name: str, place: str, figures: Sequence[tuple[str, str]]) -> Standing:
    return Standing(cut(name), cut(place), tuple((cut(label), cut(text)) for label, text in figures[:MOST_FIGURES]))


def _sections(places: Sequence[Anchored]) -> _Standings:
    return {
        (place.comparison_id, place.pair, None, place.section_id): Standing(
            cut(place.title), "", (("", f"{place.changed} of {place.rows} rows changed"),)
        )
        for place in queries.counts({(key.comparison.pk, key.pair, key.section) for key in places})
    }


def _entity(place: Anchored) -> Standing:
    kind, _, key = place.anchor.removeprefix(ENTITY).partition("/")
    named_entity = queries.find_entity(place.comparison, kind, key, place.pair)
    rows = next(((part.section, row) for part in named_entity.parts for row in part.section.rows), None)
    return _row(named_entity.name, named_entity.kind.name, row_texts(*rows)[1] if rows else ())


def _consumers(computed: Computed) -> tuple[tuple[str, str], ...]:
    parts = computed.attribution.parts if computed.attribution else ()
    return tuple((cut(p.key), f"{p.diff_per_s:+.2f}") for p in parts if abs(p.diff_per_s) >= 0.005)[:MOST_CONSUMERS]


def _unaccounted(computed: Computed | None) -> Standing | None:
    """Active sessions; no figure where waits and CPU exceed DB time."""
    rest = computed.attribution.unaccounted if computed and computed.attribution else None
    if rest is None:
        return None
    *sides, change = rest
    side_texts = tuple(("–" if side is None else f"{side:.2f}") for side in sides)
    figures = (*zip(("First", "Second"), side_texts, strict=True), ("change", f"{change:+.2f}"))
    return Standing(OF_THE_PAGE[UNACCOUNTED], OF_THE_PAGE[WATERFALL], figures)


def _views(places: Sequence[Anchored]) -> _Standings:
    reports = {
        pk: baseline_reports.compared_places(of) for pk, of in {p.comparison.pk: p.comparison for p in places}.items()
    }
    tables: dict[tuple[UUID, int, BaselineSelection, str], set[str]] = {}
    for place in places:
        if place.view is not None and max(place.view.all) < len(reports[place.comparison.pk]):
            tables.setdefault((place.comparison.pk, place.pair, place.view, place.section), set()).add(place.anchor)
    return {
        (pk, pair, view, anchor): view_standing
        for (pk, pair, view, section_id), anchors in tables.items()
        for anchor, view_standing in _of_view(reports[pk], view, section_id, anchors)
    }


def _of_view(
    reports: Sequence[ComparisonReport], view: BaselineSelection, section_id: str, anchors: Collection[str]
) -> Iterator[tuple[str, Standing]]:
    heads = baseline_reports.heads_of(reports)
    hour = f"{hour_text(heads[view.second])} against {baseline_name(len(view.members))}"
    words = cut(", ".join(p for p in (hour, unlike_members_text(heads, view)) if p))
    yield from ((anchor, Standing(OF_THE_PAGE[anchor], words)) for anchor in OF_THE_PAGE.keys() & anchors)
    if WHOLE in anchors:
        busy = sessions_text(baseline_reports.measures_of(reports), view)
        yield WHOLE, Standing(words[:1].upper() + words[1:], "", (("", cut(busy)),) if busy else ())
    try:
        if section_id:
            yield from _of_table(reports, view, section_id, anchors, words)
        elif any(anchor.startswith(FINDING) for anchor in anchors):
            findings = against_median(reports, view).overview.findings
            yield from ((of_finding(finding), _finding(finding, words)) for finding in findings)
    except (NotFound, ComparisonRefused):
        return


def _of_table(
    reports: Sequence[ComparisonReport], view: BaselineSelection, section_id: str, anchors: Collection[str], words: str
) -> Iterator[tuple[str, Standing]]:
    row_ids = {anchor.partition("/")[2] for anchor in anchors}
    against = baseline_reports.held_against(reports, view, section_id, None if "" in row_ids else row_ids)[0]
    section = against.section
    if "" in row_ids:
        count = rows_outside_text(len(rows_outside(against, DEFAULT)), len(section.rows))
        yield section_id, Standing(cut(section.title), words, (("", count),))
    for row in section.rows:
        if row.row_id in row_ids:
            name, figures = row_texts_in_view(against, row)
            yield f"{section_id}/{row.row_id}", _row(name, f"{section.title}, {words}", figures)


def cut(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LONGEST_TEXT else f"{line[: LONGEST_TEXT - 1]}…"

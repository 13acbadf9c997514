"""Anchors in a baseline view: rows, sections, findings, or `summary`.

A view is places: `0,1,2/3` is the fourth against the first three.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple
from uuid import UUID

from awrdiff.accounts.access import NotFound
from awrdiff.analysis.baseline.baseline_sentences import (
    baseline_said,
    hour_said,
    outside_said,
    sessions_said,
    unlike_members_text,
)
from awrdiff.analysis.baseline.section_vs_median import Against, BaselineSelection, rows_outside
from awrdiff.analysis.export.baseline import row_said
from awrdiff.analysis.model.comparison import ComparedRow
from awrdiff.analysis.rows.materiality import DEFAULT
from awrdiff.comparisons import baseline_reports
from awrdiff.comparisons.anchors import FINDING, MOST_FIGURES, OF_THE_PAGE, WHOLE, Anchored, Standing, cut, of_finding
from awrdiff.comparisons.anchors import standings as pair_standings
from awrdiff.comparisons.errors import ComparisonRefused
from awrdiff.comparisons.median_comparison import against_median
from awrdiff.comparisons.models import Comparison, ComparisonReport

_VIEW = re.compile(r"([0-9]{1,2}(?:,[0-9]{1,2}){0,30})/([0-9]{1,2})")
ViewAnchor = tuple[BaselineSelection, str]  # a view, and an anchor in it


class PairOrView(NamedTuple):
    pair: int = 0
    baseline: BaselineSelection | None = None


def view_text(view: BaselineSelection) -> str:
    return f"{','.join(map(str, view.members))}/{view.second}"


def view_of(text: str) -> BaselineSelection | None:
    """None for what is no view of several reports."""
    match = _VIEW.fullmatch(text)
    if match is None:
        return None
    second, members = int(match[2]), sorted({int(n) for n in match[1].split(",")})
    return BaselineSelection(tuple(members), second) if second not in members else None


def stored_view(view: BaselineSelection | None) -> str:
    """ "" for a pair."""
    return "" if view is None else view_text(view)


def pair_or_view(pair: int, view: str) -> PairOrView:
    stored = view_of(view)
    return PairOrView(pair) if stored is None else PairOrView(0, stored)


def standing(comparison: Comparison, anchor: str, pair: int, view: BaselineSelection | None) -> Standing | None:
    """Content in the view, else pair; None if gone."""
    return all_standings([(Anchored(comparison, anchor, pair), view)])[0]


def all_standings(places: Sequence[tuple[Anchored, BaselineSelection | None]]) -> list[Standing | None]:
    of_pairs = iter(pair_standings([place for place, view in places if view is None]))
    views: dict[UUID, tuple[Comparison, list[ViewAnchor]]] = {}
    for anchored, place_view in places:
        if place_view is not None:
            views.setdefault(anchored.comparison.pk, (anchored.comparison, []))[1].append((place_view, anchored.anchor))
    by_comparison = {pk: standings(comparison, wanted) for pk, (comparison, wanted) in views.items()}
    return [
        next(of_pairs) if view is None else by_comparison[place.comparison.pk].get((view, place.anchor))
        for place, view in places
    ]


def standings(comparison: Comparison, wanted: Collection[ViewAnchor]) -> dict[ViewAnchor, Standing]:
    """Existing ones; each table is read once."""
    places = baseline_reports.compared_places(comparison) if wanted else []
    tables: dict[tuple[BaselineSelection, str], set[str]] = {}
    for own_view, anchor in wanted:
        if max(*own_view.members, own_view.second) < len(places):
            section, _, row = anchor.partition("/")
            tables.setdefault((own_view, section), set()).add(row)
    return {
        (view, f"{section}/{row}" if row else section): row_standing
        for (view, section), rows in tables.items()
        for row, row_standing in _of_table(places, view, section, rows)
    }


def _of_table(
    places: Sequence[ComparisonReport], view: BaselineSelection, section: str, rows: Collection[str]
) -> Iterator[tuple[str, Standing]]:
    view_words = _view_said(places, view)
    if section == WHOLE:
        yield from ((row, _whole(places, view, view_words)) for row in rows if not row)
        return
    if section.startswith(FINDING):
        yield from _of_findings(places, view, section, rows, view_words)
        return
    if section in OF_THE_PAGE:
        yield from ((row, Standing(OF_THE_PAGE[section], view_words)) for row in rows if not row)
        return
    try:
        against = baseline_reports.held_against(places, view, section, None if "" in rows else rows)[0]
    except (NotFound, ComparisonRefused):
        return
    if "" in rows:
        count = outside_said(len(rows_outside(against, DEFAULT)), len(against.section.rows))
        yield "", Standing(cut(against.section.title), view_words, (("", count),))
    yield from ((row.row_id, _row(against, row, view_words)) for row in against.section.rows if row.row_id in rows)


def _of_findings(
    places: Sequence[ComparisonReport], view: BaselineSelection, section: str, rows: Collection[str], view_words: str
) -> Iterator[tuple[str, Standing]]:
    try:
        findings = against_median(places, view).overview.findings
    except (NotFound, ComparisonRefused):
        return
    for finding in findings:
        rule, _, subject = of_finding(finding).partition("/")
        if rule == section and subject in rows:
            yield (
                subject,
                Standing(cut(finding.title), cut(f"What stands out, {view_words}"), (("", cut(finding.text)),)),
            )


def _row(against: Against, row: ComparedRow, view_words: str) -> Standing:
    name, figures = row_said(against, row)
    figure_texts = tuple((cut(label), cut(text)) for label, text in figures[:MOST_FIGURES])
    return Standing(cut(name), cut(f"{against.section.title}, {view_words}"), figure_texts)


def _whole(places: Sequence[ComparisonReport], view: BaselineSelection, view_words: str) -> Standing:
    busy = sessions_said(baseline_reports.measures_of(places), view)
    return Standing(view_words[:1].upper() + view_words[1:], "", (("", cut(busy)),) if busy else ())


def _view_said(places: Sequence[ComparisonReport], view: BaselineSelection) -> str:
    heads = baseline_reports.heads_of(places)
    view_words = f"{hour_said(heads[view.second])} against {baseline_said(len(view.members))}"
    return cut(", ".join(p for p in (view_words, unlike_members_text(heads, view)) if p))

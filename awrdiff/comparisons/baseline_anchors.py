"""What an anchor names where a report is held against a baseline of several: a row or a section of that view, with the
median and range of the baseline as First, or what a rule says there; `summary` is the view itself.

A view is the places of the reports in the comparison: `0,1,2/3` is the fourth against the first three.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple
from uuid import UUID

from awrdiff.accounts.access import NotFound
from awrdiff.analysis.baseline.against import Against, Chosen, rows_outside
from awrdiff.analysis.baseline.words import baseline_said, hour_said, outside_said, sessions_said, unlike_members_text
from awrdiff.analysis.export.baseline import row_said
from awrdiff.analysis.model.comparison import ComparedRow
from awrdiff.analysis.rows.material import DEFAULT
from awrdiff.comparisons import baselines
from awrdiff.comparisons.anchors import FINDING, MOST_FIGURES, OF_THE_PAGE, WHOLE, Anchored, Standing, cut, of_finding
from awrdiff.comparisons.anchors import standings as pair_standings
from awrdiff.comparisons.errors import ComparisonRefused
from awrdiff.comparisons.medians import against_median
from awrdiff.comparisons.models import Comparison, ComparisonReport

_VIEW = re.compile(r"([0-9]{1,2}(?:,[0-9]{1,2}){0,30})/([0-9]{1,2})")
Named = tuple[Chosen, str]  # a view, and an anchor in it


class Shown(NamedTuple):
    """What a page of a comparison shows: a pair or, of several reports, a view."""

    pair: int = 0
    chosen: Chosen | None = None


def view_text(chosen: Chosen) -> str:
    return f"{','.join(map(str, chosen.members))}/{chosen.second}"


def view_of(text: str) -> Chosen | None:
    """None for what is no view of several reports."""
    found = _VIEW.fullmatch(text)
    if found is None:
        return None
    second, members = int(found[2]), sorted({int(n) for n in found[1].split(",")})
    return Chosen(tuple(members), second) if second not in members else None


def stored_view(chosen: Chosen | None) -> str:
    """As a pin, a thread or evidence keeps it; "" where it is of a pair."""
    return "" if chosen is None else view_text(chosen)


def shown_of(pair: int, view: str) -> Shown:
    """What was kept."""
    chosen = view_of(view)
    return Shown(pair) if chosen is None else Shown(0, chosen)


def standing(comparison: Comparison, anchor: str, pair: int, chosen: Chosen | None) -> Standing | None:
    """What stands there in the view or, where none is chosen, in the pair; None where the anchor matches nothing."""
    return all_standings([(Anchored(comparison, anchor, pair), chosen)])[0]


def all_standings(places: Sequence[tuple[Anchored, Chosen | None]]) -> list[Standing | None]:
    """The same of many at once."""
    of_pairs = iter(pair_standings([one for one, chosen in places if chosen is None]))
    views: dict[UUID, tuple[Comparison, list[Named]]] = {}
    for one, chosen in places:
        if chosen is not None:
            views.setdefault(one.comparison.pk, (one.comparison, []))[1].append((chosen, one.anchor))
    held = {pk: standings(comparison, wanted) for pk, (comparison, wanted) in views.items()}
    return [
        next(of_pairs) if chosen is None else held[one.comparison.pk].get((chosen, one.anchor))
        for one, chosen in places
    ]


def standings(comparison: Comparison, wanted: Collection[Named]) -> dict[Named, Standing]:
    """Those that are there: each table is read once, however many of its rows are wanted."""
    places = baselines.compared_places(comparison) if wanted else []
    tables: dict[tuple[Chosen, str], set[str]] = {}
    for chosen, anchor in wanted:
        if max(*chosen.members, chosen.second) < len(places):
            section, _, row = anchor.partition("/")
            tables.setdefault((chosen, section), set()).add(row)
    return {
        (chosen, f"{section}/{row}" if row else section): found
        for (chosen, section), rows in tables.items()
        for row, found in _of_table(places, chosen, section, rows)
    }


def _of_table(
    places: Sequence[ComparisonReport], chosen: Chosen, section: str, rows: Collection[str]
) -> Iterator[tuple[str, Standing]]:
    """Of the section itself where a row is "", else of the rows that it has."""
    said = _view_said(places, chosen)
    if section == WHOLE:
        yield from ((row, _whole(places, chosen, said)) for row in rows if not row)
        return
    if section.startswith(FINDING):
        yield from _of_findings(places, chosen, section, rows, said)
        return
    if section in OF_THE_PAGE:
        yield from ((row, Standing(OF_THE_PAGE[section], said)) for row in rows if not row)
        return
    try:
        held = baselines.held_against(places, chosen, section, None if "" in rows else rows)[0]
    except (NotFound, ComparisonRefused):
        return
    if "" in rows:
        yield "", Standing(cut(held.section.title), said, (("", _count_text(held)),))
    yield from ((row.row_id, _row(held, row, said)) for row in held.section.rows if row.row_id in rows)


def _of_findings(
    places: Sequence[ComparisonReport], chosen: Chosen, section: str, rows: Collection[str], said: str
) -> Iterator[tuple[str, Standing]]:
    """What the rules say against the median; `rows`: the subjects that are asked for."""
    try:
        found = against_median(places, chosen).overview.findings
    except (NotFound, ComparisonRefused):
        return
    for one in found:
        rule, _, subject = of_finding(one).partition("/")
        if rule == section and subject in rows:
            yield subject, Standing(cut(one.title), cut(f"What stands out, {said}"), (("", cut(one.text)),))


def _row(held: Against, row: ComparedRow, said: str) -> Standing:
    name, figures = row_said(held, row)
    shown = tuple((cut(label), cut(text)) for label, text in figures[:MOST_FIGURES])
    return Standing(cut(name), cut(f"{held.section.title}, {said}"), shown)


def _count_text(held: Against) -> str:
    return outside_said(len(rows_outside(held, DEFAULT)), len(held.section.rows))


def _whole(places: Sequence[ComparisonReport], chosen: Chosen, said: str) -> Standing:
    busy = sessions_said(baselines.measures_of(places), chosen)
    return Standing(said[:1].upper() + said[1:], "", (("", cut(busy)),) if busy else ())


def _view_said(places: Sequence[ComparisonReport], chosen: Chosen) -> str:
    """`Monday 14 Jan 2019 09:00–10:00 against the median of 5 reports, 1 of them unlike Second`"""
    heads = baselines.heads_of(places)
    said = f"{hour_said(heads[chosen.second])} against {baseline_said(len(chosen.members))}"
    return cut(", ".join(p for p in (said, unlike_members_text(heads, chosen)) if p))

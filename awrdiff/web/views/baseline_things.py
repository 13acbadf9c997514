"""One entity against a baseline of several reports."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from awrdiff.accounts.access import AccessContext, NotFound
from awrdiff.analysis.baseline.against import BaselineSelection
from awrdiff.analysis.baseline.words import baseline_said, unlike_said
from awrdiff.analysis.entities.entity import Entity
from awrdiff.analysis.entities.kinds import KINDS
from awrdiff.comparisons import baselines, queries
from awrdiff.comparisons.entities import find_entity as found_entity
from awrdiff.comparisons.errors import ComparisonRefused
from awrdiff.comparisons.models import Comparison, ComparisonReport
from awrdiff.web import links, options
from awrdiff.web.negotiate import cached_response
from awrdiff.web.presenters.baseline import entity as shown
from awrdiff.web.presenters.baseline.figures import basis_of
from awrdiff.web.views.baselines import RequestedView, title_of


def entity(
    request: HttpRequest,
    access: AccessContext,
    comparison: Comparison,
    kind_and_key: tuple[str, str],
    view: RequestedView,
) -> HttpResponse:
    """The htmx part or its own page; stored pairs tell the entity's rows."""
    version = (queries.version_of(access, comparison), baselines.version_of(view[0]))
    return cached_response(request, version, lambda: _answer(request, access, comparison, kind_and_key, view))


def pairs_of(selection: BaselineSelection) -> list[int]:
    """Second's own pair first, then those of the baseline's reports."""
    return list(dict.fromkeys(max(n - 1, 0) for n in (selection.second, *selection.members)))


def _answer(
    request: HttpRequest,
    access: AccessContext,
    comparison: Comparison,
    kind_and_key: tuple[str, str],
    view: RequestedView,
) -> HttpResponse:
    places, selection = view
    pair, entity = _entity_in_pairs(comparison, *kind_and_key, selection)
    tables = {part.section.id: {r.row_id for r in part.section.rows} for part in entity.parts}
    shown_tables = list(tables.items())[: shown.MOST_TABLES]
    named_tables = [
        table for section_id, rows in shown_tables if (table := _named_table(places, selection, section_id, rows))
    ]
    basis = basis_of(options.chosen_basis(request))
    more = len(tables) - len(shown_tables)
    in_panel = bool(getattr(request, "htmx", False))
    context = {
        "in_panel": in_panel,
        "v": shown.present(KINDS[kind_and_key[0]], kind_and_key[1], named_tables, basis, more),
    }
    context |= _addresses(access, comparison, entity, view, pair)
    heads = baselines.heads_of(places)
    context["unlike"] = unlike_said(heads, selection)
    if in_panel:
        return render(request, "baselines/_entity.html", {**context, "access": access, "rows_at": ""})
    context["title"] = title_of(heads, selection)
    return render(request, "baselines/entity.html", {**context, "access": access})


def _entity_in_pairs(comparison: Comparison, kind: str, key: str, selection: BaselineSelection) -> tuple[int, Entity]:
    """First pair that names it. Raises NotFound."""
    pairs = pairs_of(selection)
    for pair in pairs[:-1]:
        try:
            return pair, found_entity(comparison, kind, key, pair)
        except NotFound:
            continue
    return pairs[-1], found_entity(comparison, kind, key, pairs[-1])


def _named_table(
    places: list[ComparisonReport], selection: BaselineSelection, section_id: str, rows: set[str]
) -> shown.Named | None:
    """None if the table is too large, or printed by no chosen report."""
    try:
        return shown.Named(*baselines.held_against(places, selection, section_id, rows), rows)
    except (ComparisonRefused, NotFound):
        return None


def _addresses(
    access: AccessContext, comparison: Comparison, entity: Entity, view: RequestedView, pair: int
) -> dict[str, Any]:
    places, selection = view
    page_url, query = links.comparison(access, comparison), options.baseline_query(selection)
    own = f"{links.entities(access, comparison)}{entity.ref.path}"
    return {
        "baseline": baseline_said(len(selection.members)).capitalize(),
        "query": query,
        "entities_url": links.entities(access, comparison),
        "pair_url": f"{own}{options.pair_query(pair, len(places))}",
        "trend_url": links.trend(access, comparison),
        "back": f"{page_url}?{query}",
        "rows_at": f"{page_url}?{query}",
    }

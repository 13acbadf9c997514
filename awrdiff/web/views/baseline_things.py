"""One statement, event, object … against a baseline of several reports."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from awrdiff.accounts.access import AccessContext, NotFound
from awrdiff.analysis.baseline.against import Chosen
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
from awrdiff.web.views.baselines import Asked, title_of


def entity(
    request: HttpRequest, access: AccessContext, found: Comparison, named: tuple[str, str], asked: Asked
) -> HttpResponse:
    """`named`: kind and key. The part that htmx asks for, or a page of its own; which rows name it is told by the pairs
    that are stored."""
    version = (queries.version_of(access, found), baselines.version_of(asked[0]))
    return cached_response(request, version, lambda: _answer(request, access, found, named, asked))


def pairs_of(chosen: Chosen) -> list[int]:
    """Second's own pair first; then those of the baseline's reports."""
    return list(dict.fromkeys(max(n - 1, 0) for n in (chosen.second, *chosen.members)))


def _answer(
    request: HttpRequest, access: AccessContext, found: Comparison, named: tuple[str, str], asked: Asked
) -> HttpResponse:
    places, chosen = asked
    pair, entity = _entity_in_pairs(found, *named, chosen)
    tables = {part.section.id: {r.row_id for r in part.section.rows} for part in entity.parts}
    shown_tables = list(tables.items())[: shown.MOST_TABLES]
    held = [one for section_id, rows in shown_tables if (one := _held(places, chosen, section_id, rows))]
    basis = basis_of(options.chosen_basis(request))
    more = len(tables) - len(shown_tables)
    in_panel = bool(getattr(request, "htmx", False))
    context = {"in_panel": in_panel, "v": shown.present(KINDS[named[0]], named[1], held, basis, more)}
    context |= _addresses(access, found, entity, asked, pair)
    heads = baselines.heads_of(places)
    context["unlike"] = unlike_said(heads, chosen)
    if in_panel:
        return render(request, "baselines/_entity.html", {**context, "access": access, "rows_at": ""})
    context["title"] = title_of(heads, chosen)
    return render(request, "baselines/entity.html", {**context, "access": access})


def _entity_in_pairs(found: Comparison, kind: str, key: str, chosen: Chosen) -> tuple[int, Entity]:
    """The first of the pairs that names it. Raises NotFound."""
    pairs = pairs_of(chosen)
    for pair in pairs[:-1]:
        try:
            return pair, found_entity(found, kind, key, pair)
        except NotFound:
            continue
    return pairs[-1], found_entity(found, kind, key, pairs[-1])


def _held(places: list[ComparisonReport], chosen: Chosen, section_id: str, rows: set[str]) -> shown.Named | None:
    """None of a table that is too large to be held against the baseline, or that none of the chosen prints."""
    try:
        return shown.Named(*baselines.held_against(places, chosen, section_id, rows), rows)
    except (ComparisonRefused, NotFound):
        return None


def _addresses(access: AccessContext, found: Comparison, entity: Entity, asked: Asked, pair: int) -> dict[str, Any]:
    places, chosen = asked
    page_url, query = links.comparison(access, found), options.baseline_query(chosen)
    own = f"{links.entities(access, found)}{entity.ref.path}"
    return {
        "baseline": baseline_said(len(chosen.members)).capitalize(),
        "query": query,
        "entities_url": links.entities(access, found),
        "pair_url": f"{own}{options.pair_query(pair, len(places))}",
        "trend_url": links.trend(access, found),
        "back": f"{page_url}?{query}",
        "rows_at": f"{page_url}?{query}",
    }

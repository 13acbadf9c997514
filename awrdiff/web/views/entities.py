"""One statement, event or object: page and side panel."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from awrdiff.accounts.access import AccessContext, NotFound
from awrdiff.analysis.baseline.baseline_sentences import baseline_name, unlike_text
from awrdiff.analysis.baseline.section_vs_median import BaselineSelection
from awrdiff.analysis.entities.entity_json import as_dict
from awrdiff.analysis.entities.kinds import KINDS
from awrdiff.analysis.entities.single_report_entity import SectionRows
from awrdiff.analysis.entities.two_report_entity import Entity
from awrdiff.comparisons import baseline_reports as stored_baselines
from awrdiff.comparisons import queries
from awrdiff.comparisons.databases_of_comparisons import databases_of
from awrdiff.comparisons.errors import ComparisonRefused
from awrdiff.comparisons.models import Comparison
from awrdiff.comparisons.queries import find_entity as found_entity
from awrdiff.comparisons.report_places_and_titles import placed_reports_of
from awrdiff.databases.models import Database
from awrdiff.reports import assessments
from awrdiff.reports import queries as reports
from awrdiff.reports.entity_lookup import find_entity as named_by_report
from awrdiff.web import links, query_options
from awrdiff.web.content_negotiation import cached_response, wants_json
from awrdiff.web.presenters.baseline import entity as shown
from awrdiff.web.presenters.baseline.spread_and_position import basis_of
from awrdiff.web.presenters.entity import page
from awrdiff.web.presenters.page import titles
from awrdiff.web.presenters.page.section_navigation import short_title
from awrdiff.web.query_options import RequestedView
from awrdiff.web.views.baselines import title_of
from awrdiff.web.views.visit import ReportVisit, Visit, part_cost, visit_of


@require_safe
def entity(request: HttpRequest, kind: str, key: str, **place: Any) -> HttpResponse:
    """A statement, event, object … as both reports print it (`pair`), or as the report does: `{"kind", "key",
    "sections"}`.
    """
    visit = visit_of(request, part_cost(request), **place)
    return report_entity_of(visit, kind, key) if isinstance(visit, ReportVisit) else entity_of(visit, kind, key)


def report_entity_of(visit: ReportVisit, kind: str, key: str) -> HttpResponse:
    """JSON, the htmx part, or its own page."""
    request, access, report_row = visit.request, visit.access, visit.report
    of, tables = named_by_report(report_row, kind, key)
    if wants_json(request):
        return JsonResponse(
            {"kind": of.id, "key": key, "sections": [_section(section_rows) for section_rows in tables]}
        )
    titled = {s.section_id: short_title(s.section_id, s.title) for s in reports.sections_of(report_row)}
    context = {
        "histories": _histories(access, [report_row.database] if report_row.database is not None else [], kind, key),
        "access": access,
        "v": page.of_report(of, key, tables, assessments.assessment_of(report_row), titled),
        "in_panel": visit.in_panel,
        "page_url": visit.url,
        "rows_at": "" if visit.in_panel else visit.url,
        "entities_url": links.report_entities(access, report_row),
        "title": titles.report_title(report_row),
    }
    return render(request, "entities/_alone.html" if visit.in_panel else "entities/alone.html", context)


def _histories(access: AccessContext, databases: Sequence[Database], kind: str, key: str) -> list[tuple[str, str]]:
    return [(database.label, url) for database in databases if (url := links.history(access, database, kind, key))]


def _section(section_rows: SectionRows) -> dict[str, Any]:
    section = section_rows.section
    return {**section.as_dict(), "rows": [section.row_dict(row) for row in section_rows.rows.values()]}


def entity_of(visit: Visit, kind: str, key: str) -> HttpResponse:
    """JSON, the htmx part, or its own page."""
    request, view = visit.request, visit.view
    if view is not None and not wants_json(request):
        version = (visit.version, stored_baselines.version_of(view[0]))
        return cached_response(request, version, lambda: _baseline_answer(visit, view, kind, key))
    return cached_response(request, visit.version, lambda: _answer(visit, kind, key))


def _answer(visit: Visit, kind: str, key: str) -> HttpResponse:
    request, access, compared, pair = visit.request, visit.access, visit.comparison, visit.pair
    entity = found_entity(compared, kind, key, pair)
    if wants_json(request):
        return JsonResponse(as_dict(entity))
    lines = queries.rail(compared, pair)
    basis = query_options.chosen_basis(request) or queries.default_basis(compared, pair)
    context = {
        **visit.addresses(),
        "histories": _histories(access, databases_of(compared) if access.can_read else [], kind, key),
        "v": page.present(entity, basis, {s.section_id: short_title(s.section_id, s.title) for s in lines}),
        "basis": basis,
        "in_panel": visit.in_panel,
        "rows_at": "" if visit.in_panel else visit.url + visit.query,
    }
    if visit.in_panel:
        return render(request, "entities/_panel.html", context)
    context["title"] = titles.comparison_title(compared, placed_reports_of(compared), pair)
    return render(request, "entities/page.html", context)


def pairs_of(selection: BaselineSelection) -> list[int]:
    """Second's own pair first."""
    return list(dict.fromkeys(max(n - 1, 0) for n in (selection.second, *selection.members)))


def _baseline_answer(visit: Visit, view: RequestedView, kind: str, key: str) -> HttpResponse:
    request, (places, selection) = visit.request, view
    pair, named_entity = _entity_in_pairs(visit.comparison, kind, key, selection)
    tables = {part.section.id: {r.row_id for r in part.section.rows} for part in named_entity.parts}
    shown_tables = list(tables.items())[: shown.MOST_TABLES]
    named_tables = []
    for section_id, rows in shown_tables:
        with suppress(ComparisonRefused, NotFound):  # too large, or of none of these reports
            named_tables.append((*stored_baselines.held_against(places, selection, section_id, rows), rows))
    basis = basis_of(query_options.chosen_basis(request))
    more = len(tables) - len(shown_tables)
    heads = stored_baselines.heads_of(places)
    entities_url = links.entities(visit.access, visit.comparison)
    context = {
        "access": visit.access,
        "in_panel": visit.in_panel,
        "v": shown.present(KINDS[kind], key, named_tables, basis, more),
        "unlike": unlike_text(heads, selection),
        "baseline": baseline_name(len(selection.members)).capitalize(),
        "query": visit.query.removeprefix("?"),
        "entities_url": entities_url,
        "pair_url": f"{entities_url}{named_entity.ref.path}{query_options.pair_query(pair, len(places))}",
        "trend_url": visit.below("trend"),
        "back": visit.url + visit.query,
        "rows_at": "" if visit.in_panel else visit.url + visit.query,
    }
    if visit.in_panel:
        return render(request, "baselines/_entity.html", context)
    return render(request, "baselines/entity.html", {**context, "title": title_of(heads, selection)})


def _entity_in_pairs(compared: Comparison, kind: str, key: str, selection: BaselineSelection) -> tuple[int, Entity]:
    """First pair that names it. Raises NotFound."""
    pairs = pairs_of(selection)
    for pair in pairs[:-1]:
        try:
            return pair, found_entity(compared, kind, key, pair)
        except NotFound:
            continue
    return pairs[-1], found_entity(compared, kind, key, pairs[-1])

"""One statement, event or object: its page, and the side panel of a comparison."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from awrdiff.accounts.access import AccessContext
from awrdiff.analysis.entities.document import as_dict
from awrdiff.analysis.entities.of_one import Named
from awrdiff.analysis.model.traces import split_traces
from awrdiff.comparisons import queries
from awrdiff.comparisons.entities import find_entity as found_entity
from awrdiff.comparisons.models import Comparison
from awrdiff.comparisons.of_database import databases_of
from awrdiff.comparisons.placed_reports import placed_reports_of
from awrdiff.databases.models import Database
from awrdiff.reports import assessments
from awrdiff.reports import queries as reports
from awrdiff.reports.entities import find_entity as named_by_report
from awrdiff.reports.models import Report
from awrdiff.web import links, options
from awrdiff.web.negotiate import cached_response, wants_json
from awrdiff.web.presenters.entity import alone, page
from awrdiff.web.presenters.page import titles
from awrdiff.web.presenters.section.words import short_title
from awrdiff.web.sign_in.members import member
from awrdiff.web.views import baseline_things, baselines


@require_safe
def comparison(request: HttpRequest, pk: UUID, kind: str, key: str) -> HttpResponse:
    """A statement, event, object … as both reports print it; `pair`."""
    access = member(request)
    return entity_of(request, access, queries.comparison_for(access, pk), kind, key)


@require_safe
def report(request: HttpRequest, pk: UUID, kind: str, key: str) -> HttpResponse:
    """A statement, event, object … as the report prints it: `{"kind", "key", "sections"}`."""
    access = member(request)
    return report_entity_of(request, access, reports.report_for(access, pk), kind, key)


def report_entity_of(
    request: HttpRequest, access: AccessContext, report_row: Report, kind: str, key: str
) -> HttpResponse:
    """An entity in one report: JSON, the htmx part, or its own page."""
    of, tables = named_by_report(report_row, kind, key)
    if wants_json(request):
        return JsonResponse(
            {"kind": of.id, "key": key, "sections": [_section(section_rows) for section_rows in tables]}
        )
    titled = {s.section_id: short_title(s.section_id, s.title) for s in reports.sections_of(report_row)}
    in_panel = bool(getattr(request, "htmx", False))
    page_url = links.report(access, report_row)
    context = {
        "histories": _histories(access, [report_row.database] if report_row.database is not None else [], kind, key),
        "access": access,
        "v": alone.present(of, key, tables, assessments.assessment_of(report_row), titled),
        "in_panel": in_panel,
        "page_url": page_url,
        "rows_at": "" if in_panel else page_url,
        "entities_url": links.report_entities(access, report_row),
        "title": titles.report_title(report_row),
    }
    return render(request, "entities/_alone.html" if in_panel else "entities/alone.html", context)


def _histories(access: AccessContext, databases: Sequence[Database], kind: str, key: str) -> list[tuple[str, str]]:
    """Each database's name, with the address of the entity's history."""
    return [(database.label, url) for database in databases if (url := links.history(access, database, kind, key))]


def _section(section_rows: Named) -> dict[str, Any]:
    section = section_rows.section
    return {**section.as_dict(), "rows": [section.row_dict(row) for row in section_rows.rows.values()]}


def entity_of(request: HttpRequest, access: AccessContext, compared: Comparison, kind: str, key: str) -> HttpResponse:
    """JSON, the htmx part, or its own page."""
    view = baselines.requested_places(request, compared) if compared.is_ready else None
    if view is not None and not wants_json(request):
        return baseline_things.entity(request, access, compared, (kind, key), view)
    version = queries.version_of(access, compared)
    return cached_response(request, version, lambda: _answer(request, access, compared, kind, key))


def _answer(request: HttpRequest, access: AccessContext, compared: Comparison, kind: str, key: str) -> HttpResponse:
    pair = options.pair(request)
    entity = found_entity(compared, kind, key, pair)
    if wants_json(request):
        return JsonResponse(as_dict(entity))
    lines = queries.rail(compared, pair)
    basis = options.chosen_basis(request) or queries.default_basis(compared, pair)
    in_panel = bool(getattr(request, "htmx", False))
    page_url = links.comparison(access, compared)
    pair_query = options.same_pair(request)
    context = {
        "histories": _histories(access, databases_of(compared) if access.can_read else [], kind, key),
        "access": access,
        "v": page.present(entity, basis, {s.section_id: short_title(s.section_id, s.title) for s in lines}),
        "basis": basis,
        "in_panel": in_panel,
        "page_url": page_url,
        "rows_at": "" if in_panel else f"{page_url}{pair_query}",
        "entities_url": links.entities(access, compared),
        "sections_url": f"{page_url}sections/",
        "pair_query": pair_query,
        "pair": pair,
    }
    if in_panel:
        return render(request, "entities/_panel.html", context)
    context["title"] = titles.comparison_title(compared, split_traces(placed_reports_of(compared))[0], pair)
    return render(request, "entities/page.html", context)

"""One statement, event, object …: its page, and the side panel of a comparison."""

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
    """What both reports print of one statement, event, object …; `pair`."""
    access = member(request)
    return entity_of(request, access, queries.comparison_for(access, pk), kind, key)


@require_safe
def report(request: HttpRequest, pk: UUID, kind: str, key: str) -> HttpResponse:
    """What the report prints of one statement, event, object …: `{"kind", "key", "sections"}`."""
    access = member(request)
    return report_entity_of(request, access, reports.report_for(access, pk), kind, key)


def report_entity_of(request: HttpRequest, access: AccessContext, found: Report, kind: str, key: str) -> HttpResponse:
    """What one report by itself prints of a thing: JSON, the part that htmx asks for, or a page of its own."""
    of, named = named_by_report(found, kind, key)
    if wants_json(request):
        return JsonResponse({"kind": of.id, "key": key, "sections": [_section(one) for one in named]})
    titled = {s.section_id: short_title(s.section_id, s.title) for s in reports.sections_of(found)}
    in_panel = bool(getattr(request, "htmx", False))
    page_url = links.report(access, found)
    context = {
        "histories": _histories(access, [found.database] if found.database is not None else [], kind, key),
        "access": access,
        "v": alone.present(of, key, named, assessments.assessment_of(found), titled),
        "in_panel": in_panel,
        "page_url": page_url,
        "rows_at": "" if in_panel else page_url,
        "entities_url": links.report_entities(access, found),
        "title": titles.report_title(found),
    }
    return render(request, "entities/_alone.html" if in_panel else "entities/alone.html", context)


def _histories(access: AccessContext, found: Sequence[Database], kind: str, key: str) -> list[tuple[str, str]]:
    """Of each database its name, and where the history of the thing is."""
    return [(one.label, url) for one in found if (url := links.history(access, one, kind, key))]


def _section(one: Named) -> dict[str, Any]:
    section = one.section
    return {**section.as_dict(), "rows": [section.row_dict(row) for row in one.rows.values()]}


def entity_of(request: HttpRequest, access: AccessContext, found: Comparison, kind: str, key: str) -> HttpResponse:
    """JSON, the part that htmx asks for, or a page of its own."""
    asked = baselines.asked_places(request, found) if found.is_ready else None
    if asked is not None and not wants_json(request):
        return baseline_things.entity(request, access, found, (kind, key), asked)
    version = queries.version_of(access, found)
    return cached_response(request, version, lambda: _answer(request, access, found, kind, key))


def _answer(request: HttpRequest, access: AccessContext, found: Comparison, kind: str, key: str) -> HttpResponse:
    pair = options.pair(request)
    entity = found_entity(found, kind, key, pair)
    if wants_json(request):
        return JsonResponse(as_dict(entity))
    lines = queries.rail(found, pair)
    basis = options.chosen_basis(request) or queries.default_basis(found, pair)
    in_panel = bool(getattr(request, "htmx", False))
    page_url = links.comparison(access, found)
    chosen = options.same_pair(request)
    context = {
        "histories": _histories(access, databases_of(found) if access.can_read else [], kind, key),
        "access": access,
        "v": page.present(entity, basis, {s.section_id: short_title(s.section_id, s.title) for s in lines}),
        "basis": basis,
        "in_panel": in_panel,
        "page_url": page_url,
        "rows_at": "" if in_panel else f"{page_url}{chosen}",
        "entities_url": links.entities(access, found),
        "sections_url": f"{page_url}sections/",
        "pair_query": chosen,
        "pair": pair,
    }
    if in_panel:
        return render(request, "entities/_panel.html", context)
    context["title"] = titles.comparison_title(found, split_traces(placed_reports_of(found))[0], pair)
    return render(request, "entities/page.html", context)

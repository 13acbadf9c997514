"""Trend of a figure over all reports of a comparison."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from awrdiff.accounts.access import AccessContext, NotFound
from awrdiff.analysis.baseline.against import BaselineSelection
from awrdiff.analysis.baseline.series import Series, SeriesRow
from awrdiff.analysis.baseline.words import unlike_said
from awrdiff.analysis.words import listing
from awrdiff.comparisons import baselines, queries
from awrdiff.comparisons.models import Comparison, ComparisonReport
from awrdiff.comparisons.queries import comparison_for
from awrdiff.web import links, options
from awrdiff.web.api import trend as api
from awrdiff.web.negotiate import cached_response, wants_json
from awrdiff.web.presenters.baseline import each, matrix, stacked
from awrdiff.web.presenters.baseline import trend as presenter
from awrdiff.web.presenters.baseline.figures import BASES, basis_of
from awrdiff.web.presenters.section.figures import Basis
from awrdiff.web.presenters.section.words import short_title
from awrdiff.web.sign_in.members import member
from awrdiff.web.views.baselines import section_options
from awrdiff.web.views.errors import answer
from parsers.model import Report

# What a page without a choice shows, of what is printed.
FIRST = ("load_profile", "time_model", "foreground_wait_events", "wait_events")
NOT_READY = "The comparison is not finished yet: look at its trend once it is."


@require_safe
def comparison(request: HttpRequest, pk: UUID) -> HttpResponse:
    """One `row` of a `section`, or all its rows, in every report."""
    access = member(request)
    return trend_of(request, access, comparison_for(access, pk))


def trend_of(request: HttpRequest, access: AccessContext, compared: Comparison) -> HttpResponse:
    """A row's charts with their table, or a table of all rows with sparklines; or JSON."""
    if not compared.is_ready:
        return answer(request, 409, NOT_READY)
    places = baselines.compared_places(compared)
    version = (queries.version_of(access, compared), baselines.version_of(places))
    return cached_response(request, version, lambda: _answer(request, access, compared, places))


def _answer(
    request: HttpRequest, access: AccessContext, compared: Comparison, places: list[ComparisonReport]
) -> HttpResponse:
    lines = baselines.lines(places)
    section_id = request.GET.get("section", "")[:120] or _first({line.section_id for line in lines})
    series = baselines.series(places, section_id)
    row_id = request.GET.get("row", "")[:64]
    line = next((series_row for series_row in series.lines if series_row.row_id == row_id), None)
    if row_id and line is None:
        raise NotFound("None of the reports prints this row.")
    heads = baselines.heads_of(places)
    if wants_json(request):
        return JsonResponse(api.trend_json(series, line, heads, baselines.parameter_changes_of(places, heads)))
    selection = options.chosen_baseline(request, len(places))
    query = options.baseline_query(selection) if selection is not None else ""
    page_url = links.comparison(access, compared)
    if line is not None:
        reports = presenter.Reports(heads, selection, baselines.parameter_changes_of(places, heads))
        context = _of_row(series, line, reports, basis_of(options.chosen_basis(request)))
    else:
        context = _of_section(request, series, heads)
        if "section" not in request.GET:
            changes = baselines.parameter_changes_of(places, heads)
            by_event = baselines.stacked_of(places)
            context["stacked"] = stacked.present(by_event, heads, changes, query)
            context["matrix"] = matrix.present(by_event, heads, lambda two: f"{page_url}?{options.baseline_query(two)}")
    context |= {
        "access": access,
        "sections": [
            (section_line.section_id, short_title(section_line.section_id, section_line.title), section_line.title)
            for section_line in lines
        ],
        "section": section_id,
        "bases": BASES,
        "basis": basis_of(options.chosen_basis(request)),
        "filter": options.filter_text(request),
        "trend_url": links.trend(access, compared),
        "section_url": links.trend(access, compared),
        "keep": f"section={section_id}&{options.kept_options(request)}",
        "query": query,
        "chosen": selection,
        "unlike": unlike_said(heads, selection) if selection is not None else (),
        "count": len(places),
        "databases": listing(list(dict.fromkeys(h.database.name for h in heads if h.database.name))),
        "back": f"{page_url}{f'?{query}' if query else ''}#{section_id}",
    }
    return render(request, "baselines/trend.html", context)


def _first(printed: set[str]) -> str:
    return next((section_id for section_id in FIRST if section_id in printed), min(printed, default=""))


def _of_row(series: Series, line: SeriesRow, reports: presenter.Reports, basis: Basis) -> dict[str, Any]:
    view = presenter.present(series, line, reports, basis)
    return {"v": view, "columns": presenter.heads_of_columns(series, line, basis), "title": view.name}


def _of_section(request: HttpRequest, series: Series, heads: list[Report]) -> dict[str, Any]:
    section_choice = section_options(request)
    view = each.present(each.rows_of(series, heads, section_choice), BaselineSelection((), -1), section_choice)
    return {"each": view, "title": series.title}

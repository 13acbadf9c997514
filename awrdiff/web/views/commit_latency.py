"""Commit latency of a comparison or report."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_safe

from awrdiff.accounts.access import AccessContext
from awrdiff.analysis.commit_latency import commit_latency
from awrdiff.analysis.export.json_encoding import commit_dict
from awrdiff.analysis.model.lgwr_traces import split_traces
from awrdiff.analysis.report.figures_by_name import Side
from awrdiff.comparisons import queries
from awrdiff.comparisons.report_pairs import places_of_pair
from awrdiff.comparisons.report_places_and_titles import placed_reports_of
from awrdiff.reports import queries as report_queries
from awrdiff.reports.models import SEVERAL
from awrdiff.web import links, query_options
from awrdiff.web.content_negotiation import wants_json
from awrdiff.web.presenters.commit import page as commit_page
from awrdiff.web.presenters.commit.figure_texts import Rows
from awrdiff.web.presenters.commit.page import CommitInputs
from awrdiff.web.presenters.page import titles
from awrdiff.web.presenters.page.section_navigation import short_title
from awrdiff.web.views.comparisons import pending
from awrdiff.web.views.visit import ReportVisit, Visit, visit_of

LONGEST_TYPED = 20
LONGEST_KEPT = 100
RATES = ("tps", "tps1", "tps2")
CARRIED = ("pair", "sla", "same_work", "rows", *RATES)


@require_safe
def commit(request: HttpRequest, **place: Any) -> HttpResponse:
    """`commit_latency` as `manage.py compare` prints it, over all reports, or of the one report."""
    visit = visit_of(request, **place)
    return report_of(visit) if isinstance(visit, ReportVisit) else comparison_of(visit)


def comparison_of(visit: Visit) -> HttpResponse:
    request, access, comparison, pair = visit.request, visit.access, visit.comparison, visit.pair
    if not visit.is_ready:
        return redirect(visit.url) if wants_json(request) else pending(visit)
    latencies = queries.commit_latency(comparison, pair)
    if wants_json(request):
        return JsonResponse(commit_dict(latencies[1]))
    reports, traces = split_traces(placed_reports_of(comparison))
    sections = {s.section_id: short_title(s.section_id, s.title) for s in queries.rail(comparison, pair)}
    back = visit.url + query_options.same_pair(request)
    names = tuple(titles.report_title(r) for r in reports)
    places = places_of_pair(pair, len(reports))
    page = commit_page.present(*latencies, Rows(back, sections), _inputs(request), pair=places, names=names)
    context = {
        "title": titles.comparison_title(comparison, reports, pair),
        "pair": pair,
        "pairs": titles.pairs(reports, queries.opening_pair(comparison) + 1),
        "renewal": queries.renewal_note(access, comparison),
        "traces": links.of_traces(access, comparison, [t.report for t in traces]),
        "attach_url": reverse("trace-attach", args=[comparison.pk]) if access.can_write else "",
    }
    return _rendered(request, access, page, back, context)


def report_of(visit: ReportVisit) -> HttpResponse:
    request, report_row, back = visit.request, visit.report, visit.url or "/"
    if not report_row.is_ready or report_row.kind == SEVERAL:
        return redirect(back)
    latency = commit_latency((Side(report_queries.load_report(report_row)),), report_queries.load_traces(report_row))
    if wants_json(request):
        return JsonResponse(commit_dict(latency))
    sections = {s.section_id: short_title(s.section_id, s.title) for s in report_queries.sections_of(report_row)}
    page = commit_page.present(latency, latency, Rows(back, sections), _inputs(request))
    return _rendered(request, visit.access, page, back, {"title": titles.report_title(report_row)})


def _rendered(
    request: HttpRequest, access: AccessContext, page: dict[str, Any], back: str, more: dict[str, Any]
) -> HttpResponse:
    query = {name: request.GET[name][:LONGEST_KEPT] for name in CARRIED if request.GET.get(name)}
    context = {
        "access": access,
        "p": page,
        "back": back,
        "kept": query,
        "same_work_url": f"?{urlencode({**query, 'same_work': '1'})}",
    }
    return render(request, "commit_latency/page.html", {**context, **more})


def _inputs(request: HttpRequest) -> CommitInputs:
    return CommitInputs(
        sla=_typed(request, "sla"),
        same_work=request.GET.get("same_work") == "1",
        rows=_typed(request, "rows"),
        tps={name: _typed(request, name) for name in RATES},
    )


def _typed(request: HttpRequest, name: str) -> str:
    return " ".join(request.GET.get(name, "").replace("\x00", " ").split())[:LONGEST_TYPED]

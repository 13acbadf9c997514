"""LGWR traces on comparisons and reports."""

from __future__ import annotations

from uuid import UUID

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods, require_POST

from awrdiff.comparisons import queries, services
from awrdiff.reports import lgwr_traces as report_traces
from awrdiff.reports import queries as report_queries
from awrdiff.web import links
from awrdiff.web.api import comparisons as api
from awrdiff.web.content_negotiation import done, wants_json
from awrdiff.web.sign_in.permission_helpers import member


@require_POST
def attach(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Field `report`: attaches an LGWR trace; the comparison is computed again, 201."""
    access = member(request)
    comparison = queries.comparison_for(access, pk)
    trace = api.chosen_reports(access, [request.POST.get("report", "")])[0]
    changed = services.attach_trace(access, comparison, trace)
    return api.created(request, access, changed, page=links.below(access, changed, "commit"))


@require_http_methods(["DELETE", "POST"])
def detach(request: HttpRequest, pk: UUID, report_pk: UUID) -> HttpResponse:
    """Detaches it."""
    access = member(request)
    comparison = queries.comparison_for(access, pk)
    changed = services.detach_trace(access, comparison, report_pk)
    return done(request, links.below(access, changed, "commit"))


@require_POST
def attach_to_report(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Field `report`: attaches an LGWR trace to this report alone; 201."""
    access = member(request)
    report = report_queries.report_for(access, pk)
    trace = api.chosen_reports(access, [request.POST.get("report", "")])[0]
    report_traces.attach(access, report, trace)
    url = links.report(access, report) or "/"
    if wants_json(request):
        return JsonResponse({"id": str(report.pk), "url": url}, status=201, headers={"Location": url})
    return redirect(url)


@require_http_methods(["DELETE", "POST"])
def detach_from_report(request: HttpRequest, pk: UUID, report_pk: UUID) -> HttpResponse:
    """Detaches it, and deletes its file if nothing else uses it."""
    access = member(request)
    report = report_queries.report_for(access, pk)
    report_traces.detach(access, report, report_pk)
    return done(request, links.report(access, report) or "/")

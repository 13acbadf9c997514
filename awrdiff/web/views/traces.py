"""Attaching an LGWR trace to a comparison, and detaching it."""

from __future__ import annotations

from uuid import UUID

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods, require_POST

from awrdiff.accounts.access import member
from awrdiff.comparisons import api, queries, traces
from awrdiff.comparisons.errors import ComparisonRefused
from awrdiff.web.negotiate import wants_json
from awrdiff.web.views.errors import answer


@require_POST
def attach(request: HttpRequest, pk: UUID) -> HttpResponse:
    """POST /comparisons/<id>/traces/, field `report`: 201 as for a new comparison, or 400 with the reason."""
    access = member(request)
    found = queries.comparison_or_404(access, pk)
    try:
        trace = api.chosen_reports(access, [request.POST.get("report", "")])[0]
        changed = traces.attach(access, found, trace)
    except ComparisonRefused as refusal:
        return _refused(request, refusal)
    return api.made(access, changed) if wants_json(request) else redirect(access.comparison_url(changed))


@require_http_methods(["DELETE", "POST"])
def detach(request: HttpRequest, pk: UUID, report_pk: UUID) -> HttpResponse:
    """DELETE or POST /comparisons/<id>/traces/<report>/: 204 for a script."""
    access = member(request)
    found = queries.comparison_or_404(access, pk)
    try:
        changed = traces.detach(access, found, report_pk)
    except ComparisonRefused as refusal:
        return _refused(request, refusal)
    return HttpResponse(status=204) if wants_json(request) else redirect(access.comparison_url(changed))


def _refused(request: HttpRequest, refusal: ComparisonRefused) -> HttpResponse:
    if wants_json(request):
        return JsonResponse({"error": refusal.sentence}, status=400)
    return answer(request, 400, refusal.sentence)

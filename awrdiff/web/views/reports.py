"""Pages of one report."""

from __future__ import annotations

from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from awrdiff.accounts.access import member
from awrdiff.reports import api, queries, services
from awrdiff.web.negotiate import wants_json


@require_POST
def upload(request: HttpRequest) -> HttpResponse:
    access = member(request)
    return api.upload(request, access)


@require_safe
def report(request: HttpRequest, pk: UUID) -> HttpResponse:
    access = member(request)
    found = queries.report_or_404(access, pk)
    if wants_json(request):
        return api.report_json(request, access, found)
    context = {"access": access, "report": found, "sections": queries.sections_of(found)}
    return render(request, "reports/page.html", context)


@require_POST
def retry(request: HttpRequest, pk: UUID) -> HttpResponse:
    access = member(request)
    found = services.retry(queries.report_or_404(access, pk))
    return redirect(access.report_url(found) or "/")


@require_safe
def section(request: HttpRequest, pk: UUID, section_id: str) -> HttpResponse:
    access = member(request)
    if wants_json(request):
        return api.report_section_json(request, access, pk, section_id)
    found = queries.report_or_404(access, pk)
    loaded = queries.load_section(found, section_id)
    return render(request, "reports/section.html", {"access": access, "report": found, "section": loaded})

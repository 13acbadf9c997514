"""Pages of a comparison."""

from __future__ import annotations

from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from awrdiff.accounts.access import AccessContext, member
from awrdiff.comparisons import api, queries, services
from awrdiff.comparisons.errors import ComparisonRefused
from awrdiff.comparisons.models import Comparison
from awrdiff.web.negotiate import wants_json
from awrdiff.web.views.errors import answer


@require_POST
def create(request: HttpRequest) -> HttpResponse:
    access = member(request)
    if wants_json(request):
        return api.create(request, access)
    try:
        made = api.create_from(request, access)
    except ComparisonRefused as refusal:
        return answer(request, 400, refusal.sentence)
    return redirect(access.comparison_url(made))


@require_safe
def comparison(request: HttpRequest, pk: UUID) -> HttpResponse:
    access = member(request)
    found = queries.comparison_or_404(access, pk)
    if wants_json(request):
        return api.comparison_json(request, access, found)
    return page(request, access, found)


def page(request: HttpRequest, access: AccessContext, found: Comparison) -> HttpResponse:
    context = {"access": access, "comparison": found, "reports": queries.reports_of(found)}
    if found.is_ready:
        context |= {"overview": queries.overview(found), "rail": queries.rail(found)}
    return render(request, "comparisons/page.html", context)


@require_safe
def status(request: HttpRequest, pk: UUID) -> HttpResponse:
    access = member(request)
    return api.status_json(request, access, queries.comparison_or_404(access, pk))


@require_safe
def section(request: HttpRequest, pk: UUID, section_id: str) -> HttpResponse:
    access = member(request)
    return section_of(request, access, queries.comparison_or_404(access, pk), section_id)


def section_of(request: HttpRequest, access: AccessContext, found: Comparison, section_id: str) -> HttpResponse:
    if wants_json(request):
        return api.section_json(request, access, found, section_id)
    loaded = queries.load_section(found, section_id)
    return render(request, "comparisons/section.html", {"access": access, "comparison": found, "section": loaded})


@require_POST
def swap(request: HttpRequest, pk: UUID) -> HttpResponse:
    access = member(request)
    found = queries.comparison_or_404(access, pk)
    if wants_json(request):
        return api.swap(request, access, found)
    return redirect(access.comparison_url(services.swap(access, found)))


@require_POST
def retry(request: HttpRequest, pk: UUID) -> HttpResponse:
    access = member(request)
    return redirect(access.comparison_url(services.retry(access, queries.comparison_or_404(access, pk))))


@require_POST
def delete(request: HttpRequest, pk: UUID) -> HttpResponse:
    access = member(request)
    services.delete(access, queries.comparison_or_404(access, pk))
    return redirect("home")


@require_safe
def search(request: HttpRequest, pk: UUID) -> HttpResponse:
    access = member(request)
    return api.search_json(request, access, queries.comparison_or_404(access, pk))

"""Making and revoking share links, and the pages behind them."""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from awrdiff.accounts.access import AccessContext, HeldLink, NotFound
from awrdiff.comparisons.models import Comparison
from awrdiff.comparisons.queries import comparison_for
from awrdiff.sharing import queries
from awrdiff.sharing.access import shared
from awrdiff.sharing.rate import EXPORT, PAGE, SECTION, SEVERAL, ExportSlot
from awrdiff.web.api import comparisons as comparisons_api
from awrdiff.web.api import sharing as api
from awrdiff.web.negotiate import wants_json
from awrdiff.web.sign_in.members import member
from awrdiff.web.streams import until_sent
from awrdiff.web.views import baselines, comparisons, entities
from awrdiff.web.views import commit as commits
from awrdiff.web.views import trend as trends


@require_POST
def create(request: HttpRequest, pk: UUID) -> HttpResponse:
    access = member(request)
    return api.create(request, access, comparison_for(access, pk))


@require_http_methods(["DELETE", "POST"])
def revoke(request: HttpRequest, pk: UUID) -> HttpResponse:
    access = member(request)
    return api.revoke(access, queries.link_for(access, pk))


@require_safe
def comparison(request: HttpRequest, token: str) -> HttpResponse:
    access = shared(token, PAGE * _reports(request))
    found = _its_comparison(access)
    if wants_json(request):
        return comparisons_api.comparison_json(request, access, found)
    return comparisons.page(request, access, found)


@require_safe
def section(request: HttpRequest, token: str, section_id: str) -> HttpResponseBase:
    access = shared(token, (PAGE if wants_json(request) else SECTION) * _reports(request))
    found = _its_comparison(access)
    if wants_json(request):  # all its rows
        return _one_of_few(access, lambda: comparisons.section_of(request, access, found, section_id))
    return comparisons.section_of(request, access, found, section_id)


@require_safe
def entity(request: HttpRequest, token: str, kind: str, key: str) -> HttpResponse:
    access = shared(token, (PAGE if wants_json(request) else SECTION) * _reports(request))
    return entities.entity_of(request, access, _its_comparison(access), kind, key)


@require_safe
def trend(request: HttpRequest, token: str) -> HttpResponse:
    access = shared(token, PAGE * SEVERAL)
    return trends.trend_of(request, access, _its_comparison(access))


@require_safe
def commit(request: HttpRequest, token: str) -> HttpResponse:
    access = shared(token)
    return commits.comparison_of(request, access, _its_comparison(access))


@require_safe
def export(request: HttpRequest, token: str, ending: str) -> HttpResponseBase:
    access = shared(token, EXPORT)
    found = _its_comparison(access)
    return _one_of_few(access, lambda: comparisons.export_of(request, found, ending))


def _one_of_few(access: AccessContext, make: Callable[[], HttpResponseBase]) -> HttpResponseBase:
    """What `make` gives, while no more than a few such answers of the link are on their way."""
    slot = ExportSlot(_link(access).pk)
    try:
        response = make()
    except BaseException:
        slot.close()
        raise
    return until_sent(slot, response)


@require_safe
def search(request: HttpRequest, token: str) -> HttpResponse:
    access = shared(token)
    found = _its_comparison(access)
    return comparisons_api.search_json(request, access, found, baselines.asked(request, found))


def _reports(request: HttpRequest) -> int:
    """How much more it takes where it is about several reports one by one."""
    return SEVERAL if "baseline" in request.GET or request.GET.get("columns") == "each" else 1


def _its_comparison(access: AccessContext) -> Comparison:
    return comparison_for(access, _link(access).comparison_id)


def _link(access: AccessContext) -> HeldLink:
    if access.link is None:
        raise NotFound("There is nothing at this address.")
    return access.link

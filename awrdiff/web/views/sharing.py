"""Making and revoking share links, and the pages behind them."""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from awrdiff.accounts.access import AccessContext, HeldLink, NotFound
from awrdiff.analysis.model.traces import split_traces
from awrdiff.comparisons.models import Comparison
from awrdiff.comparisons.queries import comparison_for, comparisons_for
from awrdiff.comparisons.seen import seen_in
from awrdiff.sharing import queries, services
from awrdiff.sharing.access import held, shared
from awrdiff.sharing.models import ShareLink
from awrdiff.sharing.rate import EXPORT, PAGE, SECTION, SEVERAL, ExportSlot
from awrdiff.web.api import comparisons as comparisons_api
from awrdiff.web.api import sharing as api
from awrdiff.web.negotiate import wants_json
from awrdiff.web.presenters.page import share_links, titles
from awrdiff.web.sign_in import link_passwords
from awrdiff.web.sign_in.link_passwords import proof
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
    done = api.revoke(access, queries.link_for(access, pk))
    return redirect("links") if request.POST.get("to") == "links" else done


@require_safe
def comparison(request: HttpRequest, token: str) -> HttpResponse:
    access = shared(token, PAGE * _reports(request), proof(request, token))
    found = _its_comparison(access)
    if wants_json(request):
        return comparisons_api.comparison_json(request, access, found)
    if request.method == "GET" and found.is_ready:
        queries.count_use(_link(access).pk)
    return comparisons.page(request, access, found)


@require_POST
def password(request: HttpRequest, token: str) -> HttpResponseBase:
    """The password of a link, from its page: back to where it was asked for."""
    link = held(token)
    return link_passwords.opened(request, token, link)


@require_POST
def make_copy_again(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Of a redacted link whose copy could not be made."""
    access = member(request)
    services.make_copy_again(access, queries.link_for(access, pk))
    return HttpResponse(status=204) if wants_json(request) else redirect("links")


@require_safe
def links_page(request: HttpRequest) -> HttpResponse:
    """The links of the team."""
    access = member(request)
    found = list(queries.links_for(access)[: queries.MOST_LISTED])
    if wants_json(request):
        return api.listed(found)
    lines = _titled(access, found)
    failed = share_links.failed(lines, queries.failed_copies(access))
    context = {"access": access, "links": lines, "failed": failed, "most": queries.MOST_LISTED}
    return render(request, "sharing/links.html", context)


def _titled(access: AccessContext, found: list[ShareLink]) -> list[share_links.TeamLine]:
    shown = comparisons_for(access, mirrors=True).filter(pk__in={link.comparison_id for link in found})
    seen = seen_in(shown)
    names = {c.pk: titles.comparison_title(c, split_traces(seen[c.pk])[0]) for c in shown if c.pk in seen}
    return share_links.of_team(found, names)


@require_safe
def section(request: HttpRequest, token: str, section_id: str) -> HttpResponseBase:
    access = shared(token, (PAGE if wants_json(request) else SECTION) * _reports(request), proof(request, token))
    found = _its_comparison(access)
    if wants_json(request):  # all its rows
        return _one_of_few(access, lambda: comparisons.section_of(request, access, found, section_id))
    return comparisons.section_of(request, access, found, section_id)


@require_safe
def entity(request: HttpRequest, token: str, kind: str, key: str) -> HttpResponse:
    access = shared(token, (PAGE if wants_json(request) else SECTION) * _reports(request), proof(request, token))
    return entities.entity_of(request, access, _its_comparison(access), kind, key)


@require_safe
def trend(request: HttpRequest, token: str) -> HttpResponse:
    access = shared(token, PAGE * SEVERAL, proof(request, token))
    return trends.trend_of(request, access, _its_comparison(access))


@require_safe
def commit(request: HttpRequest, token: str) -> HttpResponse:
    access = shared(token, PAGE, proof(request, token))
    return commits.comparison_of(request, access, _its_comparison(access))


@require_safe
def export(request: HttpRequest, token: str, ending: str) -> HttpResponseBase:
    access = shared(token, EXPORT, proof(request, token))
    found = _its_comparison(access)
    response = _one_of_few(access, lambda: comparisons.export_of(request, found, ending))
    return comparisons.noted(request, access, found, response)


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
    access = shared(token, PAGE, proof(request, token))
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

"""Making and revoking share links, and their pages."""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from awrdiff.accounts.access import AccessContext, Can, HeldLink, NotFound
from awrdiff.comparisons.models import Comparison
from awrdiff.comparisons.queries import comparison_for, comparisons_for
from awrdiff.comparisons.report_places_and_titles import placed_reports_in
from awrdiff.incidents.models import Incident
from awrdiff.incidents.queries import incident_for
from awrdiff.postmortems.queries import postmortem_of
from awrdiff.reports.models import Report
from awrdiff.reports.queries import report_for
from awrdiff.sharing import queries, services
from awrdiff.sharing.access import EXPORT, PAGE, link_of, shared
from awrdiff.sharing.models import ShareLink, Shows
from awrdiff.web import idempotency_keys, query_options
from awrdiff.web.api import sharing as api
from awrdiff.web.content_negotiation import done, form_fields, json_list, wants_json
from awrdiff.web.presenters.page import titles
from awrdiff.web.sign_in import share_link_cookies
from awrdiff.web.sign_in.permission_helpers import member
from awrdiff.web.sign_in.share_link_cookies import proof
from awrdiff.web.streamed_downloads import one_of_few
from awrdiff.web.views import (
    comparison_exports,
    comparisons,
    redacted_links,
    reports,
    shared_incidents,
)
from awrdiff.web.views.visit import NOTHING, Visit, reports_read

LIST = ["GET", "HEAD", "POST"]


def _reviewed(access: AccessContext, pk: UUID) -> Incident:
    """Raises NotFound without a post-mortem."""
    incident = incident_for(access, pk)
    postmortem_of(incident)
    return incident


_SUBJECTS: dict[str, Callable[[AccessContext, UUID], queries.About]] = {
    Shows.COMPARISON: comparison_for,
    Shows.REPORT: report_for,
    Shows.INCIDENT: incident_for,
    Shows.POSTMORTEM: _reviewed,
}


@require_http_methods(LIST)
def links_of(request: HttpRequest, pk: UUID, shows: str = Shows.COMPARISON) -> HttpResponse:
    """Its links; a POST makes one: `days` (a number or `never`; 30), `password`, `for_whom`, of comparison or incident
    `comment=yes`, of comparison or report `redact=yes` with `sql` and `tables`: 201 `{"id", "url", …}`, the address is
    shown only this once.
    """
    access = member(request)
    about = _SUBJECTS[shows](access, pk)
    if request.method == "POST":
        access.check(Can.SHARE)
        wanted, key = api.sent_form(request), idempotency_keys.key(request)
        return api.created(request, *api.create(request, access, about, Shows(shows), wanted, client_key=key))
    if not access.can_read:
        raise NotFound(NOTHING)
    links = queries.with_subjects(queries.links_of(access, about, Shows(shows)))
    if wants_json(request):
        return json_list(request, "links", api.documents(links))
    return render(request, "sharing/_lines.html", {"links": links})


@require_http_methods(["DELETE", "POST"])
def revoke(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Revokes it, 204."""
    access = member(request)
    services.revoke(access, queries.link_for(access, pk))
    return redirect("links") if form_fields(request).get("to") == "links" else HttpResponse(status=204)


@require_safe
def link_page(request: HttpRequest, token: str) -> HttpResponse:
    """The page of what the link shows."""
    access = shared(token, PAGE * reports_read(request), proof(request, token))
    if _shows(access) == Shows.REPORT:
        report = _its_report(access)
        _count(request, access, report.is_ready)
        return reports.page(request, access, report)
    if (redacted_link := _redacted_link(access)) is not None:
        _count(request, access)
        return redacted_links.link_page(request, access, redacted_link)
    if (page := shared_incidents.PAGES.get(_shows(access))) is not None:
        _count(request, access)
        return page(request, access, _its_incident(access))
    comparison = _its_comparison(request, access)
    _count(request, access, comparison.is_ready)
    return comparisons.page(Visit(request, access, comparison))


def _count(request: HttpRequest, access: AccessContext, is_ready: bool = True) -> None:  # noqa: FBT001, FBT002
    if request.method == "GET" and is_ready and not wants_json(request):
        queries.count_use(_link(access).pk)


@require_POST
def password(request: HttpRequest, token: str) -> HttpResponseBase:
    """Field `password`: 204 (a form: 302) with a cookie for 12 hours; 401 if it is wrong, 429 after several."""
    link = link_of(token)
    return share_link_cookies.open_link(request, token, link)


@require_POST
def make_copy_again(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Retries a redacted link's failed copy."""
    access = member(request)
    services.make_copy_again(access, queries.link_for(access, pk))
    return done(request, "links")


@require_safe
def links_page(request: HttpRequest) -> HttpResponse:
    """The newest 500 of the team that were not revoked."""
    access = member(request)
    share_links = list(queries.links_for(access)[: queries.MOST_LISTED])
    if wants_json(request):
        return json_list(request, "links", api.documents(share_links))
    links = _titled(access, share_links)
    context = {
        "access": access,
        "links": links,
        "failed": [(link, title) for link, title in links if link.is_empty],
        "most": queries.MOST_LISTED,
    }
    return render(request, "sharing/links.html", context)


def _titled(access: AccessContext, links: list[ShareLink]) -> list[tuple[ShareLink, str]]:
    comparisons = comparisons_for(access, views=True).filter(pk__in={link.comparison_id for link in links})
    placed_reports = placed_reports_in(comparisons)
    names = {c.pk: titles.comparison_title(c, placed_reports[c.pk]) for c in comparisons if c.pk in placed_reports}
    names |= {link.report.pk: titles.report_title(link.report) for link in links if link.report}
    names |= {link.incident.pk: link.incident.title for link in links if link.incident}
    return [(link, names.get(link.about_id, "")) for link in links]


@require_safe
def export(request: HttpRequest, token: str, ending: str) -> HttpResponseBase:
    """As of a comparison; of a post-mortem `md` and `html`."""
    access = shared(token, EXPORT, proof(request, token))
    if (redacted_link := _redacted_link(access)) is not None:
        return redacted_links.export(request, access, redacted_link, ending)
    if _shows(access) == Shows.POSTMORTEM:
        return shared_incidents.export(request, access, _its_incident(access), ending)
    comparison = _its_comparison(request, access)
    response = one_of_few(_link(access), lambda: comparison_exports.export_of(request, comparison, ending))
    return comparison_exports.note_download(request, access, comparison, response)


def _shows(access: AccessContext) -> str:
    return _link(access).shows


def _redacted_link(access: AccessContext) -> HeldLink | None:
    """None unless redacted, of an incident or post-mortem."""
    link = _link(access)
    return link if link.redacted and link.shows in shared_incidents.PAGES else None


def _its_comparison(request: HttpRequest, access: AccessContext) -> Comparison:
    link = _link(access)
    query_options.begin_with(request, link.pair)
    return comparison_for(access, _set(link.comparison_id))


def _its_report(access: AccessContext) -> Report:
    return report_for(access, _set(_link(access).report_id))


def _its_incident(access: AccessContext) -> Incident:
    return incident_for(access, _set(_link(access).incident_id))


def _set(pk: UUID | None) -> UUID:
    if pk is None:
        raise NotFound(NOTHING)
    return pk


def _link(access: AccessContext) -> HeldLink:
    if access.link is None:
        raise NotFound(NOTHING)
    return access.link

"""An incident and its post-mortem below a share link: to be read, without an address of members."""

from __future__ import annotations

import re
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render

from awrdiff.accounts.access import AccessContext
from awrdiff.incidents.models import Incident
from awrdiff.postmortems.queries import postmortem_of
from awrdiff.sharing.models import Shows
from awrdiff.web import links
from awrdiff.web.negotiate import wants_json
from awrdiff.web.presenters.incident import page as incidents
from awrdiff.web.presenters.page import share_links
from awrdiff.web.presenters.postmortem import page as postmortems
from awrdiff.web.views.incidents import shown_of
from awrdiff.web.views.postmortems import file_of, sections_for_outsiders

_ID = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
# As somebody pasted it into a text: what is left of it is the site, without a trace of the thing.
_OF_MEMBERS = re.compile(
    rf"(https?://[^\s/\"'<>()]+)?/(?:comparisons|reports|incidents)/{_ID}[\w/.~%#?=:+,@-]*", re.IGNORECASE
)


def incident(request: HttpRequest, access: AccessContext, found: Incident) -> HttpResponse:
    context = shown_of(request, access, found)
    if wants_json(request):
        return _outward(JsonResponse(incidents.document_for_outsiders(found, context)))
    context |= {"page_url": links.shared_page(access), **share_links.seen_until(access)}
    return _outward(render(request, "incidents/shared.html", context))


def postmortem(request: HttpRequest, access: AccessContext, found: Incident) -> HttpResponse:
    """Frozen as it was reviewed, or the newest draft."""
    own = postmortem_of(found)
    sections, reviewed = sections_for_outsiders(own), postmortems.reviewed_line(own)
    if wants_json(request):
        return _outward(JsonResponse(postmortems.document_for_outsiders(found, own, sections, reviewed)))
    context = {
        "access": access,
        "incident": found,
        "sections": sections,
        "reviewed": reviewed,
        "markdown_url": links.shared_export(access, "md"),
        "html_url": links.shared_export(access, "html"),
        **share_links.seen_until(access),
    }
    return _outward(render(request, "postmortems/shared.html", context))


def export(request: HttpRequest, access: AccessContext, found: Incident, ending: str) -> HttpResponse:
    own = postmortem_of(found)
    return _outward(file_of(request, access, own, ending=ending, sections=sections_for_outsiders(own)))


def _outward(made: HttpResponse) -> HttpResponse:
    """Also what people pasted leads to nothing of the team's."""
    made.content = _OF_MEMBERS.sub(lambda found: f"{found[1] or ''}/", made.content.decode()).encode()
    return made


PAGES: dict[str, Callable[[HttpRequest, AccessContext, Incident], HttpResponse]] = {
    Shows.INCIDENT: incident,
    Shows.POSTMORTEM: postmortem,
}

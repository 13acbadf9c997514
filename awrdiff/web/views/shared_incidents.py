"""Incident and post-mortem below a share link, read-only."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from awrdiff.accounts.access import AccessContext
from awrdiff.incidents.models import Incident
from awrdiff.postmortems.live_tables import reading_of
from awrdiff.postmortems.queries import postmortem_of
from awrdiff.sharing.models import Shows
from awrdiff.web import links
from awrdiff.web.content_negotiation import json_response, wants_json
from awrdiff.web.presenters.incident import page as incidents
from awrdiff.web.presenters.postmortem import page as postmortems
from awrdiff.web.presenters.postmortem.page import reviews_of
from awrdiff.web.views.incidents import incident_content
from awrdiff.web.views.postmortems import file_of, files_of, sections_for_outsiders


def incident(request: HttpRequest, access: AccessContext, shared_incident: Incident) -> HttpResponse:
    context = incident_content(request, access, shared_incident)
    if wants_json(request):
        return links.outward(json_response(incidents.for_outsiders(shared_incident, context)))
    context |= {"page_url": links.shared_page(access)}
    return links.outward(render(request, "incidents/shared.html", context))


def postmortem(request: HttpRequest, access: AccessContext, shared_incident: Incident) -> HttpResponse:
    """As reviewed, or the newest draft."""
    own = postmortem_of(shared_incident)
    read = reading_of(own)
    sections, reviewed = sections_for_outsiders(own, read), postmortems.reviewed_line(own)
    reviews = reviews_of(own, read.digest, access)
    if wants_json(request):
        return links.outward(
            json_response(postmortems.document_for_outsiders(shared_incident, own, sections, reviewed, reviews))
        )
    context = {
        "access": access,
        "incident": shared_incident,
        "sections": sections,
        "reviewed": reviewed,
        "reviews": reviews,
        "ticked": postmortems.ticked_line(sections),
        "markdown_url": links.shared_export(access, "md"),
        "html_url": links.shared_export(access, "html"),
        "files": files_of(access, shared_incident, read),
    }
    return links.outward(render(request, "postmortems/shared.html", context))


def export(request: HttpRequest, access: AccessContext, shared_incident: Incident, ending: str) -> HttpResponse:
    own = postmortem_of(shared_incident)
    read = reading_of(own)
    return links.outward(file_of(request, access, own, read, ending=ending, sections=sections_for_outsiders(own, read)))


PAGES: dict[str, Callable[[HttpRequest, AccessContext, Incident], HttpResponse]] = {
    Shows.INCIDENT: incident,
    Shows.POSTMORTEM: postmortem,
}

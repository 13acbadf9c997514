"""Redacted links: preview, creation, pages."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any
from uuid import UUID

from django.core import signing
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from awrdiff.accounts import rate_limits
from awrdiff.accounts.access import AccessContext, Can, HeldLink, NotFound
from awrdiff.audit import services as audit
from awrdiff.incidents.models import Incident
from awrdiff.incidents.queries import incident_for
from awrdiff.postmortems.incident_material import material_of
from awrdiff.postmortems.live_tables import only_of, reading_of
from awrdiff.postmortems.queries import people_of, postmortem_of
from awrdiff.postmortems.services import drafts
from awrdiff.redaction.link_options import Redaction
from awrdiff.sharing import queries
from awrdiff.sharing.errors import LinkRefused
from awrdiff.sharing.models import Shows
from awrdiff.sharing.names_to_redact import KnownNames, names_of
from awrdiff.threads.attachments import of_timeline
from awrdiff.web import links
from awrdiff.web.api import sharing as api
from awrdiff.web.content_negotiation import wants_json
from awrdiff.web.presenters.incident import page as incidents
from awrdiff.web.presenters.page import redacted_incident
from awrdiff.web.presenters.postmortem import page as postmortems
from awrdiff.web.presenters.postmortem.page import reviews_of
from awrdiff.web.sign_in import share_link_cookies
from awrdiff.web.sign_in.permission_helpers import no_guest
from awrdiff.web.views.incidents import incident_content
from awrdiff.web.views.postmortems import file_saying, sections_for_outsiders, sentence_of_state

_SALT = "redacted-link"
MOST_KEPT = 2000
MOST_LOOKS = 20  # of one person in a minute: each reads every report
CHANGED = "It has changed since you looked at it: look at it once more."


@require_http_methods(["GET", "HEAD", "POST"])
def preview(request: HttpRequest, pk: UUID, shows: str = Shows.INCIDENT) -> HttpResponse:
    """Preview of a link with pseudonyms; a POST with its `key` and `seen` makes the link (`make`), with `keep` (a word
    that is no name, repeated), `days`, `password`, `for_whom`. 400 if the content has changed.
    """
    access = no_guest(request)
    return _preview(request, access, incident_for(access, pk), Shows(shows))


def _preview(request: HttpRequest, access: AccessContext, incident: Incident, shows: Shows) -> HttpResponse:
    if request.method == "POST":
        access.check(Can.SHARE)
    _spend(access)
    keep = request.POST.getlist("keep")[:MOST_KEPT]
    rule = _rule(request)
    known_names = names_of(incident, rule, people_of(incident))
    render_hidden = _read(request, access, incident, shows, known_names)
    stored = render_hidden()
    digest = _digest(stored)  # of what is left when nothing is let stand: what somebody lets stand they have seen
    if keep:
        known_names.names.keep(keep)
        stored = render_hidden()
    notice = ""
    if request.method == "POST" and "make" in request.POST:
        if request.POST.get("seen") == digest:
            wanted = api.sent_form(request)
            link, token = api.create(request, access, incident, shows, wanted, redaction=rule, document=stored)
            if wants_json(request):
                return api.created(request, link, token)
            own = {"access": access, "made": api.made_link(request, link, token)}
            page = render(request, "sharing/made.html", own, status=201)
            share_link_cookies.keep_open(request, page, token, link)
            return page
        notice = CHANGED
        if wants_json(request):
            raise LinkRefused(notice)
    context: dict[str, Any] = {
        "access": access,
        "incident": incident,
        "page_kind": shows.label.lower(),
        "back": reverse("incident" if shows == Shows.INCIDENT else "postmortem", args=[incident.pk]),
        "key": signing.dumps(rule.key, salt=_SALT),
        "seen": digest,
        "notice": notice,
        "replaced": redacted_incident.replacements(known_names.names),
        "doubts": redacted_incident.doubts(known_names.names),
        "kept": stored,
        "as_shown": f"{'incidents' if shows == Shows.INCIDENT else 'postmortems'}/_shared.html",
        **_page(shows, stored),
    }
    if wants_json(request):
        names = {
            "replaced": [dict(zip(("name", "shown", "count"), row, strict=True)) for row in context["replaced"]],
            "doubts": [redacted_incident.doubt_document(doubt) for doubt in context["doubts"]],
        }
        return JsonResponse(
            {"key": context["key"], "seen": digest, **names, "document": redacted_incident.document(stored)}
        )
    return render(request, "sharing/preview.html", context)


def _spend(access: AccessContext) -> None:
    who = f"person:{access.user.pk}" if access.user else f"team:{access.team.pk}"
    message = f"You have looked at {MOST_LOOKS} previews within a minute: try again"
    rate_limits.spend_this_minute(f"redacted:{who}", 1, MOST_LOOKS, message)


def _rule(request: HttpRequest) -> Redaction:
    """Signed, so that nobody can choose the key."""
    if request.method != "POST" or not request.POST.get("key"):
        return Redaction.new()
    try:
        return Redaction(str(signing.loads(request.POST["key"], salt=_SALT, max_age=24 * 3600)))
    except signing.BadSignature as error:
        raise LinkRefused(CHANGED) from error


def _read(
    request: HttpRequest, access: AccessContext, incident: Incident, shows: Shows, known_names: KnownNames
) -> Callable[[], dict[str, Any]]:
    """The result hides what `known_names` hides at call time."""
    without = known_names.comparisons | known_names.reports
    if shows == Shows.POSTMORTEM:
        own = postmortem_of(incident)
        read = reading_of(own)
        tables = {key: only_of(each, known_names.readable) for key, each in read.tables.items()}
        sections = sections_for_outsiders(own, replace(read, tables=tables))
        reviews = reviews_of(own, read.digest, access)
        state = (reviews.stage.value, postmortems.reviewed_line(own), sentence_of_state(own, reviews))
        material = read.material or material_of(incident)
        return partial(
            redacted_incident.of_postmortem, incident, sections, state, reviews.signed, known_names,
            drafts=drafts(own, material), is_cut=tables != read.tables, files=len(of_timeline(material.events)),
        )  # fmt: skip
    windows = incidents.parts_of(incident, known_names.comparisons).windows
    context = incident_content(request, access, incident, without)
    return partial(redacted_incident.of_incident, incident, context, windows, known_names)


def _digest(stored: dict[str, Any]) -> str:
    digested = {name: value for name, value in stored.items() if name != "kept_at"}
    return hashlib.sha256(json.dumps(digested, sort_keys=True).encode()).hexdigest()


def _page(shows: Shows, stored: dict[str, Any]) -> dict[str, Any]:
    if shows == Shows.INCIDENT:
        return redacted_incident.page_of_incident(stored)
    reviews = {"stage": stored["publishing"], "signed": stored["signed_off"]}
    sections = redacted_incident.sections_of(stored)
    ticked = postmortems.ticked_line(sections)
    own = {
        "incident": stored,
        "sections": sections,
        "reviewed": stored["reviewed"],
        "reviews": reviews,
        "ticked": ticked,
    }
    return {**own, "kept": stored}


def link_page(request: HttpRequest, access: AccessContext, link: HeldLink) -> HttpResponse:
    """Stored content, and nothing else."""
    stored = queries.document_of(link.pk)
    audit.saw(access, "incident", link.source_id)
    if wants_json(request):
        return JsonResponse(redacted_incident.document(stored))
    context = {**_page(Shows(link.shows), stored), "access": access}
    if link.shows == Shows.INCIDENT:
        return render(request, "incidents/shared.html", context)
    context |= {"markdown_url": links.shared_export(access, "md"), "html_url": links.shared_export(access, "html")}
    return render(request, "postmortems/shared.html", context)


def export(request: HttpRequest, access: AccessContext, link: HeldLink, ending: str) -> HttpResponse:
    if link.shows != Shows.POSTMORTEM:
        raise NotFound("There is nothing at this address.")
    stored = queries.document_of(link.pk)
    sections = redacted_incident.sections_of(stored)
    response = file_saying(request, ending=ending, title=stored["title"], state_text=stored["said"], sections=sections)
    if request.method == "GET":
        audit.note(access, "exported", "incident", link.source_id)
    return response

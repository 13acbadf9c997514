"""Incidents and post-mortems as the team sees them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from typing import Any, TypeVar
from uuid import UUID

import msgspec
from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.urls import reverse
from msgspec import UNSET

from awrdiff.accounts.access import AccessContext, NotFound
from awrdiff.accounts.models import Membership
from awrdiff.comparisons.report_places_and_titles import placed_reports_of
from awrdiff.incidents import action_items, comparisons_and_reports, evidence, queries, services, timeline
from awrdiff.incidents.action_items import TypedAction
from awrdiff.incidents.action_tickets import requests_of
from awrdiff.incidents.models import ActionItem, Incident, TimelineEvent
from awrdiff.incidents.queries import Wanted
from awrdiff.incidents.services import Typed
from awrdiff.incidents.timeline import TypedEvent
from awrdiff.postmortems import second_reviews
from awrdiff.postmortems import services as postmortems
from awrdiff.postmortems.errors import SavedMeanwhile
from awrdiff.postmortems.queries import postmortem_of
from awrdiff.reports.queries import report_for
from awrdiff.sharing.models import Shows
from awrdiff.web.api import sharing
from awrdiff.web.api.sharing import MadeLink
from awrdiff.web.api.v1 import bodies, paging, request_and_response_types
from awrdiff.web.api.v1.operation import DONE, Does, closed_to_guests, form_key, reads, writes
from awrdiff.web.api.v1.request_and_response_types import ActionsQuery, IncidentsQuery, Made, MadeEvidence
from awrdiff.web.comparison_redirects import named
from awrdiff.web.content_negotiation import json_response
from awrdiff.web.presenters.incident import json_types as answers
from awrdiff.web.presenters.incident import lists
from awrdiff.web.presenters.incident import page as shown
from awrdiff.web.presenters.page.titles import comparison_title
from awrdiff.web.views import incident_parts as parts
from awrdiff.web.views import incidents as views
from awrdiff.web.views import postmortems as pages

FormTexts = TypeVar("FormTexts", Typed, TypedEvent, TypedAction)
MADE = {201: request_and_response_types.Made}


def of_incident(answered: Does) -> Does:
    """Closed to guests."""

    @closed_to_guests
    def does(request: HttpRequest, access: AccessContext, body: Any, pk: UUID, **ids: Any) -> HttpResponseBase:
        return answered(request, access, body, queries.incident_for(access, pk), **ids)

    return does


def _typed(now: FormTexts, body: msgspec.Struct, **others: str) -> FormTexts:
    """`now` with what was sent, as a form has it; `others` instead of the body's own."""
    sent = {**msgspec.structs.asdict(body), **others}
    names = [name for name in now.__slots__ if sent.get(name, UNSET) is not UNSET]
    return replace(now, **{name: _text(sent[name]) for name in names})


def _text(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(value)
    return value.isoformat() if isinstance(value, date) else "" if value is None else str(value)


def _owner(access: AccessContext, body: Any) -> dict[str, str]:
    return {"owner": _id_of(access, body.owner)} if body.owner else {}


def _id_of(access: AccessContext, name: str) -> str:
    user_id = Membership.objects.filter(team=access.team, user__username=name).values_list("user", flat=True).first()
    if user_id is None:
        raise NotFound(f"There is nobody called “{name}” on your team.")
    return str(user_id)


def _made(pk: UUID, place: str, row: TimelineEvent | ActionItem) -> HttpResponse:
    return json_response(Made(row.pk, f"{reverse('incident', args=[pk])}#{place}-{row.pk}"), 201)


def _done() -> HttpResponse:
    return HttpResponse(status=204)


@reads("The team's incidents, the one made last first", answers.Incidents, request_and_response_types.IncidentsQuery)
@closed_to_guests
def listed(request: HttpRequest, access: AccessContext, query: IncidentsQuery) -> HttpResponse:
    wanted = Wanted(status=query.status, severity="" if query.severity is UNSET else str(query.severity), tag=query.tag)
    incidents = queries.list_incidents(access, wanted)

    def documents(some: Sequence[Incident]) -> list[answers.ListedIncident]:
        return answers.as_documents(answers.ListedIncident, lists.lines(some))

    return paging.newest(request, incidents, query.cursor, query.limit, documents)


@writes("Opens an incident", MADE, bodies.NewIncident)
@closed_to_guests
def make(request: HttpRequest, access: AccessContext, body: bodies.NewIncident) -> HttpResponse:
    incident = services.make(access, _typed(Typed(""), body), client_key=form_key(request, access))
    return json_response(Made(incident.pk, reverse("incident", args=[incident.pk])), 201)


@reads("An incident with its timeline", answers.Incident)
@of_incident
def one(request: HttpRequest, access: AccessContext, _query: None, incident: Incident) -> HttpResponse:
    return json_response(shown.for_members(incident, views.incident_content(request, access, incident)))


@writes("Changes what is sent of it", DONE, bodies.ChangedIncident)
@of_incident
def change(_request: HttpRequest, access: AccessContext, body: Any, incident: Incident) -> HttpResponse:
    services.update(access, incident, body.version, _typed(Typed.exact(incident), body), keeps_moments=True)
    return _done()


@writes("Deletes it with all that hangs on it; reports stay", DONE)
@of_incident
def delete(_request: HttpRequest, access: AccessContext, _body: None, incident: Incident) -> HttpResponse:
    services.delete(access, incident)
    return _done()


@writes("Sets its status; resolving it ends it", DONE, bodies.NewStatus)
@of_incident
def set_status(
    _request: HttpRequest, access: AccessContext, body: bodies.NewStatus, incident: Incident
) -> HttpResponse:
    services.set_status(access, incident, body.status)
    return _done()


@writes("Attaches a comparison", DONE, bodies.ThatComparison)
@of_incident
def attach(
    _request: HttpRequest, access: AccessContext, body: bodies.ThatComparison, incident: Incident
) -> HttpResponse:
    comparison, _ = named(access, body.comparison)
    comparisons_and_reports.attach(
        access, incident, comparison, comparison_title(comparison, placed_reports_of(comparison))
    )
    return _done()


@writes("Attaches a report or an LGWR trace", DONE, bodies.ThatReport)
@of_incident
def attach_report(
    _request: HttpRequest, access: AccessContext, body: bodies.ThatReport, incident: Incident
) -> HttpResponse:
    comparisons_and_reports.attach_report(access, incident, report_for(access, body.report))
    return _done()


@writes("Adds to its timeline what happened", MADE, bodies.NewEvent)
@of_incident
def add_event(request: HttpRequest, access: AccessContext, body: bodies.NewEvent, incident: Incident) -> HttpResponse:
    typed, key = _typed(TypedEvent("", ""), body), form_key(request, access)
    return _made(incident.pk, "event", timeline.add(access, incident, typed, client_key=key))


@writes("Changes what is sent of what happened", DONE, bodies.ChangedEvent)
@of_incident
def change_event(
    _request: HttpRequest, access: AccessContext, body: Any, incident: Incident, event_pk: int
) -> HttpResponse:
    event = queries.event_for(access, incident, event_pk)
    timeline.change(access, event, body.version, _typed(TypedEvent.of(event, incident.time_zone), body))
    return _done()


@reads("What was kept for it", answers.EvidenceList)
@of_incident
def all_evidence(request: HttpRequest, _access: AccessContext, _query: None, incident: Incident) -> HttpResponse:
    return paging.listed(request, answers.as_documents(answers.KeptEvidence, parts.evidence_lines(incident)))


@writes(
    "Keeps a row, section or finding as it stands", {201: request_and_response_types.MadeEvidence}, bodies.NewEvidence
)
@of_incident
def keep_evidence(
    request: HttpRequest, access: AccessContext, body: bodies.NewEvidence, incident: Incident
) -> HttpResponse:
    row = parts.keep(request, access, incident, body.comparison, body.anchor, body.pair)
    return json_response(
        MadeEvidence(row.pk, f"{reverse('incident', args=[incident.pk])}#evidence-{row.pk}", row.title), 201
    )


@writes("Writes a note on it", DONE, bodies.Note)
@of_incident
def note_evidence(
    _request: HttpRequest, access: AccessContext, body: bodies.Note, incident: Incident, evidence_pk: int
) -> HttpResponse:
    evidence.annotate(access, queries.evidence_for(access, incident, evidence_pk), body.note, body.was)
    return _done()


@reads("Action items of all incidents, newest first", answers.Actions, request_and_response_types.ActionsQuery)
@closed_to_guests
def all_actions(request: HttpRequest, access: AccessContext, query: ActionsQuery) -> HttpResponse:
    items = queries.actions_for(access, state=query.state, mine=query.mine)

    def documents(some: Sequence[ActionItem]) -> list[answers.ActionItem]:
        return shown.actions(some, access.team.ticket_pattern, requests_of(access.team, some))

    return paging.numbered(request, items, query.cursor, query.limit, documents)


@writes("Adds an action item", MADE, bodies.NewAction)
@of_incident
def add_action(request: HttpRequest, access: AccessContext, body: bodies.NewAction, incident: Incident) -> HttpResponse:
    typed, key = _typed(TypedAction(""), body, **_owner(access, body)), form_key(request, access)
    return _made(incident.pk, "action", action_items.add(access, incident, typed, client_key=key))


@writes("Changes what is sent of an action item", DONE, bodies.ChangedAction)
@of_incident
def change_action(
    _request: HttpRequest, access: AccessContext, body: Any, incident: Incident, action_pk: int
) -> HttpResponse:
    owner = _owner(access, body)
    action = queries.action_for(access, incident, action_pk)
    action_items.change(access, action, body.version, _typed(TypedAction.of(action), body, **owner))
    return _done()


@reads("Its share links that were not revoked", request_and_response_types.LinksOfOne)
@of_incident
def links_of(request: HttpRequest, access: AccessContext, _query: None, incident: Incident) -> HttpResponse:
    return paging.listed(request, sharing.links_to(access, incident, Shows.INCIDENT))


@writes("Makes a share link to it", {201: MadeLink}, bodies.NewLinkToRead, scope="share")
@of_incident
def make_link(
    request: HttpRequest, access: AccessContext, body: bodies.NewLinkToRead, incident: Incident
) -> HttpResponse:
    key = form_key(request, access)
    return sharing.created(request, *sharing.create(request, access, incident, Shows.INCIDENT, body, client_key=key))


@reads("Its post-mortem", answers.Postmortem)
@of_incident
def postmortem(request: HttpRequest, access: AccessContext, _query: None, incident: Incident) -> HttpResponse:
    return pages.answered(request, access, incident)


@writes("Drafts it, or drafts again what nobody has edited", {201: answers.Postmortem})
@of_incident
def draft(request: HttpRequest, access: AccessContext, _body: None, incident: Incident) -> HttpResponse:
    postmortems.draft(access, incident)
    return pages.answered(request, access, incident, status=201)


@writes(
    "Saves the text of a section over the version that was read",
    {200: request_and_response_types.SavedSection},
    bodies.SectionText,
)
@of_incident
def save_section(
    _request: HttpRequest, access: AccessContext, body: bodies.SectionText, incident: Incident, section_id: str
) -> HttpResponse:
    try:
        saved = postmortems.save(access, postmortem_of(incident), section_id, body.text, seen=body.seen)
    except SavedMeanwhile as conflict:
        return pages.conflict_document(conflict)
    return JsonResponse(pages.section_document(saved))


@writes("Publishes it as it was read", {200: answers.Postmortem}, bodies.Reviewed)
@of_incident
def review(request: HttpRequest, access: AccessContext, body: bodies.Reviewed, incident: Incident) -> HttpResponse:
    """Scripts need not wait for second reviewers."""
    postmortems.review(access, postmortem_of(incident), seen_version=body.seen, anyway=True)
    return pages.answered(request, access, incident)


@writes("Lets it be edited again", {200: answers.Postmortem}, bodies.Reopened)
@of_incident
def reopen(request: HttpRequest, access: AccessContext, body: bodies.Reopened, incident: Incident) -> HttpResponse:
    postmortems.reopen(access, postmortem_of(incident), body.reason)
    return pages.answered(request, access, incident)


@writes("Asks for a second review", DONE, bodies.Reviewer)
@of_incident
def ask_reviewer(
    _request: HttpRequest, access: AccessContext, body: bodies.Reviewer, incident: Incident
) -> HttpResponse:
    second_reviews.ask(access, postmortem_of(incident), _id_of(access, body.person))
    return _done()


@writes("Answers as its second reviewer", DONE, bodies.ReviewAnswer)
@of_incident
def answer_review(
    _request: HttpRequest, access: AccessContext, body: bodies.ReviewAnswer, incident: Incident
) -> HttpResponse:
    second_reviews.answer(access, postmortem_of(incident), body.answer, body.why, seen_digest=body.seen)
    return _done()

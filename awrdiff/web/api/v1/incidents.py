"""Incidents and post-mortems as the team sees them."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from msgspec import UNSET

from awrdiff.accounts.access import AccessContext
from awrdiff.incidents import services
from awrdiff.incidents.models import ActionItem, Incident
from awrdiff.incidents.queries import Wanted, actions_for, incident_for, list_incidents
from awrdiff.incidents.ticket_requests import requests_of
from awrdiff.sharing.models import Shows
from awrdiff.web.api import sharing
from awrdiff.web.api.v1 import paging
from awrdiff.web.api.v1.kinds import ActionsQuery, IncidentsQuery
from awrdiff.web.presenters.incident import kinds as answers
from awrdiff.web.presenters.incident import page as shown
from awrdiff.web.presenters.incident.lists import lines
from awrdiff.web.presenters.threads.about import of_incident
from awrdiff.web.sign_in.members import no_guest
from awrdiff.web.views import incident_threads, postmortems
from awrdiff.web.views import incidents as views
from awrdiff.web.views import threads as talks
from awrdiff.web.views.incident_parts import evidence_lines


def listed(request: HttpRequest, _access: AccessContext, query: IncidentsQuery) -> HttpResponse:
    access = no_guest(request)
    wanted = Wanted(status=query.status, severity="" if query.severity is UNSET else str(query.severity), tag=query.tag)
    incidents = list_incidents(access, wanted)

    def documents(some: Sequence[Incident]) -> list[answers.ListedIncident]:
        return answers.as_documents(answers.ListedIncident, lines(some))

    return paging.newest(request, incidents, query.cursor, query.limit, documents)


def one(request: HttpRequest, _access: AccessContext, _query: None, pk: UUID) -> HttpResponse:
    return views.incident(request, pk)


def delete(request: HttpRequest, _access: AccessContext, _query: None, pk: UUID) -> HttpResponse:
    access = no_guest(request)
    services.delete(access, incident_for(access, pk))
    return HttpResponse(status=204)


def evidence(request: HttpRequest, _access: AccessContext, _query: None, pk: UUID) -> HttpResponse:
    listed = evidence_lines(incident_for(no_guest(request), pk))
    return paging.listed(request, answers.as_documents(answers.KeptEvidence, listed))


def actions(request: HttpRequest, _access: AccessContext, query: ActionsQuery) -> HttpResponse:
    access = no_guest(request)
    items = actions_for(access, state=query.state, mine=query.mine)

    def documents(some: Sequence[ActionItem]) -> list[answers.ActionItem]:
        listed = shown.actions(some, access.team.ticket_pattern, requests_of(access.team, some))
        return answers.as_documents(answers.ActionItem, listed)

    return paging.numbered(request, items, query.cursor, query.limit, documents)


def links_of(request: HttpRequest, _access: AccessContext, _query: None, pk: UUID) -> HttpResponse:
    access = no_guest(request)
    return paging.listed(request, sharing.links_to(access, incident_for(access, pk), Shows.INCIDENT))


def threads(request: HttpRequest, _access: AccessContext, _query: None, pk: UUID) -> HttpResponse:
    access = no_guest(request)
    about = of_incident(access, incident_for(access, pk))
    return paging.listed(request, talks.listed(access, about))


def thread(request: HttpRequest, _access: AccessContext, _query: None, pk: UUID, thread_pk: int) -> HttpResponse:
    return incident_threads.thread(request, pk, thread_pk)


def postmortem(request: HttpRequest, _access: AccessContext, _query: None, pk: UUID) -> HttpResponse:
    return postmortems.postmortem(request, pk)

"""Incidents and post-mortems as the team sees them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from msgspec import UNSET

from awrdiff.accounts.access import AccessContext
from awrdiff.incidents import services
from awrdiff.incidents.models import ActionItem, Incident
from awrdiff.incidents.queries import Wanted, actions_for, incident_for, list_incidents
from awrdiff.incidents.ticket_requests import requests_of
from awrdiff.sharing.models import Shows
from awrdiff.web.api.sharing import MadeLink, links_to
from awrdiff.web.api.v1 import bodies, kinds, paging
from awrdiff.web.api.v1.kinds import ActionsQuery, IncidentsQuery
from awrdiff.web.api.v1.operation import Address, Operation, reading, reads, removes, writes
from awrdiff.web.presenters.incident import kinds as answers
from awrdiff.web.presenters.incident import page as shown
from awrdiff.web.presenters.incident.lists import lines
from awrdiff.web.presenters.threads.about import of_incident
from awrdiff.web.presenters.threads.thread import ChangedThread, ThreadDocument
from awrdiff.web.sign_in.members import no_guest
from awrdiff.web.views import incident_parts as parts
from awrdiff.web.views import incident_threads as talks
from awrdiff.web.views import incidents as views
from awrdiff.web.views import postmortem_reviews as reviews
from awrdiff.web.views import postmortems, sharing
from awrdiff.web.views import threads as thread_views
from awrdiff.web.views.incident_parts import evidence_lines


def all_incidents(request: HttpRequest, _access: AccessContext, query: IncidentsQuery) -> HttpResponse:
    access = no_guest(request)
    wanted = Wanted(status=query.status, severity="" if query.severity is UNSET else str(query.severity), tag=query.tag)
    incidents = list_incidents(access, wanted)

    def documents(some: Sequence[Incident]) -> list[answers.ListedIncident]:
        return answers.as_documents(answers.ListedIncident, lines(some))

    return paging.newest(request, incidents, query.cursor, query.limit, documents)


def incident(request: HttpRequest, _access: AccessContext, _query: None, pk: UUID) -> HttpResponse:
    return views.incident(request, pk)


def delete(request: HttpRequest, _access: AccessContext, _query: None, pk: UUID) -> HttpResponse:
    access = no_guest(request)
    services.delete(access, incident_for(access, pk))
    return HttpResponse(status=204)


def all_evidence(request: HttpRequest, _access: AccessContext, _query: None, pk: UUID) -> HttpResponse:
    listed = evidence_lines(incident_for(no_guest(request), pk))
    return paging.listed(request, answers.as_documents(answers.KeptEvidence, listed))


def all_actions(request: HttpRequest, _access: AccessContext, query: ActionsQuery) -> HttpResponse:
    access = no_guest(request)
    items = actions_for(access, state=query.state, mine=query.mine)

    def documents(some: Sequence[ActionItem]) -> list[answers.ActionItem]:
        listed = shown.actions(some, access.team.ticket_pattern, requests_of(access.team, some))
        return answers.as_documents(answers.ActionItem, listed)

    return paging.numbered(request, items, query.cursor, query.limit, documents)


def links_of(request: HttpRequest, _access: AccessContext, _query: None, pk: UUID) -> HttpResponse:
    access = no_guest(request)
    return paging.listed(request, links_to(access, incident_for(access, pk), Shows.INCIDENT))


def threads(request: HttpRequest, _access: AccessContext, _query: None, pk: UUID) -> HttpResponse:
    access = no_guest(request)
    about = of_incident(access, incident_for(access, pk))
    return paging.listed(request, thread_views.listed(access, about))


def thread(request: HttpRequest, _access: AccessContext, _query: None, pk: UUID, thread_pk: int) -> HttpResponse:
    return talks.thread(request, pk, thread_pk)


def postmortem(request: HttpRequest, _access: AccessContext, _query: None, pk: UUID) -> HttpResponse:
    return postmortems.postmortem(request, pk)


edit = partial(views.edit, keeps_moments=True)
MADE, DONE = {201: kinds.Made}, {204: None}
ADDRESSES = (
    Address(
        "incidents",
        "api-incidents",
        {
            "GET": reading(
                all_incidents,
                "The team's incidents, the one made last first",
                answers.Incidents,
                kinds.IncidentsQuery,
            ),
            "POST": writes(views.incidents, "Opens an incident", bodies.NewIncident, MADE),
        },
    ),
    Address(
        "incidents/{id}",
        "api-incident",
        {
            "GET": reading(incident, "An incident with its timeline", answers.Incident),
            "POST": writes(edit, "Changes what is sent of it", bodies.ChangedIncident, DONE),
            "DELETE": Operation(delete, "Deletes it with all that hangs on it; reports stay", "write", {204: None}),
        },
    ),
    Address(
        "incidents/{id}/status",
        "api-incident-status",
        {"POST": writes(views.status, "Sets its status; resolving it ends it", bodies.NewStatus, DONE)},
    ),
    Address(
        "incidents/{id}/comparisons",
        "api-incident-comparisons",
        {"POST": writes(parts.attach, "Attaches a comparison", bodies.ThatComparison, DONE)},
    ),
    Address(
        "incidents/{id}/comparisons/{comparison}",
        "api-incident-comparison",
        {"DELETE": removes(parts.detach, "Detaches it")},
    ),
    Address(
        "incidents/{id}/reports",
        "api-incident-reports",
        {"POST": writes(parts.attach_report, "Attaches a report or an LGWR trace", bodies.ThatReport, DONE)},
    ),
    Address(
        "incidents/{id}/reports/{report}",
        "api-incident-report",
        {"DELETE": removes(parts.detach_report, "Detaches it")},
    ),
    Address(
        "incidents/{id}/events",
        "api-incident-events",
        {"POST": writes(parts.add_event, "Adds to its timeline what happened", bodies.NewEvent, MADE)},
    ),
    Address(
        "incidents/{id}/events/{event}",
        "api-incident-event",
        {
            "POST": writes(parts.event, "Changes what is sent of what happened", bodies.ChangedEvent, DONE),
            "DELETE": removes(parts.remove_event, "Takes it from the timeline"),
        },
    ),
    Address(
        "incidents/{id}/evidence",
        "api-incident-evidence",
        {
            "GET": reading(all_evidence, "What was kept for it", answers.EvidenceList),
            "POST": writes(
                parts.all_evidence,
                "Keeps a row, section or finding as it stands",
                bodies.NewEvidence,
                {201: kinds.MadeEvidence},
            ),
        },
    ),
    Address(
        "incidents/{id}/evidence/{evidence}",
        "api-incident-evidence-one",
        {
            "POST": writes(parts.note_evidence, "Writes a note on it", bodies.Note, DONE),
            "DELETE": removes(parts.remove_evidence, "Keeps it no more"),
        },
    ),
    Address(
        "incidents/{id}/actions",
        "api-incident-actions",
        {"POST": writes(parts.add_action, "Adds an action item", bodies.NewAction, MADE, people=("owner",))},
    ),
    Address(
        "incidents/{id}/actions/{action}",
        "api-incident-action",
        {
            "POST": writes(
                parts.action, "Changes what is sent of an action item", bodies.ChangedAction, DONE, people=("owner",)
            ),
            "DELETE": removes(parts.remove_action, "Removes it"),
        },
    ),
    reads(
        "actions",
        "api-actions",
        all_actions,
        "Action items of all incidents, newest first",
        answers.Actions,
        kinds.ActionsQuery,
    ),
    Address(
        "incidents/{id}/links",
        "api-incident-links",
        {
            "GET": reading(links_of, "Its share links that were not revoked", kinds.LinksOfOne),
            "POST": writes(
                sharing.of_incident,
                "Makes a share link to it",
                bodies.NewLinkToRead,
                {201: MadeLink},
                scope="share",
            ),
        },
    ),
    Address(
        "incidents/{id}/threads",
        "api-incident-threads",
        {
            "GET": reading(threads, "What is talked about it", kinds.Threads),
            "POST": writes(
                talks.threads, "Begins a thread about a line of its timeline", bodies.NewThread, {201: ChangedThread}
            ),
        },
    ),
    Address(
        "incidents/{id}/threads/{thread}",
        "api-incident-thread",
        {
            "GET": reading(thread, "What was said in a thread", ThreadDocument),
            "POST": writes(talks.thread, "Answers in a thread", bodies.NewComment, {201: ChangedThread}),
        },
    ),
    Address(
        "incidents/{id}/threads/{thread}/state",
        "api-incident-thread-state",
        {"POST": writes(talks.state, "Resolves a thread, or opens it again", bodies.ThreadState, {200: ChangedThread})},
    ),
    Address(
        "incidents/{id}/postmortem",
        "api-postmortem",
        {
            "GET": reading(postmortem, "Its post-mortem", answers.Postmortem),
            "POST": writes(
                postmortems.postmortem,
                "Drafts it, or drafts again what nobody has edited",
                None,
                {201: answers.Postmortem},
            ),
        },
    ),
    Address(
        "incidents/{id}/postmortem/sections/{section}",
        "api-postmortem-section",
        {
            "POST": writes(
                postmortems.section,
                "Saves the text of a section over the version that was read",
                bodies.SectionText,
                {200: kinds.SavedSection},
            )
        },
    ),
    Address(
        "incidents/{id}/postmortem/review",
        "api-postmortem-review",
        {"POST": writes(postmortems.review, "Publishes it as it was read", bodies.Reviewed, {200: answers.Postmortem})},
    ),
    Address(
        "incidents/{id}/postmortem/reopen",
        "api-postmortem-reopen",
        {"POST": writes(postmortems.reopen, "Lets it be edited again", bodies.Reopened, {200: answers.Postmortem})},
    ),
    Address(
        "incidents/{id}/postmortem/ask",
        "api-postmortem-ask",
        {"POST": writes(reviews.ask, "Asks for a second review", bodies.Reviewer, DONE, people=("person",))},
    ),
    Address(
        "incidents/{id}/postmortem/answer",
        "api-postmortem-answer",
        {"POST": writes(reviews.answer, "Answers as its second reviewer", bodies.ReviewAnswer, DONE)},
    ),
)

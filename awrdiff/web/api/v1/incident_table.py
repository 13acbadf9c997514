from __future__ import annotations

from functools import partial

from awrdiff.web.api.sharing import MadeLink
from awrdiff.web.api.v1 import bodies, incidents, kinds
from awrdiff.web.api.v1.operation import Address, Operation, reading, reads, removes, writes
from awrdiff.web.presenters.incident import kinds as answers
from awrdiff.web.presenters.threads.thread import ChangedThread, ThreadDocument
from awrdiff.web.views import incident_parts as parts
from awrdiff.web.views import incident_threads as talks
from awrdiff.web.views import incidents as views
from awrdiff.web.views import postmortem_reviews as reviews
from awrdiff.web.views import postmortems, sharing

edit = partial(views.edit, keeps_moments=True)
MADE, DONE = {201: kinds.Made}, {204: None}
ADDRESSES = (
    Address(
        "incidents",
        "api-incidents",
        {
            "GET": reading(
                incidents.listed,
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
            "GET": reading(incidents.one, "An incident with its timeline", answers.Incident),
            "POST": writes(edit, "Changes what is sent of it", bodies.ChangedIncident, DONE),
            "DELETE": Operation(
                incidents.delete, "Deletes it with all that hangs on it; reports stay", "write", {204: None}
            ),
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
            "GET": reading(incidents.evidence, "What was kept for it", answers.EvidenceList),
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
        incidents.actions,
        "Action items of all incidents, newest first",
        answers.Actions,
        kinds.ActionsQuery,
    ),
    Address(
        "incidents/{id}/links",
        "api-incident-links",
        {
            "GET": reading(incidents.links_of, "Its share links that were not revoked", kinds.LinksOfOne),
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
            "GET": reading(incidents.threads, "What is talked about it", kinds.Threads),
            "POST": writes(
                talks.threads, "Begins a thread about a line of its timeline", bodies.NewThread, {201: ChangedThread}
            ),
        },
    ),
    Address(
        "incidents/{id}/threads/{thread}",
        "api-incident-thread",
        {
            "GET": reading(incidents.thread, "What was said in a thread", ThreadDocument),
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
            "GET": reading(incidents.postmortem, "Its post-mortem", answers.Postmortem),
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

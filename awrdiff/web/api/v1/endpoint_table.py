"""Every address of /api/v1: served, described in openapi.json and docs/reference/http.md from here."""

from __future__ import annotations

from awrdiff.web.api.sharing import MadeLink
from awrdiff.web.api.v1 import bodies, comparisons, fleet, lists, reports
from awrdiff.web.api.v1 import request_and_response_types as types
from awrdiff.web.api.v1.operation import at, page_reads, page_writes
from awrdiff.web.presenters.incident import json_types as answers
from awrdiff.web.presenters.incident.finding_verdicts import Judgement
from awrdiff.web.presenters.page.pins import PinLine
from awrdiff.web.presenters.threads.quote_and_comments import ChangedThread, ThreadDocument
from awrdiff.web.views import comparisons as comparison_pages
from awrdiff.web.views import (
    database_metrics,
    deleting,
    finding_verdicts,
    pins,
    postmortem_reviews,
    postmortems,
    sharing,
    threads,
)
from awrdiff.web.views import incident_parts as parts
from awrdiff.web.views import incidents as incident_pages
from awrdiff.web.views import reports as report_pages

CHANGED, BEGUN = {200: ChangedThread}, {201: ChangedThread}
POSTMORTEM = {200: answers.Postmortem}
CREATED = {201: types.Made}
TALK, COMMENTS = "What is talked about it", "What was said in a thread"
ANSWERS, RESOLVES = "Answers in a thread", "Resolves a thread, or opens it again"
LINKS = "Its share links that were not revoked"
NEW_LINK = "Makes a share link to it"

ADDRESSES = (
    at("reports", "api-reports", GET=lists.reports, POST=reports.send),
    at(
        "reports/{id}",
        "api-report",
        GET=page_reads(report_pages.report, "What was read of a report", types.Report),
        DELETE=page_writes(deleting.report, "Deletes it; 409 where a comparison has it"),
    ),
    at(
        "reports/{id}/retry",
        "api-report-retry",
        POST=page_writes(report_pages.retry, "Reads one that failed again", {200: types.Sent}),
    ),
    at("reports/{id}/sections/{section}", "api-report-section", GET=reports.section),
    at("reports/{id}/entities/{kind}/{key}", "api-report-entity", GET=reports.entity),
    at("reports/{id}/commit", "api-report-commit", GET=reports.commit),
    at("comparisons", "api-comparisons", GET=lists.comparisons, POST=comparisons.make),
    at(
        "comparisons/{id}",
        "api-comparison",
        GET=comparisons.comparison,
        DELETE=page_writes(
            deleting.comparison, "Deletes it with its links, and with those of its reports that stand in no other"
        ),
    ),
    at("comparisons/{id}/sections/{section}", "api-comparison-section", GET=comparisons.section),
    at("comparisons/{id}/entities/{kind}/{key}", "api-comparison-entity", GET=comparisons.entity),
    at("comparisons/{id}/trend", "api-comparison-trend", GET=comparisons.trend),
    at("comparisons/{id}/commit", "api-comparison-commit", GET=comparisons.commit),
    at("comparisons/{id}/export.json", "api-comparison-export", GET=comparisons.whole),
    at(
        "comparisons/{id}/threads",
        "api-comparison-threads",
        GET=page_reads(threads.threads, TALK, types.Threads, types.ThreadsQuery),
        POST=page_writes(threads.threads, "Begins a thread about a row, section or finding", BEGUN, bodies.NewThread),
    ),
    at(
        "comparisons/{id}/threads/{thread}",
        "api-comparison-thread",
        GET=page_reads(threads.thread, COMMENTS, ThreadDocument),
        POST=page_writes(threads.thread, ANSWERS, BEGUN, bodies.NewComment),
    ),
    at(
        "comparisons/{id}/verdicts",
        "api-comparison-verdicts",
        GET=page_reads(
            finding_verdicts.verdicts, "What people say of its findings, and what of that is the team's", types.Verdicts
        ),
        POST=page_writes(
            finding_verdicts.verdicts,
            "Judges a finding, beside what others say of it",
            {201: Judgement},
            bodies.NewVerdict,
        ),
    ),
    at(
        "comparisons/{id}/threads/{thread}/state",
        "api-comparison-thread-state",
        POST=page_writes(threads.state, RESOLVES, CHANGED, bodies.ThreadState),
    ),
    at(
        "comparisons/{id}/threads/{thread}/comments/{comment}",
        "api-comparison-comment",
        POST=page_writes(threads.comment, "Changes what one wrote", CHANGED, bodies.NewComment),
        DELETE=page_writes(threads.comment, "Deletes what was written", CHANGED),
    ),
    at(
        "comparisons/{id}/title",
        "api-comparison-title",
        POST=page_writes(
            comparison_pages.rename,
            "Gives it a title; empty: it is called by what it compares",
            {200: types.ComparisonState},
            bodies.Title,
        ),
    ),
    at(
        "comparisons/{id}/pins",
        "api-comparison-pins",
        GET=page_reads(pins.pins, "One's own evidence", types.Pins),
        POST=page_writes(pins.pins, "Keeps a row, section or finding for oneself", {201: PinLine}, bodies.NewPin),
    ),
    at("comparisons/{id}/pins/{pin}", "api-comparison-pin", DELETE=page_writes(pins.remove, "Removes a pin")),
    at(
        "comparisons/{id}/links",
        "api-comparison-links",
        GET=page_reads(sharing.links_of, LINKS, types.LinksOfOne),
        POST=page_writes(sharing.links_of, NEW_LINK, {201: MadeLink}, bodies.NewLink, scope="share"),
    ),
    at("databases", "api-databases", GET=lists.databases),
    at(
        "databases/{database}/metrics",
        "api-database-metrics",
        GET=page_reads(
            database_metrics.metrics,
            "Figures of a database over time, with what is normal at each hour and where a level changed",
            types.MetricsHistory,
            types.FiguresQuery,
        ),
    ),
    at(
        "databases/{database}/statements/{key}",
        "api-database-statement",
        GET=page_reads(
            database_metrics.statement,
            "A statement in each report of a database: sessions, time and gets of one execution, plans",
            types.StatementHistory,
            types.SpanQuery,
        ),
    ),
    at(
        "databases/{database}/events/{key}",
        "api-database-event",
        GET=page_reads(
            database_metrics.event, "An event in each report of a database", types.EventHistory, types.SpanQuery
        ),
    ),
    at("fleet", "api-fleet", GET=fleet.listed),
    at("links", "api-links", GET=lists.share_links),
    at("links/{id}", "api-link", DELETE=page_writes(sharing.revoke, "Revokes a share link", scope="share")),
    at("people", "api-people", GET=lists.people),
    at("audit", "api-audit", GET=lists.audit),
    at(
        "incidents",
        "api-incidents",
        GET=lists.incidents,
        POST=page_writes(incident_pages.incidents, "Opens an incident", CREATED, bodies.NewIncident),
    ),
    at(
        "incidents/{id}",
        "api-incident",
        GET=page_reads(incident_pages.incident, "An incident with its timeline", answers.Incident),
        POST=page_writes(incident_pages.edit, "Changes what is sent of it", takes=bodies.ChangedIncident),
        DELETE=page_writes(incident_pages.delete, "Deletes it with all that hangs on it; reports stay"),
    ),
    at(
        "incidents/{id}/status",
        "api-incident-status",
        POST=page_writes(incident_pages.status, "Sets its status; resolving it ends it", takes=bodies.NewStatus),
    ),
    at(
        "incidents/{id}/comparisons",
        "api-incident-comparisons",
        POST=page_writes(parts.attach, "Attaches a comparison", takes=bodies.ThatComparison),
    ),
    at(
        "incidents/{id}/comparisons/{comparison}",
        "api-incident-comparison",
        DELETE=page_writes(parts.detach, "Detaches it"),
    ),
    at(
        "incidents/{id}/reports",
        "api-incident-reports",
        POST=page_writes(parts.attach_report, "Attaches a report or an LGWR trace", takes=bodies.ThatReport),
    ),
    at(
        "incidents/{id}/reports/{report}", "api-incident-report", DELETE=page_writes(parts.detach_report, "Detaches it")
    ),
    at(
        "incidents/{id}/events",
        "api-incident-events",
        POST=page_writes(parts.add_event, "Adds to its timeline what happened", CREATED, bodies.NewEvent),
    ),
    at(
        "incidents/{id}/events/{event}",
        "api-incident-event",
        POST=page_writes(parts.event, "Changes what is sent of what happened", takes=bodies.ChangedEvent),
        DELETE=page_writes(parts.remove_event, "Takes it from the timeline"),
    ),
    at(
        "incidents/{id}/evidence",
        "api-incident-evidence",
        GET=page_reads(parts.all_evidence, "What was kept for it", answers.EvidenceList),
        POST=page_writes(
            parts.all_evidence,
            "Keeps a row, section or finding as it stands",
            {201: types.MadeEvidence},
            bodies.NewEvidence,
        ),
    ),
    at(
        "incidents/{id}/evidence/{evidence}",
        "api-incident-evidence-one",
        POST=page_writes(parts.note_evidence, "Writes a note on it", takes=bodies.Note),
        DELETE=page_writes(parts.remove_evidence, "Keeps it no more"),
    ),
    at(
        "incidents/{id}/actions",
        "api-incident-actions",
        POST=page_writes(parts.add_action, "Adds an action item", CREATED, bodies.NewAction),
    ),
    at(
        "incidents/{id}/actions/{action}",
        "api-incident-action",
        POST=page_writes(parts.action, "Changes what is sent of an action item", takes=bodies.ChangedAction),
        DELETE=page_writes(parts.remove_action, "Removes it"),
    ),
    at("actions", "api-actions", GET=lists.actions),
    at(
        "incidents/{id}/links",
        "api-incident-links",
        GET=page_reads(sharing.links_of, LINKS, types.LinksOfOne, shows="incident"),
        POST=page_writes(
            sharing.links_of, NEW_LINK, {201: MadeLink}, bodies.NewLinkToRead, scope="share", shows="incident"
        ),
    ),
    at(
        "incidents/{id}/threads",
        "api-incident-threads",
        GET=page_reads(threads.threads, TALK, types.Threads, kind="incident"),
        POST=page_writes(
            threads.threads, "Begins a thread about a line of its timeline", BEGUN, bodies.NewThread, kind="incident"
        ),
    ),
    at(
        "incidents/{id}/threads/{thread}",
        "api-incident-thread",
        GET=page_reads(threads.thread, COMMENTS, ThreadDocument, kind="incident"),
        POST=page_writes(threads.thread, ANSWERS, BEGUN, bodies.NewComment, kind="incident"),
    ),
    at(
        "incidents/{id}/threads/{thread}/state",
        "api-incident-thread-state",
        POST=page_writes(threads.state, RESOLVES, CHANGED, bodies.ThreadState, kind="incident"),
    ),
    at(
        "incidents/{id}/postmortem",
        "api-postmortem",
        GET=page_reads(postmortems.postmortem, "Its post-mortem", answers.Postmortem),
        POST=page_writes(
            postmortems.postmortem, "Drafts it, or drafts again what nobody has edited", {201: answers.Postmortem}
        ),
    ),
    at(
        "incidents/{id}/postmortem/sections/{section}",
        "api-postmortem-section",
        POST=page_writes(
            postmortems.section,
            "Saves the text of a section over the version that was read",
            {200: types.SavedSection},
            bodies.SectionText,
        ),
    ),
    at(
        "incidents/{id}/postmortem/review",
        "api-postmortem-review",
        POST=page_writes(postmortems.review, "Publishes it as it was read", POSTMORTEM, bodies.Reviewed),
    ),
    at(
        "incidents/{id}/postmortem/reopen",
        "api-postmortem-reopen",
        POST=page_writes(postmortems.reopen, "Lets it be edited again", POSTMORTEM, bodies.Reopened),
    ),
    at(
        "incidents/{id}/postmortem/ask",
        "api-postmortem-ask",
        POST=page_writes(postmortem_reviews.ask, "Asks for a second review", takes=bodies.Reviewer),
    ),
    at(
        "incidents/{id}/postmortem/answer",
        "api-postmortem-answer",
        POST=page_writes(postmortem_reviews.answer, "Answers as its second reviewer", takes=bodies.ReviewAnswer),
    ),
)

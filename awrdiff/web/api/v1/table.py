"""Every address of /api/v1: served, described in openapi.json and docs/reference/http.md from here."""

from __future__ import annotations

from awrdiff.web.api.sharing import MadeLink
from awrdiff.web.api.v1 import (
    bodies,
    comparisons,
    databases,
    documents,
    fleet,
    incidents,
    kinds,
    reports,
    team,
    threads,
)
from awrdiff.web.api.v1.operation import Operation, at, reading, reads, removes, writes
from awrdiff.web.presenters.incident import kinds as answers
from awrdiff.web.presenters.incident.verdicts import Judgement
from awrdiff.web.presenters.page.pins import PinLine
from awrdiff.web.presenters.threads.thread import ChangedThread, ThreadDocument
from awrdiff.web.views import incident_parts as parts
from awrdiff.web.views import pins, sharing

MADE, DONE = {201: kinds.Made}, {204: None}
ADDRESSES = (
    at(
        "reports",
        "api-reports",
        GET=reading(reports.listed, "The team's reports, newest first", kinds.Reports, kinds.ReportsQuery),
        POST=Operation(
            reports.send,
            "Sends a file, or an archive of files: 200 with what is there where all bytes are known",
            "upload",
            {201: kinds.Sent | kinds.SentFiles, 200: kinds.Sent | kinds.SentFiles},
            file=True,
        ),
    ),
    at(
        "reports/{id}",
        "api-report",
        GET=reading(reports.one, "What was read of a report", kinds.Report),
        DELETE=Operation(reports.delete, "Deletes it; 409 where a comparison has it", "write", DONE),
    ),
    at(
        "reports/{id}/retry",
        "api-report-retry",
        POST=Operation(reports.retry, "Reads one that failed again", "write", {200: kinds.Sent}),
    ),
    reads(
        "reports/{id}/sections/{section}",
        "api-report-section",
        reports.section,
        "A section of a report, with all its rows",
        documents.ReportSection,
    ),
    reads(
        "reports/{id}/entities/{kind}/{key}",
        "api-report-entity",
        reports.entity,
        "What a report prints of one statement, event, object …",
        kinds.ReportEntity,
    ),
    reads(
        "reports/{id}/commit", "api-report-commit", reports.commit, "What commits cost in a report", documents.Commits
    ),
    at(
        "comparisons",
        "api-comparisons",
        GET=reading(
            comparisons.listed, "The team's comparisons, newest first", kinds.Comparisons, kinds.ComparisonsQuery
        ),
        POST=Operation(
            comparisons.make,
            "Compares reports; the same in the same order are one comparison",
            "write",
            {201: kinds.MadeComparison},
            kinds.NewComparison,
        ),
    ),
    at(
        "comparisons/{id}",
        "api-comparison",
        GET=reading(
            comparisons.one, "What a comparison says, or how far it has come", kinds.Comparison, kinds.PairQuery
        ),
        DELETE=Operation(
            comparisons.delete,
            "Deletes it with its links, and with those of its reports that stand in no other",
            "write",
            DONE,
        ),
    ),
    reads(
        "comparisons/{id}/sections/{section}",
        "api-comparison-section",
        comparisons.section,
        "A compared section with all its rows, of a pair or against a baseline",
        documents.Section,
        kinds.ViewQuery,
    ),
    reads(
        "comparisons/{id}/entities/{kind}/{key}",
        "api-comparison-entity",
        comparisons.entity,
        "Everything both reports print of one statement, event, object …",
        kinds.Entity,
        kinds.PairQuery,
    ),
    reads(
        "comparisons/{id}/trend",
        "api-comparison-trend",
        comparisons.trend,
        "What every report prints of one row, or of all rows of a section",
        kinds.Trend,
        kinds.TrendQuery,
    ),
    reads(
        "comparisons/{id}/commit",
        "api-comparison-commit",
        comparisons.commit,
        "What commits cost, over all reports",
        documents.Commits,
    ),
    reads(
        "comparisons/{id}/export.json",
        "api-comparison-export",
        comparisons.whole,
        "The whole document of `manage.py compare`, or that against a baseline",
        documents.WholeComparison | documents.WholeBaseline,
        kinds.WholeQuery,
    ),
    at(
        "comparisons/{id}/threads",
        "api-comparison-threads",
        GET=reading(
            threads.of_comparison(threads.listed), "What is talked about it", kinds.Threads, kinds.ThreadsQuery
        ),
        POST=writes(
            threads.of_comparison(threads.begin),
            "Begins a thread about a row, section or finding",
            bodies.NewThread,
            {201: ChangedThread},
        ),
    ),
    at(
        "comparisons/{id}/threads/{thread}",
        "api-comparison-thread",
        GET=reading(threads.of_comparison(threads.one), "What was said in a thread", ThreadDocument),
        POST=writes(
            threads.of_comparison(threads.reply), "Answers in a thread", bodies.NewComment, {201: ChangedThread}
        ),
    ),
    at(
        "comparisons/{id}/verdicts",
        "api-comparison-verdicts",
        GET=reading(
            comparisons.verdicts, "What people say of its findings, and what of that is the team's", kinds.Verdicts
        ),
        POST=writes(
            comparisons.judge, "Judges a finding, beside what others say of it", bodies.NewVerdict, {201: Judgement}
        ),
    ),
    at(
        "comparisons/{id}/threads/{thread}/state",
        "api-comparison-thread-state",
        POST=writes(
            threads.of_comparison(threads.set_state),
            "Resolves a thread, or opens it again",
            bodies.ThreadState,
            {200: ChangedThread},
        ),
    ),
    at(
        "comparisons/{id}/threads/{thread}/comments/{comment}",
        "api-comparison-comment",
        POST=writes(
            threads.of_comparison(threads.change_comment),
            "Changes what one wrote",
            bodies.NewComment,
            {200: ChangedThread},
        ),
        DELETE=writes(
            threads.of_comparison(threads.remove_comment), "Deletes what was written", None, {200: ChangedThread}
        ),
    ),
    at(
        "comparisons/{id}/title",
        "api-comparison-title",
        POST=writes(
            comparisons.rename,
            "Gives it a title; empty: it is called by what it compares",
            bodies.Title,
            {200: kinds.ComparisonState},
        ),
    ),
    at(
        "comparisons/{id}/pins",
        "api-comparison-pins",
        GET=reading(comparisons.pins, "One's own evidence", kinds.Pins),
        POST=writes(comparisons.pin, "Keeps a row, section or finding for oneself", bodies.NewPin, {201: PinLine}),
    ),
    at("comparisons/{id}/pins/{pin}", "api-comparison-pin", DELETE=removes(pins.remove, "Removes a pin")),
    at(
        "comparisons/{id}/links",
        "api-comparison-links",
        GET=reading(comparisons.links_of, "Its share links that were not revoked", kinds.LinksOfOne),
        POST=writes(comparisons.make_link, "Makes a share link to it", bodies.NewLink, {201: MadeLink}, scope="share"),
    ),
    reads(
        "databases",
        "api-databases",
        databases.listed,
        "Databases that there are reports or comparisons of",
        kinds.Databases,
        kinds.DatabasesQuery,
    ),
    reads(
        "databases/{database}/metrics",
        "api-database-metrics",
        databases.metrics,
        "Figures of a database over time, with what is normal at each hour and where a level changed",
        kinds.MetricsHistory,
        kinds.FiguresQuery,
    ),
    reads(
        "databases/{database}/statements/{key}",
        "api-database-statement",
        databases.statement,
        "A statement in each report of a database: sessions, time and gets of one execution, plans",
        kinds.StatementHistory,
        kinds.SpanQuery,
    ),
    reads(
        "databases/{database}/events/{key}",
        "api-database-event",
        databases.event,
        "An event in each report of a database",
        kinds.EventHistory,
        kinds.SpanQuery,
    ),
    reads(
        "fleet",
        "api-fleet",
        fleet.listed,
        "Databases by what changed most against their normal, and those that are overdue",
        fleet.Fleet,
        fleet.FleetQuery,
    ),
    reads(
        "links",
        "api-links",
        team.links,
        "Share links that were not revoked, newest first",
        kinds.Links,
        kinds.ListQuery,
    ),
    at("links/{id}", "api-link", DELETE=removes(sharing.revoke, "Revokes a share link", scope="share")),
    reads("people", "api-people", team.people, "Who is on the team, and as what", kinds.People),
    at(
        "audit",
        "api-audit",
        GET=Operation(team.audit, "Who did what, newest first", "audit", {200: kinds.Audit}, kinds.AuditQuery),
    ),
    at(
        "incidents",
        "api-incidents",
        GET=reading(
            incidents.listed,
            "The team's incidents, the one made last first",
            answers.Incidents,
            kinds.IncidentsQuery,
        ),
        POST=writes(incidents.make, "Opens an incident", bodies.NewIncident, MADE),
    ),
    at(
        "incidents/{id}",
        "api-incident",
        GET=reading(incidents.one, "An incident with its timeline", answers.Incident),
        POST=writes(incidents.change, "Changes what is sent of it", bodies.ChangedIncident, DONE),
        DELETE=Operation(incidents.delete, "Deletes it with all that hangs on it; reports stay", "write", DONE),
    ),
    at(
        "incidents/{id}/status",
        "api-incident-status",
        POST=writes(incidents.set_status, "Sets its status; resolving it ends it", bodies.NewStatus, DONE),
    ),
    at(
        "incidents/{id}/comparisons",
        "api-incident-comparisons",
        POST=writes(incidents.attach, "Attaches a comparison", bodies.ThatComparison, DONE),
    ),
    at(
        "incidents/{id}/comparisons/{comparison}",
        "api-incident-comparison",
        DELETE=removes(parts.detach, "Detaches it"),
    ),
    at(
        "incidents/{id}/reports",
        "api-incident-reports",
        POST=writes(incidents.attach_report, "Attaches a report or an LGWR trace", bodies.ThatReport, DONE),
    ),
    at(
        "incidents/{id}/reports/{report}",
        "api-incident-report",
        DELETE=removes(parts.detach_report, "Detaches it"),
    ),
    at(
        "incidents/{id}/events",
        "api-incident-events",
        POST=writes(incidents.add_event, "Adds to its timeline what happened", bodies.NewEvent, MADE),
    ),
    at(
        "incidents/{id}/events/{event}",
        "api-incident-event",
        POST=writes(incidents.change_event, "Changes what is sent of what happened", bodies.ChangedEvent, DONE),
        DELETE=removes(parts.remove_event, "Takes it from the timeline"),
    ),
    at(
        "incidents/{id}/evidence",
        "api-incident-evidence",
        GET=reading(incidents.all_evidence, "What was kept for it", answers.EvidenceList),
        POST=writes(
            incidents.keep_evidence,
            "Keeps a row, section or finding as it stands",
            bodies.NewEvidence,
            {201: kinds.MadeEvidence},
        ),
    ),
    at(
        "incidents/{id}/evidence/{evidence}",
        "api-incident-evidence-one",
        POST=writes(incidents.note_evidence, "Writes a note on it", bodies.Note, DONE),
        DELETE=removes(parts.remove_evidence, "Keeps it no more"),
    ),
    at(
        "incidents/{id}/actions",
        "api-incident-actions",
        POST=writes(incidents.add_action, "Adds an action item", bodies.NewAction, MADE),
    ),
    at(
        "incidents/{id}/actions/{action}",
        "api-incident-action",
        POST=writes(incidents.change_action, "Changes what is sent of an action item", bodies.ChangedAction, DONE),
        DELETE=removes(parts.remove_action, "Removes it"),
    ),
    reads(
        "actions",
        "api-actions",
        incidents.all_actions,
        "Action items of all incidents, newest first",
        answers.Actions,
        kinds.ActionsQuery,
    ),
    at(
        "incidents/{id}/links",
        "api-incident-links",
        GET=reading(incidents.links_of, "Its share links that were not revoked", kinds.LinksOfOne),
        POST=writes(
            incidents.make_link,
            "Makes a share link to it",
            bodies.NewLinkToRead,
            {201: MadeLink},
            scope="share",
        ),
    ),
    at(
        "incidents/{id}/threads",
        "api-incident-threads",
        GET=reading(threads.of_incident(threads.listed), "What is talked about it", kinds.Threads),
        POST=writes(
            threads.of_incident(threads.begin),
            "Begins a thread about a line of its timeline",
            bodies.NewThread,
            {201: ChangedThread},
        ),
    ),
    at(
        "incidents/{id}/threads/{thread}",
        "api-incident-thread",
        GET=reading(threads.of_incident(threads.one), "What was said in a thread", ThreadDocument),
        POST=writes(threads.of_incident(threads.reply), "Answers in a thread", bodies.NewComment, {201: ChangedThread}),
    ),
    at(
        "incidents/{id}/threads/{thread}/state",
        "api-incident-thread-state",
        POST=writes(
            threads.of_incident(threads.set_state),
            "Resolves a thread, or opens it again",
            bodies.ThreadState,
            {200: ChangedThread},
        ),
    ),
    at(
        "incidents/{id}/postmortem",
        "api-postmortem",
        GET=reading(incidents.postmortem, "Its post-mortem", answers.Postmortem),
        POST=writes(
            incidents.draft,
            "Drafts it, or drafts again what nobody has edited",
            None,
            {201: answers.Postmortem},
        ),
    ),
    at(
        "incidents/{id}/postmortem/sections/{section}",
        "api-postmortem-section",
        POST=writes(
            incidents.save_section,
            "Saves the text of a section over the version that was read",
            bodies.SectionText,
            {200: kinds.SavedSection},
        ),
    ),
    at(
        "incidents/{id}/postmortem/review",
        "api-postmortem-review",
        POST=writes(incidents.review, "Publishes it as it was read", bodies.Reviewed, {200: answers.Postmortem}),
    ),
    at(
        "incidents/{id}/postmortem/reopen",
        "api-postmortem-reopen",
        POST=writes(incidents.reopen, "Lets it be edited again", bodies.Reopened, {200: answers.Postmortem}),
    ),
    at(
        "incidents/{id}/postmortem/ask",
        "api-postmortem-ask",
        POST=writes(incidents.ask_reviewer, "Asks for a second review", bodies.Reviewer, DONE),
    ),
    at(
        "incidents/{id}/postmortem/answer",
        "api-postmortem-answer",
        POST=writes(incidents.answer_review, "Answers as its second reviewer", bodies.ReviewAnswer, DONE),
    ),
)

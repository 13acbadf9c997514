"""Every address of /api/v1: served, described in openapi.json and docs/reference/http.md from here."""

from __future__ import annotations

from awrdiff.web.api.sharing import MadeLink
from awrdiff.web.api.v1 import bodies, comparisons, databases, documents, fleet, incidents, kinds, reports, team
from awrdiff.web.api.v1.operation import Operation, at, reading, reads, removes, writes
from awrdiff.web.presenters.incident.verdicts import Judgement
from awrdiff.web.presenters.page.pins import PinLine
from awrdiff.web.presenters.threads.thread import ChangedThread, ThreadDocument
from awrdiff.web.views import comparisons as views
from awrdiff.web.views import pins as tray
from awrdiff.web.views import sharing, threads, verdicts

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
        DELETE=Operation(reports.delete, "Deletes it; 409 where a comparison has it", "write", {204: None}),
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
            {204: None},
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
        GET=reading(comparisons.threads, "What is talked about it", kinds.Threads, kinds.ThreadsQuery),
        POST=writes(
            threads.threads, "Begins a thread about a row, section or finding", bodies.NewThread, {201: ChangedThread}
        ),
    ),
    at(
        "comparisons/{id}/threads/{thread}",
        "api-comparison-thread",
        GET=reading(comparisons.thread, "What was said in a thread", ThreadDocument),
        POST=writes(threads.thread, "Answers in a thread", bodies.NewComment, {201: ChangedThread}),
    ),
    at(
        "comparisons/{id}/verdicts",
        "api-comparison-verdicts",
        GET=reading(
            comparisons.verdicts, "What people say of its findings, and what of that is the team's", kinds.Verdicts
        ),
        POST=writes(
            verdicts.verdicts, "Judges a finding, beside what others say of it", bodies.NewVerdict, {201: Judgement}
        ),
    ),
    at(
        "comparisons/{id}/threads/{thread}/state",
        "api-comparison-thread-state",
        POST=writes(threads.state, "Resolves a thread, or opens it again", bodies.ThreadState, {200: ChangedThread}),
    ),
    at(
        "comparisons/{id}/threads/{thread}/comments/{comment}",
        "api-comparison-comment",
        POST=writes(threads.comment, "Changes what one wrote", bodies.NewComment, {200: ChangedThread}),
        DELETE=writes(threads.comment, "Deletes what was written", None, {200: ChangedThread}),
    ),
    at(
        "comparisons/{id}/title",
        "api-comparison-title",
        POST=writes(
            views.rename,
            "Gives it a title; empty: it is called by what it compares",
            bodies.Title,
            {200: kinds.ComparisonState},
        ),
    ),
    at(
        "comparisons/{id}/pins",
        "api-comparison-pins",
        GET=reading(comparisons.pins, "One's own evidence", kinds.Pins),
        POST=writes(tray.pins, "Keeps a row, section or finding for oneself", bodies.NewPin, {201: PinLine}),
    ),
    at("comparisons/{id}/pins/{pin}", "api-comparison-pin", DELETE=removes(tray.remove, "Removes a pin")),
    at(
        "comparisons/{id}/links",
        "api-comparison-links",
        GET=reading(comparisons.links_of, "Its share links that were not revoked", kinds.LinksOfOne),
        POST=writes(sharing.of_comparison, "Makes a share link to it", bodies.NewLink, {201: MadeLink}, scope="share"),
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
    *incidents.ADDRESSES,
)

"""Every address of /api/v1: what is served, what openapi.json says of it, and what docs/http.md lists."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec import Struct

from awrdiff.web.api.v1 import comparisons, databases, incidents, kinds, reports, share_links
from awrdiff.web.api.v1.operation import Address, Operation


def _read(  # noqa: PLR0917 - a row of the table
    path: str, name: str, does: Callable[..., Any], summary: str, answered: Any, takes: type[Struct] | None = None
) -> Address:
    """An address that is only looked at."""
    return Address(path, name, {"GET": Operation(does, summary, "read", {200: answered}, takes)})


ADDRESSES = (
    Address(
        "reports",
        "api-reports",
        {
            "GET": Operation(
                reports.listed,
                "The team's reports, newest first",
                "read",
                {200: kinds.Reports},
                kinds.ReportsQuery,
            ),
            "POST": Operation(
                reports.send,
                "Sends a file, or an archive of files: 200 with what is there where all bytes are known",
                "upload",
                {201: kinds.Sent | kinds.SentFiles, 200: kinds.Sent | kinds.SentFiles},
                file=True,
            ),
        },
    ),
    _read("reports/{id}", "api-report", reports.one, "What was read of a report", kinds.Report),
    _read(
        "reports/{id}/sections/{section}",
        "api-report-section",
        reports.section,
        "A section of a report, with all its rows",
        kinds.Section,
    ),
    _read(
        "reports/{id}/entities/{kind}/{key}",
        "api-report-entity",
        reports.entity,
        "What a report prints of one statement, event, object …",
        kinds.Entity,
    ),
    _read(
        "reports/{id}/commit",
        "api-report-commit",
        reports.commit,
        "What commits cost in a report",
        kinds.Document,
    ),
    Address(
        "comparisons",
        "api-comparisons",
        {
            "GET": Operation(
                comparisons.listed,
                "The team's comparisons, newest first",
                "read",
                {200: kinds.Comparisons},
                kinds.ComparisonsQuery,
            ),
            "POST": Operation(
                comparisons.make,
                "Compares reports; the same in the same order are one comparison",
                "write",
                {201: kinds.MadeComparison},
                kinds.NewComparison,
                once=True,
            ),
        },
    ),
    _read(
        "comparisons/{id}",
        "api-comparison",
        comparisons.one,
        "What a comparison says, or how far it has come",
        kinds.Comparison,
        kinds.PairQuery,
    ),
    _read(
        "comparisons/{id}/sections/{section}",
        "api-comparison-section",
        comparisons.section,
        "A compared section with all its rows, of a pair or against a baseline",
        kinds.Section,
        kinds.ViewQuery,
    ),
    _read(
        "comparisons/{id}/entities/{kind}/{key}",
        "api-comparison-entity",
        comparisons.entity,
        "Everything both reports print of one statement, event, object …",
        kinds.Entity,
        kinds.PairQuery,
    ),
    _read(
        "comparisons/{id}/trend",
        "api-comparison-trend",
        comparisons.trend,
        "What every report prints of one row, or of all rows of a section",
        kinds.Trend,
        kinds.TrendQuery,
    ),
    _read(
        "comparisons/{id}/commit",
        "api-comparison-commit",
        comparisons.commit,
        "What commits cost, over all reports",
        kinds.Document,
    ),
    _read(
        "comparisons/{id}/export.json",
        "api-comparison-export",
        comparisons.whole,
        "The whole document of `manage.py compare`, or that against a baseline",
        kinds.Whole,
        kinds.WholeQuery,
    ),
    _read(
        "comparisons/{id}/threads",
        "api-comparison-threads",
        comparisons.threads,
        "What is talked about it",
        kinds.Threads,
        kinds.ThreadsQuery,
    ),
    _read(
        "comparisons/{id}/threads/{thread}",
        "api-comparison-thread",
        comparisons.thread,
        "What was said in a thread",
        kinds.Thread,
    ),
    _read(
        "comparisons/{id}/verdicts",
        "api-comparison-verdicts",
        comparisons.verdicts,
        "What the team makes of its findings",
        kinds.Verdicts,
    ),
    _read(
        "databases",
        "api-databases",
        databases.listed,
        "Databases that there are reports or comparisons of",
        kinds.Databases,
        kinds.DatabasesQuery,
    ),
    _read(
        "links",
        "api-links",
        share_links.listed,
        "Share links that were not revoked, newest first",
        kinds.Links,
        kinds.ListQuery,
    ),
    _read(
        "incidents",
        "api-incidents",
        incidents.listed,
        "The team's incidents, the one made last first",
        kinds.Incidents,
        kinds.IncidentsQuery,
    ),
    _read("incidents/{id}", "api-incident", incidents.one, "An incident with its timeline", kinds.Incident),
    _read(
        "incidents/{id}/evidence",
        "api-incident-evidence",
        incidents.evidence,
        "What was kept for it",
        kinds.Evidence,
    ),
    _read(
        "incidents/{id}/threads",
        "api-incident-threads",
        incidents.threads,
        "What is talked about it",
        kinds.Threads,
    ),
    _read(
        "incidents/{id}/threads/{thread}",
        "api-incident-thread",
        incidents.thread,
        "What was said in a thread",
        kinds.Thread,
    ),
    _read(
        "incidents/{id}/postmortem",
        "api-postmortem",
        incidents.postmortem,
        "Its post-mortem",
        kinds.Postmortem,
    ),
)

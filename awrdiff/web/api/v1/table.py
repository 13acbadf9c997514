"""Every address of /api/v1: what is served, what openapi.json says of it, and what docs/http.md lists."""

from __future__ import annotations

from awrdiff.web.api.v1 import comparisons, databases, kinds, reports
from awrdiff.web.api.v1.operation import Address, Operation

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
    Address(
        "reports/{id}",
        "api-report",
        {"GET": Operation(reports.one, "What was read of a report", "read", {200: kinds.Report})},
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
                kinds.ListQuery,
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
    Address(
        "comparisons/{id}",
        "api-comparison",
        {
            "GET": Operation(
                comparisons.one,
                "What a comparison says, or how far it has come",
                "read",
                {200: kinds.Comparison},
                kinds.ComparisonQuery,
            )
        },
    ),
    Address(
        "databases",
        "api-databases",
        {
            "GET": Operation(
                databases.listed,
                "Databases that there are reports or comparisons of",
                "read",
                {200: kinds.Databases},
                kinds.ListQuery,
            )
        },
    ),
)

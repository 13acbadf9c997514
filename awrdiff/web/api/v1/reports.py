from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.urls import reverse
from msgspec import UNSET

from awrdiff.accounts.access import AccessContext
from awrdiff.comparisons import comparisons_by_database
from awrdiff.reports import queries, services
from awrdiff.reports.models import SEVERAL, Report
from awrdiff.web.api import reports as pages
from awrdiff.web.api.v1 import analysis_responses, databases, paging, request_and_response_types
from awrdiff.web.api.v1.operation import DONE, closed_to_guests, reads, writes
from awrdiff.web.api.v1.request_and_response_types import ListedReport, ReportsQuery, Sent
from awrdiff.web.content_negotiation import json_response
from awrdiff.web.views import commit_latency as commits
from awrdiff.web.views import entities
from awrdiff.web.views import reports as views
from awrdiff.web.views.errors import answer


@writes(
    "Sends a file, or an archive of files: 200 with what is there where all bytes are known",
    {
        201: request_and_response_types.Sent | request_and_response_types.SentFiles,
        200: request_and_response_types.Sent | request_and_response_types.SentFiles,
    },
    scope="upload",
    file=True,
)
def send(request: HttpRequest, access: AccessContext, _query: None) -> HttpResponse:
    """200 if the team has the file."""
    sent, response = pages.upload(request, access, reuse=True)
    if len(sent) == 1:
        response["Location"] = reverse("api-report", args=[sent[0].pk])
    return response


@reads("The team's reports, newest first", request_and_response_types.Reports, request_and_response_types.ReportsQuery)
@closed_to_guests
def listed(request: HttpRequest, access: AccessContext, query: ReportsQuery) -> HttpResponse:
    if query.database is UNSET:
        reports = comparisons_by_database.own_reports(access)
    else:
        reports = comparisons_by_database.reports_of(access, databases.named(access, query.database))
    if query.sha256:
        reports = reports.filter(sha256=query.sha256)
    return paging.newest(
        request, reports, query.cursor, query.limit, lambda some: [_line(access, report) for report in some]
    )


@reads("What was read of a report", request_and_response_types.Report)
def one(request: HttpRequest, access: AccessContext, _query: None, pk: UUID) -> HttpResponse:
    return pages.report_json(request, access, queries.report_for(access, pk))


@writes("Reads one that failed again", {200: request_and_response_types.Sent})
def retry(request: HttpRequest, access: AccessContext, _query: None, pk: UUID) -> HttpResponse:
    """A read report is left alone."""
    report = services.retry(access, queries.report_for(access, pk))
    return json_response(Sent(**pages.sent_fields(access, report)))


@writes("Deletes it; 409 where a comparison has it", DONE)
def delete(request: HttpRequest, access: AccessContext, _query: None, pk: UUID) -> HttpResponse:
    services.delete_report(access, queries.report_for(access, pk))
    return HttpResponse(status=204)


def _line(access: AccessContext, report: Report) -> ListedReport:
    return ListedReport(
        **pages.sent_fields(access, report),
        created_at=report.created_at.isoformat(),
        kind=report.kind or None,
        release=report.release or None,
        database=report.db_name or None,
        dbid=report.dbid or None,
        instance=report.instance_name or None,
        host=report.host_name or None,
        begin=report.begin_at or None,
        end=report.end_at or None,
    )


def of_read(answered: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """409 before, and for a file of several reports."""

    def does(request: HttpRequest, access: AccessContext, _query: None, pk: UUID, **more: Any) -> HttpResponseBase:
        report = queries.report_for(access, pk)
        if not report.is_ready:
            return answer(request, 409, "The report is not read: ask again once its “state” is “ready”.")
        if report.kind == SEVERAL:
            return answer(request, 409, "The file holds several reports: ask for one of its “parts”.")
        return answered(request, access, report, **more)

    return does


section = reads("A section of a report, with all its rows", analysis_responses.ReportSection)(of_read(views.section_of))
entity = reads("What a report prints of one statement, event, object …", request_and_response_types.ReportEntity)(
    of_read(entities.report_entity_of)
)
commit = reads("What commits cost in a report", analysis_responses.Commits)(of_read(commits.report_of))

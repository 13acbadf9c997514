from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.urls import reverse

from awrdiff.accounts.access import AccessContext
from awrdiff.reports import queries
from awrdiff.reports.models import SEVERAL
from awrdiff.web.api import reports as pages
from awrdiff.web.api.v1 import analysis_responses, request_and_response_types
from awrdiff.web.api.v1.operation import reads, writes
from awrdiff.web.views import commit_latency as commits
from awrdiff.web.views import entities
from awrdiff.web.views import reports as views
from awrdiff.web.views.errors import answer
from awrdiff.web.views.visit import ReportVisit


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


def of_read(answered: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """409 before, and for a file of several reports."""

    def does(request: HttpRequest, access: AccessContext, _query: None, pk: UUID, **more: Any) -> HttpResponseBase:
        report = queries.report_for(access, pk)
        if not report.is_ready:
            return answer(request, 409, "The report is not read: ask again once its “state” is “ready”.")
        if report.kind == SEVERAL:
            return answer(request, 409, "The file holds several reports: ask for one of its “parts”.")
        return answered(ReportVisit(request, access, report), **more)

    return does


section = reads("A section of a report, with all its rows", analysis_responses.ReportSection)(of_read(views.section_of))
entity = reads("What a report prints of one statement, event, object …", request_and_response_types.ReportEntity)(
    of_read(entities.report_entity_of)
)
commit = reads("What commits cost in a report", analysis_responses.Commits)(of_read(commits.report_of))

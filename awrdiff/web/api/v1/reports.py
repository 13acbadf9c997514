"""Reports: sent, listed, looked at."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.urls import reverse
from msgspec import UNSET

from awrdiff.accounts.access import AccessContext
from awrdiff.comparisons import library
from awrdiff.reports import queries, services
from awrdiff.reports.models import SEVERAL, Report
from awrdiff.web import links
from awrdiff.web.api import reports as pages
from awrdiff.web.api.v1 import databases, paging
from awrdiff.web.api.v1.kinds import ReportsQuery
from awrdiff.web.sign_in.members import no_guest
from awrdiff.web.views import commit as commits
from awrdiff.web.views import entities
from awrdiff.web.views import reports as views
from awrdiff.web.views.errors import answer


def send(request: HttpRequest, access: AccessContext, _query: None) -> HttpResponse:
    """A file that the team has gives its report: 200 if nothing is new."""
    sent, response = pages.upload(request, access, reuse=True)
    if len(sent) == 1:
        response["Location"] = reverse("api-report", args=[sent[0].pk])
    return response


def listed(request: HttpRequest, _access: AccessContext, query: ReportsQuery) -> HttpResponse:
    access = no_guest(request)
    if query.database is UNSET:
        reports = library.own_reports(access)
    else:
        reports = library.reports_of(access, databases.named(access, query.database))
    if query.sha256:
        reports = reports.filter(sha256=query.sha256)
    return paging.newest(
        request, reports, query.cursor, query.limit, lambda some: [_line(access, report) for report in some]
    )


def one(request: HttpRequest, access: AccessContext, _query: None, pk: UUID) -> HttpResponse:
    return pages.report_json(request, access, queries.report_for(access, pk))


def retry(request: HttpRequest, access: AccessContext, _query: None, pk: UUID) -> HttpResponse:
    """A failed report from the start; a read one is left alone."""
    report = services.retry(access, queries.report_for(access, pk))
    return JsonResponse({**pages.state_json(report), "url": links.report(access, report)})


def delete(request: HttpRequest, access: AccessContext, _query: None, pk: UUID) -> HttpResponse:
    services.delete_report(access, queries.report_for(access, pk))
    return HttpResponse(status=204)


def _line(access: AccessContext, report: Report) -> dict[str, Any]:
    read = {
        "kind": report.kind,
        "release": report.release,
        "database": report.db_name,
        "dbid": report.dbid,
        "instance": report.instance_name,
        "host": report.host_name,
        "begin": report.begin_at,
        "end": report.end_at,
    }
    return {
        **pages.state_json(report),
        "url": links.report(access, report),
        "created_at": report.created_at.isoformat(),
        **{name: text or None for name, text in read.items()},
    }


def of_read(answered: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """The page's answer for a read report; 409 before, and for a file of several."""

    def does(request: HttpRequest, access: AccessContext, _query: None, pk: UUID, **more: Any) -> HttpResponseBase:
        report = queries.report_for(access, pk)
        if not report.is_ready:
            return answer(request, 409, "The report is not read: ask again once its “state” is “ready”.")
        if report.kind == SEVERAL:
            return answer(request, 409, "The file holds several reports: ask for one of its “parts”.")
        return answered(request, access, report, **more)

    return does


section = of_read(views.section_of)
entity = of_read(entities.report_entity_of)
commit = of_read(commits.report_of)

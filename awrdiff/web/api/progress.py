"""State of uploaded reports and of their comparisons, for the page that waits for them."""

from __future__ import annotations

import threading
import time
from contextlib import suppress
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from msgspec import Struct, field

from awrdiff.accounts.access import AccessContext
from awrdiff.comparisons.queries import visible_to
from awrdiff.processing.models import State
from awrdiff.reports import queries
from awrdiff.reports.models import SEVERAL, Report
from awrdiff.web import links
from awrdiff.web.api.reports import sent_fields
from awrdiff.web.api.v1.request_and_response_types import MadeComparison, ReportLink, Sent
from awrdiff.web.content_negotiation import json_response
from awrdiff.web.presenters.page import titles

MOST = 100  # of each, in one request
WAITS_S = 0.5
FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.03, 0.15
_waiting = threading.Semaphore(settings.AWRDIFF_WEB_THREADS // 4)  # the other threads are for pages


class ReportProgress(Sent):
    """`description`, `kind`, `parts`: empty until it is read."""

    description: str = field(name="said")
    kind: str
    parts: list[ReportLink]


class Progress(Struct):
    reports: list[ReportProgress]
    comparisons: list[MadeComparison]


def progress_json(request: HttpRequest, access: AccessContext) -> HttpResponse:
    reports = queries.reports_for(access).filter(pk__in=_ids(request, "report"))
    comparisons = visible_to(access).filter(pk__in=_ids(request, "comparison")).defer("overview")
    _wait_for(reports, comparisons)
    return json_response(
        Progress(
            [_progress(access, report) for report in reports],
            [MadeComparison(c.pk, c.shown_state, links.comparison(access, c)) for c in comparisons],  # type: ignore[arg-type] # one of processing.models.State
        )
    )


def _progress(access: AccessContext, report: Report) -> ReportProgress:
    parts = queries.parts_of(report) if report.kind == SEVERAL else ()
    return ReportProgress(
        **sent_fields(access, report),
        description=titles.report_facts(report) if report.is_ready else "",
        kind=report.kind,
        parts=[ReportLink(part.pk, part.name, links.report(access, part)) for part in parts],
    )


def _ids(request: HttpRequest, name: str) -> list[UUID]:
    """First MOST of them; text that is no id is left out."""
    ids: list[UUID] = []
    for text in request.GET.getlist(name)[:MOST]:
        with suppress(ValueError):
            ids.append(UUID(text))
    return ids


def _wait_for(*querysets: QuerySet[Any]) -> None:
    """Until all are settled, for WAITS_S; not at all where others wait already."""
    if not _waiting.acquire(blocking=False):
        return
    try:
        until = time.monotonic() + WAITS_S
        unsettled = [rows.filter(state__in=(State.PENDING, State.RUNNING)).order_by() for rows in querysets]
        pause_s = FIRST_PAUSE_S
        while any(rows.exists() for rows in unsettled) and time.monotonic() < until:
            time.sleep(pause_s)
            pause_s = min(1.5 * pause_s, LONGEST_PAUSE_S)
    finally:
        _waiting.release()

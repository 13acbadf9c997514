"""Audit log as page, JSON and CSV."""

from __future__ import annotations

from datetime import date

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_safe

from awrdiff.accounts.access import Can
from awrdiff.audit.queries import LineFilter, lines_of, page_of
from awrdiff.audit.services import note
from awrdiff.web import query_options
from awrdiff.web.content_negotiation import json_response, wants_json
from awrdiff.web.presenters.page import audit as shown
from awrdiff.web.sign_in.permission_helpers import member
from awrdiff.web.streamed_downloads import stream

LONGEST = 50
CSV = "text/csv; charset=utf-8"


@require_safe
def audit(request: HttpRequest) -> HttpResponse:
    """For owners, a hundred lines at a time (`before`): `who`, `action`, `kind`, `thing`, `since`, `until`."""
    access = member(request, reads=Can.AUDIT)
    wanted = _wanted(request)
    lines, following = page_of(lines_of(access, wanted), query_options.row_number(request, "before"))
    if wants_json(request):
        return json_response({"lines": shown.records(lines), "before": following})
    context = {
        "access": access,
        "lines": shown.audit_entries(lines),
        "wanted": wanted,
        "people": shown.people(access, wanted),
        "actions": shown.actions(wanted),
        "following": following,
    }
    return render(request, "audit/page.html", context)


@require_safe
def table(request: HttpRequest) -> HttpResponseBase:
    """All lines that are asked for, as a file."""
    access = member(request, reads=Can.AUDIT)
    log_lines = lines_of(access, _wanted(request))
    headers = {"Content-Disposition": 'attachment; filename="audit.csv"'}
    response = stream(request, lambda: shown.csv_pieces(log_lines), CSV, headers)
    if request.method == "GET":
        note(access, "exported", "audit log", access.team.pk)
    return response


def _wanted(request: HttpRequest) -> LineFilter:
    names = ("who", "action", "kind", "thing")
    texts = {name: request.GET.get(name, "").strip()[:LONGEST].replace("\x00", "") for name in names}
    return LineFilter(**texts, since=_day(request.GET.get("since", "")), until=_day(request.GET.get("until", "")))


def _day(parameter: str) -> date | None:
    try:
        return date.fromisoformat(parameter.strip())
    except ValueError:
        return None

"""All databases: largest deviations first, and overdue ones."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from awrdiff.databases import queries
from awrdiff.databases.errors import DatabaseRefused
from awrdiff.databases.services import LONGEST_TAG
from awrdiff.fleet import deviations, digests
from awrdiff.processing.storable import storable_text
from awrdiff.web import options
from awrdiff.web.negotiate import json_response, wants_json
from awrdiff.web.presenters.page import databases as listed
from awrdiff.web.presenters.page import fleet as shown
from awrdiff.web.presenters.page import home
from awrdiff.web.sign_in.members import member, no_guest

WITHIN = {"24h": (24, "24 hours"), "7d": (168, "7 days")}
_MOMENTS = "“From” and “to” are moments such as 2026-11-22T14:00, of the databases’ own clocks, without a zone."


@require_safe
def databases(request: HttpRequest) -> HttpResponse:
    """`tag`, `release`, `q`: filters. `within`: `24h` or `7d`; or `from` and `to`. `page`."""
    access = no_guest(request)
    wanted = deviations.Wanted(
        _typed(request, "tag", LONGEST_TAG), _typed(request, "release", 40), options.filter_text(request)
    )
    if wants_json(request):
        every = queries.databases_for(access).select_related("standing")
        return json_response({"databases": listed.lines([database for database in every if wanted.has(database)])})
    since, until = _typed(request, "from", 32), _typed(request, "to", 32)
    within = request.GET.get("within", "") if not (since or until) else ""
    within = within if within in WITHIN or since or until else "24h"
    span = between(since, until) if since or until else deviations.Span(WITHIN[within][0])
    night_result = deviations.night(access, span, wanted, options.number(request.GET.get("page")) or 1)
    query = {
        "tag": wanted.tag,
        "release": wanted.release,
        "q": wanted.text,
        "within": within,
        "from": since,
        "to": until,
    }
    pages = Paginator(range(night_result.count), deviations.PER_PAGE).page(night_result.page)
    without = [line.database for line in night_result.lines if not line.hours]
    latest = queries.latest_of_each(without, home.MOST_WINDOWS) if without else {}
    context: dict[str, Any] = {
        "access": access,
        "found": night_result,
        "page": shown.page(access, night_result, latest),
        "wanted": wanted,
        "digest": digests.digest_of(access.team) if access.can_administer else None,
        "hours": range(24),
        "within": within,
        "withins": [(key, label) for key, (_, label) in WITHIN.items()],
        "since": since,
        "until": until,
        "pager": home.pager(pages, {key: value for key, value in query.items() if value}, "page", "database"),
        "between_said": f"{since.replace('T', ' ')} – {until.replace('T', ' ')}",
        "latest_day": shown.latest_day(night_result),
    }
    return render(request, "databases/list.html", context)


@require_POST
def digest(request: HttpRequest) -> HttpResponse:
    """Fields `hour` (0 to 23, or empty: never) and `zone` (an IANA name; empty is UTC)."""
    access = member(request)
    digests.choose(access, request.POST.get("hour", "").strip(), request.POST.get("zone", "").strip())
    return HttpResponse(status=204) if wants_json(request) else redirect("databases")


def between(since: str, until: str) -> deviations.Span:
    """Raises DatabaseRefused."""
    try:
        begin, end = datetime.fromisoformat(since), datetime.fromisoformat(until)
    except ValueError as error:
        raise DatabaseRefused(_MOMENTS) from error
    if begin.tzinfo or end.tzinfo:
        raise DatabaseRefused(_MOMENTS)
    return deviations.Span.between(begin, end)


def _typed(request: HttpRequest, name: str, longest: int) -> str:
    return storable_text(request.GET.get(name, "")).strip()[:longest]

"""Notices: list, reading, and mail preferences."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_POST, require_safe

from awrdiff.accounts.access import NotFound
from awrdiff.notices import queries, services
from awrdiff.notices.mails import confirmed_address
from awrdiff.threads.queries import your_turn
from awrdiff.web import query_options
from awrdiff.web.content_negotiation import done, json_response, wants_json
from awrdiff.web.presenters import notice_lines
from awrdiff.web.sign_in.permission_helpers import member, signed_in_person


@require_safe
def notices(request: HttpRequest) -> HttpResponse:
    """The reader's own in the current team, fifty at a time (`before`). `turn=1`: the threads that wait for them."""
    access = member(request)
    waiting = your_turn(access)
    counts = {"unread": queries.unread(access), "your_turn": waiting.count()}
    if request.GET.get("turn") == "1":
        rows = waiting.select_related("thread__incident")[: queries.PAGE]
        listed: dict[str, Any] = {"turns": notice_lines.turn_lines(access, list(rows))}
    else:
        gathered, following = queries.page_of(access, query_options.row_number(request, "before"))
        listed = {"notices": notice_lines.notice_lines(access, gathered), "before": following}
    if wants_json(request):
        return json_response({**counts, **listed})
    preferences = queries.chosen_by(access)
    context = {
        "access": access,
        **counts,
        **listed,
        "choices": [(value, text, what, value == preferences) for value, text, what in notice_lines.MAILS],
        "email": confirmed_address(access.user),
        "weekly": queries.is_weekly(access),
    }
    return render(request, "notices/page.html", context)


@require_POST
def open_notice(request: HttpRequest, pk: int) -> HttpResponse:
    """Marks it as read; people are redirected to its subject."""
    access = signed_in_person(request)
    if pk >= 1 << 63:
        raise NotFound("There is no such notice.")
    notice = services.read(access, pk)
    return done(request, notice_lines.url_of(notice))


@require_POST
def read_all(request: HttpRequest) -> HttpResponse:
    """All are read from now on."""
    access = signed_in_person(request)
    services.read_all(access)
    return done(request, "notices")


@require_POST
def choose(request: HttpRequest) -> HttpResponse:
    """Field `mail`: now, digest or none; or `weekly`: 1 or 0."""
    access = signed_in_person(request)
    if "weekly" in request.POST:
        services.choose_weekly(access, weekly=request.POST.getlist("weekly")[-1] == "1")
    else:
        services.choose(access, request.POST.get("mail", ""))
    return done(request, "notices")

"""Errors as pages, and `{"error"}` for scripts."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from http.client import responses
from typing import Any

from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.middleware import csrf
from django.shortcuts import render
from django.template.loader import render_to_string

from awrdiff import disk_space
from awrdiff.accounts.access import SecondFactorNeeded, SignInNeeded
from awrdiff.web.content_negotiation import is_api, wants_json
from awrdiff.web.sign_in.permission_helpers import may_sign_out, member

DOCUMENT = re.compile(r"/(?P<kind>incidents|comparisons|reports)/[0-9a-f-]{36}/(?P<postmortem>postmortem/)?")
FAULT = (
    "Something went wrong on the server, and its log says what. What was answered before is kept; whether what you "
    "just sent was kept is not known: look before you send it again."
)
FAULT_LOOKING = (
    "Something went wrong on the server while it made this answer, and its log says what. What was answered before is "
    "kept."
)
DATABASE_AWAY = (
    "The server cannot reach its database right now. What was answered before is kept; what you just sent may not be: "
    "look again in a moment before you repeat it."
)
DATABASE_AWAY_LOOKING = (
    "The server cannot reach its database right now, so it cannot show this: load it again in a moment."
)
DATABASE_RETRY_S = 10
TOO_OLD = "The page is too old to send this: load it again, then repeat what you did."
NO_COOKIE = (
    "This came without the cookie that goes with it, so it was not done: allow cookies of this server, load the page "
    "again, then repeat what you did."
)
WHO_ASKS = "Send a token with this: Authorization: Bearer …"
FROM_ELSEWHERE = (
    "This was sent from another address than this server's own, or without saying from where, so it was not done: open "
    "the page at the server's own address and repeat it there."
)


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    return answer(request, 400, "The server does not understand this request.")


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    return answer(request, 403, str(exception) or "You are not allowed to do this.")


def factor_needed(request: HttpRequest, exception: SecondFactorNeeded) -> HttpResponse:
    """403; leads to enrolment and other teams."""
    if wants_json(request):
        return answer(request, 403, str(exception))
    context = {
        "sentence": str(exception),
        "enrolled": exception.enrolled,
        "others": exception.teams[1:],
        "may_sign_out": may_sign_out(request),
    }
    return render(request, "people/second_factor.html", context, status=403)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    message = str(exception) if exception.args and isinstance(exception.args[0], str) else ""
    return answer(request, 404, message or "There is nothing at this address.")


def server_error(request: HttpRequest) -> HttpResponse:
    """Called by Django, also for errors in middleware."""
    if is_database_away(sys.exc_info()[1]):
        return database_away(request)
    return answer(request, 500, FAULT_LOOKING if _only_looks(request) else FAULT)


def _only_looks(request: HttpRequest) -> bool:
    """Without a body: nothing can be lost or stored twice."""
    return request.method in ("GET", "HEAD")


def is_database_away(error: BaseException | None) -> bool:
    """Refused, dropped or timed out; a full disk does not count."""
    return isinstance(error, OperationalError | InterfaceError) and not disk_space.is_no_room(error)


def database_away(request: HttpRequest) -> HttpResponse:
    """503, by a page that needs no database."""
    message = DATABASE_AWAY_LOOKING if _only_looks(request) else DATABASE_AWAY
    if wants_json(request):
        return answer(request, 503, message, retry_s=DATABASE_RETRY_S)
    page = render_to_string("web/away.html", {"status": 503, "sentence": message})
    return HttpResponse(page, status=503, headers={"Retry-After": str(DATABASE_RETRY_S)})


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    if is_api(request) and reason == csrf.REASON_NO_CSRF_COOKIE and settings.SESSION_COOKIE_NAME not in request.COOKIES:
        refused = answer(request, 401, WHO_ASKS)
        refused["WWW-Authenticate"] = "Bearer"
        return refused
    if reason == csrf.REASON_NO_CSRF_COOKIE:
        return answer(request, 403, NO_COOKIE)
    return answer(request, 403, FROM_ELSEWHERE if reason.startswith(("Origin ", "Referer ")) else TOO_OLD)


def answer(
    request: HttpRequest,
    status: int,
    sentence: str,
    *,
    retry_s: int | None = None,
    more: Mapping[str, object] | None = None,
) -> HttpResponse:
    """`retry_s`: seconds until a retry; `more`: fields for scripts."""
    if wants_json(request):
        response: HttpResponse = _document(request, status, {"error": sentence, **(more or {})})
    else:
        context = {"status": status, "sentence": sentence, **(_other_teams(request) if status == 404 else {})}
        context |= {"back": _back_of(request)} if status in (400, 409, 429) else {}
        context["may_sign_out"] = status < 500 and may_sign_out(request)  # a fault asks the database nothing
        response = render(request, "web/error.html", context, status=status)
    if retry_s is not None:
        response["Retry-After"] = str(retry_s)
    return response


def _document(request: HttpRequest, status: int, fields: Mapping[str, object]) -> HttpResponse:
    if getattr(request, "bearer", None) is None and not is_api(request):
        return JsonResponse(fields, status=status)
    title = responses.get(status, "Error")
    problem = {"type": "about:blank", "title": title, "status": status, "detail": fields["error"], **fields}
    return JsonResponse(problem, status=status, content_type="application/problem+json")


def _back_of(request: HttpRequest) -> tuple[str, str] | None:
    match = DOCUMENT.match(request.path_info)
    if match is None or (match[0] == request.path_info and request.method == "GET"):
        return None
    return match[0], "post-mortem" if match["postmortem"] else match["kind"].removesuffix("s")


def _other_teams(request: HttpRequest) -> dict[str, Any]:
    """Mail links may lead to another of the reader's teams."""
    user = getattr(request, "user", None)
    if request.method != "GET" or request.path_info.startswith("/s/") or user is None or not user.is_authenticated:
        return {}
    try:
        access = member(request)
    except (PermissionDenied, SignInNeeded):
        return {}
    return {"looked_at": access.team, "others": access.other_teams, "here": request.get_full_path()}

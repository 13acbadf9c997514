"""Refusals and faults, as a page for people and as {"error"} for scripts."""

from __future__ import annotations

from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render

from awrdiff.accounts.access import SignInNeeded
from awrdiff.web.negotiate import wants_json
from awrdiff.web.sign_in.members import member


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    return answer(request, 400, "The server does not understand this request.")


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    return answer(request, 403, str(exception) or "You are not allowed to do this.")


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    said = str(exception) if exception.args and isinstance(exception.args[0], str) else ""
    return answer(request, 404, said or "There is nothing at this address.")


def server_error(request: HttpRequest) -> HttpResponse:
    return answer(request, 500, "Something went wrong on the server. Nothing you uploaded is lost; try again.")


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    return answer(request, 403, "The page is too old to send this: load it again, then repeat what you did.")


def answer(request: HttpRequest, status: int, sentence: str) -> HttpResponse:
    if wants_json(request):
        return JsonResponse({"error": sentence}, status=status)
    context = {"status": status, "sentence": sentence, **(_other_teams(request) if status == 404 else {})}
    return render(request, "web/error.html", context, status=status)


def _other_teams(request: HttpRequest) -> dict[str, Any]:
    """A mail leads to what another of the reader's teams has: it is found once they look at that one."""
    user = getattr(request, "user", None)
    if request.method != "GET" or request.path_info.startswith("/s/") or user is None or not user.is_authenticated:
        return {}
    try:
        access = member(request)
    except (PermissionDenied, SignInNeeded):
        return {}
    return {"looked_at": access.team, "others": access.others, "here": request.get_full_path()}

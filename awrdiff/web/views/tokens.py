"""Tokens for machines: the user's and the team's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from awrdiff.accounts import api_tokens
from awrdiff.accounts.access import AccessContext
from awrdiff.accounts.errors import PeopleRefused
from awrdiff.accounts.models import ApiToken
from awrdiff.numbers import whole_number
from awrdiff.web.negotiate import json_response, wants_json
from awrdiff.web.presenters.page import people
from awrdiff.web.sign_in.members import account_pages, signed_in_person

LIST = ["GET", "HEAD", "POST"]
Make = Callable[[AccessContext, str, list[str], int | None], tuple[ApiToken, str]]


@require_http_methods(LIST)
def own(request: HttpRequest) -> HttpResponse:
    """The user's own in the current team; a POST makes one, as for the team."""
    access = signed_in_person(request)
    return _answer(request, access, "people/own_tokens.html", api_tokens.own_tokens, api_tokens.make_own)


@require_http_methods(LIST)
def of_team(request: HttpRequest) -> HttpResponse:
    """All of the team; a POST makes one for a service: `name`, `scope` (repeated, or by commas), `days` (90; or
    `never`).
    """
    access = signed_in_person(request)
    return _answer(request, access, "people/team_tokens.html", api_tokens.team_tokens, api_tokens.make_of_team)


@require_http_methods(["DELETE", "POST"])
def revoke_own(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Revokes it."""
    access = signed_in_person(request)
    api_tokens.revoke(access, pk, api_tokens.own_tokens(access))
    return HttpResponse(status=204) if wants_json(request) else redirect("tokens")


@require_http_methods(["DELETE", "POST"])
def revoke_of_team(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Revokes it."""
    access = signed_in_person(request)
    api_tokens.revoke(access, pk, api_tokens.team_tokens(access))
    return HttpResponse(status=204) if wants_json(request) else redirect("team-tokens")


def own_page(access: AccessContext) -> dict[str, Any]:
    own = {
        "access": access,
        "tokens": api_tokens.own_tokens(access),
        "scopes": people.TOKEN_SCOPES,
        "days": people.TOKEN_DAYS,
    }
    return own | {"account_pages": account_pages(access.user)}


def _answer(
    request: HttpRequest, access: AccessContext, template: str, those: Callable[[AccessContext], Any], make: Make
) -> HttpResponse:
    context: dict[str, Any] = {"typed": request.POST.get("name", ""), "refused": "", "made": "", "status": 200}
    if request.method == "POST":
        try:
            scopes = [scope.strip() for scope in ",".join(request.POST.getlist("scope")).split(",") if scope.strip()]
            token, text = make(access, request.POST.get("name", ""), scopes, _days(request))
        except PeopleRefused as refused:
            if wants_json(request):
                raise
            context |= {"refused": str(refused), "status": 400}
        else:
            if wants_json(request):
                return json_response(people.MadeToken(**people.token_fields(token), token=text), 201)
            context |= {"made": text, "typed": ""}
    listed = those(access)
    if wants_json(request):
        return json_response({"tokens": [people.Token(**people.token_fields(row)) for row in listed]})
    context |= {"access": access, "tokens": listed, "scopes": people.TOKEN_SCOPES, "days": people.TOKEN_DAYS}
    return render(request, template, context | {"account_pages": account_pages(request.user)}, status=context["status"])


def _days(request: HttpRequest) -> int | None:
    text = request.POST.get("days", str(people.USUAL_TOKEN_DAYS))
    if text == "never":
        return None
    return whole_number(text, 99_999) or 0

"""Tokens for machines, the user's and the team's; the secret calendar feed of somebody's action items."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, date, datetime, timedelta
from typing import Any
from uuid import UUID

from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from awrdiff.accounts import api_tokens
from awrdiff.accounts.access import AccessContext
from awrdiff.accounts.errors import PeopleRefused
from awrdiff.accounts.models import ApiToken
from awrdiff.incidents.models import ActionItem, ActionState
from awrdiff.web.content_negotiation import done, json_response, wants_json
from awrdiff.web.presenters.page import members_tokens_and_teams
from awrdiff.web.sign_in.permission_helpers import account_pages, signed_in_person
from awrdiff.whole_number_input import whole_number

LIST = ["GET", "HEAD", "POST"]
OWN = "own"
# Template, those listed, how one is made, and the name of the page.
_WHOSE: dict[str, tuple[str, Callable[[AccessContext], Any], Callable[..., tuple[ApiToken, str]], str]] = {
    OWN: ("people/own_tokens.html", api_tokens.own_tokens, api_tokens.make_own, "tokens"),
    "team": ("people/team_tokens.html", api_tokens.team_tokens, api_tokens.make_of_team, "team-tokens"),
}


@require_http_methods(LIST)
def tokens(request: HttpRequest, whose: str = OWN) -> HttpResponse:
    """The user's own in the current team, or all of the team; a POST makes one, of the team's for a service: `name`,
    `scope` (repeated, or by commas), `days` (90; or `never`).
    """
    access = signed_in_person(request)
    template, those, make, _ = _WHOSE[whose]
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
                return json_response(
                    members_tokens_and_teams.MadeToken(**members_tokens_and_teams.token_fields(token), token=text), 201
                )
            context |= {"made": text, "typed": ""}
    listed = those(access)
    if wants_json(request):
        return json_response(
            {"tokens": [members_tokens_and_teams.Token(**members_tokens_and_teams.token_fields(row)) for row in listed]}
        )
    return render(request, template, context | _page(access, listed), status=context["status"])


@require_http_methods(["DELETE", "POST"])
def revoke(request: HttpRequest, pk: UUID, whose: str = OWN) -> HttpResponse:
    """Revokes it."""
    access = signed_in_person(request)
    _, those, _, page = _WHOSE[whose]
    api_tokens.revoke(access, pk, those(access))
    return done(request, page)


def _page(access: AccessContext, listed: Any) -> dict[str, Any]:
    choices = {
        "scopes": members_tokens_and_teams.TOKEN_SCOPES,
        "days": members_tokens_and_teams.TOKEN_DAYS,
        "account_pages": account_pages(access.user),
    }
    return {"access": access, "tokens": listed, **choices}


def _days(request: HttpRequest) -> int | None:
    text = request.POST.get("days", str(members_tokens_and_teams.USUAL_TOKEN_DAYS))
    if text == "never":
        return None
    return whole_number(text, 99_999) or 0


MOST_OCTETS, MOST_ITEMS = 75, 500
_HEAD = ("BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//awrdiff//action items//EN", "CALSCALE:GREGORIAN")
_ESCAPED = str.maketrans({"\\": "\\\\", ";": "\\;", ",": "\\,", "\n": "\\n"})


def due_items(access: AccessContext) -> QuerySet[ActionItem]:
    """Own open dated items, soonest first."""
    own = ActionItem.objects.filter(incident__team=access.team, owner=access.user, state=ActionState.OPEN)
    return own.exclude(due=None).select_related("incident").order_by("due", "pk")[:MOST_ITEMS]


def text_of(name: str, items: Iterable[ActionItem], url_of: Callable[[ActionItem], str]) -> str:
    """All-day events, marked free, with permanent ids."""
    lines = (
        *_HEAD,
        f"X-WR-CALNAME:{_text(name)}",
        *(line for action in items for line in _event(action, url_of(action))),
    )
    return "".join(f"{_folded(line)}\r\n" for line in (*lines, "END:VCALENDAR"))


def _event(item: ActionItem, url: str) -> Iterator[str]:
    due = item.due or date.max
    yield "BEGIN:VEVENT"
    yield f"UID:action-{item.pk}.{item.incident_id}@awrdiff"
    yield f"DTSTAMP:{_moment(item.updated_at)}"  # without a METHOD: when it was changed last
    yield f"CREATED:{_moment(item.created_at)}"
    yield f"LAST-MODIFIED:{_moment(item.updated_at)}"
    yield f"SEQUENCE:{item.version - 1}"
    yield f"DTSTART;VALUE=DATE:{due:%Y%m%d}"
    yield f"DTEND;VALUE=DATE:{due + timedelta(days=1):%Y%m%d}"  # the day after the last
    yield f"SUMMARY:{_text(item.text)}"
    yield f"DESCRIPTION:{_text(item.incident.title)}"
    yield f"URL:{url}"
    yield "TRANSP:TRANSPARENT"
    yield "END:VEVENT"


def _moment(at: datetime) -> str:
    return f"{at.astimezone(UTC):%Y%m%dT%H%M%SZ}"


def _text(value: str) -> str:
    """No character ends the line or value early."""
    plain = value.replace("\r\n", "\n").replace("\r", "\n")
    return "".join(c for c in plain if c >= " " or c in "\n\t").replace("\x7f", "").translate(_ESCAPED)


def _folded(line: str) -> str:
    """At most 75 octets, continued by a space, whole characters."""
    pieces, piece, size = [], "", 0
    for char in line:
        octets = len(char.encode())
        if size + octets > MOST_OCTETS:
            pieces.append(piece)
            piece, size = "", 1
        piece, size = piece + char, size + octets
    return "\r\n ".join([*pieces, piece])


@require_POST
def make_calendar(request: HttpRequest) -> HttpResponse:
    """Makes a calendar address, shown once and revoked like a token."""
    access = signed_in_person(request)
    calendar, text = api_tokens.make_calendar(access)
    url = request.build_absolute_uri(reverse("calendar", args=[text]))
    if wants_json(request):
        return JsonResponse({"id": str(calendar.pk), "url": url}, status=201)
    return render(
        request, "people/own_tokens.html", _page(access, api_tokens.own_tokens(access)) | {"calendar_url": url}
    )


@require_safe
def calendar_feed(request: HttpRequest, token: str) -> HttpResponse:
    """The reader's open action items with a due date (RFC 5545)."""
    access = api_tokens.calendar_access(token)

    def url_of(item: ActionItem) -> str:
        page = reverse("incident", args=[item.incident_id])
        return request.build_absolute_uri(f"{page}#action-{item.pk}")

    text = text_of(f"{access.team}: action items", due_items(access), url_of)
    return HttpResponse(text, content_type="text/calendar; charset=utf-8")

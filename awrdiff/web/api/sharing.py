"""Making and revoking share links, as JSON."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse, JsonResponse

from awrdiff.accounts.access import AccessContext
from awrdiff.accounts.names import shown_name
from awrdiff.redaction.rule import Redaction
from awrdiff.sharing import services
from awrdiff.sharing.errors import BadChoice, BadDays
from awrdiff.sharing.models import HELD_IN, ShareLink, Shows
from awrdiff.sharing.queries import About
from awrdiff.web import links
from awrdiff.web.sign_in import link_passwords

DEFAULT_DAYS = 30
_NUMBER = re.compile(r"[0-9]{1,9}")  # int() takes some thousand digits, and then no more


def wanted_days(request: HttpRequest) -> int | None:
    """Field `days`: a number, or `never`; 30 when it is not given. Raises BadDays."""
    given = request.POST.get("days", "").strip()
    if not given:
        return DEFAULT_DAYS
    if given == "never":
        return None
    if not _NUMBER.fullmatch(given) or not 1 <= int(given) <= services.LONGEST_DAYS:
        raise BadDays(f"“days” must be a number from 1 to {services.LONGEST_DAYS}, or “never”.")
    return int(given)


def wanted_redaction(request: HttpRequest) -> Redaction | None:
    """Fields `redact` (`yes`), `sql` (`off` or `shape`), `tables` (`declared` or `all`). Raises BadChoice."""
    if _choice(request, "redact", ("no", "yes")) == "no":
        return None
    undeclared = _choice(request, "tables", ("declared", "all")) == "all"
    return Redaction.new(
        sql="shape" if _choice(request, "sql", ("off", "shape")) == "shape" else "off", undeclared=undeclared
    )


def may_comment(request: HttpRequest) -> bool:
    """Field `comment` (`yes`). Raises BadChoice."""
    return _choice(request, "comment", ("no", "yes")) == "yes"


def _choice(request: HttpRequest, field: str, choices: tuple[str, str]) -> str:
    given = request.POST.get(field) or choices[0]
    if given not in choices:
        raise BadChoice(f"“{field}” must be {' or '.join(choices)}.")
    return given


def create(
    request: HttpRequest,
    access: AccessContext,
    about: About,
    shows: Shows = Shows.COMPARISON,
    *,
    redaction: Redaction | None = None,
    document: dict[str, Any] | None = None,
    client_key: UUID | None = None,
) -> HttpResponse:
    """POST /comparisons/<id>/links/, and so on: 201 with id and url; the only time the url is told.

    The browser that makes a link with a password has it open: to look at it before it is sent.
    """
    link, token = services.create_link(
        access,
        about,
        shows=shows,
        days=wanted_days(request),
        password=request.POST.get("password", ""),
        redaction=redaction or wanted_redaction(request),
        document=document,
        client_key=client_key,
        for_whom=request.POST.get("for_whom", ""),
        may_comment=may_comment(request),
    )
    path = links.shared(token)
    body = {
        "id": str(link.pk),
        "url": request.build_absolute_uri(path),
        "path": path,
        "expires_at": link.expires_at.isoformat() if link.expires_at else None,
        "redacted": link.redacted,
        "may_comment": link.may_comment,
        "password": bool(link.password),
        "for_whom": link.for_whom,
    }
    response = JsonResponse(body, status=201)
    if link.password:
        link_passwords.keep_open(request, response, token, link)
    return response


def list_links(found: Iterable[ShareLink]) -> HttpResponse:
    """GET /links/: the team's links that were not revoked, newest first."""
    return JsonResponse({"links": [link_document(one) for one in found]})


def link_document(one: ShareLink) -> dict[str, Any]:
    return {
        "id": str(one.pk),
        "shows": one.shows,
        HELD_IN[Shows(one.shows)]: str(one.about_id),
        "title": _title(one),
        "by": one.created_by.get_username() if one.created_by else None,
        "by_shown": shown_name(one.created_by) if one.created_by else None,
        "created_at": one.created_at.isoformat(),
        "expires_at": one.expires_at.isoformat() if one.expires_at else None,
        "last_used_at": one.last_used_at.isoformat() if one.last_used_at else None,
        "uses": one.uses,
        "for_whom": one.for_whom,
        "redacted": one.redacted,
        "copy": {"state": one.nameless.state, "error": one.nameless.error} if one.nameless else None,
        "may_comment": one.may_comment,
        "password": bool(one.password),
        "live": one.is_live,
    }


def _title(one: ShareLink) -> str:
    """As somebody typed it."""
    if one.comparison:
        return one.comparison.title
    return one.report.name if one.report else one.incident.title if one.incident else ""


def revoke(access: AccessContext, link: ShareLink) -> HttpResponse:
    """DELETE or POST /links/<id>/: 204."""
    services.revoke(access, link)
    return HttpResponse(status=204)

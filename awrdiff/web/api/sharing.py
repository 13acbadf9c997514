"""Making and revoking share links, as JSON."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from msgspec import UNSET, Meta, Struct, UnsetType

from awrdiff.accounts.access import AccessContext
from awrdiff.accounts.names import shown_name
from awrdiff.redaction.rule import Redaction
from awrdiff.sharing import queries, services
from awrdiff.sharing.errors import BadChoice, BadDays
from awrdiff.sharing.models import HELD_IN, ShareLink, Shows
from awrdiff.sharing.queries import About
from awrdiff.web import links, options
from awrdiff.web.negotiate import json_response
from awrdiff.web.sign_in import link_passwords


class LinkCopy(Struct):
    """The copy without names that a redacted link shows."""

    state: str
    error: str


class LinkDocument(Struct):
    """A share link. `by`: its creator; one of `comparison`, `report`, `incident` is the id of its subject."""

    id: str
    shows: str
    title: str
    by: str | None
    by_shown: str | None
    created_at: str
    expires_at: str | None
    last_used_at: str | None
    uses: int
    for_whom: str
    redacted: bool
    copy: LinkCopy | None
    may_comment: bool
    password: bool
    live: bool
    comparison: str | UnsetType = UNSET
    report: str | UnsetType = UNSET
    incident: str | UnsetType = UNSET


class MadeLink(Struct):
    id: str
    url: Annotated[str, Meta(description="told now, and never again")]
    path: str
    expires_at: str | None
    redacted: bool
    may_comment: bool
    password: bool
    for_whom: str


DEFAULT_DAYS = 30
_NUMBER = re.compile(r"[0-9]{1,9}")  # int() takes some thousand digits, and then no more


def wanted_days(request: HttpRequest) -> int | None:
    """A number, or `never`; default 30. Raises BadDays."""
    days_text = request.POST.get("days", "").strip()
    if not days_text:
        return DEFAULT_DAYS
    if days_text == "never":
        return None
    if not _NUMBER.fullmatch(days_text) or not 1 <= int(days_text) <= services.LONGEST_DAYS:
        raise BadDays(f"“days” must be a number from 1 to {services.LONGEST_DAYS}, or “never”.")
    return int(days_text)


def wanted_redaction(request: HttpRequest) -> Redaction | None:
    """`redact` (`yes`), `sql` (`off` or `shape`), `tables` (`declared` or `all`). Raises BadChoice."""
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
    choice = request.POST.get(field) or choices[0]
    if choice not in choices:
        raise BadChoice(f"“{field}” must be {' or '.join(choices)}.")
    return choice


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
    """201 with a url shown only now. The creator's browser needs no password."""
    link, token = services.create_link(
        access,
        about,
        shows=shows,
        days=wanted_days(request),
        password=request.POST.get("password", ""),
        redaction=redaction or wanted_redaction(request),
        document=document,
        client_key=client_key,
        pair=options.pair(request),
        for_whom=request.POST.get("for_whom", ""),
        may_comment=may_comment(request),
    )
    path = links.shared(token)
    new_link = MadeLink(
        id=str(link.pk),
        url=request.build_absolute_uri(path),
        path=path,
        expires_at=_iso(link.expires_at),
        redacted=link.redacted,
        may_comment=link.may_comment,
        password=bool(link.password),
        for_whom=link.for_whom,
    )
    response = json_response(new_link, 201)
    if link.password:
        link_passwords.keep_open(request, response, token, link)
    return response


def list_links(rows: Iterable[ShareLink]) -> HttpResponse:
    return json_response({"links": documents(rows)})


def links_to(access: AccessContext, about: About, shows: Shows) -> list[LinkDocument]:
    """Raises PermissionDenied."""
    if not access.can_read:
        raise PermissionDenied
    return documents(queries.with_subjects(queries.links_of(access, about, shows)))


def documents(rows: Iterable[ShareLink]) -> list[LinkDocument]:
    return [
        LinkDocument(
            id=str(link.pk),
            shows=link.shows,
            title=_title(link),
            by=link.created_by.get_username() if link.created_by else None,
            by_shown=shown_name(link.created_by) if link.created_by else None,
            created_at=link.created_at.isoformat(),
            expires_at=_iso(link.expires_at),
            last_used_at=_iso(link.last_used_at),
            uses=link.uses,
            for_whom=link.for_whom,
            redacted=link.redacted,
            copy=LinkCopy(link.nameless.state, link.nameless.error) if link.nameless else None,
            may_comment=link.may_comment,
            password=bool(link.password),
            live=link.is_live,
            **{HELD_IN[Shows(link.shows)]: str(link.about_id)},
        )
        for link in rows
    ]


def _iso(at: datetime | None) -> str | None:
    return at.isoformat() if at else None


def _title(link: ShareLink) -> str:
    if link.comparison:
        return link.comparison.title
    return link.report.name if link.report else link.incident.title if link.incident else ""


def revoke(access: AccessContext, link: ShareLink) -> HttpResponse:
    services.revoke(access, link)
    return HttpResponse(status=204)

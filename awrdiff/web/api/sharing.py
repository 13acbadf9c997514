"""Making and revoking share links, as JSON."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from msgspec import UNSET, Meta, Struct, UnsetType

from awrdiff.accounts.access import AccessContext
from awrdiff.accounts.display_names import shown_name
from awrdiff.redaction.link_options import Redaction
from awrdiff.sharing import services
from awrdiff.sharing.errors import LinkRefused
from awrdiff.sharing.models import HELD_IN, ShareLink, Shows
from awrdiff.sharing.queries import About
from awrdiff.web import links, query_options
from awrdiff.web.api.v1.bodies import NewLink
from awrdiff.web.content_negotiation import form_fields, json_response
from awrdiff.web.sign_in import share_link_cookies


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


def sent_form(request: HttpRequest) -> NewLink:
    """Days are a number or `never`, choices `yes` or `no`. Raises LinkRefused."""
    fields, redact = form_fields(request), _choice(request, "redact", "no", "yes") == "yes"
    return NewLink(
        days=_days(fields.get("days", "").strip()),
        password=fields.get("password", ""),
        for_whom=fields.get("for_whom", ""),
        comment=_choice(request, "comment", "no", "yes") == "yes",
        redact=redact,
        sql="shape" if redact and _choice(request, "sql", "off", "shape") == "shape" else "off",
        tables="all" if redact and _choice(request, "tables", "declared", "all") == "all" else "declared",
    )


def _days(days_text: str) -> int | None:
    if not days_text:
        return DEFAULT_DAYS
    if days_text == "never":
        return None
    if not _NUMBER.fullmatch(days_text) or not 1 <= int(days_text) <= services.LONGEST_DAYS:
        raise LinkRefused(f"“days” must be a number from 1 to {services.LONGEST_DAYS}, or “never”.")
    return int(days_text)


def _choice(request: HttpRequest, field: str, default: str, other: str) -> str:
    choice = form_fields(request).get(field) or default
    if choice not in (default, other):
        raise LinkRefused(f"“{field}” must be {default} or {other}.")
    return choice


def create(
    request: HttpRequest,
    access: AccessContext,
    about: About,
    shows: Shows,
    wanted: NewLink,
    *,
    redaction: Redaction | None = None,
    document: dict[str, Any] | None = None,
    client_key: UUID | None = None,
) -> tuple[ShareLink, str]:
    """Link and its token, which is known only now."""
    if redaction is None and wanted.redact:
        redaction = Redaction.new(sql=wanted.sql, undeclared=wanted.tables == "all")
    return services.create_link(
        access,
        about,
        shows=shows,
        days=wanted.days,
        password=wanted.password,
        redaction=redaction,
        document=document,
        client_key=client_key,
        pair=query_options.pair(request),
        for_whom=wanted.for_whom,
        may_comment=wanted.comment,
    )


def made_link(request: HttpRequest, link: ShareLink, token: str) -> MadeLink:
    path = links.shared(token)
    return MadeLink(
        id=str(link.pk),
        url=request.build_absolute_uri(path),
        path=path,
        expires_at=_iso(link.expires_at),
        redacted=link.redacted,
        may_comment=link.may_comment,
        password=bool(link.password),
        for_whom=link.for_whom,
    )


def created(request: HttpRequest, link: ShareLink, token: str) -> HttpResponse:
    """The creator's browser needs no password."""
    response = json_response(made_link(request, link, token), 201)
    share_link_cookies.keep_open(request, response, token, link)
    return response


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

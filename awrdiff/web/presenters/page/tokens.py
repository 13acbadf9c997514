"""Tokens for machines, and choices for a new one."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from awrdiff.accounts.models import ApiToken
from awrdiff.accounts.names import shown_name

USUAL_DAYS = 90
DAYS = (("30", "30 days"), ("90", "90 days"), ("365", "a year"), ("never", "until it is revoked"))
SCOPES = (
    ("read", "read all that its owner reads"),
    ("upload", "upload reports"),
    ("write", "compare, comment, keep incidents, delete; and read"),
    ("share", "make and revoke links; and read"),
    ("admin", "say who is on the team, in roles that may no more than it may, and what an owner settles; and read"),
    ("audit", "read the audit log of a team that its owner owns, and nothing else"),
)


class Token(Struct):
    """Never with the token itself. `of`: its owner."""

    id: str
    name: str
    of: str
    of_shown: str
    is_service: bool
    made_at: str
    expires_at: str | None
    last_used_at: str | None
    scopes: list[str]


class MadeToken(Token):
    token: str


def token_fields(row: ApiToken) -> dict[str, Any]:
    created, expires, used = (
        at.isoformat(timespec="seconds") if at else None for at in (row.created_at, row.expires_at, row.last_used_at)
    )
    return {
        "id": str(row.pk),
        "name": row.name,
        "of": row.user.get_username(),
        "of_shown": shown_name(row.user),
        "is_service": row.is_service,
        "made_at": created,
        "expires_at": expires,
        "last_used_at": used,
        "scopes": row.scopes,
    }

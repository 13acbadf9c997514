"""Tokens as lines of a list."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.urls import reverse

from awrdiff.accounts.models import ApiToken
from awrdiff.accounts.names import shown_name
from awrdiff.web import clock

USUAL_DAYS = 90
DAYS = (("30", "30 days"), ("90", "90 days"), ("365", "a year"), ("never", "until it is revoked"))
SAID = (
    ("read", "read all that its owner reads"),
    ("upload", "upload reports"),
    ("write", "compare, comment, keep incidents, delete; and read"),
    ("share", "make and revoke links; and read"),
    ("admin", "say who is on the team, in roles that may no more than it may, and what an owner settles; and read"),
    ("audit", "read the audit log of a team that its owner owns, and nothing else"),
)


@dataclass(frozen=True, slots=True)
class TokenLine:
    """Never with the token itself."""

    id: str
    name: str
    of: str
    of_shown: str
    is_service: bool
    scopes: Sequence[str]
    made: str
    until: str
    used: str
    made_at: str
    expires_at: str | None
    last_used_at: str | None
    url: str
    team_url: str

    def as_dict(self) -> dict[str, Any]:
        kept = ("id", "name", "of", "of_shown", "is_service", "made_at", "expires_at", "last_used_at")
        return {**{name: getattr(self, name) for name in kept}, "scopes": list(self.scopes)}


def line(found: ApiToken) -> TokenLine:
    by = shown_name(found.made_by) if found.made_by else "whoever runs the server"
    iso = [one.isoformat(timespec="seconds") if one else None for one in (found.expires_at, found.last_used_at)]
    return TokenLine(
        id=str(found.pk),
        name=found.name,
        of=found.user.get_username(),
        of_shown=shown_name(found.user),
        is_service=found.is_service,
        scopes=found.scopes,
        made=f"{found.created_at:%d %b %Y} by {by}",
        until=f"until {found.expires_at:%d %b %Y}" if found.expires_at else "until it is revoked",
        used=f"last used {clock.moment(found.last_used_at)}" if found.last_used_at else "not used yet",
        made_at=found.created_at.isoformat(timespec="seconds"),
        expires_at=iso[0],
        last_used_at=iso[1],
        url=reverse("token-revoke", args=[found.pk]),
        team_url=reverse("team-token-revoke", args=[found.pk]),
    )

"""Share links as the dialog lists them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from ipaddress import ip_address
from uuid import UUID

from django.urls import reverse

from awrdiff.sharing.models import ShareLink

NO_LINK = UUID(int=0)  # stands in the address of a link that the page is yet to create


@dataclass(frozen=True, slots=True)
class LinkLine:
    id: str
    created: str
    until: str
    used: str
    live: bool
    state: str
    revoke_url: str
    uses: str
    shows: str  # names or pseudonyms, and whether a password is asked for


@dataclass(frozen=True, slots=True)
class TeamLine:
    """A link among all of a team's."""

    link: LinkLine
    by: str
    title: str
    url: str


def of_team(links: Iterable[ShareLink], titles: Mapping[UUID, str]) -> list[TeamLine]:
    """`links` with who made them; `titles` by comparison."""
    return [
        TeamLine(
            link=line,
            by=link.created_by.get_username() if link.created_by else "somebody who has left",
            title=titles.get(link.comparison_id, ""),
            url=reverse("comparison", args=[link.comparison_id]),
        )
        for link in links
        for line in lines([link])
    ]


@dataclass(frozen=True, slots=True)
class FailedCopy:
    """A redacted link that shows nothing, and why."""

    of: TeamLine
    why: str
    again_url: str


def failed(links: Iterable[TeamLine], why: Mapping[UUID, str]) -> list[FailedCopy]:
    known = {str(pk): text for pk, text in why.items()}
    return [
        FailedCopy(one, known[one.link.id], reverse("link-copy", args=[one.link.id]))
        for one in links
        if one.link.id in known and one.link.live
    ]


def lines(links: Iterable[ShareLink]) -> list[LinkLine]:
    return [
        LinkLine(
            id=str(link.pk),
            created=_moment(link.created_at),
            until=until(link.expires_at),
            used=_moment(link.last_used_at) if link.last_used_at else "not yet",
            live=link.is_live,
            state="revoked" if link.revoked_at else "expired",
            revoke_url=reverse("link-revoke", args=[link.pk]),
            uses="" if not link.uses else "opened once" if link.uses == 1 else f"opened {link.uses:,} times",
            shows=_shows(link),
        )
        for link in links
    ]


def _shows(link: ShareLink) -> str:
    what = "pseudonyms" if link.redacted else "names"
    return f"{what}, password" if link.password else what


def until(moment: datetime | None) -> str:
    return _moment(moment) if moment else "revoked"


def _moment(moment: datetime) -> str:
    return f"{moment.day} {moment:%b %Y %H:%M} UTC"


def on_loopback(host: str) -> bool:
    """Whether the page was asked for by an address that only this machine has."""
    name = host.rsplit(":", 1)[0] if host.count(":") == 1 or host.startswith("[") else host
    name = name.strip("[]")
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        return ip_address(name).is_loopback
    except ValueError:
        return False

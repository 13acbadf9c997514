"""Share links as the dialog lists them, and the dialog that makes one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from ipaddress import ip_address
from uuid import UUID

from django.urls import reverse

from awrdiff.accounts.access import AccessContext
from awrdiff.accounts.names import shown_name
from awrdiff.sharing.models import COMMENTED, ShareLink, Shows
from awrdiff.web.clock import moment

NO_LINK = UUID(int=0)  # stands in the address of a link that the page is yet to create


@dataclass(frozen=True, slots=True)
class ShareDialog:
    """`said`: what else there is to know of such a link before it is made. `asks`: the links there are come by
    themselves, where the page has enough to look up."""

    what: str
    said: str
    make_url: str
    may_comment: bool
    redacts: bool
    loopback: bool
    asks: bool
    preview_url: str = ""  # of a redacted link, where somebody has to look at it first
    no_link: UUID = NO_LINK


_MAKE = {
    Shows.COMPARISON: "link-create",
    Shows.REPORT: "report-link-create",
    Shows.INCIDENT: "incident-link-create",
    Shows.POSTMORTEM: "postmortem-link-create",
}
_PREVIEWS = {Shows.INCIDENT: "incident-redacted", Shows.POSTMORTEM: "postmortem-redacted"}
_PROSE = "It is shown with the names of people and as they wrote it."
_SAID = {
    Shows.REPORT: "The uploaded file is not part of it, nor are the comparisons the report stands in.",
    Shows.INCIDENT: f"Its comparisons and reports are named, and cannot be opened. {_PROSE}",
    Shows.POSTMORTEM: f"Until it is reviewed, the link shows the newest draft and says so. {_PROSE}",
}


def dialog(host: str, shows: Shows, pk: UUID) -> ShareDialog:
    """About the thing of this id, of a post-mortem its incident; `host`: by what name the page was asked for."""
    return ShareDialog(
        what=shows.label.lower(),
        said=_SAID.get(shows, ""),
        make_url=reverse(_MAKE[shows], args=[pk]),
        may_comment=shows in COMMENTED,
        redacts=shows in {Shows.COMPARISON, Shows.REPORT},
        loopback=on_loopback(host),
        preview_url=reverse(_PREVIEWS[shows], args=[pk]) if shows in _PREVIEWS else "",
        asks=shows in {Shows.INCIDENT, Shows.POSTMORTEM},
    )


def seen_until(access: AccessContext) -> dict[str, str]:
    """What a page below a share link says at its top."""
    return {"shared_until": end_text(access.link.expires_at) if access.link else ""}


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
    for_whom: str
    shows: str  # names or pseudonyms, and whether a password is asked for
    may: str
    failed: bool  # its copy without names could not be made: it shows nothing


@dataclass(frozen=True, slots=True)
class TeamLine:
    """A link among all of a team's."""

    link: LinkLine
    by: str
    what: str
    title: str
    url: str
    why_failed: str  # of its copy; "" where there is one or none is needed


_PAGES = {
    Shows.COMPARISON: "comparison",
    Shows.REPORT: "report",
    Shows.INCIDENT: "incident",
    Shows.POSTMORTEM: "postmortem",
}


def of_team(links: Iterable[ShareLink], titles: Mapping[UUID, str]) -> list[TeamLine]:
    """`links` with who made them; `titles` by the id of what they are about."""
    return [
        TeamLine(
            link=line,
            by=shown_name(link.created_by),
            what=Shows(link.shows).label.lower(),
            title=titles.get(link.about_id, ""),
            url=reverse(_PAGES[Shows(link.shows)], args=[link.about_id]),
            why_failed=link.nameless.error if line.failed and link.nameless else "",
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


def failed_copies(links: Iterable[TeamLine]) -> list[FailedCopy]:
    return [
        FailedCopy(one, one.why_failed, reverse("link-copy", args=[one.link.id])) for one in links if one.link.failed
    ]


def lines(links: Iterable[ShareLink]) -> list[LinkLine]:
    return [
        LinkLine(
            id=str(link.pk),
            created=moment(link.created_at),
            until=end_text(link.expires_at),
            used=moment(link.last_used_at) if link.last_used_at else "not yet",
            live=link.is_live,
            state="revoked" if link.revoked_at else "expired",
            revoke_url=reverse("link-revoke", args=[link.pk]),
            uses="" if not link.uses else "opened once" if link.uses == 1 else f"opened {link.uses:,} times",
            for_whom=link.for_whom,
            shows=_shows(link),
            may="read, comment" if link.may_comment else "read",
            failed=link.is_live and link.nameless is not None and link.nameless.is_failed,
        )
        for link in links
    ]


def _shows(link: ShareLink) -> str:
    what = "pseudonyms" if link.redacted else "names"
    return f"{what}, password" if link.password else what


def end_text(at: datetime | None) -> str:
    return moment(at) if at else "revoked"


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

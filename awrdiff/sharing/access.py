"""Access by share link: views below /s/<token>/ begin with `access = shared(token)`."""

from __future__ import annotations

from uuid import UUID

from awrdiff import logs
from awrdiff.accounts.access import AccessContext, HeldLink, NotFound
from awrdiff.sharing import passwords
from awrdiff.sharing.errors import PasswordNeeded
from awrdiff.sharing.models import ShareLink
from awrdiff.sharing.queries import live_link, note_use
from awrdiff.sharing.rate import PAGE, spend

GONE = "This link does not exist, has expired or was revoked. Ask whoever sent it for a new one."


def link_of(token: str, cost: int = PAGE) -> ShareLink:
    """Raises NotFound (also expired or revoked), TooMuch."""
    link = live_link(token)
    if link is None:
        raise NotFound(GONE)
    logs.bind(team_id=link.team_id, link_id=str(link.pk))
    spend(link.pk, cost)
    return link


def shared(token: str, cost: int = PAGE, proof: str = "") -> AccessContext:
    """Redacted links reach only their copy. Raises PasswordNeeded."""
    link = link_of(token, cost)
    if link.password and not passwords.proves(proof, link):
        raise PasswordNeeded
    note_use(link)
    if not link.redacted:
        return AccessContext(team=link.team, link=_held_link(link, token, link.comparison_id, link.report_id))
    if link.copy_id is None and link.report_copy_id is None and link.incident_id is None:
        raise NotFound(GONE)
    return AccessContext(team=link.team.copies, link=_held_link(link, token, link.copy_id, link.report_copy_id))


def _held_link(link: ShareLink, token: str, comparison: UUID | None, report: UUID | None) -> HeldLink:
    return HeldLink(
        pk=link.pk,
        comparison_id=comparison,
        expires_at=link.expires_at,
        token=token,
        redacted=link.redacted,
        source_id=link.about_id,
        source_team_id=link.team_id,
        may_comment=link.may_comment,
        shows=link.shows,
        report_id=report,
        incident_id=None if link.redacted else link.incident_id,
        pair=link.pair,
    )

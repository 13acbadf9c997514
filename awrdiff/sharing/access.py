"""What a share link allows: the first line of the views below /s/<token>/ is `access = shared(token)`."""

from __future__ import annotations

from awrdiff.accounts.access import AccessContext, HeldLink, NotFound
from awrdiff.sharing.queries import live_link
from awrdiff.sharing.rate import PAGE, spend


def shared(token: str, cost: int = PAGE) -> AccessContext:
    """Whoever holds a share link: it must be known, not expired, not revoked, and not used too often (TooMuch)."""
    link = live_link(token)
    if link is None:
        raise NotFound("This link does not exist, has expired or was revoked.")
    spend(link.pk, cost)
    return AccessContext(team=link.team, link=HeldLink(link.pk, link.comparison_id, link.expires_at, token))

"""What a share link allows: the first line of the views below /s/<token>/."""

from __future__ import annotations

from django.http import Http404, HttpRequest

from awrdiff.accounts.access import AccessContext
from awrdiff.sharing.queries import live_link
from awrdiff.sharing.rate import PAGE, spend


def shared(request: HttpRequest, token: str, cost: int = PAGE) -> AccessContext:
    """Whoever holds a share link: it must be known, not expired, not revoked, and not used too often (TooMuch)."""
    link = live_link(token)
    if link is None:
        raise Http404("This link does not exist, has expired or was revoked.")
    spend(link, cost)
    return AccessContext(team=link.team, link=link, token=token)

"""A share link as a test uses it: its row, and the path to send."""

from __future__ import annotations

from awrdiff.accounts.access import AccessContext
from awrdiff.sharing import services
from awrdiff.sharing.models import ShareLink, Shows
from awrdiff.sharing.queries import About
from awrdiff.web import links


def create_link(
    access: AccessContext,
    about: About,
    *,
    days: int | None,
    may_comment: bool = False,
    shows: Shows = Shows.COMPARISON,
    pair: int = 0,
) -> tuple[ShareLink, str]:
    link, token = services.create_link(access, about, days=days, may_comment=may_comment, shows=shows, pair=pair)
    return link, links.shared(token)

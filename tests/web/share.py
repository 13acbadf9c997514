"""A share link as a test uses it: its row, and the path to send."""

from __future__ import annotations

from awrdiff.accounts.access import AccessContext
from awrdiff.comparisons.models import Comparison
from awrdiff.sharing import services
from awrdiff.sharing.models import ShareLink
from awrdiff.web import links


def create_link(
    access: AccessContext, comparison: Comparison, *, days: int | None, may_comment: bool = False
) -> tuple[ShareLink, str]:
    link, token = services.create_link(access, comparison, days=days, may_comment=may_comment)
    return link, links.shared(token)

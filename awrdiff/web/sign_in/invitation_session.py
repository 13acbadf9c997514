"""The browser's invitation; in its session, to keep the token out of addresses."""

from __future__ import annotations

from collections.abc import Collection

from django.http import HttpRequest

from awrdiff.accounts.access import NotFound
from awrdiff.accounts.members_and_invitations import live_invitation
from awrdiff.accounts.models import Invitation

KEY = "invitation"  # of a session


def hold(request: HttpRequest, invitation: Invitation) -> None:
    request.session[KEY] = str(invitation.pk)


def held_invitation(request: HttpRequest, emails: Collection[str] | None = None) -> Invitation | None:
    """None if ended, or for none of these addresses."""
    pk = request.session.get(KEY)
    try:
        invitation = live_invitation(pk=pk) if pk else None
    except NotFound:
        return None
    return invitation if invitation is None or emails is None or invitation.email in emails else None


def let_go(request: HttpRequest) -> None:
    request.session.pop(KEY, None)

"""The mail that invites somebody."""

from __future__ import annotations

from allauth.account.adapter import get_adapter
from django.http import HttpRequest

from awrdiff.accounts.models import Invitation


def send_invitation(request: HttpRequest, invitation: Invitation, address: str) -> None:
    """Raises MailNotSent."""
    by = invitation.invited_by.get_username() if invitation.invited_by else ""
    context = {"invitation": invitation, "team": invitation.team.name, "by": by, "join_url": address}
    get_adapter(request).send_mail("people/email/invitation", invitation.email, context)

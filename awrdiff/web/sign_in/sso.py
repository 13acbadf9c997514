"""Signing in with an OpenID Connect provider: who is known, or invited, by an address that it vouches for."""

from __future__ import annotations

import logging
from typing import Any

from allauth.account.models import EmailAddress
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from django.db import transaction
from django.http import HttpRequest

from awrdiff.accounts import people
from awrdiff.accounts.access import NotFound
from awrdiff.accounts.models import User
from awrdiff.accounts.names import fill_shown_name
from awrdiff.web.sign_in import invited
from awrdiff.web.sign_in.members import look_at

logger = logging.getLogger(__name__)


class SsoAdapter(DefaultSocialAccountAdapter):  # type: ignore[misc]
    def authenticate_by_email(self, sociallogin: Any) -> tuple[User, str] | None:
        """Only who has confirmed an address has it: who merely named it gets nobody's sign-in."""
        vouched = [one.email.lower() for one in sociallogin.email_addresses if one.verified]
        found = EmailAddress.objects.filter(email__in=vouched, verified=True).select_related("user").first()
        return (found.user, found.email) if found else None

    def on_authentication_error(
        self, request: HttpRequest, provider: Any, error: Any = None, exception: Any = None, extra_context: Any = None
    ) -> None:
        """For whoever runs the server: what a provider answers is told to nobody else."""
        logger.warning("signing in with the OpenID Connect provider failed: %.300s", exception or error)

    def new_user(self, request: HttpRequest, sociallogin: Any) -> User:
        return User()

    def is_open_for_signup(self, request: HttpRequest, sociallogin: Any) -> bool:
        """With an invitation of an address that the provider vouches for."""
        invitation = invited.held_invitation(request)
        vouched = {one.email.lower() for one in sociallogin.email_addresses if one.verified}
        return invitation is not None and invitation.email in vouched

    def save_user(self, request: HttpRequest, sociallogin: Any, form: Any = None) -> User:
        """Signing up uses the invitation up: both happen, or neither."""
        invitation = invited.held_invitation(request)
        if invitation is None:
            raise NotFound(people.GONE)
        with transaction.atomic():
            user: User = super().save_user(request, sociallogin, form)
            fill_shown_name(user, user.get_full_name())
            people.accept(user, invitation, signing_up=True)
        look_at(request, invitation.team)
        invited.let_go(request)
        return user

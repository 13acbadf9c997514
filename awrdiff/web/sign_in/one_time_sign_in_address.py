"""One-time sign-in addresses, valid for an hour."""

from __future__ import annotations

from typing import Any

from allauth.account.models import EmailAddress
from django.contrib.auth.tokens import PasswordResetTokenGenerator
from django.urls import reverse
from django.utils import timezone
from django.utils.http import base36_to_int, int_to_base36

from awrdiff.accounts.access import NotFound
from awrdiff.accounts.models import User

GONE = "This address does not exist, was used or has expired: it works once, within an hour."


class NewPassword(PasswordResetTokenGenerator):
    """Ends with changed password or addresses, sign-in, or disabling."""

    def _make_hash_value(self, user: Any, timestamp: Any) -> str:
        addresses = EmailAddress.objects.filter(user_id=user.pk).order_by("email").values_list("email", flat=True)
        state = super()._make_hash_value(user, timestamp)  # the last sign-in to the second: there may be two in one
        return f"{state}{user.last_login}{'|'.join(addresses)}"

    def check_token(self, user: Any, token: str | None) -> bool:
        return bool(user is not None and user.is_active and super().check_token(user, token))


class _SignIn(NewPassword):
    key_salt = "awrdiff.web.sign_in.once"  # as in the addresses that were handed out already


def sign_in_path(user: User) -> str:
    return reverse("sign-in-once", args=[f"{int_to_base36(user.pk)}-{_SignIn().make_token(user)}"])


def user_of(token: str) -> User:
    """Raises NotFound."""
    uid, _, key = token.partition("-")
    try:
        user = User.objects.filter(pk=base36_to_int(uid)).first()
    except (ValueError, OverflowError):
        user = None
    if user is None or not _SignIn().check_token(user, key):
        raise NotFound(GONE)
    return user


def use_up(user: User) -> None:
    """`user`: as from `user_of`. Only one of simultaneous uses wins, even before a second factor. Raises NotFound."""
    as_seen = User.objects.filter(pk=user.pk, is_active=True, password=user.password, last_login=user.last_login)
    if not as_seen.update(last_login=timezone.now()):
        raise NotFound(GONE)

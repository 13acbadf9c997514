"""Commands about people."""

from __future__ import annotations

from django.core.management.base import CommandError

from awrdiff.accounts.models import User


def person(name: str, *, may_sign_in: bool = False) -> User:
    """Raises CommandError."""
    user = User.objects.filter(username=name).first()
    if user is None or (may_sign_in and not user.is_active):
        raise CommandError(f"There is nobody of the name {name}{' who may sign in' if may_sign_in else ''}.")
    return user

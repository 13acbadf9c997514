"""`python manage.py remove_second_factor NAME`, for somebody who lost phone, keys and recovery codes."""

from __future__ import annotations

from typing import Any

from allauth.mfa.models import Authenticator

from awrdiff.accounts.management import PersonCommand
from awrdiff.accounts.models import User


class Command(PersonCommand):
    help = "Let somebody sign in by password alone again. Make sure first that it is they who ask."

    def act(self, user: User, **_options: Any) -> None:
        gone, _ = Authenticator.objects.filter(user=user).delete()
        self.stdout.write(
            f"{user.username} had no second factor." if not gone else f"{user.username} has none any more."
        )

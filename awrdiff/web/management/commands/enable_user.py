"""Somebody may sign in again: `python manage.py enable_user NAME`."""

from __future__ import annotations

from typing import Any

from awrdiff.accounts import offboarding
from awrdiff.accounts.management import PersonCommand
from awrdiff.accounts.models import User


class Command(PersonCommand):
    help = "Let somebody sign in again who was disabled. Tokens and links have to be made anew."

    def act(self, user: User, **_options: Any) -> None:
        offboarding.enable(user)
        self.stdout.write(f"{user.username} may sign in.")

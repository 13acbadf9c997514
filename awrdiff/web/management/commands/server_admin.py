"""Makes somebody a server administrator: `python manage.py server_admin NAME`; `--remove` reverts it."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from awrdiff.accounts.management import PersonCommand
from awrdiff.accounts.models import User


class Command(PersonCommand):
    help = "Let somebody list all teams, set their quotas and disable accounts. They read no more of any team."
    may_sign_in = True

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--remove", action="store_true")

    def act(self, user: User, *, remove: bool = False, **_options: Any) -> None:
        user.is_staff = not remove
        user.save(update_fields=["is_staff"])
        self.stdout.write(f"{user.username} administers the server{' no more' if remove else ''}.")

"""Makes somebody a server administrator: `python manage.py server_admin NAME`; `--remove` reverts it."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from awrdiff.accounts.management import person


class Command(BaseCommand):
    help = "Let somebody list all teams, set their quotas and disable accounts. They read no more of any team."
    requires_system_checks = []  # they import every page

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name")
        parser.add_argument("--remove", action="store_true")

    def handle(self, *_args: Any, name: str, remove: bool, **_options: Any) -> None:
        user = person(name, may_sign_in=True)
        user.is_staff = not remove
        user.save(update_fields=["is_staff"])
        self.stdout.write(f"{name} administers the server{' no more' if remove else ''}.")

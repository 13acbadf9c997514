"""Somebody may sign in again: `python manage.py enable_user NAME`."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from awrdiff.accounts import offboarding
from awrdiff.accounts.errors import PeopleRefused
from awrdiff.accounts.management import person


class Command(BaseCommand):
    help = "Let somebody sign in again who was disabled. Tokens and links have to be made anew."
    requires_system_checks = []  # they import every page

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name")

    def handle(self, *_args: Any, name: str, **_options: Any) -> None:
        user = person(name)
        try:
            offboarding.enable(user)
        except PeopleRefused as refusal:
            raise CommandError(str(refusal)) from refusal
        self.stdout.write(f"{name} may sign in.")

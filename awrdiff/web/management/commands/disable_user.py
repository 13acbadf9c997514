"""Disables an account: `python manage.py disable_user NAME`; `enable_user NAME` reverts it."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from awrdiff.accounts import offboarding
from awrdiff.accounts.errors import PeopleRefused
from awrdiff.accounts.management import person
from awrdiff.web.sign_in.deactivation import shut


class Command(BaseCommand):
    help = "End somebody's sessions, tokens, links and invitations, and let them in no more. They stay on their teams."
    requires_system_checks = []  # they import every page

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name")

    def handle(self, *_args: Any, name: str, **_options: Any) -> None:
        user = person(name)
        try:
            ended = shut(user)
        except PeopleRefused as refusal:
            raise CommandError(str(refusal)) from refusal
        self.stdout.write(f"{name} is disabled; {ended} ended.")
        for team in offboarding.teams_without_owner(user):
            self.stdout.write(f"“{team}” has no owner who can sign in: manage.py add_user NAME --team … --role owner.")
        for token in offboarding.services_of(user):
            self.stdout.write(f"The token “{token.name}” of a service of “{token.team}”, which they made, still works.")

"""Commands about people."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from awrdiff.accounts.errors import PeopleRefused
from awrdiff.accounts.models import User


class PersonCommand(BaseCommand):
    """Command about somebody by name; with `may_sign_in` of nobody who is disabled."""

    requires_system_checks = []  # they import every page
    may_sign_in = False

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name")

    def handle(self, *_args: Any, name: str, **options: Any) -> None:
        user = User.objects.filter(username=name).first()
        if user is None or (self.may_sign_in and not user.is_active):
            raise CommandError(f"There is nobody of the name {name}{' who may sign in' if self.may_sign_in else ''}.")
        try:
            self.act(user, **options)
        except PeopleRefused as refusal:
            raise CommandError(str(refusal)) from refusal

    def act(self, user: User, **options: Any) -> None:
        """Raises PeopleRefused, which ends the command with its sentence."""
        raise NotImplementedError

"""Sign-in without password or sign-on service: `python manage.py sign_in NAME` prints an address."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from awrdiff.accounts.management import person
from awrdiff.web.sign_in.members import is_local
from awrdiff.web.sign_in.one_time_address import sign_in_path


class Command(BaseCommand):
    help = "An address that signs somebody in, once and within the hour. Whoever has it is them: a second factor stays."
    requires_system_checks = []  # they import every page

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name")

    def handle(self, *_args: Any, name: str, **_options: Any) -> None:
        if is_local():
            raise CommandError("Whoever runs this server is its one user, without signing in.")
        user = person(name, may_sign_in=True)
        self.stdout.write(f"{settings.AWRDIFF_NOTICES_ADDRESS}{sign_in_path(user)}")

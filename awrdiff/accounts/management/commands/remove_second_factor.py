"""`python manage.py remove_second_factor NAME`, for somebody who lost phone, keys and recovery codes."""

from __future__ import annotations

from typing import Any

from allauth.mfa.models import Authenticator
from django.core.management.base import BaseCommand, CommandParser

from awrdiff.accounts.management import person


class Command(BaseCommand):
    help = "Let somebody sign in by password alone again. Make sure first that it is they who ask."
    requires_system_checks = []  # they import every page

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name")

    def handle(self, *_args: Any, **options: Any) -> None:
        user = person(options["name"])
        gone, _ = Authenticator.objects.filter(user=user).delete()
        self.stdout.write(
            f"{user.username} had no second factor." if not gone else f"{user.username} has none any more."
        )

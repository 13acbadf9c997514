"""Sign-in without password or sign-on service: `python manage.py sign_in NAME` prints an address."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management.base import CommandError

from awrdiff.accounts.management import PersonCommand
from awrdiff.accounts.models import User
from awrdiff.web.sign_in.one_time_sign_in_address import sign_in_path
from awrdiff.web.sign_in.permission_helpers import is_local


class Command(PersonCommand):
    help = "An address that signs somebody in, once and within the hour. Whoever has it is them: a second factor stays."
    may_sign_in = True

    def handle(self, *args: Any, **options: Any) -> None:
        if is_local():
            raise CommandError("Whoever runs this server is its one user, without signing in.")
        super().handle(*args, **options)

    def act(self, user: User, **_options: Any) -> None:
        self.stdout.write(f"{settings.AWRDIFF_NOTICES_ADDRESS}{sign_in_path(user)}")

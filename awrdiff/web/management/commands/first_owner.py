"""For `bin/serve --team`: while nobody can sign in, an invitation for the first owner, stored in var/."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandParser
from django.urls import reverse

from awrdiff.accounts.members_and_invitations import invite_to_take_over
from awrdiff.accounts.services import local_membership, nobody_can_sign_in
from awrdiff.serving import first_owner


class Command(BaseCommand):
    help = "While nobody can sign in: keep the address at which one becomes the owner in var/owner_address."
    requires_system_checks = []  # they import every page

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("address", help="of the server, such as http://localhost:8000/")

    def handle(self, *_args: Any, **options: Any) -> None:
        if not nobody_can_sign_in():
            first_owner.keep(settings.VAR, "")
            return
        call_command("load_demo", verbosity=0)
        _, token = invite_to_take_over(local_membership().team)
        path = reverse("join-link", args=[token])
        first_owner.keep(settings.VAR, f"{options['address'].rstrip('/')}{path}")

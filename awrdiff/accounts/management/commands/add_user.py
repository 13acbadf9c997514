"""Add a person to a team: `python manage.py add_user NAME --team TEAM` asks for the password."""

from __future__ import annotations

import getpass
import os
from typing import Any

from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser

from awrdiff.accounts.models import User
from awrdiff.accounts.services import join


class Command(BaseCommand):
    help = "Add a person, who can then log in, to a team (made when there is none of that name)."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name")
        parser.add_argument("--team", required=True)

    def handle(self, *_args: Any, **options: Any) -> None:
        user = User.objects.filter(username=options["name"]).first()
        if user is None:
            user = User(username=options["name"])
            password = os.environ.get("AWRDIFF_PASSWORD") or getpass.getpass(f"Password for {options['name']}: ")
            try:
                validate_password(password, user)
            except ValidationError as error:
                raise CommandError(" ".join(error.messages)) from error
            user.set_password(password)
            user.save()
        join(user, options["team"])
        self.stdout.write(f"{user.username} is on the team “{options['team']}”.")

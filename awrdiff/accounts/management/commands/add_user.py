"""Add a person to a team: `python manage.py add_user NAME --team TEAM` asks for the password,
where passwords let anybody in."""

from __future__ import annotations

import getpass
from typing import Any

from allauth.account.models import EmailAddress
from django.conf import settings
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction

from awrdiff import server_env_variables
from awrdiff.accounts.errors import PeopleRefused
from awrdiff.accounts.members_and_invitations import address, put_on_team
from awrdiff.accounts.models import Role, User
from awrdiff.accounts.services import LOCAL_NAME


class Command(BaseCommand):
    help = "Add a person, who can then log in, to a team (made when there is none of that name)."
    requires_system_checks = []  # they import every page

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name")
        parser.add_argument("--team", required=True)
        parser.add_argument("--role", choices=Role.values, help="default: owner of a new team, else member")
        parser.add_argument(
            "--email",
            help="their address, which you vouch for; new passwords are sent there, a sign-on service knows them by it",
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        try:
            with transaction.atomic():
                user = User.objects.filter(username=options["name"]).first() or _make(options["name"])
                if options["email"]:
                    text = options["email"]
                    email = address(text)
                    if EmailAddress.objects.filter(email=email, verified=True).exclude(user=user).exists():
                        raise CommandError(f"{email} is somebody else's address already.")
                    user.email = email
                    user.save(update_fields=["email"])
                    EmailAddress.objects.filter(user=user).delete()
                    EmailAddress.objects.create(user=user, email=email, verified=True, primary=True)
                put_on_team(user, options["team"], options["role"])
        except ValidationError as error:
            raise CommandError(" ".join(error.messages)) from error
        except PeopleRefused as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"{user.username} is on the team “{options['team']}”.")


def _make(name: str) -> User:
    if name == LOCAL_NAME:
        raise CommandError(f"“{LOCAL_NAME}” is whoever runs the server without signing in: give another name.")
    user = User(username=name)
    user.clean_fields(exclude=["password"])
    if settings.AWRDIFF_PASSWORD_SIGN_IN:
        password = server_env_variables.PASSWORD.read() or getpass.getpass(f"Password for {name}: ")
        validate_password(password, user)
        user.set_password(password)
    else:
        user.set_unusable_password()
    user.save()
    return user

"""Disables an account: `python manage.py disable_user NAME`; `enable_user NAME` reverts it."""

from __future__ import annotations

from typing import Any

from awrdiff.accounts import offboarding
from awrdiff.accounts.management import PersonCommand
from awrdiff.accounts.models import User
from awrdiff.web.sign_in.deactivation import shut


class Command(PersonCommand):
    help = "End somebody's sessions, tokens, links and invitations, and let them in no more. They stay on their teams."

    def act(self, user: User, **_options: Any) -> None:
        self.stdout.write(f"{user.username} is disabled; {shut(user)} ended.")
        for team in offboarding.teams_without_owner(user):
            self.stdout.write(f"“{team}” has no owner who can sign in: manage.py add_user NAME --team … --role owner.")
        for token in offboarding.services_of(user):
            self.stdout.write(f"The token “{token.name}” of a service of “{token.team}”, which they made, still works.")

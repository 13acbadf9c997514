"""Load the demo comparisons: `python manage.py load_demo` (repeatable)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from awrdiff.accounts.access import AccessContext
from awrdiff.accounts.models import Membership
from awrdiff.accounts.services import keeper_of_demos
from awrdiff.comparisons import demo


class Command(BaseCommand):
    help = "Make the demo comparisons of fixtures/demos.json for the local user, or for a team."
    requires_system_checks = []  # they import every page

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--team", help="name of the team (default: the local user's)")
        parser.add_argument("--folder", type=Path, default=demo.FOLDER)

    def handle(self, *_args: Any, **options: Any) -> None:
        membership = _membership(options["team"])
        if membership is None:
            return
        created = demo.load(AccessContext(team=membership.team, user=membership.user), options["folder"])
        if options["verbosity"] >= 1:
            self.stdout.write(f"{created} demo comparisons made.")


def _membership(team: str | None) -> Membership | None:
    if team is None:
        return keeper_of_demos()
    membership = Membership.objects.select_related("team", "user").filter(team__name=team).order_by("id").first()
    if membership is None:
        raise CommandError(
            f"There is no team “{team}” with a member. Make one: python manage.py add_user NAME --team TEAM"
        )
    return membership

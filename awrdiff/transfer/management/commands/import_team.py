"""Import of a team's zip: `python manage.py import_team FILE --owner NAME`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from awrdiff.accounts.models import User
from awrdiff.transfer.jsonl_column_types import NotImported
from awrdiff.transfer.team_zip import BrokeOff, import_team


class Command(BaseCommand):
    help = "Make a team of a zip that export_team wrote; its reports are read and compared again."
    requires_system_checks = []  # they import every page

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument("--owner", required=True, help="the person who owns the team from then on")
        parser.add_argument("--team", default="", help="how it is called here; default: as in the file")
        parser.add_argument(
            "--same-people",
            action="store_true",
            help="whoever signs in here by a name in the file wrote what the file says that they did",
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        owner = User.objects.filter(username=options["owner"]).first()
        if owner is None:
            raise CommandError(f"There is nobody called {options['owner']}: manage.py add_user makes a person.")
        try:
            same = options["same_people"]
            outcome = import_team(options["file"], owner, name=options["team"], same_people=same)
        except NotImported as refusal:
            state = "" if isinstance(refusal, BrokeOff) else " Nothing was imported."
            raise CommandError(f"{refusal}{state}") from refusal
        self.stdout.write(
            f"The team “{outcome.team.name}” is here: {outcome.summary}. The workers read and compare them now."
        )
        for sentence in outcome.left_out:
            self.stdout.write(f"Left out: {sentence}")

"""Write a team to a zip: `python manage.py export_team TEAM FILE`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from awrdiff.accounts.models import Team
from awrdiff.audit.services import note_chore
from awrdiff.databases.queries import has_word_on_databases
from awrdiff.transfer.team_zip import has_too_many_files, zip_of
from awrdiff.transfer.untrusted_zip_reading import MOST_ENTRIES


class Command(BaseCommand):
    help = "Write a team, with all that was said in it, to a zip that import_team takes in."
    requires_system_checks = []  # they import every page

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("team", help="its name")
        parser.add_argument("file", type=Path, help="the zip to make; one that is there is not overwritten")

    def handle(self, *_args: Any, **options: Any) -> None:
        team = Team.objects.filter(name=options["team"]).first()
        if team is None:
            raise CommandError(f"There is no team “{options['team']}”.")
        path: Path = options["file"]
        try:
            file = os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb")
        except FileExistsError:
            raise CommandError(f"{path} is there already: give another name.") from None
        with file:
            for chunk in zip_of(team):
                file.write(chunk)
        note_chore(team.pk, "exported", "team", [team.pk])
        self.stdout.write(f"The team “{team.name}” is in {path}.")
        if has_too_many_files(team):
            self.stderr.write(f"It holds more than {MOST_ENTRIES:,} files, the most that import_team takes in.")
        if has_word_on_databases(team):
            self.stdout.write("Left out: tags and time zones of databases, and which were merged or split.")

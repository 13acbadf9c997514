"""Put a backup into an empty place: `python manage.py restore FILE|s3://BUCKET/KEY`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser

from awrdiff import private_var_folder
from awrdiff.backup import database
from awrdiff.backup.archive import BackupTrouble
from awrdiff.backup.backup_and_restore import restore
from awrdiff.backup.backup_targets import ended_by_term, fetched
from awrdiff.backup.management.commands.backup import NOT_ALL
from awrdiff.serving import startup_preparation
from awrdiff.storage import StorageAway


class Command(BaseCommand):
    help = "Put what a backup holds into an empty database and its storage, and bring it up to date."
    requires_system_checks = []  # they import every page

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("source", metavar="FILE|s3://BUCKET/KEY")

    def handle(self, *_args: Any, source: str, **_options: Any) -> None:
        ended_by_term()
        startup_preparation.refuse_encoding()
        try:
            with private_var_folder.only_one(Path(settings.VAR)), fetched(source) as read:
                restored = restore(read)
        except BackupTrouble as error:
            raise CommandError(str(error)) from error
        except StorageAway as away:
            raise CommandError(f"The storage is away, and the database was not restored: {away}") from away
        call_command("migrate", verbosity=0, interactive=False)
        database.forget_signs_of_life()
        files = len(restored.stored)
        self.stdout.write(
            f"Restored: the database as it was at {restored.manifest.made_at}, made by awrdiff "
            f"{restored.manifest.awrdiff}, and {files:,} {'file' if files == 1 else 'files'}."
        )
        missing = restored.missing()
        for name in missing:
            self.stderr.write(f"{name} was not in the backup: what it held is lost, unless the storage has it still.")
        for name in restored.damaged:
            self.stderr.write(f"{name} was damaged when it was backed up, and still is.")
        if restored.is_key_another:
            self.stderr.write(
                "This server has another key than the one that was backed up: everybody signs in again, and a "
                "webhook's receiver needs the new secret, which stands on the page of the team."
            )
        if missing or restored.damaged:
            raise SystemExit(NOT_ALL)

"""Write database, files and key to one file: `python manage.py backup FILE|FOLDER|s3://BUCKET/KEY`."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from awrdiff.backup import backup_and_restore
from awrdiff.backup.archive import BackupTrouble
from awrdiff.backup.backup_targets import S3, ended_by_term, refuse_taken, send
from awrdiff.storage import StorageAway

NOT_ALL = 2  # a backup was made, or restored, of what was there


class Command(BaseCommand):
    help = (
        "Write database, files and the server's key to one file, while people work. In a folder, and below an address "
        "that ends with a slash, it is named by the time."
    )
    requires_system_checks = []  # they import every page

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("target", metavar="FILE|FOLDER|s3://BUCKET/KEY", help="what is there is not overwritten")

    def handle(self, *_args: Any, target: str, **_options: Any) -> None:
        ended_by_term()
        if target.endswith("/") or Path(target).is_dir():
            target = f"{target.rstrip('/')}/awrdiff-{timezone.now():%Y-%m-%dT%H-%M-%SZ}.tar.gz"
        try:
            if target.startswith(S3):
                refuse_taken(target)
                with tempfile.TemporaryDirectory(prefix=".backup-", dir=settings.VAR) as own:
                    path = Path(own) / "backup"
                    summary, size = backup_and_restore.make(path), path.stat().st_size
                    send(path, target)
            else:
                summary, size = backup_and_restore.make(Path(target)), Path(target).stat().st_size
        except BackupTrouble as error:
            raise CommandError(str(error)) from error
        except StorageAway as away:
            raise CommandError(f"The storage is away, and no backup was made: {away}") from away
        self.stdout.write(
            f"{target} ({_mb(size)}): the database ({_mb(summary.database_bytes)}), {summary.files:,} "
            f"{'file' if summary.files == 1 else 'files'} ({_mb(summary.files_bytes)})"
            + (" and the server's key." if summary.has_key else ". AWRDIFF_SECRET_KEY is not in it: keep it elsewhere.")
        )
        for name in summary.missing:
            self.stderr.write(f"{name} is not in the storage, and so not in the backup.")
        for name in summary.damaged:
            self.stderr.write(f"{name} holds other bytes than were uploaded: it is damaged in the storage.")
        if summary.missing or summary.damaged:
            raise SystemExit(NOT_ALL)


def _mb(size_bytes: int) -> str:
    return f"{size_bytes / 1e6:,.1f} MB"

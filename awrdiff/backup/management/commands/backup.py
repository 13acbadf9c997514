"""Write database, files and key to one file: `python manage.py backup FILE|FOLDER|s3://BUCKET/KEY`."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from awrdiff.backup import making
from awrdiff.backup.errors import BackupTrouble
from awrdiff.backup.places import S3, ended_by_term, refuse_taken, send
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
            made, size = _in_s3(target) if target.startswith(S3) else _on_disk(Path(target))
        except BackupTrouble as error:
            raise CommandError(str(error)) from error
        except StorageAway as away:
            raise CommandError(f"The storage is away, and no backup was made: {away}") from away
        self.stdout.write(
            f"{target} ({_mb(size)}): the database ({_mb(made.database_bytes)}), {made.files:,} "
            f"{'file' if made.files == 1 else 'files'} ({_mb(made.files_bytes)})"
            + (" and the server's key." if made.has_key else ". AWRDIFF_SECRET_KEY is not in it: keep it elsewhere.")
        )
        for name in made.missing:
            self.stderr.write(f"{name} is not in the storage, and so not in the backup.")
        for name in made.damaged:
            self.stderr.write(f"{name} holds other bytes than were uploaded: it is damaged in the storage.")
        if made.missing or made.damaged:
            raise SystemExit(NOT_ALL)


def _on_disk(path: Path) -> tuple[making.Made, int]:
    made = making.make(path)
    return made, path.stat().st_size


def _in_s3(address: str) -> tuple[making.Made, int]:
    refuse_taken(address)
    with tempfile.TemporaryDirectory(prefix=".backup-", dir=settings.VAR) as own:
        path = Path(own) / "backup"
        made, size = _on_disk(path)
        send(path, address)
        return made, size


def _mb(size_bytes: int) -> str:
    return f"{size_bytes / 1e6:,.1f} MB"

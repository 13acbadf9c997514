"""Restoring into an empty place; the database goes in last, once everything was read."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from django.conf import settings
from django.core.files import File
from django.core.files.storage import default_storage

from awrdiff import disk
from awrdiff.backup import archive, database, key
from awrdiff.backup.archive import BackupTrouble, Manifest, damage
from awrdiff.reports import files


@dataclass(frozen=True, slots=True)
class Restored:
    manifest: Manifest
    stored: set[str]  # names of files
    damaged: list[str]  # of these, as they were when they were backed up
    is_key_another: bool

    def missing(self) -> list[str]:
        """Named files that the backup lacked."""
        return sorted(set(database.named_files()) - self.stored)


def restore(read: IO[bytes]) -> Restored:
    """Repeatable until the database is in. Raises BackupTrouble, StorageAway, OSError."""
    if not database.is_empty():
        raise BackupTrouble(
            "The database here is not empty: restore into one that is, with another AWRDIFF_VAR or DATABASE_URL."
        )
    with archive.damage_reported():
        return _restore(archive.entries_of(read))


def _restore(entries: Iterator[archive.Entry]) -> Restored:
    manifest = archive.manifest_of(entries)
    _refuse(manifest)
    server_key = ""
    stored: set[str] = set()
    damaged = []
    with tempfile.TemporaryDirectory(prefix=".restore-", dir=settings.VAR) as own:
        copied = Path(own) / "database"
        for name, size, content in entries:
            if not disk.has_room(size):
                raise OSError(disk.NO_ROOM[0], disk.SENTENCE)
            if name == archive.KEY:
                server_key = archive.key_of(size, content)
                key.refuse_other(server_key)
            elif name == archive.DATABASE:
                with copied.open("wb") as to:
                    shutil.copyfileobj(content, to)
            else:
                file = archive.stored_name(name)
                if not _store(file, size, content):
                    damaged.append(file)
                stored.add(file)
        if not copied.is_file():
            raise damage("it holds no database")
        database.put(copied)
    if server_key:
        key.put(server_key)  # last: a place whose database could not be put there has no key of another's
    return Restored(manifest, stored, damaged, key.differs(manifest.key_mark))


def _refuse(manifest: Manifest) -> None:
    if manifest.database != database.kind():
        raise BackupTrouble(
            f"The backup is of {manifest.database}, and here is {database.kind()}: set DATABASE_URL to one of its "
            "kind. Between both a team moves by export_team and import_team."
        )
    if later := database.unknown(manifest.migrations):
        raise BackupTrouble(
            f"The backup was made by awrdiff {manifest.awrdiff}, which is later than this one (it has {later[0]}): "
            "restore it with that."
        )


def _store(name: str, size: int, content: IO[bytes]) -> bool:
    """False if damaged when backed up."""
    with tempfile.TemporaryFile(dir=settings.VAR) as own:
        shutil.copyfileobj(content, own, 1 << 20)
        is_whole = files.is_whole(name, own)
        # One of its name and size is of a try before this one, or of a server that is at work on this storage.
        if default_storage.exists(name) and default_storage.size(name) != size:
            default_storage.delete(name)
        if not default_storage.exists(name):
            own.seek(0)
            default_storage.save(name, File(own))
    return is_whole

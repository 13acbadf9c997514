"""Backup while people work: the database of one moment, and every file that it names. Restored into an empty place, the
database last, once everything was read.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from tarfile import TarFile
from typing import IO

import msgspec
from django.conf import settings
from django.core.files import File
from django.core.files.storage import default_storage
from django.utils import timezone

from awrdiff import disk_space, private_var_folder, server_env_variables, storage
from awrdiff.backup import archive, database
from awrdiff.backup.archive import BackupTrouble, Manifest, damage
from awrdiff.processing import heartbeats
from awrdiff.reports import files
from parsers.version import VERSION

_BEAT_EVERY_S = 60


@dataclass(slots=True)
class BackupSummary:
    """`missing`: named files not stored; `damaged`: unlike their names."""

    database_bytes: int
    has_key: bool
    files: int = 0
    files_bytes: int = 0
    missing: list[str] = field(default_factory=list)
    damaged: list[str] = field(default_factory=list)


def make(path: Path) -> BackupSummary:
    """Appears at `path` once whole and synced. Raises BackupTrouble, StorageAway, OSError."""
    if path.exists():
        raise BackupTrouble(f"{path} is there already: give another name.")
    part = path.with_name(f"{path.name}.part")
    try:
        with (
            os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as to,
            heartbeats.beating(files.BACKUP, _BEAT_EVERY_S),  # first: no file that the database names goes from now on
            archive.writing(to) as packed,
            tempfile.TemporaryDirectory(prefix=".awrdiff-", dir=path.parent) as own,
        ):
            manifest = Manifest(
                format=archive.FORMAT,
                awrdiff=VERSION,
                made_at=timezone.now().isoformat(timespec="seconds"),
                database=database.kind(),
                migrations=database.migrations(),
                key_mark=key_mark(settings.SECRET_KEY),
            )
            archive.add(packed, archive.MANIFEST, BytesIO(msgspec.json.encode(manifest)))
            if server_key := own_key():
                archive.add(packed, archive.KEY, BytesIO(server_key.encode()))
            copied = Path(own) / "database"
            names = database.copy_to(copied)
            with copied.open("rb") as opened:
                summary = BackupSummary(archive.add(packed, archive.DATABASE, opened), has_key=bool(server_key))
            copied.unlink()
            _copy_files(packed, names, path.parent, summary)
        storage.sync(part)
        part.replace(path)
        storage.sync(path.parent)
    finally:
        part.unlink(missing_ok=True)
    return summary


def _copy_files(packed: TarFile, names: list[str], target_folder: Path, summary: BackupSummary) -> None:
    is_at_home = target_folder.stat().st_dev == Path(settings.VAR).stat().st_dev
    for name in names:
        if is_at_home and not disk_space.has_room():
            raise OSError(disk_space.NO_ROOM[0], disk_space.SENTENCE)
        try:
            with default_storage.open(name) as opened:
                if not files.is_whole(name, opened):
                    summary.damaged.append(name)
                summary.files_bytes += archive.add(packed, archive.FILES + name, opened)
        except FileNotFoundError:
            summary.missing.append(name)
        else:
            summary.files += 1
    if names and not summary.files:
        raise BackupTrouble("None of the files that the database names is in the storage: is it mounted?")


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
        entries = archive.entries_of(read)
        manifest = archive.manifest_of(entries)
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
        return _restore(manifest, entries)


def _restore(manifest: Manifest, entries: Iterator[archive.Entry]) -> Restored:
    server_key = ""
    stored: set[str] = set()
    damaged = []
    with tempfile.TemporaryDirectory(prefix=".restore-", dir=settings.VAR) as own:
        copied = Path(own) / "database"
        for name, size, content in entries:
            if not disk_space.has_room(size):
                raise OSError(disk_space.NO_ROOM[0], disk_space.SENTENCE)
            if name == archive.KEY:
                server_key = archive.key_of(size, content)
                if own_key() not in ("", server_key):
                    instead = "restore into an AWRDIFF_VAR of its own"
                    raise BackupTrouble(f"{_key_place()} holds another key than the backup: {instead}.")
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
    if server_key and not server_env_variables.SECRET_KEY.read() and not own_key():
        # Last: a place whose database could not be put there has no key of another's.
        private_var_folder.write_whole(_key_place(), server_key)
        storage.sync(_key_place().parent)
    is_key_another = key_mark(own_key() or settings.SECRET_KEY) != manifest.key_mark
    return Restored(manifest, stored, damaged, is_key_another)


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


def _key_place() -> Path:
    return Path(settings.VAR) / "secret_key"


def own_key() -> str:
    """Server's key where it keeps it itself; "" where a setting gives it, or none exists."""
    place = _key_place()
    return "" if server_env_variables.SECRET_KEY.read() or not place.is_file() else place.read_text().strip()


def key_mark(key: str) -> str:
    """Fingerprint by which keys are compared."""
    return hmac.new(key.encode(), b"awrdiff backup", hashlib.sha256).hexdigest()

"""Upload storage: a folder (here) or S3 (storage_s3.py). A saved file survives a power cut."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, cast

from django.core.files.storage import FileSystemStorage, default_storage

from awrdiff import disk_space

SILENT, REFUSING = "silent", "refusing"


class StorageAway(Exception):
    """`word`: SILENT or REFUSING; passes by itself."""

    retry_s = 30

    def __init__(self, word: str, cause: object) -> None:
        super().__init__(f"{word}: {cause}")
        self.word = word

    @property
    def sentence(self) -> str:
        how = "does not answer" if self.word == SILENT else "refuses to work"
        return f"The storage for uploaded files {how}, so nothing was uploaded: try again in a minute."


def word() -> str:
    """`ok`, or what is wrong."""
    return cast("SyncedFiles", default_storage).word()


class SyncedFiles(FileSystemStorage):
    """Unwritable counts as away, full does not (disk_space.py)."""

    def _save(self, name: str, content: Any) -> str:
        try:
            stored_name: str = super()._save(name, content)  # type: ignore[misc]  # the types leave it out
            path, root = Path(self.path(stored_name)), Path(self.location)
            sync(path)
            # Every parent: another process may have just made one and not synced it yet.
            for folder in path.parents:
                sync(folder)
                if folder == root.parent:
                    break
        except OSError as error:
            if disk_space.is_no_room(error):
                raise
            raise StorageAway(REFUSING, error) from error
        return stored_name

    def word(self) -> str:
        """`ok`, or what is wrong."""
        try:
            disk_space.try_writing(Path(self.location))
        except OSError as error:
            return "full" if disk_space.is_no_room(error) else "not writable"
        return "ok"


def sync(path: Path) -> None:
    opened = os.open(path, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)

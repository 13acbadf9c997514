"""Where uploaded files are kept: a folder (here) or S3 (awrdiff/storage_s3.py); what both say of themselves.

What `save` returned for stays: a folder's file is on the disk with the way to it, an S3 store has answered for its own.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, cast

from django.core.files.storage import FileSystemStorage, default_storage

from awrdiff import disk

SILENT, REFUSING = "silent", "refusing"


class StorageAway(Exception):
    """The storage does not answer, or refuses: no fault of the file, and over in a while. `word`: which of both."""

    retry_s = 30

    def __init__(self, word: str, cause: object) -> None:
        super().__init__(f"{word}: {cause}")
        self.word = word

    @property
    def sentence(self) -> str:
        how = "does not answer" if self.word == SILENT else "refuses to work"
        return f"The storage for uploaded files {how}, so nothing was uploaded: try again in a minute."


def word() -> str:
    """What the storage of uploaded files says of itself: `ok`, or what is wrong."""
    return cast("SyncedFiles", default_storage).word()


class SyncedFiles(FileSystemStorage):
    """A folder whose files survive a loss of power once `save` has returned. One that cannot be written to, as where a
    disk is not mounted, is away like any other storage; a full one is another matter (awrdiff/disk.py)."""

    def _save(self, name: str, content: Any) -> str:
        try:
            return self._written(name, content)
        except OSError as error:
            if disk.is_no_room(error):
                raise
            raise StorageAway(REFUSING, error) from error

    def _written(self, name: str, content: Any) -> str:
        kept: str = super()._save(name, content)  # type: ignore[misc]  # the types leave it out
        path, root = Path(self.path(kept)), Path(self.location)
        sync(path)
        # Every folder of the way: another process may have made one a moment ago, and not come to this yet.
        for folder in path.parents:
            sync(folder)
            if folder == root.parent:
                break
        return kept

    def word(self) -> str:
        """`ok`, or what is wrong, for /readyz."""
        try:
            disk.try_writing(Path(self.location))
        except OSError as error:
            return "full" if disk.is_no_room(error) else "not writable"
        return "ok"


def sync(path: Path) -> None:
    """A file's bytes, or a folder's list of names, are on the disk when this returns."""
    opened = os.open(path, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)

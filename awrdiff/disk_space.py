"""Full disks: exceptions, free room and sentence."""

from __future__ import annotations

import errno
import os
import tempfile
from pathlib import Path

from django.conf import settings
from django.db import DatabaseError

NO_ROOM = (errno.ENOSPC, errno.EDQUOT)
SENTENCE = (
    "The server's disk is full, so nothing can be kept. Whoever runs it must make room; what was uploaded before is "
    "safe, and work that waits goes on by itself then."
)
_DATABASE_MESSAGES = ("database or disk is full", "no space left on device")


def is_no_room(error: BaseException | None) -> bool:
    """True for full disks or quotas, also as cause."""
    while error is not None:
        if isinstance(error, OSError) and error.errno in NO_ROOM:
            return True
        if isinstance(error, DatabaseError) and any(text in str(error).lower() for text in _DATABASE_MESSAGES):
            return True
        error = error.__cause__ or error.__context__
    return False


def free_bytes(folder: Path) -> int:
    filesystem = os.statvfs(folder)
    return filesystem.f_bavail * filesystem.f_frsize


def has_room(more_bytes: int = 0) -> bool:
    """False if less than AWRDIFF_MIN_FREE_MB would stay."""
    try:
        return free_bytes(settings.VAR) - more_bytes >= settings.AWRDIFF_MIN_FREE_MB * 1024 * 1024
    except OSError:
        return True  # no folder, no verdict: whoever writes to it says what is wrong


def try_writing(folder: Path) -> None:
    """Raises OSError."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryFile(dir=folder, buffering=0) as file:
        file.write(bytes(4096))

"""The server's key, where the server keeps it itself (`bin/serve`, in var/): one that is given is kept elsewhere."""

from __future__ import annotations

import hashlib
import hmac
import os
from pathlib import Path

from django.conf import settings

from awrdiff import storage, variables
from awrdiff.backup.errors import BackupTrouble


def _place() -> Path:
    return Path(settings.VAR) / "secret_key"


def kept() -> str:
    """ "" where the key is given, or there is none yet."""
    place = _place()
    return "" if variables.SECRET_KEY.read() or not place.is_file() else place.read_text().strip()


def mark(key: str) -> str:
    """Tells whether two servers have one key, and nothing of it."""
    return hmac.new(key.encode(), b"awrdiff backup", hashlib.sha256).hexdigest()


def refuse_other(key: str) -> None:
    """Raises BackupTrouble where this place has a key of its own already."""
    if kept() not in ("", key):
        raise BackupTrouble(f"{_place()} holds another key than the backup: restore into an AWRDIFF_VAR of its own.")


def put(key: str) -> None:
    if variables.SECRET_KEY.read() or kept():
        return
    part = _place().with_name(".secret_key.part")
    with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
        file.write(key)
    storage.sync(part)
    part.replace(_place())
    storage.sync(_place().parent)


def differs(from_mark: str) -> bool:
    """Whether this server has another key than the one of the mark."""
    return mark(kept() or settings.SECRET_KEY) != from_mark

"""The server's key, where it keeps it itself (var/secret_key), not in AWRDIFF_SECRET_KEY."""

from __future__ import annotations

import hashlib
import hmac
from pathlib import Path

from django.conf import settings

from awrdiff import folder, storage, variables
from awrdiff.backup.archive import BackupTrouble


def _place() -> Path:
    return Path(settings.VAR) / "secret_key"


def own_key() -> str:
    """ "" where a setting gives it, or none exists."""
    place = _place()
    return "" if variables.SECRET_KEY.read() or not place.is_file() else place.read_text().strip()


def mark(key: str) -> str:
    """Fingerprint by which keys are compared."""
    return hmac.new(key.encode(), b"awrdiff backup", hashlib.sha256).hexdigest()


def refuse_other(key: str) -> None:
    """Raises BackupTrouble where var/ has another key."""
    if own_key() not in ("", key):
        raise BackupTrouble(f"{_place()} holds another key than the backup: restore into an AWRDIFF_VAR of its own.")


def put(key: str) -> None:
    if variables.SECRET_KEY.read() or own_key():
        return
    folder.write_whole(_place(), key)
    storage.sync(_place().parent)


def differs(from_mark: str) -> bool:
    return mark(own_key() or settings.SECRET_KEY) != from_mark

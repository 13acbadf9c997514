"""Targets of a backup: a file, or an object in S3."""

from __future__ import annotations

import signal
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Any

from django.conf import settings

from awrdiff.backup.archive import BackupTrouble

S3 = "s3://"


def ended_by_term() -> None:
    """SIGTERM leaves nothing half-made."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))


def refuse_taken(address: str) -> None:
    """Raises BackupTrouble if taken or naming no object; StorageAway."""
    if not address.removeprefix(S3).partition("/")[2]:
        raise BackupTrouble(f"{address} names a bucket and no object in it: add one, or a slash.")
    if _s3().is_taken(address, settings.AWRDIFF_S3_ENDPOINT):
        raise BackupTrouble(f"{address} is there already: give another name.")


def send(path: Path, address: str) -> None:
    """Raises StorageAway."""
    _s3().send(path, address, settings.AWRDIFF_S3_ENDPOINT)


@contextmanager
def fetched(source: str) -> Iterator[IO[bytes]]:
    """Raises BackupTrouble, StorageAway, OSError."""
    if not source.startswith(S3):
        with Path(source).open("rb") as opened:
            yield opened
        return
    with tempfile.TemporaryFile(dir=settings.VAR) as own:
        try:
            _s3().fetch(source, settings.AWRDIFF_S3_ENDPOINT, own)
        except FileNotFoundError:
            raise BackupTrouble(f"{source} is not there, or may not be read.") from None
        yield own


def _s3() -> Any:
    if find_spec("boto3") is None:
        raise BackupTrouble("S3 needs boto3: pip install --requirement requirements-s3.txt")
    from awrdiff import storage_s3  # noqa: PLC0415 - boto3 is an extra

    return storage_s3

"""Stored uploads and attachments in a folder or S3; a named file is never removed.

Reports are gzip-packed (level 1) under an ending that no proxy unpacks; older ones are not.

A `LooseFile` row precedes the file; either the upload deletes it (`naming_files`), or the sweeper with the file, never
both. Deleting a report makes its file loose in the same transaction. No file is removed during a backup.
"""

from __future__ import annotations

import hashlib
import logging
import shutil
import zlib
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from datetime import timedelta
from gzip import BadGzipFile, GzipFile
from typing import IO, cast
from uuid import uuid4

from django.core.files import File
from django.core.files.storage import default_storage
from django.db import transaction
from django.utils import timezone

from awrdiff import storage
from awrdiff.logs import Seldom
from awrdiff.processing import heartbeats
from awrdiff.reports.errors import TookTooLong
from awrdiff.reports.models import LooseFile, Report
from awrdiff.reports.received_files import ReceivedFile

UPLOAD_S = 6 * 3600  # more than storing a file and making its report ever takes
SWEEP_EVERY_S = 5
BACKUP, BACKUP_S = "backup", 3600  # its sign of life, and for how long after the last one files stay
BATCH = 200
PACKED = ".gzip"
LEVEL = 1
DAMAGE = (BadGzipFile, EOFError, zlib.error)
_CHUNK = 1 << 18
_not_removed = Seldom(every_s=60)
logger = logging.getLogger(__name__)


def store(team: int, file: ReceivedFile) -> str:
    """Save packed, loose until `naming_files`."""
    with closing(_packed(file)) as packed:
        return keep("reports", team, file.sha256, packed, PACKED)


def _packed(file: ReceivedFile) -> ReceivedFile:
    packed = ReceivedFile(file.name or "")
    try:
        file.seek(0)
        with GzipFile("", "wb", LEVEL, packed, mtime=0) as into:
            shutil.copyfileobj(file, into, _CHUNK)
        packed.size = packed.tell()
        packed.seek(0)  # writes what is left
    except BaseException:
        packed.close()
        raise
    return packed


def keep(folder: str, team: int, sha256: str, file: File[bytes], ending: str = "") -> str:
    """New loose name begins with `sha256`."""
    name = f"{folder}/{team}/{sha256[:2]}/{sha256}-{uuid4().hex}{ending}"
    LooseFile.objects.create(name=name, keep_until=timezone.now() + timedelta(seconds=UPLOAD_S))
    return default_storage.save(name, file)


@contextmanager
def opened(name: str) -> Iterator[IO[bytes]]:
    """Raises FileNotFoundError if missing or damaged."""
    with default_storage.open(name) as stored:
        try:
            yield as_sent(name, stored)
        except DAMAGE as damage:
            raise FileNotFoundError(f"{name}: {damage}") from damage


def as_sent(name: str, stored: IO[bytes]) -> IO[bytes]:
    """Unpacked; reading raises one of DAMAGE if damaged."""
    return cast("IO[bytes]", GzipFile(fileobj=stored)) if name.endswith(PACKED) else stored


def is_whole(name: str, stored: IO[bytes]) -> bool:
    """Compares with the digest in its name; rewinds."""
    expected = name.rpartition("/")[2].partition("-")[0]
    digest = hashlib.sha256()
    stored.seek(0)
    whole = as_sent(name, stored)
    try:
        while chunk := whole.read(_CHUNK):
            digest.update(chunk)
    except DAMAGE:
        return False
    finally:
        stored.seek(0)
    return len(expected) != len(digest.hexdigest()) or digest.hexdigest() == expected


@contextmanager
def naming_files(*names: str) -> Iterator[None]:
    """Transaction creating their reports. Raises TookTooLong if one is gone."""
    with transaction.atomic():
        loose = list(LooseFile.objects.filter(name__in=names).order_by("pk").values_list("pk", flat=True))
        claimed, _ = LooseFile.objects.filter(pk__in=loose).delete()
        if claimed == len(names):
            yield
            return
        transaction.set_rollback(True)
    loosen(names)  # one may have been written after the sweeper came
    raise TookTooLong("Storing the file took too long: upload it again.")


def loosen(names: Iterable[str]) -> None:
    """Call in the transaction deleting their reports."""
    now = timezone.now()
    LooseFile.objects.bulk_create(LooseFile(name=name, keep_until=now) for name in names)


def sweep() -> int:
    """Number of expired loose files removed."""
    due = LooseFile.objects.filter(keep_until__lte=timezone.now()).order_by("keep_until", "pk")
    batch = list(due.values_list("pk", "name")[:BATCH])
    # Asked outside a transaction: on SQLite nobody could write while one waited for a storage that hangs.
    if not batch or storage.word() in (storage.SILENT, storage.REFUSING) or heartbeats.is_heard(BACKUP, BACKUP_S):
        return 0
    removed = 0
    for pk, name in batch:
        try:
            removed += _remove(pk, name)
        except (storage.StorageAway, OSError) as error:
            # One that may not be removed goes behind the others, and keeps none of them.
            LooseFile.objects.filter(pk=pk).update(keep_until=timezone.now())
            if (left_out := _not_removed.now()) is not None:
                logger.warning("%s was not removed (nor %d others since the last line): %s", name, left_out, error)
            break
    return removed


def _remove(pk: int, name: str) -> bool:
    with transaction.atomic():
        claimed, _ = LooseFile.objects.filter(pk=pk).delete()
        if not claimed or Report.objects.filter(file=name).exists():
            return False
        default_storage.delete(name)
    return True

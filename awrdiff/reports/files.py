"""Uploaded files in the storage (a folder, S3), and why none that a report names is ever removed. Files that people
attach to what they write (awrdiff/threads/attachments.py) are kept and removed in the same way.

Reports are kept packed by gzip, under a name that says so; what older versions kept has no such ending and is read as
it is. The ending is none that a storage or a proxy knows, which might unpack what it hands out. Level 1: of 41 real
reports 13 % is left, for 7 ms per MB; level 6 leaves 10 % for 17 ms. Unpacking takes 4 ms.

Every upload is stored under a name of its own, which one report is given at its birth; only reports that older versions
stored share a name, and no new one is ever given theirs. So the reports that name a file only get fewer, and a file
that no report names never will be named again, except one whose report is just being made. That one is told apart by a
`LooseFile` row, written before the file. It has one taker: the upload deletes it in the transaction that makes its
report (`naming_files`), the sweeper in the transaction that removes the file (`sweep`), and of two transactions that
delete one row, one finds it gone, on any database, from any machine. An upload that finds it gone is not answered 201.
The time until the sweeper may come (`UPLOAD_S`) keeps this from happening; it is not what makes it right.

While a backup is made none is removed: it copies the database of one moment first, and then the files that it names.

Deleting a report makes its file loose in the same transaction, so a crash or a storage that is away leaves nothing
behind for good: neither does a killed upload, whose row is there before its file.
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
from awrdiff.reports.uploads import ReceivedFile

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
    """Keep the bytes of a report, packed, under a name of their own, loose until `naming_files`."""
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
    """Keep these bytes under a name of their own that begins with `sha256`, of what was sent; loose as of `store`."""
    name = f"{folder}/{team}/{sha256[:2]}/{sha256}-{uuid4().hex}{ending}"
    LooseFile.objects.create(name=name, keep_until=timezone.now() + timedelta(seconds=UPLOAD_S))
    return default_storage.save(name, file)


@contextmanager
def opened(name: str) -> Iterator[IO[bytes]]:
    """The bytes that were kept under the name. Raises FileNotFoundError where they are not there, or not whole."""
    with default_storage.open(name) as kept:
        try:
            yield as_sent(name, kept)
        except DAMAGE as damage:
            raise FileNotFoundError(f"{name}: {damage}") from damage


def as_sent(name: str, kept: IO[bytes]) -> IO[bytes]:
    """What is kept under the name, unpacked. Reading it raises one of DAMAGE where it is not whole."""
    return cast("IO[bytes]", GzipFile(fileobj=kept)) if name.endswith(PACKED) else kept


def is_whole(name: str, kept: IO[bytes]) -> bool:
    """Whether it holds the bytes that its name tells, which `keep` made; goes back to its beginning."""
    said = name.rpartition("/")[2].partition("-")[0]
    digest = hashlib.sha256()
    kept.seek(0)
    whole = as_sent(name, kept)
    try:
        while chunk := whole.read(_CHUNK):
            digest.update(chunk)
    except DAMAGE:
        return False
    finally:
        kept.seek(0)
    return len(said) != len(digest.hexdigest()) or digest.hexdigest() == said


@contextmanager
def naming_files(*names: str) -> Iterator[None]:
    """One transaction around the making of the reports that name the files. Raises TookTooLong where one is gone."""
    with transaction.atomic():
        found = list(LooseFile.objects.filter(name__in=names).order_by("pk").values_list("pk", flat=True))
        taken, _ = LooseFile.objects.filter(pk__in=found).delete()
        if taken == len(names):
            yield
            return
        transaction.set_rollback(True)
    loosen(names)  # one may have been written after the sweeper came
    raise TookTooLong("Storing the file took too long: upload it again.")


def loosen(names: Iterable[str]) -> None:
    """In the transaction that deletes the reports which name the files."""
    now = timezone.now()
    LooseFile.objects.bulk_create(LooseFile(name=name, keep_until=now) for name in names)


def sweep() -> int:
    """Remove loose files whose time is up; returns how many. A storage that is away is tried again next time."""
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
        taken, _ = LooseFile.objects.filter(pk=pk).delete()
        if not taken or Report.objects.filter(file=name).exists():
            return False
        default_storage.delete(name)
    return True

"""Uploaded files in the storage (a folder, S3), and why none that a report names is ever removed. Files that people
attach to what they write (awrdiff/threads/attachments.py) are kept and removed in the same way.

Every upload is stored under a name of its own, which one report is given at its birth; only reports that older versions
stored share a name, and no new one is ever given theirs. So the reports that name a file only get fewer, and a file
that no report names never will be named again, except one whose report is just being made. That one is told apart by a
`LooseFile` row, written before the file. It has one taker: the upload deletes it in the transaction that makes its
report (`named`), the sweeper in the transaction that removes the file (`sweep`), and of two transactions that delete
one row, one finds it gone, on any database, from any machine. An upload that finds it gone is not answered 201. The
time until the sweeper may come (`UPLOAD_S`) keeps this from happening; it is not what makes it right.

Deleting a report makes its file loose in the same transaction, so a crash or a storage that is away leaves nothing
behind for good: neither does a killed upload, whose row is there before its file.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from uuid import uuid4

from django.core.files import File
from django.core.files.storage import default_storage
from django.db import transaction
from django.utils import timezone

from awrdiff import storage
from awrdiff.reports.errors import TookTooLong
from awrdiff.reports.models import LooseFile, Report
from awrdiff.reports.uploads import ReceivedFile

UPLOAD_S = 6 * 3600  # more than storing a file and making its report ever takes
SWEEP_EVERY_S = 5
BATCH = 200


def store(team: int, file: ReceivedFile) -> str:
    """Keep the bytes of a report under a name of their own, loose until `naming_files`."""
    return keep("reports", team, file.sha256, file)


def keep(folder: str, team: int, sha256: str, file: File[bytes]) -> str:
    """The same of whatever else is kept."""
    name = f"{folder}/{team}/{sha256[:2]}/{sha256}-{uuid4().hex}"
    LooseFile.objects.create(name=name, keep_until=timezone.now() + timedelta(seconds=UPLOAD_S))
    return default_storage.save(name, file)


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
    due = LooseFile.objects.filter(keep_until__lte=timezone.now()).order_by("pk")
    batch = list(due.values_list("pk", "name")[:BATCH])
    # Asked outside a transaction: on SQLite nobody could write while one waited for a storage that hangs.
    if not batch or storage.word() in (storage.SILENT, storage.REFUSING):
        return 0
    return sum(_remove(pk, name) for pk, name in batch)


def _remove(pk: int, name: str) -> bool:
    with transaction.atomic():
        taken, _ = LooseFile.objects.filter(pk=pk).delete()
        if not taken or Report.objects.filter(file=name).exists():
            return False
        default_storage.delete(name)
    return True

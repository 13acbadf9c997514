"""Import of files from the server or S3, one committed at a time.

A stopped import resumes: known bytes and whole objects are skipped.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from itertools import repeat
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Literal, NamedTuple

from django.conf import settings
from django.db.models import QuerySet
from msgspec.structs import replace

from awrdiff import disk_space
from awrdiff.accounts.access import AccessContext
from awrdiff.reports import services
from awrdiff.reports.errors import NoRoom, UploadRefused
from awrdiff.reports.foreign_files import refuse_foreign
from awrdiff.reports.models import FetchedObject, Report
from awrdiff.reports.received_files import limit_bytes, receive_chunks
from awrdiff.reports.unpack import HEAD
from awrdiff.reports.uploaded_report_rows import Incoming
from parsers import UnsupportedReport
from parsers.archive import Limits, Packed, is_archive, unpack
from parsers.command_line_inputs import files_in

_DIGEST = 32  # bytes
_AT_ONCE = 500


def remember(access: AccessContext, identity: str, sha256s: Sequence[str]) -> None:
    """Record an object and its files' SHA-256."""
    FetchedObject.objects.get_or_create(
        team=access.team, identity=identity, defaults={"digests": bytes.fromhex("".join(sha256s))}
    )


def file_count(access: AccessContext, identity: str) -> int:
    """Files that came from it; 0 if new or incomplete."""
    row = FetchedObject.objects.filter(team=access.team, identity=identity).first()
    if row is None:
        return 0
    packed = bytes(row.digests)
    digests = [packed[at : at + _DIGEST].hex() for at in range(0, len(packed), _DIGEST)]
    for at in range(0, len(digests), _AT_ONCE):
        some = digests[at : at + _AT_ONCE]
        if with_bytes(access, some).values("sha256").distinct().count() < len(set(some)):
            row.delete()
            return 0
    return len(digests)


def with_bytes(access: AccessContext, sha256s: Sequence[str]) -> QuerySet[Report]:
    """Includes multi-report files and failed reports."""
    return Report.objects.filter(team=access.team, sha256__in=sha256s, parent=None, is_demo=False)


S3 = "s3://"
_CHUNK = 1 << 20
_LARGEST_FETCHED = 16 << 30  # of an archive in S3
# Of an archive as a whole: it is read as it lies there, one member at a time. A bomb is still one.
_LIMITS = Limits(listed=1_000_000, seconds=6 * 3600, all_bytes=1 << 40)


class ImportOutcome(NamedTuple):
    """Outcome of a file: `why` refused, or its `sha256`."""

    name: str
    became: Literal["new", "known", "refused"]
    why: str = ""
    sha256: str = ""


def import_files(access: AccessContext, places: Sequence[str | Path]) -> Iterator[ImportOutcome]:
    """Outcomes in order of names. Raises NoRoom, OSError, StorageAway."""
    for place in places:
        if str(place).startswith(S3):
            yield from _import_objects(access, str(place))
            continue
        path = Path(place)
        try:
            files = files_in(path) if path.is_dir() else [path]
        except UnsupportedReport as refusal:
            yield ImportOutcome(str(path), "refused", str(refusal))
            continue
        for place_file in files:
            yield from _import_one(access, place_file)


def _import_one(access: AccessContext, path: Path) -> Iterator[ImportOutcome]:
    try:
        file = path.open("rb")
    except OSError as error:
        yield ImportOutcome(str(path), "refused", f"It cannot be opened: {error.strerror}.")
        return
    with file:
        try:
            yield from _import(access, file, str(path))
        except UnsupportedReport as refusal:
            yield ImportOutcome(str(path), "refused", str(refusal))


def _import_objects(access: AccessContext, address: str) -> Iterator[ImportOutcome]:
    """Fetched before opening: a ZIP's directory is at its end."""
    from awrdiff.storage_s3 import objects_below  # noqa: PLC0415 - boto3 is not there for everybody

    settings.AWRDIFF_UPLOAD_DIR.mkdir(parents=True, exist_ok=True)
    has_objects = False
    for stored in objects_below(address, settings.AWRDIFF_S3_ENDPOINT):
        has_objects = True
        if files := file_count(access, stored.identity):
            yield from repeat(ImportOutcome(stored.name, "known"), files)
            continue
        if stored.summary.size > _LARGEST_FETCHED:
            yield ImportOutcome(stored.name, "refused", f"It is larger than {_LARGEST_FETCHED >> 30} GiB.")
            continue
        if not disk_space.has_room(stored.summary.size):
            raise NoRoom(f"The server's disk has no room to fetch {stored.name} ({stored.summary.size:,} bytes).")
        with TemporaryFile(dir=settings.AWRDIFF_UPLOAD_DIR) as file:
            try:
                stored.save(file)
                sha256s = []
                for outcome in _import(access, file, stored.name):
                    sha256s.append(outcome.sha256)
                    yield outcome
                if sha256s and all(sha256s):
                    remember(access, stored.identity, sha256s)
            except FileNotFoundError as error:
                yield ImportOutcome(stored.name, "refused", f"S3 does not give it: {error}.")
            except UnsupportedReport as refusal:
                yield ImportOutcome(stored.name, "refused", str(refusal))
    if not has_objects:
        yield ImportOutcome(address, "refused", "The bucket has no file under this prefix, or hidden ones only.")


def _import(access: AccessContext, file: IO[bytes], name: str) -> Iterator[ImportOutcome]:
    head = file.read(HEAD)
    file.seek(0)
    if not is_archive(head):
        yield _take(access, Packed(name, iter(lambda: file.read(_CHUNK), b"")), "")
        return
    for packed in unpack(file, name, replace(_LIMITS, one_bytes=limit_bytes())):
        yield _take(access, packed, Path(name).name)


def _take(access: AccessContext, packed: Packed, archive: str) -> ImportOutcome:
    """An error stops no other file."""
    try:
        with closing(receive_chunks(packed.chunks, packed.name)) as received:
            refuse_foreign(received, Path(packed.name).name)
            if not received.size:
                return ImportOutcome(packed.name, "refused", "The file is empty.")
            if with_bytes(access, [received.sha256]).exists():
                return ImportOutcome(packed.name, "known", sha256=received.sha256)
            services.store_uploads(access, [Incoming(received, packed.name, archive, in_bulk=True)])
    except NoRoom:
        raise
    except (UnsupportedReport, UploadRefused) as refusal:
        return ImportOutcome(packed.name, "refused", str(refusal))
    return ImportOutcome(packed.name, "new", sha256=received.sha256)

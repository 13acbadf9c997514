"""Files that lie on the server or in S3, taken in one after the other: any number of them, in folders and archives.

What came in is in the database before the next file is looked at, and bytes that the team has are taken in once: an
import that was stopped goes on where it was when the same command is given again. An object of a bucket that came in
whole is not fetched again (fetched.py); one out of which something was refused is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from itertools import repeat
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Literal, NamedTuple

from django.conf import settings

from awrdiff import disk
from awrdiff.accounts.access import AccessContext
from awrdiff.reports import fetched, services
from awrdiff.reports.errors import NoRoom, UploadRefused
from awrdiff.reports.incoming import Incoming
from awrdiff.reports.sniff import refuse_foreign
from awrdiff.reports.unpack import HEAD
from awrdiff.reports.uploads import limit_bytes, receive_chunks
from parsers import UnsupportedReport
from parsers.archive import Limits, Packed, is_archive, unpack
from parsers.inputs import files_in

S3 = "s3://"
_CHUNK = 1 << 20
_LARGEST_FETCHED = 16 << 30  # of an archive in S3
# Of an archive as a whole: it is read as it lies there, one member at a time. A bomb is still one.
_LIMITS = Limits(listed=1_000_000, seconds=6 * 3600, all_bytes=1 << 40)


class Taken(NamedTuple):
    """What became of one file; `why` in a sentence where it was refused, `sha256` of its bytes where not."""

    name: str
    became: Literal["new", "known", "refused"]
    why: str = ""
    sha256: str = ""


def import_files(access: AccessContext, places: Sequence[str | Path]) -> Iterator[Taken]:
    """What became of each file, in order of their names; a place is a file, a folder, or `s3://bucket/prefix`.

    Raises NoRoom, OSError where the storage takes nothing, StorageAway where it or the bucket is away."""
    for place in places:
        if str(place).startswith(S3):
            yield from _import_objects(access, str(place))
            continue
        path = Path(place)
        try:
            files = files_in(path) if path.is_dir() else [path]
        except UnsupportedReport as refusal:
            yield Taken(str(path), "refused", str(refusal))
            continue
        for one in files:
            yield from _import_one(access, one)


def _import_one(access: AccessContext, path: Path) -> Iterator[Taken]:
    try:
        file = path.open("rb")
    except OSError as error:
        yield Taken(str(path), "refused", f"It cannot be opened: {error.strerror}.")
        return
    with file:
        try:
            yield from _import(access, file, str(path))
        except UnsupportedReport as refusal:
            yield Taken(str(path), "refused", str(refusal))


def _import_objects(access: AccessContext, address: str) -> Iterator[Taken]:
    """Each is fetched whole before it is looked into: what is in an archive is listed at its end."""
    from awrdiff.storage_s3 import objects_below  # noqa: PLC0415 - boto3 is not there for everybody

    settings.AWRDIFF_UPLOAD_DIR.mkdir(parents=True, exist_ok=True)
    found = False
    for stored in objects_below(address, settings.AWRDIFF_S3_ENDPOINT):
        found = True
        if files := fetched.known(access, stored.identity):
            yield from repeat(Taken(stored.name, "known"), files)
            continue
        if stored.summary.size > _LARGEST_FETCHED:
            yield Taken(stored.name, "refused", f"It is larger than {_LARGEST_FETCHED >> 30} GiB.")
            continue
        if not disk.has_room(stored.summary.size):
            raise NoRoom(f"The server's disk has no room to fetch {stored.name} ({stored.summary.size:,} bytes).")
        with TemporaryFile(dir=settings.AWRDIFF_UPLOAD_DIR) as file:
            try:
                stored.save(file)
                sha256s = []
                for taken in _import(access, file, stored.name):
                    sha256s.append(taken.sha256)
                    yield taken
                if sha256s and all(sha256s):
                    fetched.remember(access, stored.identity, sha256s)
            except FileNotFoundError as error:
                yield Taken(stored.name, "refused", f"S3 does not give it: {error}.")
            except UnsupportedReport as refusal:
                yield Taken(stored.name, "refused", str(refusal))
    if not found:
        yield Taken(address, "refused", "The bucket has no file under this prefix, or hidden ones only.")


def _import(access: AccessContext, file: IO[bytes], name: str) -> Iterator[Taken]:
    head = file.read(HEAD)
    file.seek(0)
    if not is_archive(head):
        yield _take(access, Packed(name, iter(lambda: file.read(_CHUNK), b"")), "")
        return
    for packed in unpack(file, name, replace(_LIMITS, one_bytes=limit_bytes())):
        yield _take(access, packed, Path(name).name)


def _take(access: AccessContext, packed: Packed, archive: str) -> Taken:
    """One file; what is wrong with it keeps none of the others back."""
    try:
        with closing(receive_chunks(packed.chunks, packed.name)) as received:
            refuse_foreign(received, Path(packed.name).name)
            if not received.size:
                return Taken(packed.name, "refused", "The file is empty.")
            if fetched.with_bytes(access, [received.sha256]).exists():
                return Taken(packed.name, "known", sha256=received.sha256)
            services.store_uploads(access, [Incoming(received, packed.name, archive, in_bulk=True)])
    except NoRoom:
        raise
    except (UnsupportedReport, UploadRefused) as refusal:
        return Taken(packed.name, "refused", str(refusal))
    return Taken(packed.name, "new", sha256=received.sha256)

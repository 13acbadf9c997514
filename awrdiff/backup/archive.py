"""The one file that a backup is: a gzipped tar of a manifest, the server's key, the database and the stored files.

In this order. gzip's checksum is of all of it, so one that is cut off or damaged is found before its database is put in
place.
"""

from __future__ import annotations

import gzip
import io
import re
import tarfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import blake2b
from typing import IO, Any, cast

import msgspec

from awrdiff.backup.errors import BackupTrouble, damage

FORMAT = 1
MANIFEST, KEY, DATABASE, FILES = "manifest.json", "secret_key", "database", "files/"
_QUICK = 1  # gzip's level: reports pack to a ninth already, and to a twelfth at three times the processor time
_LONGEST_MANIFEST, _LONGEST_KEY, _LONGEST_NAME = 1 << 20, 1 << 12, 1 << 12
_MOST_BEHIND = 1 << 16  # zeros that fill the last record
_STORED = re.compile(r"files/(?:[A-Za-z0-9_-][A-Za-z0-9_.-]*/)*[A-Za-z0-9_-][A-Za-z0-9_.-]*")


Entry = tuple[str, int, IO[bytes]]  # its name, its size in bytes, its content


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """`migrations`: those of the database, as `app.name`. `key_mark`: tells one server key from another, and nothing
    of either."""

    format: int
    awrdiff: str
    made_at: str
    database: str
    migrations: list[str]
    key_mark: str


class Writer:
    def __init__(self, packed: tarfile.TarFile) -> None:
        self._packed = packed

    def put(self, name: str, content: bytes) -> None:
        self._put(name, io.BytesIO(content), len(content))

    def copy(self, name: str, opened: IO[bytes]) -> int:
        """Of something whose size can be told by going to its end; returns it in bytes."""
        size = opened.seek(0, io.SEEK_END)
        opened.seek(0)
        self._put(name, opened, size)
        return size

    def _put(self, name: str, opened: IO[bytes], size: int) -> None:
        entry = tarfile.TarInfo(name)
        entry.size, entry.mode = size, 0o600
        self._packed.addfile(entry, opened)


@contextmanager
def writing(to: IO[bytes]) -> Iterator[Writer]:
    with (
        gzip.GzipFile(fileobj=to, mode="wb", compresslevel=_QUICK, filename="") as packed,
        tarfile.open(fileobj=packed, mode="w|", format=tarfile.GNU_FORMAT) as entries,
    ):
        yield Writer(entries)


class _PlainFile(tarfile.TarInfo):
    """Of a plain file: folders, links and devices a backup has none of, and headers of any length it reads none."""

    @classmethod
    def frombuf(cls, *given: Any) -> _PlainFile:
        found: _PlainFile = super().frombuf(*given)
        if found.type == tarfile.GNUTYPE_LONGNAME and found.size <= _LONGEST_NAME:
            return found
        if found.type not in (tarfile.REGTYPE, tarfile.AREGTYPE) or found.size < 0:
            raise damage("it holds something else than files")
        return found


def entries_of(read: IO[bytes]) -> Iterator[Entry]:
    """One after the other: each has to be read before the next one comes. Raises BackupTrouble, and
    what `damage_told` tells."""
    seen: set[bytes] = set()
    with gzip.GzipFile(fileobj=read) as packed:
        with tarfile.open(fileobj=packed, mode="r|", tarinfo=_PlainFile) as entries:
            while (entry := entries.next()) is not None:
                name = _name_of(entry)
                key = blake2b(name.encode(), digest_size=16).digest()
                if key in seen:
                    raise damage(f"it holds {name} twice")
                seen.add(key)
                yield name, entry.size, _content(entries, entry)
                entries.members.clear()  # type: ignore[attr-defined] # it would keep all of them
        if len(packed.read(_MOST_BEHIND + 1)) > _MOST_BEHIND:  # up to the checksum
            raise damage("there is more behind it")


@contextmanager
def damage_told() -> Iterator[None]:
    """Around all reading of entries and what is in them: what is cut off is found by whoever reads that far."""
    try:
        yield
    except (tarfile.TarError, zlib.error, EOFError, gzip.BadGzipFile) as error:
        raise damage(str(error).rstrip(".")) from error
    except RecursionError as error:  # tarfile reads each long name within the one before
        raise damage("it holds names of names without end") from error


def _content(entries: tarfile.TarFile, entry: tarfile.TarInfo) -> IO[bytes]:
    return cast("IO[bytes]", entries.extractfile(entry))  # it is a plain file


def _name_of(entry: tarfile.TarInfo) -> str:
    if entry.name in (MANIFEST, KEY, DATABASE) or _STORED.fullmatch(entry.name):
        return entry.name
    raise damage("it holds a file of another name than a backup gives")


def stored_name(name: str) -> str:
    """Of a stored file, by the name of its entry. Raises BackupTrouble for a manifest that does not come first."""
    if not name.startswith(FILES):
        raise damage(f"its {name} stands in the wrong place")
    return name.removeprefix(FILES)


def manifest_of(entries: Iterator[Entry]) -> Manifest:
    """Raises BackupTrouble where the first entry is none, or one of a later version."""
    name, size, content = next(entries, ("", 0, io.BytesIO()))
    if name != MANIFEST or size > _LONGEST_MANIFEST:
        raise damage("it does not begin with a manifest")
    try:
        found = msgspec.json.decode(content.read(), type=Manifest)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise damage("its manifest cannot be read") from error
    if found.format != FORMAT:
        raise BackupTrouble(f"The backup was made by a later version, awrdiff {found.awrdiff}: restore it with that.")
    return found


def key_of(size: int, content: IO[bytes]) -> str:
    if not 0 < size <= _LONGEST_KEY:
        raise damage("its key is of no size that one has")
    try:
        return content.read().decode("ascii")
    except UnicodeDecodeError as error:
        raise damage("its key is none") from error

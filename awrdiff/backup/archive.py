"""Backup file: a gzipped tar of manifest, server's key, database and stored files, in this order.

gzip's checksum covers it all, so damage is noticed before its database is put in place.
"""

from __future__ import annotations

import gzip
import io
import os
import re
import tarfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import blake2b
from typing import IO, Any, cast

import msgspec

FORMAT = 1
MANIFEST, KEY, DATABASE, FILES = "manifest.json", "secret_key", "database", "files/"
_QUICK = 1  # gzip's level: reports pack to a ninth already, and to a twelfth at three times the processor time
_LONGEST_MANIFEST, _LONGEST_KEY, _LONGEST_NAME = 1 << 20, 1 << 12, 1 << 12
_MOST_BEHIND = 1 << 16  # zeros that fill the last record
_STORED = re.compile(r"files/(?:[A-Za-z0-9_-][A-Za-z0-9_.-]*/)*[A-Za-z0-9_-][A-Za-z0-9_.-]*")
Entry = tuple[str, int, IO[bytes]]  # its name, its size in bytes, its content


class BackupTrouble(Exception):
    """Refusal to make or restore a backup, in a sentence."""


def damage(what: str) -> BackupTrouble:
    return BackupTrouble(f"This is no backup of awrdiff, or a damaged one: {what}.")


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """`migrations`: as `app.name`. `key_mark`: tells server keys apart without revealing them."""

    format: int
    awrdiff: str
    made_at: str
    database: str
    migrations: list[str]
    key_mark: str


@contextmanager
def writing(to: IO[bytes]) -> Iterator[tarfile.TarFile]:
    with (
        gzip.GzipFile(fileobj=to, mode="wb", compresslevel=_QUICK, filename="") as packed,
        tarfile.open(fileobj=packed, mode="w|", format=tarfile.GNU_FORMAT) as entries,
    ):
        yield entries


def add(entries: tarfile.TarFile, name: str, opened: IO[bytes]) -> int:
    """Copy a seekable file; its size in bytes."""
    entry = tarfile.TarInfo(name)
    entry.size, entry.mode = opened.seek(0, io.SEEK_END), 0o600
    opened.seek(0)
    entries.addfile(entry, opened)
    return entry.size


def entries_of(read: IO[bytes]) -> Iterator[Entry]:
    """Each is readable until the next. Raises BackupTrouble, and as `damage_reported`.

    Headers are checked here: `tarfile`'s handling of long names, links, sparse files depends on distributions' patches.
    """
    names: set[bytes] = set()
    with gzip.GzipFile(fileobj=read) as packed:
        while (entry := _next_header(packed)) is not None:
            key = blake2b(entry.name.encode(), digest_size=16).digest()
            if key in names:
                raise damage(f"it holds {entry.name} twice")
            names.add(key)
            content = _Content(packed, entry.size)
            yield entry.name, entry.size, cast("IO[bytes]", content)
            while content.read(1 << 20):
                pass
            _exactly(packed, -entry.size % tarfile.BLOCKSIZE)
        behind = packed.read(_MOST_BEHIND + 1)  # up to the checksum
        if len(behind) > _MOST_BEHIND or any(behind):
            raise damage("there is more behind it")


class _Content(io.RawIOBase):
    def __init__(self, packed: gzip.GzipFile, size: int) -> None:
        self._packed, self._remaining = packed, size

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = _exactly(self._packed, min(len(buffer), self._remaining))
        buffer[: len(data)] = data
        self._remaining -= len(data)
        return len(data)


def _exactly(packed: gzip.GzipFile, size: int) -> bytes:
    data = packed.read(size)
    if len(data) < size:
        raise damage("it is cut off")
    return data


def _next_header(packed: gzip.GzipFile) -> tarfile.TarInfo | None:
    """None at the closing zeros. Raises BackupTrouble, tarfile.FilterError."""
    long_name = ""
    while any(block := _exactly(packed, tarfile.BLOCKSIZE)):
        entry = tarfile.TarInfo.frombuf(block, "utf-8", "surrogateescape")
        if entry.type == tarfile.GNUTYPE_LONGNAME and 0 < entry.size <= _LONGEST_NAME and not long_name:
            name = _exactly(packed, entry.size + -entry.size % tarfile.BLOCKSIZE)
            long_name = name.partition(b"\0")[0].decode("utf-8", "surrogateescape")
            continue
        entry.name = long_name or entry.name
        if entry.type not in (tarfile.REGTYPE, tarfile.AREGTYPE) or entry.size < 0:
            raise damage("it holds something else than files")
        if entry.name not in (MANIFEST, KEY, DATABASE) and not _STORED.fullmatch(entry.name):
            raise damage("it holds a file of another name than a backup gives")
        if hasattr(tarfile, "data_filter"):  # the first Pythons 3.11 have none
            tarfile.data_filter(entry, os.curdir)
        return entry
    return None


@contextmanager
def damage_reported() -> Iterator[None]:
    """Wraps all reading: truncation shows only at its place."""
    try:
        yield
    except (tarfile.TarError, zlib.error, EOFError, gzip.BadGzipFile) as error:
        raise damage(str(error).rstrip(".")) from error


def stored_name(name: str) -> str:
    """Raises BackupTrouble for a misplaced manifest."""
    if not name.startswith(FILES):
        raise damage(f"its {name} stands in the wrong place")
    return name.removeprefix(FILES)


def manifest_of(entries: Iterator[Entry]) -> Manifest:
    """Raises BackupTrouble without a manifest, or of a later version."""
    name, size, content = next(entries, ("", 0, io.BytesIO()))
    if name != MANIFEST or size > _LONGEST_MANIFEST:
        raise damage("it does not begin with a manifest")
    try:
        manifest = msgspec.json.decode(content.read(), type=Manifest)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise damage("its manifest cannot be read") from error
    if manifest.format != FORMAT:
        raise BackupTrouble(
            f"The backup was made by a later version, awrdiff {manifest.awrdiff}: restore it with that."
        )
    return manifest


def key_of(size: int, content: IO[bytes]) -> str:
    if not 0 < size <= _LONGEST_KEY:
        raise damage("its key is of no size that one has")
    try:
        return content.read().decode("ascii")
    except UnicodeDecodeError as error:
        raise damage("its key is none") from error

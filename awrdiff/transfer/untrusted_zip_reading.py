"""Bounded reading of an untrusted zip. Everything raises NotImported."""

from __future__ import annotations

import hashlib
import json
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import Any

from django.conf import settings

from awrdiff.transfer.jsonl_column_types import NotImported, damage

HEAD, LINES, FILES = "awrdiff.json", "team.jsonl", "files/"
MOST_ENTRIES, MOST_LINES = 200_000, 500_000  # the list of so many entries takes 130 MB
LONGEST_HEAD, LONGEST_LINE = 64 * 1024, 16 * 1024 * 1024  # the tables of a large review are one line
MOST_TEXT = 512 * 1024 * 1024  # of all lines
MOST_VALUES = 1_000_000  # of a line: what it takes in memory
MOST_TIMES = 200  # a report of mostly spaces packs to a hundredth; a bomb to a thousandth
_CHUNK = 256 * 1024
_SMALL = 64 * 1024  # may unpack from anything: what a zip says of an entry takes about MOST_TIMES less


@contextmanager
def open_zip(path: Path) -> Iterator[zipfile.ZipFile]:
    try:
        with zipfile.ZipFile(path) as packed:
            entries = packed.infolist()
            if len(entries) > MOST_ENTRIES:
                raise NotImported(f"The file holds more than {MOST_ENTRIES:,} files.")
            if len({entry.filename for entry in entries}) != len(entries):
                raise damage("it holds two files of one name")
            if sum(entry.compress_size for entry in entries) > path.stat().st_size:
                raise damage("files in it lie over each other")
            yield packed
    except (zipfile.BadZipFile, zipfile.LargeZipFile, zlib.error, EOFError) as error:
        raise NotImported(
            f"This is not a zip file, or it is damaged ({str(error).rstrip('.')}): copy it again."
        ) from error
    except (NotImplementedError, RuntimeError) as error:  # other ways of packing, and passwords
        raise NotImported(
            "The file is packed in a way that an export never is: take the zip as it was exported."
        ) from error


def bytes_of(packed: zipfile.ZipFile, name: str, most: int | None = None) -> Iterator[bytes]:
    """Counts real bytes: an entry may lie about its size."""
    try:
        entry = packed.getinfo(name)
    except KeyError:
        raise damage(f"{name} is missing") from None
    if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise NotImported("The file is packed in a way that an export never is: take the zip as it was exported.")
    limit = settings.AWRDIFF_MAX_UPLOAD_MB * 1024 * 1024 if most is None else most
    if name.startswith(FILES):  # lines are taken one by one, and never held
        limit = min(limit, max(_SMALL, entry.compress_size * MOST_TIMES))
    unpacked = 0
    with packed.open(entry) as file:
        while chunk := file.read(_CHUNK):
            unpacked += len(chunk)
            if unpacked > limit:
                raise NotImported(f"{name} is larger than {limit} bytes, the most that is taken in.")
            yield chunk


def check_bytes(packed: zipfile.ZipFile, pk: str, sha256: str, label: str, most: int | None = None) -> None:
    digest = hashlib.sha256()
    for chunk in bytes_of(packed, f"{FILES}{pk}", most):
        digest.update(chunk)
    if digest.hexdigest() != sha256:
        raise damage(f"“{label}” is not what was exported")


def documents_of(packed: zipfile.ZipFile) -> Iterator[dict[str, Any]]:
    number, rest = 0, b""
    for chunk in chain(bytes_of(packed, LINES, MOST_TEXT), [b"\n"]):  # the last line may have no end
        *lines, rest = (rest + chunk).split(b"\n")
        for line in filter(None, lines):
            number += 1
            if number > MOST_LINES:
                raise NotImported(f"{LINES} has more than {MOST_LINES} lines.")
            yield document_of(line, f"line {number} of {LINES}")
        if len(rest) > LONGEST_LINE:
            raise NotImported(f"A line of {LINES} is longer than {LONGEST_LINE} bytes.")


def document_of(data: bytes, where: str) -> dict[str, Any]:
    if sum(data.count(sign) for sign in (b"[", b"{", b",")) > MOST_VALUES:
        raise NotImported(f"{where} holds more than {MOST_VALUES} values, the most that is taken in.")
    try:
        document = json.loads(data)
    except (ValueError, RecursionError):
        document = None
    if not isinstance(document, dict):
        raise damage(f"{where} is not a JSON document")
    return document

"""The reports in an uploaded file: a report by itself, `.gz`, `.zip`, or several reports in one file.

What a file is, is told by its bytes; its name is only repeated. Everything an archive claims about itself (sizes,
counts, names) may be a lie, so that what comes out is counted while it comes. Names inside an archive are shown and
never used as paths.
"""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO, Final, NamedTuple

from parsers.model import UnsupportedReport
from parsers.reader import refuse_stray
from parsers.split import split_reports

GZIP: Final = b"\x1f\x8b"
ZIP: Final = (b"PK\x03\x04", b"PK\x05\x06")
_ENTRY: Final = b"PK\x01\x02"  # of a ZIP's list of members
_CHUNK: Final = 1 << 18
_ENCRYPTED: Final = 0x1
_METHODS: Final = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
# What macOS and Windows put into archives by themselves.
_LITTER: Final = ("__MACOSX/", ".DS_Store", "Thumbs.db", "desktop.ini")
_NO_REPORT: Final = ("not-a-report", "empty", "no-rows")
_NESTED: Final = (*ZIP, GZIP, b"7z\xbc\xaf", b"Rar!", b"BZh", b"\xfd7zXZ")


@dataclass(frozen=True, slots=True)
class Limits:
    """What is unpacked at the most. Reports shrink to a tenth or twentieth; a bomb to a thousandth."""

    members: int = 50
    one_bytes: int = 64 << 20
    all_bytes: int = 256 << 20
    ratio: int = 100
    ratio_from: int = 4 << 20  # bytes: what is smaller does no harm, however well it shrank


class Member(NamedTuple):
    """One report file and its name (`archive.zip/dir/report.html`), or why it could not be taken out.

    `stray`: it is no report at all, as a readme beside reports; `refusal` says what.
    """

    name: str
    data: bytes
    refusal: UnsupportedReport | None = None
    stray: bool = False


def open_reports(data: bytes, name: str, limits: Limits | None = None) -> Iterator[Member]:
    """Each report file in `data`, in order; `data` itself where it is no archive and holds one report.

    Raises `UnsupportedReport`, before the first member or after the last that was within the limits, for an archive
    that is broken, empty or too large as a whole. A member that cannot be read carries its refusal, and the others
    still come, as they do where one is no report at all. No archive within an archive is opened.
    """
    limits = limits or Limits()
    if data.startswith(GZIP):
        inner = _gunzip(data, limits)
        if inner.startswith(_NESTED):
            raise _nested()
        yield from _split(inner, name)
    elif data.startswith(ZIP) and not _is_office(data):
        yield from _members(data, name, limits)
    else:
        yield from _split(data, name)


def _split(data: bytes, name: str) -> Iterator[Member]:
    pieces = split_reports(data)
    if len(pieces) == 1:
        yield Member(name, pieces[0])
        return
    for number, piece in enumerate(pieces, 1):
        yield Member(f"{name}#{number}", piece)


def _is_office(data: bytes) -> bool:
    """Word and Excel files are ZIP archives too: the parser says so better."""
    return b"[Content_Types].xml" in data[: 1 << 16]


def _gunzip(data: bytes, limits: Limits) -> bytes:
    """All members of a gzip file (`cat a.gz b.gz`), or of one that was cut off what there is of it."""
    out: list[bytes] = []
    seen = 0
    for piece in _inflate(data, limits.members):
        seen += len(piece)
        _check(seen, len(data), limits)
        out.append(piece)
    if not seen:
        raise UnsupportedReport("The gzip archive is empty.", code="empty")
    return b"".join(out)


def _inflate(data: bytes, members: int) -> Iterator[bytes]:
    """Taken piece by piece, as the unpacker copies what it has not come to yet each time."""
    packed = io.BytesIO(data)
    taken = b""
    for _ in range(members):
        unpacker = zlib.decompressobj(wbits=31)
        while not unpacker.eof:
            taken = taken or packed.read(_CHUNK)
            try:
                piece = unpacker.decompress(taken, _CHUNK)
            except zlib.error as broken:
                raise _broken("gzip archive") from broken
            yield piece
            if not piece and not taken:
                return
            taken = unpacker.unconsumed_tail
        taken = unpacker.unused_data
        if len(taken) < len(GZIP):
            taken += packed.read(_CHUNK)
        if not taken.startswith(GZIP):
            return


def _members(data: bytes, name: str, limits: Limits) -> Iterator[Member]:
    entries = data.count(_ENTRY)
    if entries > 40 * limits.members:  # before the list is read: it would take more memory than the archive
        raise _too_many(entries, limits)
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
        listed = [i for i in archive.infolist() if not i.is_dir() and not _is_litter(i.filename)]
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError, OverflowError, UnicodeError) as broken:
        raise _broken("ZIP archive") from broken
    if not listed:
        raise UnsupportedReport("The ZIP archive holds no files.", code="empty")
    if len(listed) > limits.members:
        raise _too_many(len(listed), limits)
    if all(i.flag_bits & _ENCRYPTED for i in listed):
        raise _encrypted("The ZIP archive")
    left = limits.all_bytes
    for info in listed:
        shown = f"{name}/{_shown(info.filename)}"
        try:
            unpacked = _take(archive, info, limits, left)
        except UnsupportedReport as refusal:
            yield Member(shown, b"", refusal)
            continue
        left -= len(unpacked)
        stray = _stray(unpacked)
        if stray:
            yield Member(shown, b"", stray, stray=True)
        else:
            yield from _split(unpacked, shown)


def _stray(data: bytes) -> UnsupportedReport | None:
    """Why a file is no report at all; one that cannot be read though it is one goes the way of all reports."""
    try:
        refuse_stray(data)
    except UnsupportedReport as refusal:
        return refusal if refusal.code in _NO_REPORT else None
    return None


def _take(archive: zipfile.ZipFile, info: zipfile.ZipInfo, limits: Limits, left: int) -> bytes:
    """One member's bytes, or `UnsupportedReport`."""
    if info.flag_bits & _ENCRYPTED:
        raise _encrypted("This file in the archive")
    if info.compress_type not in _METHODS:
        raise UnsupportedReport(
            "This file in the archive is packed in a way that is not read: pack it as an ordinary ZIP.", code="archive"
        )
    try:
        with archive.open(info) as file:
            unpacked = _read(file, info.compress_size, limits, left)
    except UnsupportedReport:
        raise
    except (zipfile.BadZipFile, zlib.error, EOFError, ValueError, OSError, NotImplementedError, RuntimeError) as broken:
        raise _broken("file in the archive") from broken
    if unpacked.startswith(_NESTED) and not _is_office(unpacked):
        raise _nested()
    return unpacked


def _read(file: IO[bytes], packed: int, limits: Limits, left: int) -> bytes:
    out: list[bytes] = []
    seen = 0
    while piece := file.read(_CHUNK):
        seen += len(piece)
        _check(seen, packed, limits)
        if seen > left:
            raise UnsupportedReport(
                f"Together the files in the archive have more than {limits.all_bytes >> 20} MiB: send them in several.",
                code="archive-too-large",
            )
        out.append(piece)
    return b"".join(out)


def _check(seen: int, packed: int, limits: Limits) -> None:
    if seen > limits.one_bytes:
        raise UnsupportedReport(
            f"Unpacked, the file is larger than {limits.one_bytes >> 20} MiB, the most that is read.",
            code="archive-too-large",
        )
    if seen > limits.ratio_from and seen > packed * limits.ratio:
        raise UnsupportedReport(
            f"Unpacked, the file is more than {limits.ratio} times as large as packed: no report shrinks like that.",
            code="archive-too-large",
        )


def _is_litter(filename: str) -> bool:
    return filename.startswith(_LITTER[0]) or filename.rsplit("/", 1)[-1] in _LITTER


def _shown(filename: str) -> str:
    """A member's name for people: without control characters, drive, leading and parent folders."""
    clean = "".join(c if c.isprintable() else " " for c in filename.replace("\\", "/"))[-400:]
    return "/".join(p for p in clean.split("/") if p.strip(" .") and not p.endswith(":")) or "unnamed"


def _too_many(number: int, limits: Limits) -> UnsupportedReport:
    return UnsupportedReport(
        f"The archive holds {number} files; at most {limits.members} are read at once: send them in several archives.",
        code="archive-too-large",
    )


def _encrypted(what: str) -> UnsupportedReport:
    return UnsupportedReport(f"{what} is encrypted with a password: unpack it and send the reports.", code="encrypted")


def _nested() -> UnsupportedReport:
    return UnsupportedReport(
        "This is an archive within an archive: unpack it and send the archive or the reports in it.", code="archive"
    )


def _broken(what: str) -> UnsupportedReport:
    return UnsupportedReport(f"The {what} is damaged or cut off: it cannot be unpacked.", code="archive")

"""Reports in an uploaded file: plain, compressed, in a `.zip` or `.tar`, or several in one file.

An archive's own sizes, counts and names may lie: output is counted, names are only displayed.
"""

from __future__ import annotations

import io
import tarfile
import time
import zipfile
import zlib
from collections.abc import Iterator
from itertools import chain
from typing import IO, Final, NamedTuple

from msgspec import Struct

from parsers.files.detect import is_office
from parsers.files.split import split_reports
from parsers.model import UnsupportedReport
from parsers.reader import SMALL, refuse_stray
from parsers.tar_streams import decompress, is_compressed, is_tar, tar_members

GZIP: Final = b"\x1f\x8b"
ZIP: Final = (b"PK\x03\x04", b"PK\x05\x06")
_ENTRY: Final = b"PK\x01\x02"  # of a ZIP's list of members
_LOCAL_HEADER: Final = 30  # bytes that stand before a member at the least
_CHUNK: Final = 1 << 18
_HEADER: Final = 512  # bytes of a tar's first header
_ENCRYPTED: Final = 0x1
_METHODS: Final = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
# What macOS and Windows put into archives by themselves.
_LITTER: Final = ("__MACOSX/", ".DS_Store", "Thumbs.db", "desktop.ini")
_NO_REPORT: Final = ("not-a-report", "empty", "no-rows")
_NESTED: Final = (*ZIP, GZIP, b"7z\xbc\xaf", b"Rar!", b"BZh", b"\xfd7zXZ")


class Limits(Struct, frozen=True):
    """Limits of unpacking: reports shrink twentyfold, bombs a thousandfold.

    `listed`: members of a ZIP's list; ordinary ones have no more. `seconds` include the caller's time between members.
    """

    listed: int = 65_535
    seconds: float = 300
    one_bytes: int = 64 << 20
    all_bytes: int = 256 << 20
    ratio: int = 100
    ratio_from: int = 4 << 20  # bytes: what is smaller does no harm, however well it shrank


class Member(NamedTuple):
    """Report file with name (`archive.zip/dir/report.html`), or `refusal`; `stray`: no report."""

    name: str
    data: bytes
    refusal: UnsupportedReport | None = None
    stray: bool = False


class Packed(NamedTuple):
    """File of an archive; `chunks` raises `UnsupportedReport`."""

    name: str
    chunks: Iterator[bytes]


class _Budget(Struct):
    """Limit shared by all files of an archive, refused ones included."""

    limits: Limits
    packed: int
    begun: float
    bytes_unpacked: int = 0

    def spend(self, number: int) -> None:
        self.bytes_unpacked += number
        self.check()

    def check(self) -> None:
        """Raises `UnsupportedReport` if the archive is over its limits."""
        if self.bytes_unpacked > self.limits.all_bytes:
            raise UnsupportedReport(
                f"Together the files in the archive exceed {self.limits.all_bytes >> 20} MiB: make several archives.",
                code="archive-too-large",
            )
        _check_ratio(self.bytes_unpacked, self.packed, self.limits, "together the files in the archive are")
        if time.monotonic() - self.begun > self.limits.seconds:
            raise UnsupportedReport(
                f"Unpacking the archive took longer than {self.limits.seconds:.0f} s: make several archives.",
                code="archive-too-large",
            )


def open_reports(data: bytes, name: str, limits: Limits | None = None) -> Iterator[Member]:
    """Report files in order; `data` itself if no archive.

    Raises `UnsupportedReport` if broken, empty or too large. Unreadable members carry a refusal; nested archives stay
    closed.
    """
    if not is_archive(data):
        yield from _pieces(data, name)
        return
    for packed in unpack(io.BytesIO(data), name, limits):
        try:
            unpacked = b"".join(packed.chunks)
        except UnsupportedReport as refusal:
            if packed.name == name and not data.startswith(ZIP):
                raise
            yield Member(packed.name, b"", refusal)
            continue
        stray = stray_refusal(unpacked) if packed.name != name else None
        if stray:
            yield Member(packed.name, b"", stray, stray=True)
        else:
            yield from _pieces(unpacked, packed.name)


def is_archive(head: bytes) -> bool:
    """True if `head` (64 kB) is to be unpacked; Office files are not."""
    if head.startswith(GZIP) or is_compressed(head) or is_tar(head):
        return True
    return head.startswith(ZIP) and not is_office(head)


def unpack(file: IO[bytes], name: str, limits: Limits | None = None) -> Iterator[Packed]:
    """Files as streams, consumed in order; raises `UnsupportedReport`."""
    limits = limits or Limits()
    size = file.seek(0, io.SEEK_END)
    file.seek(0)
    head = file.read(_HEADER)
    file.seek(0)
    budget = _Budget(limits, size, time.monotonic())
    if head.startswith(GZIP):
        yield from _unpacked(_gunzip(file, budget), name, budget)
    elif is_compressed(head):
        yield from _unpacked(_within_budget(decompress(file, head), budget), name, budget)
    elif is_tar(head):
        yield from _tar_members(iter(lambda: file.read(_CHUNK), b""), name, budget, plain=True)
    else:
        yield from _members(file, name, size, limits)


def _within_budget(chunks: Iterator[bytes], budget: _Budget) -> Iterator[bytes]:
    for chunk in chunks:
        budget.spend(len(chunk))
        yield chunk


def _unpacked(chunks: Iterator[bytes], name: str, budget: _Budget) -> Iterator[Packed]:
    first = b""
    while len(first) < _HEADER and (chunk := next(chunks, None)) is not None:
        first += chunk
    whole = chain((first,), chunks)
    if is_tar(first):
        yield from _tar_members(whole, name, budget)
    else:
        yield Packed(name, _first_looked_at(_as_one_file(whole, budget)))


def _as_one_file(chunks: Iterator[bytes], budget: _Budget) -> Iterator[bytes]:
    total = 0
    for chunk in chunks:
        total += len(chunk)
        _check(total, budget.packed, budget.limits)
        yield chunk


def _tar_members(chunks: Iterator[bytes], name: str, budget: _Budget, *, plain: bool = False) -> Iterator[Packed]:
    number = 0
    ended: list[UnsupportedReport] = []  # by what the archive as a whole has, or lacks
    for number, (member, size, file) in enumerate(tar_members(chunks), 1):
        if number > budget.limits.listed:
            raise _too_many(number, budget.limits)
        if not _is_litter(member):
            unpacked_file = _tar_file(file, size, budget, ended, plain=plain)
            yield Packed(f"{name}/{_member_name(member)}", _first_looked_at(unpacked_file))
        if ended:
            raise ended[0]
    if not number:
        raise UnsupportedReport("The tar archive holds no files.", code="empty")


def _tar_file(
    file: IO[bytes], size: int, budget: _Budget, ended: list[UnsupportedReport], *, plain: bool
) -> Iterator[bytes]:
    if size > budget.limits.one_bytes:
        raise _too_large(budget.limits)
    try:
        while piece := file.read(_CHUNK):
            if plain:
                budget.spend(len(piece))
            yield piece
    except UnsupportedReport as refusal:
        ended.append(refusal)
        raise
    except (tarfile.TarError, EOFError, OSError) as broken:
        ended.append(_damage_refusal("tar archive"))
        raise ended[0] from broken


def _pieces(data: bytes, name: str) -> Iterator[Member]:
    pieces = split_reports(data)
    if len(pieces) == 1:
        yield Member(name, pieces[0])
        return
    for number, piece in enumerate(pieces, 1):
        yield Member(f"{name}#{number}", piece)


def _first_looked_at(chunks: Iterator[bytes]) -> Iterator[bytes]:
    first = next(chunks, b"")
    if first.startswith(_NESTED) and not is_office(first):
        raise UnsupportedReport(
            "This is an archive within an archive: unpack it and send the archive or the reports in it.", code="archive"
        )
    yield first
    yield from chunks


def _gunzip(file: IO[bytes], budget: _Budget) -> Iterator[bytes]:
    """All members of a gzip file, or a truncated one's intact part."""
    rest = file.read(_CHUNK)
    while True:
        budget.check()  # members of no bytes take time too
        unpacker = zlib.decompressobj(wbits=31)
        for piece in _inflate(unpacker, rest, file):
            budget.spend(len(piece))
            yield piece
        rest = unpacker.unused_data
        rest += file.read(_CHUNK) if len(rest) < len(GZIP) else b""
        if not rest.startswith(GZIP):
            break
    if not budget.bytes_unpacked:
        raise UnsupportedReport("The gzip archive is empty.", code="empty")


def _inflate(unpacker: zlib._Decompress, data: bytes, file: IO[bytes]) -> Iterator[bytes]:
    while not unpacker.eof:
        data = data or file.read(_CHUNK)
        try:
            piece = unpacker.decompress(data, _CHUNK)
        except zlib.error as broken:
            raise _damage_refusal("gzip archive") from broken
        if not piece and not data:
            return
        data = unpacker.unconsumed_tail
        if piece:
            yield piece


def _members(file: IO[bytes], name: str, size: int, limits: Limits) -> Iterator[Packed]:
    budget = _Budget(limits, size, time.monotonic())
    if (entries := _entries(file)) > limits.listed:  # before the list is read: it would take more memory than they
        raise _too_many(entries, limits)
    try:
        archive = zipfile.ZipFile(file)
        listed = [i for i in archive.infolist() if not i.is_dir() and not _is_litter(i.filename)]
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError, OverflowError, UnicodeError) as broken:
        raise _damage_refusal("ZIP archive") from broken
    if not listed:
        raise UnsupportedReport("The ZIP archive holds no files.", code="empty")
    if all(i.flag_bits & _ENCRYPTED for i in listed):
        raise _encrypted_refusal("The ZIP archive")
    _refuse_overlaps(archive.infolist())
    for position, info in enumerate(listed):
        try:
            budget.check()
        except UnsupportedReport as spent:
            yield Packed(name, _raising(_not_taken(spent, len(listed) - position, len(listed))))
            return
        yield Packed(f"{name}/{_member_name(info.filename)}", _first_looked_at(_take(archive, info, budget)))


def _raising(refusal: UnsupportedReport) -> Iterator[bytes]:
    def raises() -> bytes:
        raise refusal

    return iter(raises, b"")


def _not_taken(spent: UnsupportedReport, number: int, of: int) -> UnsupportedReport:
    return UnsupportedReport(f"{spent} {number:,} of its {of:,} files were not taken.", code=spent.code)


def _refuse_overlaps(entries: list[zipfile.ZipInfo]) -> None:
    """Members that share bytes would each be unpacked again; Python checks from 3.11.8."""
    end = 0
    for info in sorted(entries, key=lambda i: i.header_offset):
        if info.header_offset < end:
            raise UnsupportedReport(
                "Files in the ZIP archive overlap: the same bytes are listed as several files. Pack the reports anew.",
                code="archive",
            )
        end = info.header_offset + _LOCAL_HEADER + info.compress_size


def _entries(file: IO[bytes]) -> int:
    count = 0
    before = b""
    file.seek(0)
    while chunk := file.read(_CHUNK):
        count += (before + chunk).count(_ENTRY)
        before = chunk[1 - len(_ENTRY) :]
    return count


def stray_refusal(data: bytes) -> UnsupportedReport | None:
    """Refusal of a file without report; None for damaged reports."""
    try:
        refuse_stray(data)
    except UnsupportedReport as refusal:
        return refusal if is_stray(refusal, data) else None
    return None


def is_stray(refusal: UnsupportedReport, data: bytes) -> bool:
    """True if no report; large files without rows are damaged reports."""
    return refusal.code in _NO_REPORT and (refusal.code != "no-rows" or len(data) <= SMALL)


def _take(archive: zipfile.ZipFile, info: zipfile.ZipInfo, budget: _Budget) -> Iterator[bytes]:
    if info.flag_bits & _ENCRYPTED:
        raise _encrypted_refusal("This file in the archive")
    if info.compress_type not in _METHODS:
        raise UnsupportedReport(
            "This file in the archive is packed in a way that is not read: pack it as an ordinary ZIP.", code="archive"
        )
    try:
        with archive.open(info) as file:
            yield from _read(file, info.compress_size, budget)
    except UnsupportedReport:
        raise
    except (zipfile.BadZipFile, zlib.error, EOFError, ValueError, OSError, NotImplementedError, RuntimeError) as broken:
        raise _damage_refusal("file in the archive") from broken


def _read(file: IO[bytes], packed: int, budget: _Budget) -> Iterator[bytes]:
    total = 0
    while piece := file.read(_CHUNK):
        total += len(piece)
        _check(total, packed, budget.limits)
        budget.spend(len(piece))
        yield piece


def _check(unpacked: int, packed: int, limits: Limits) -> None:
    if unpacked > limits.one_bytes:
        raise _too_large(limits)
    _check_ratio(unpacked, packed, limits, "the file is")


def _too_large(limits: Limits) -> UnsupportedReport:
    return UnsupportedReport(
        f"Unpacked, the file is larger than {limits.one_bytes >> 20} MiB, the most that is read.",
        code="archive-too-large",
    )


def _check_ratio(unpacked: int, packed: int, limits: Limits, what: str) -> None:
    if unpacked > limits.ratio_from and unpacked > packed * limits.ratio:
        raise UnsupportedReport(
            f"Unpacked, {what} more than {limits.ratio} times as large as packed: no report shrinks like that.",
            code="archive-too-large",
        )


def _is_litter(filename: str) -> bool:
    return filename.startswith(_LITTER[0]) or filename.rsplit("/", 1)[-1] in _LITTER


def _member_name(filename: str) -> str:
    clean = "".join(c if c.isprintable() else " " for c in filename.replace("\\", "/"))[-400:]
    return "/".join(p for p in clean.split("/") if p.strip(" .") and not p.endswith(":")) or "unnamed"


def _too_many(number: int, limits: Limits) -> UnsupportedReport:
    return UnsupportedReport(
        f"The archive lists {number:,} files, more than the {limits.listed:,} that are read: make several archives.",
        code="archive-too-large",
    )


def _encrypted_refusal(what: str) -> UnsupportedReport:
    return UnsupportedReport(f"{what} is encrypted with a password: unpack it and send the reports.", code="encrypted")


def _damage_refusal(what: str) -> UnsupportedReport:
    return UnsupportedReport(f"The {what} is damaged or cut off: it cannot be unpacked.", code="archive")

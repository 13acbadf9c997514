"""Streaming tar archives, plain or compressed (zstd if Python has it)."""

from __future__ import annotations

import bz2
import importlib
import io
import lzma
import tarfile
from collections.abc import Callable, Iterator
from typing import IO, Any, Final

from parsers.model import UnsupportedReport

BZIP2: Final = b"BZh"
XZ: Final = b"\xfd7zXZ\x00"
ZSTD: Final = b"\x28\xb5\x2f\xfd"
_CHUNK: Final = 1 << 18
_XZ_MEMORY: Final = 128 << 20  # bytes that a dictionary may take
_BLOCK: Final = 512  # bytes of a member's header
_MAGIC_AT: Final = 257
_BROKEN: Final = (tarfile.TarError, EOFError, OSError, ValueError, lzma.LZMAError)


def is_tar(head: bytes) -> bool:
    return head[_MAGIC_AT : _MAGIC_AT + 5] == b"ustar"


def is_compressed(head: bytes) -> bool:
    """True for bzip2, xz or zstd."""
    return head.startswith((BZIP2, XZ, ZSTD))


def decompress(file: IO[bytes], head: bytes) -> Iterator[bytes]:
    """Raises `UnsupportedReport` if damaged or truncated, or Python has no zstd."""
    make = _decompressor(head)
    unpacker = make()
    try:
        while data := file.read(_CHUNK):
            while data:
                yield unpacker.decompress(data, _CHUNK)
                while not (unpacker.eof or unpacker.needs_input):
                    yield unpacker.decompress(b"", _CHUNK)
                data = unpacker.unused_data if unpacker.eof else b""
                if unpacker.eof and data:
                    unpacker = make()
        if not unpacker.eof:
            raise EOFError
    except _BROKEN as broken:
        raise UnsupportedReport("The archive is damaged or cut off: it cannot be unpacked.", code="archive") from broken


def _decompressor(head: bytes) -> Callable[[], Any]:
    if head.startswith(BZIP2):
        return bz2.BZ2Decompressor
    if head.startswith(XZ):
        return lambda: lzma.LZMADecompressor(memlimit=_XZ_MEMORY)
    try:
        zstd = importlib.import_module("compression.zstd")  # Python 3.14
    except ImportError as missing:
        sentence = "This is a Zstandard archive, which is read from Python 3.14 on: pack it as .tar.gz or .zip."
        raise UnsupportedReport(sentence, code="archive") from missing
    decompressor: Callable[[], Any] = zstd.ZstdDecompressor
    return decompressor


class _Stream(io.RawIOBase):
    def __init__(self, chunks: Iterator[bytes]) -> None:
        super().__init__()
        self._chunks, self._rest = chunks, b""

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        while size < 0 or len(self._rest) < size:
            chunk = next(self._chunks, None)
            if chunk is None:
                break
            self._rest += chunk
        out, self._rest = (self._rest, b"") if size < 0 else (self._rest[:size], self._rest[size:])
        return out


def tar_members(chunks: Iterator[bytes]) -> Iterator[tuple[str, int, IO[bytes]]]:
    """Name, size, bytes of files; read each before the next.

    Raises `UnsupportedReport` for a damaged or truncated tar.
    """
    try:
        with tarfile.open(fileobj=_Stream(chunks), mode="r|", bufsize=_CHUNK) as archive:
            for info in archive:
                file = archive.extractfile(info) if info.isreg() and not info.issparse() else None
                if file is not None:
                    yield info.name, info.size, file
                archive.__dict__["members"] = []  # the list of all would grow with the archive
    except UnsupportedReport:
        raise
    except _BROKEN as broken:
        raise UnsupportedReport(
            "The tar archive is damaged or cut off: it cannot be unpacked.", code="archive"
        ) from broken

"""A section as compressed bytes that can be read in parts.

Large ones are several zlib streams: the document without rows and with their places, then blocks of rows.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Iterator
from itertools import accumulate
from typing import Any

import msgspec

BLOCK_BYTES = 1_500_000  # of JSON; no section of a real report at hand is longer
_LEVEL = 3  # of zlib: a third of the time of the default for a tenth more bytes


def compress(data: bytes) -> bytes:
    return zlib.compress(data, _LEVEL)


def dumps(document: Any) -> bytes:
    """UTF-8 JSON; tuples as lists, infinities and NaN as null."""
    try:
        return msgspec.json.encode(document)
    except UnicodeEncodeError:  # a lone surrogate out of a broken file must cost neither the report nor its pages
        return slowly(document)


def slowly(document: Any) -> bytes:
    """Slow `dumps`, with infinities and `?` for invalid characters."""
    return json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def loads(data: bytes) -> Any:
    """Reads `dumps` and `slowly`, also of earlier versions."""
    try:
        return msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return json.loads(data.decode("utf-8", "surrogatepass"))


def pack_section(document: dict[str, Any]) -> bytes:
    """Inverse of `Packed`; `document["rows"]` is a list."""
    whole = dumps(document)
    if len(whole) <= BLOCK_BYTES:
        return compress(whole)
    blocks = [(len(rows), compress(b"[%b]" % b",".join(rows))) for rows in _cut(map(dumps, document["rows"]))]
    head = {**document, "rows": [], "blocks": [[rows, len(data)] for rows, data in blocks]}
    return b"".join((compress(dumps(head)), *(data for _, data in blocks)))


def _cut(rows: Iterable[bytes]) -> Iterator[list[bytes]]:
    pending: list[bytes] = []
    size = 0
    for row in rows:
        if pending and size + len(row) > BLOCK_BYTES:
            yield pending
            pending, size = [], 0
        pending.append(row)
        size += len(row)
    if pending:
        yield pending


class Packed:
    """Packed section: document without rows, and blocks if many."""

    def __init__(self, payload: bytes) -> None:
        reader = zlib.decompressobj()
        self.document: dict[str, Any] = loads(reader.decompress(payload))
        sizes = self.document.pop("blocks", None)
        self._whole: list[Any] | None = self.document["rows"] if sizes is None else None
        self._data = b"" if sizes is None else reader.unused_data
        self.counts: tuple[int, ...] = tuple(n for n, _ in sizes) if sizes else (len(self.document["rows"]),)
        self._ends = list(accumulate(size for _, size in sizes or ()))

    def __len__(self) -> int:
        return sum(self.counts)

    def block(self, number: int) -> list[Any]:
        rows: list[Any] = self._whole if self._whole is not None else loads(self.block_text(number))
        return rows

    def rows(self) -> Iterator[Any]:
        """One block is unpacked at a time."""
        for number in range(len(self.counts)):
            yield from self.block(number)

    def rows_at(self, wanted: Iterable[int]) -> Iterator[Any]:
        """Ascending; only their blocks are unpacked."""
        start, number, block = 0, 0, None
        for at in wanted:
            while at >= start + self.counts[number]:
                start, number, block = start + self.counts[number], number + 1, None
            block = self.block(number) if block is None else block
            yield block[at - start]

    def block_of(self, row: int) -> int:
        """0 if there is no such row."""
        return next((n for n, end in enumerate(accumulate(self.counts)) if row < end), 0)

    def block_with(self, text: str) -> int | None:
        """First block with this JSON text; None also with one block."""
        if self._whole is not None:
            return None
        wanted = dumps(text)[1:-1]
        return next((n for n in range(len(self.counts)) if wanted in self.block_text(n)), None)

    def block_text(self, number: int) -> bytes:
        start = self._ends[number - 1] if number else 0
        return zlib.decompress(self._data[start : self._ends[number]])

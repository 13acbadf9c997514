"""A section as compressed bytes that can be read in parts.

Large ones are several zlib streams: the document without rows and with their places, then blocks of rows.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import accumulate
from typing import Any

import msgspec
from msgspec import Raw

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


def loads(data: bytes | Raw, of: Any = Any) -> Any:
    """Reads `dumps` and `slowly`, also of earlier versions, as the type `of`."""
    try:
        return msgspec.json.decode(data, type=of)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return msgspec.convert(json.loads(bytes(data).decode("utf-8", "surrogatepass")), of)


def pack(document: Any) -> bytes:
    """Small document, compressed; infinities are kept."""
    return compress(slowly(document))


def unpack(data: bytes) -> Any:
    return loads(zlib.decompress(data))


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


def _parts(data: bytes) -> dict[str, Raw]:
    try:
        return msgspec.json.decode(data, type=dict[str, Raw])
    except msgspec.DecodeError:
        return {name: Raw(slowly(part)) for name, part in loads(data).items()}


class Packed:
    """Packed section: document without rows, and blocks if many.

    Rows are decoded as the type asked for, each time: built at once, they take a sixth of the time of lists and then
    rows.
    """

    def __init__(self, payload: bytes) -> None:
        reader = zlib.decompressobj()
        parts = _parts(reader.decompress(payload))
        rows = parts.pop("rows")
        self.document: dict[str, Any] = {name: loads(part) for name, part in parts.items()}
        sizes = self.document.pop("blocks", None)
        self._sizes: list[tuple[int, int]] = sizes or []
        self._whole = rows if sizes is None else None
        self._data = b"" if sizes is None else reader.unused_data
        self._ends = list(accumulate(size for _, size in self._sizes))

    @cached_property
    def counts(self) -> tuple[int, ...]:
        """Rows of each block."""
        return tuple(n for n, _ in self._sizes) or (len(self.block(0)),)

    def __len__(self) -> int:
        return sum(self.counts)

    def block(self, number: int, of: Any = Any) -> list[Any]:
        rows: list[Any] = loads(self.block_text(number) if self._whole is None else self._whole, list[of])
        return rows

    def rows(self, of: Any = Any) -> Iterator[Any]:
        """One block is unpacked at a time."""
        for number in range(len(self._sizes) or 1):
            yield from self.block(number, of)

    def rows_at(self, wanted: Iterable[int], of: Any = Any) -> Iterator[Any]:
        """Ascending; only their blocks are unpacked."""
        start, number, block = 0, 0, None
        for at in wanted:
            while at >= start + self.counts[number]:
                start, number, block = start + self.counts[number], number + 1, None
            block = self.block(number, of) if block is None else block
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

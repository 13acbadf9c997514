"""Compared sections as stored bytes and back: entire, a block of rows, or row by row (see parsers.storage.blocks)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, overload

from msgspec.structs import replace

from awrdiff.analysis.export.document import RowLoader, dump_section, load_section
from awrdiff.analysis.model.comparison import ComparedRow, ComparedSection
from parsers.storage import blocks


def pack_section(section: ComparedSection) -> bytes:
    return blocks.pack_section(dump_section(section))


def unpack_section(payload: bytes) -> ComparedSection:
    packed = blocks.Packed(payload)
    return load_section(packed.document, packed.rows())


def unpack_block(packed: blocks.Packed, number: int) -> ComparedSection:
    """The section with the rows of one block only."""
    return load_section(packed.document, packed.block(number))


def unpack_rows(payload: bytes, rows: Iterable[int]) -> ComparedSection:
    """The section with only the rows of these numbers, in ascending order."""
    packed = blocks.Packed(payload)
    return load_section(packed.document, packed.rows_at(rows))


def open_section(payload: bytes) -> ComparedSection:
    """The section with rows that are read again, block by block, at each iteration."""
    packed = blocks.Packed(payload)
    return replace(load_section(packed.document, ()), rows=_Rows(packed))


class _Rows(Sequence[ComparedRow]):
    """Rows of one block stay loaded; of several blocks only the last."""

    def __init__(self, packed: blocks.Packed) -> None:
        self._packed = packed
        self._load = RowLoader(packed.document)
        self._only: list[ComparedRow] | None = None

    def __len__(self) -> int:
        return len(self._packed)

    def __iter__(self) -> Iterator[ComparedRow]:
        if len(self._packed.counts) > 1:
            return map(self._load, self._packed.rows())
        if self._only is None:
            self._only = list(map(self._load, self._packed.rows()))
        return iter(self._only)

    @overload
    def __getitem__(self, at: int) -> ComparedRow: ...

    @overload
    def __getitem__(self, at: slice) -> Sequence[ComparedRow]: ...

    def __getitem__(self, at: Any) -> Any:
        if isinstance(at, slice):
            return tuple(self)[at]
        return next(islice(self, range(len(self))[at], None))

"""Page parts of sections stored in several blocks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeVar

from parsers.storage.compressed_blocks import Packed

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Wanted:
    """Part by number, `row` id, or first with the text."""

    number: int | None = None  # from 1
    row: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True)
class Part:
    """`number` of `count`: rows `first` to `last` of `total`, from 1."""

    number: int
    count: int
    first: int
    last: int
    total: int

    @classmethod
    def of(cls, packed: Packed, block: int) -> Part:
        before = sum(packed.counts[:block])
        rows = packed.counts[block]
        return cls(block + 1, len(packed.counts), before + 1, before + rows, len(packed))


def every_part(part: Callable[[Wanted], tuple[T, Part]]) -> Iterator[T]:
    content, shown_part = part(Wanted(1))
    yield content
    yield from (part(Wanted(number))[0] for number in range(2, shown_part.count + 1))


def part_of(packed: Packed, wanted: Wanted, row_with: Callable[[str], int | None]) -> int:
    """`row_with`: first row of a text. Counts from 0."""
    count = len(packed.counts)
    if count == 1:
        return 0
    if wanted.row and (block := packed.block_with(wanted.row)) is not None:
        return block
    if wanted.number is not None:
        return min(max(wanted.number, 1), count) - 1
    row = row_with(wanted.text) if wanted.text else None
    return packed.block_of(row) if row is not None else 0

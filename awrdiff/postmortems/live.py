"""Tables of the incident inside its post-mortem: made of the incident as it is, and kept as they are once reviewed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

BY_CLASS = "Active sessions"  # heads the table that is drawn too


@dataclass(frozen=True, slots=True)
class Cell:
    """A text, and where it leads: an `address` elsewhere, or a place of a comparison (its id, pair, anchor, and the
    baseline it is held against, as evidence has it). `person`: the sign-in name of whom the text names."""

    text: str
    address: str = ""
    comparison: str = ""
    pair: int = 0
    anchor: str = ""
    baseline: str = ""
    person: str = ""


@dataclass(frozen=True, slots=True)
class LiveTable:
    """`caption` says what it is of, `note` what is to be known of it."""

    caption: Cell
    head: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    note: str = ""


def documents(tables: Sequence[LiveTable]) -> list[dict[str, Any]]:
    """To be stored; `tables_of` reads it back."""
    return [asdict(one) for one in tables]


def tables_of(stored: Sequence[Mapping[str, Any]]) -> tuple[LiveTable, ...]:
    return tuple(
        LiveTable(
            caption=Cell(**one["caption"]),
            head=tuple(one["head"]),
            rows=tuple(tuple(Cell(**cell) for cell in row) for row in one["rows"]),
            note=one["note"],
        )
        for one in stored
    )


def as_lines(tables: Sequence[LiveTable]) -> str:
    """A line for each row, for two versions to be compared by."""
    lines = [
        line
        for one in tables
        for line in (one.caption.text, *(" | ".join(cell.text for cell in row) for row in one.rows))
    ]
    return "\n".join(line for line in lines if line)

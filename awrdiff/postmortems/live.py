"""Tables of the incident in its post-mortem, live until reviewed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

BY_CLASS = "Active sessions"  # heads the table that is drawn too


@dataclass(frozen=True, slots=True)
class Cell:
    """Text with an `address` or a comparison's place (id, pair, anchor, baseline). `person`: sign-in name of a named
    user.
    """

    text: str
    address: str = ""
    comparison: str = ""
    pair: int = 0
    anchor: str = ""
    baseline: str = ""
    person: str = ""


@dataclass(frozen=True, slots=True)
class LiveTable:
    """`caption` and explanatory `note`."""

    caption: Cell
    head: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    note: str = ""


def documents(tables: Sequence[LiveTable]) -> list[dict[str, Any]]:
    """To be stored; `tables_of` reads it back."""
    return [asdict(table) for table in tables]


def tables_of(stored: Sequence[Mapping[str, Any]]) -> tuple[LiveTable, ...]:
    return tuple(
        LiveTable(
            caption=Cell(**table["caption"]),
            head=tuple(table["head"]),
            rows=tuple(tuple(Cell(**cell) for cell in row) for row in table["rows"]),
            note=table["note"],
        )
        for table in stored
    )


def as_lines(tables: Sequence[LiveTable]) -> str:
    """A line per row, for comparing versions."""
    lines = [
        line
        for table in tables
        for line in (table.caption.text, *(" | ".join(cell.text for cell in row) for row in table.rows))
    ]
    return "\n".join(line for line in lines if line)

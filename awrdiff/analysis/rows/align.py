"""Matching of rows of both reports by canonical key; true duplicates match in printed order.

Spacing, case of Oracle's own names, units in labels and renames between releases do not count.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from awrdiff.analysis.model.comparison import row_id
from awrdiff.analysis.names.names_across_releases import canonical_name
from awrdiff.analysis.report.activity_over_time_slots import SLOTS, keys_of, number_in
from parsers.model import Cell, Row, Section

Key = tuple[str, ...]
INSTANCE = "instance_number"
CLUSTER = "*"  # what a global report prints there for all instances together


class Pair(NamedTuple):
    """Row of either side, or both, with their identity."""

    key: Key  # canonical
    first: Row | None
    second: Row | None


def sort_by_slot(pairs: Iterable[Pair]) -> list[Pair]:
    """`Activity Over Time` by slot number, sides merged."""
    return sorted(pairs, key=lambda pair: number_in(pair.key[0] if pair.key else ""))


def slot_anchor(section: Section, slot: str, event: str) -> str:
    return row_id(section.id, (keys_of(section).get(slot, slot), canonical_name(section.id, event)))


def anchor(section_id: str, *printed: str) -> str:
    return row_id(section_id, tuple(canonical_name(section_id, p) for p in printed))


def common_key(first: Section | None, second: Section | None) -> Key:
    """Shared columns; instance numbers stay, so only cluster rows match."""
    if first is None or second is None:
        present = first or second
        return present.key if present else ()
    if first.key == second.key:
        return first.key
    longer = first if INSTANCE in first.key else second
    return tuple(c for c in longer.key if c == INSTANCE or (c in first.index and c in second.index))


def shown_key(first: Section | None, second: Section | None) -> Key:
    """Columns telling rows apart; both sides' without common ones."""
    if first is not None and second is not None and nothing_in_common(first, second):
        return tuple(dict.fromkeys((*first.key, *second.key)))
    return common_key(first, second)


def nothing_in_common(first: Section, second: Section) -> bool:
    """Other identities, as Statspack hash and SQL id."""
    shared = [c for c in common_key(first, second) if c in first.index and c in second.index]
    return bool(first.key and second.key) and not shared


def keyed_rows(section: Section, key_columns: Key) -> dict[Key, Row]:
    """In printed order; repeats get `#2`, `#3`…"""
    at = [section.index[c] for c in key_columns if c in section.index]
    whose = section.index.get(INSTANCE) if INSTANCE in key_columns else None
    slots = keys_of(section) if section.id == SLOTS else {}
    rows: dict[Key, Row] = {}
    counts: dict[Key, int] = {}
    for record in section.records:
        cells = record.cells
        texts = [cell_text(cells[i]) for i in at if i != whose or cells[i] != CLUSTER]
        key = tuple([slots.get(text) or canonical_name(section.id, text) for text in texts])
        count = counts.get(key, 0) + 1
        counts[key] = count
        rows[key if count == 1 else (*key, f"#{count}")] = record
    return rows


def align_rows(first: Section | None, second: Section | None) -> Iterator[Pair]:
    """First's order, then Second's others."""
    columns = common_key(first, second)
    first_rows, second_rows = _sides(first, second, columns)
    for key, record in first_rows.items():
        yield Pair(key, record, second_rows.get(key))
    for key, record in second_rows.items():
        if key not in first_rows:
            yield Pair(key, None, record)


def _sides(first: Section | None, second: Section | None, columns: Key) -> tuple[dict[Key, Row], dict[Key, Row]]:
    if first is None or second is None or not nothing_in_common(first, second):
        return keyed_rows(first, columns) if first else {}, keyed_rows(second, columns) if second else {}
    # each by its own key, told apart by the key's name
    first_rows, second_rows = keyed_rows(first, first.key), keyed_rows(second, second.key)
    return (
        {(*k, first.key[0]): r for k, r in first_rows.items()},
        {(*k, second.key[0]): r for k, r in second_rows.items()},
    )


def merged_order(first: Sequence[str], second: Sequence[str]) -> list[str]:
    """First's order, Second's others beside their neighbours."""
    order = list(first)
    placed_ids = set(order)
    previous: str | None = None
    for name in second:
        if name not in placed_ids:
            order.insert(order.index(previous) + 1 if previous is not None else 0, name)
            placed_ids.add(name)
        previous = name
    return order


def cell_text(cell: Cell) -> str:
    if isinstance(cell, str):
        return cell
    if cell is None:
        return ""
    number = cell.number
    return str(int(number)) if number == int(number) else f"{number:g}"

"""Which row of the first report is which row of the second.

Rows are matched by a canonical key: spacing, case of Oracle's own names, units printed inside a label and
renames between releases do not count. What is shown stays the printed text. True duplicates are matched in
the order they are printed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b
from typing import NamedTuple

from awrdiff.analysis.names.renames import canonical_name
from awrdiff.analysis.report.slots import SLOTS, keys_of, number_in
from parsers.model import Cell, Row, Section

Key = tuple[str, ...]
INSTANCE = "instance_number"
CLUSTER = "*"  # what a global report prints there for all instances together


class Pair(NamedTuple):
    """A row of either side, or of both, with the identity they share."""

    key: Key  # canonical
    first: Row | None
    second: Row | None


def row_id(section_id: str, key: Sequence[str]) -> str:
    """The anchor of a row: 12 hex digits that depend on the section's id and the canonical key alone."""
    text = "\x1f".join((section_id, *key))
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()


def sort_by_slot(pairs: Iterable[Pair]) -> list[Pair]:
    """Rows of `Activity Over Time` by the number of their slot, both sides together."""
    return sorted(pairs, key=lambda pair: number_in(pair.key[0] if pair.key else ""))


def slot_anchor(section: Section, slot: str, event: str) -> str:
    """The anchor of a row of `Activity Over Time`."""
    return row_id(section.id, (keys_of(section).get(slot, slot), canonical_name(section.id, event)))


def anchor(section_id: str, *printed: str) -> str:
    """The anchor of the row printed as `printed`."""
    return row_id(section_id, tuple(canonical_name(section_id, p) for p in printed))


def common_key(first: Section | None, second: Section | None) -> Key:
    """The columns both sides identify their rows by; one side's own where the other is missing.

    The instance number of a global report stays even where the other side has none: only the rows of the whole
    cluster are matched then. Sides that identify their rows by nothing in common have an empty key.
    """
    if first is None or second is None:
        present = first or second
        return present.key if present else ()
    if first.key == second.key:
        return first.key
    longer = first if INSTANCE in first.key else second
    return tuple(c for c in longer.key if c == INSTANCE or (c in first.index and c in second.index))


def shown_key(first: Section | None, second: Section | None) -> Key:
    """The columns that say which row it is; those of both sides where they have none in common."""
    if first is not None and second is not None and nothing_in_common(first, second):
        return tuple(dict.fromkeys((*first.key, *second.key)))
    return common_key(first, second)


def nothing_in_common(first: Section, second: Section) -> bool:
    """Both identify their rows, but by different things: Statspack's old hash value against the SQL id of AWR."""
    shared = [c for c in common_key(first, second) if c in first.index and c in second.index]
    return bool(first.key and second.key) and not shared


def keyed_rows(section: Section, key_columns: Key) -> dict[Key, Row]:
    """The section's rows by canonical key, in printed order; repeats get `#2`, `#3`…"""
    at = [section.index[c] for c in key_columns if c in section.index]
    whose = section.index.get(INSTANCE) if INSTANCE in key_columns else None
    slots = keys_of(section) if section.id == SLOTS else {}
    found: dict[Key, Row] = {}
    seen: dict[Key, int] = {}
    for record in section.records:
        cells = record.cells
        texts = [cell_text(cells[i]) for i in at if i != whose or cells[i] != CLUSTER]
        key = tuple([slots.get(text) or canonical_name(section.id, text) for text in texts])
        count = seen.get(key, 0) + 1
        seen[key] = count
        found[key if count == 1 else (*key, f"#{count}")] = record
    return found


def align_rows(first: Section | None, second: Section | None) -> Iterator[Pair]:
    """Every row of both sides once: the first's in its order, then what only the second has."""
    columns = common_key(first, second)
    left, right = _sides(first, second, columns)
    for key, record in left.items():
        yield Pair(key, record, right.get(key))
    for key, record in right.items():
        if key not in left:
            yield Pair(key, None, record)


def _sides(first: Section | None, second: Section | None, columns: Key) -> tuple[dict[Key, Row], dict[Key, Row]]:
    if first is None or second is None or not nothing_in_common(first, second):
        return keyed_rows(first, columns) if first else {}, keyed_rows(second, columns) if second else {}
    # each by its own key, told apart by the key's name
    left, right = keyed_rows(first, first.key), keyed_rows(second, second.key)
    return (
        {(*k, first.key[0]): r for k, r in left.items()},
        {(*k, second.key[0]): r for k, r in right.items()},
    )


def merged_order(first: Sequence[str], second: Sequence[str]) -> list[str]:
    """The first's order, with what only the second has standing behind its neighbour there."""
    order = list(first)
    known = set(order)
    previous: str | None = None
    for name in second:
        if name not in known:
            order.insert(order.index(previous) + 1 if previous is not None else 0, name)
            known.add(name)
        previous = name
    return order


def cell_text(cell: Cell) -> str:
    """A cell as a part of a row's key."""
    if isinstance(cell, str):
        return cell
    if cell is None:
        return ""
    number = cell.number
    return str(int(number)) if number == int(number) else f"{number:g}"

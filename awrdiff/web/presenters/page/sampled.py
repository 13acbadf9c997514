"""Active sessions of two ASH reports."""

from __future__ import annotations

from dataclasses import dataclass

from awrdiff.analysis.entities.kinds import KINDS, Ref
from awrdiff.analysis.model.ranked import Range
from awrdiff.analysis.model.sampled import Sampled, SampledKind, SampledRow
from awrdiff.web import format as fmt

MOST = 8  # of a list; the others open
_HEADINGS: dict[SampledKind, str] = {
    "event": "By event",
    "sql": "By statement",
    "object": "By object",
    "session": "By session",
    "blocker": "By blocking session",
}
_HEADING_TEXTS: dict[SampledKind, tuple[str, str]] = {
    "event": ("event", "event"),
    "sql": ("sql", "sql_id"),
    "object": ("object", "object"),
    "session": ("session", "session"),
    "blocker": ("session", "blocking_session"),
}
NOT_LISTED = "not listed"


@dataclass(frozen=True, slots=True)
class RowView:
    """`path`: its entity; `target`: its row."""

    name: str
    path: str
    target: str
    beside: str
    first: str
    second: str
    first_width: float  # of a bar, in percent of the largest level of all lists
    second_width: float
    change: str
    cls: str
    why: str


@dataclass(frozen=True, slots=True)
class ListView:
    id: str
    heading: str
    rows: tuple[RowView, ...]
    more: tuple[RowView, ...]


@dataclass(frozen=True, slots=True)
class SampledView:
    lists: tuple[ListView, ...]
    first: str
    second: str
    samples: str


def sampled_view(sampled: Sampled) -> SampledView:
    sides = (side for sampled_list in sampled.lists for row in sampled_list.rows for side in (row.first, row.second))
    largest = max((side.middle for side in sides if side is not None), default=0.0) or 1.0
    lists = []
    for each_list in sampled.lists:
        rows = tuple(_row(each_list.kind, row, largest) for row in each_list.rows)
        lists.append(ListView(f"by-{each_list.kind}", _HEADINGS[each_list.kind], rows[:MOST], rows[MOST:]))
    counts = [f"{n:,}" if n is not None else "an unknown number of" for n in sampled.samples]
    return SampledView(
        tuple(lists),
        fmt.significant(sampled.first.middle),
        fmt.significant(sampled.second.middle),
        f"{counts[0]} samples in First, {counts[1]} in Second",
    )


def _row(kind: SampledKind, row: SampledRow, largest: float) -> RowView:
    change, cls, why = _change_cell(row)
    first, second = (round(100 * side.middle / largest, 1) if side else 0.0 for side in (row.first, row.second))
    return RowView(
        name=row.key,
        path=path_of(kind, row.key),
        target=f"{row.section}/{row.row_id}",
        beside=row.beside,
        first=_level(row.first),
        second=_level(row.second),
        first_width=first,
        second_width=second,
        change=change,
        cls=cls,
        why=why,
    )


def _change_cell(row: SampledRow) -> tuple[str, str, str]:
    if row.change is None:
        side = "First" if row.first is None else "Second"
        return "?", "na", f"not in {side}'s top list: unknown there, not zero"
    if not row.certain:
        return "≈", "same", "no more than the digits printed, or twice the scatter of the samples, leave open"
    way = fmt.direction(row.change)
    return f"{fmt.ARROWS[way]} {fmt.signed(row.change)}", {"up": "worse", "down": "better", "same": "same"}[way], ""


def _level(side: Range | None) -> str:
    return fmt.significant(side.middle, 2) if side is not None else NOT_LISTED


def path_of(kind: SampledKind, text: str) -> str:
    entity, column = _HEADING_TEXTS[kind]
    way = next(way for way in KINDS[entity].ways if way.columns == (column,))
    key = way.key([text])
    return Ref(entity, key).path if key else ""

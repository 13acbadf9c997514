"""Sections of both reports, matched and compared."""

from __future__ import annotations

from awrdiff.analysis.model.comparison import ComparedRow, ComparedSection, Delta, row_id
from awrdiff.analysis.names.section_families import family_of
from awrdiff.analysis.report.activity_over_time_slots import SLOT_COLUMN, SLOTS
from awrdiff.analysis.report.figures_by_name import BACKGROUND, COMBINED, FOREGROUND, TOP, Bases, is_idle_row
from awrdiff.analysis.rows.align import Pair, align_rows, merged_order, shown_key, sort_by_slot
from awrdiff.analysis.rows.deltas import plan, row_values, status_of
from awrdiff.analysis.rows.figures_from_other_sql_lists import OtherLists
from awrdiff.analysis.rows.materiality import DEFAULT, NO_YARDSTICK, Scale, Yardstick
from awrdiff.analysis.rows.ordering import arrange
from parsers.model import Cell, Report, Row, Section, Value

_SHARE_OF_EVENTS = {FOREGROUND: "pct_db_time", BACKGROUND: "pct_bg_time", TOP: "pct_db_time"}
_EVENT_SECTIONS = (*_SHARE_OF_EVENTS, COMBINED, "wait_event_histogram")


def compare_sections(
    first: Report,
    second: Report,
    bases: Bases,
    yardstick: Yardstick = NO_YARDSTICK,
    other_lists: OtherLists | None = None,
) -> tuple[ComparedSection, ...]:
    """`other_lists`: contents of both reports' SQL lists."""
    order = merged_order([s.id for s in first.sections], [s.id for s in second.sections])
    return tuple(compare_section(first.section(i), second.section(i), bases, yardstick, other_lists) for i in order)


def compare_section(
    first: Section | None,
    second: Section | None,
    bases: Bases,
    yardstick: Yardstick = NO_YARDSTICK,
    other_lists: OtherLists | None = None,
) -> ComparedSection:
    either = first or second
    if either is None:
        raise ValueError("a section that neither report prints cannot be compared")
    key = shown_key(first, second)
    # Keys, First's order, Second's others beside neighbours.
    by_id = {c.id: c for s in (second, first) if s is not None for c in s.columns}
    order = merged_order(*([c.id for c in s.columns] if s else [] for s in (first, second)))
    columns = tuple(by_id[i] for i in (*key, *(i for i in order if i not in key)))
    valued = [c for c in columns if c.id not in key]
    plans = plan(first, second, valued)
    sides = (first, second)
    scale = Scale.of(either.id, valued, yardstick, sides)
    rows = []
    pairs = align_rows(first, second)
    for pair in sort_by_slot(pairs) if either.id == SLOTS else pairs:
        values = row_values(plans, pair.first, pair.second, bases)
        elsewhere = other_lists.fill(pair, sides, values, valued) if other_lists is not None else {}
        rows.append(_row(pair, either.id, sides, key=key, values=values, elsewhere=elsewhere, scale=scale))
    return ComparedSection(
        id=either.id,
        title=either.title,
        known=either.known,
        family=family_of(either.id),
        coverage="top" if any(s is not None and s.coverage == "top" for s in (first, second)) else either.coverage,
        columns=columns,
        key=key,
        rows=arrange(either.id, rows, valued, is_declared=either.known),
        first_present=first is not None,
        second_present=second is not None,
        first_notes=first.notes if first else (),
        second_notes=second.notes if second else (),
    )


Sides = tuple[Section | None, Section | None]


def _row(
    pair: Pair,
    section_id: str,
    sides: Sides,
    *,
    key: tuple[str, ...],
    values: dict[str, Delta],
    elsewhere: dict[str, str],
    scale: Scale,
) -> ComparedRow:
    status = status_of(pair.first, pair.second, values)
    first, second = sides
    printed = printed_key(*((first, pair.first) if pair.first is not None else (second, pair.second)), key)
    if SLOT_COLUMN in printed and second is not None and pair.first is not None and pair.second is not None:
        other = _text(second.cell(pair.second, SLOT_COLUMN))
        printed[SLOT_COLUMN] = " → ".join(dict.fromkeys((printed[SLOT_COLUMN], other)))
    idle = section_id in _EVENT_SECTIONS and any(
        is_idle(s, r) for s, r in zip(sides, (pair.first, pair.second), strict=True) if s and r is not None
    )
    weight, unpriced = (0.0, False) if idle else scale.weigh(status, printed, values)
    a, b = pair.first.unit if pair.first else None, pair.second.unit if pair.second else None
    return ComparedRow(
        row_id=row_id(section_id, pair.key),
        key=printed,
        status=status,
        values=values,
        unit=b if a is None or (a == "count" and b is not None) else a,
        idle=idle,
        weight=weight,
        minor=status != "same" and weight < DEFAULT,
        weighed=True,
        elsewhere=elsewhere,
        unpriced=unpriced and bool(key),  # a table of one row without a name is read downwards
    )


def printed_key(section: Section | None, record: Row | None, key: tuple[str, ...]) -> dict[str, str]:
    if section is None or record is None:
        return {}
    cells, index = record.cells, section.index
    return {c: _text(cells[index[c]]) if c in index else "" for c in key}


def is_idle(section: Section, record: Row) -> bool:
    return section.id in _EVENT_SECTIONS and is_idle_row(section, record, _SHARE_OF_EVENTS.get(section.id, ""))


def _text(cell: Cell) -> str:
    return f"{cell.number:.15g}" if isinstance(cell, Value) else cell or ""

"""What a global (RAC) report prints of all instances in another form than a report of one instance does.

The time model: its sum stands in a row. Segments: all lists stand in one table. The host's times are not taken so: the
mean of several hosts hides the busy one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from msgspec.structs import replace

from awrdiff.analysis.model.evidence import Evidence
from awrdiff.analysis.report.by_instance import TIME_MODEL, TURNED, section_of_instance
from awrdiff.analysis.rows.align import anchor
from parsers.model import Report, Row, Section, Value

_PRINTED, _SUM = "time_model_by_instance", "Sum"
_SEGMENTS = "segment_statistics"
_CAPTURED = re.compile(r"captured segments account for\s+([\d.]+)\s*%", re.IGNORECASE)


class _List(NamedTuple):
    """A list of segments of a report of one instance: its column, and what the global one calls it."""

    column: str
    statistic: str
    noted: str = ""


_LISTS = {
    "segments_by_physical_reads": _List("physical_reads", "physical reads", "Physical Reads"),
    "segments_by_direct_physical_reads": _List("direct_reads", "physical reads direct", "Direct Physical Reads"),
    "segments_by_physical_writes": _List("physical_writes", "physical writes", "Physical Writes"),
    "segments_by_direct_physical_writes": _List("direct_writes", "physical writes direct", "Direct Physical Writes"),
    "segments_by_row_lock_waits": _List("row_lock_waits", "row lock waits"),
    "segments_by_itl_waits": _List("itl_waits", "itl waits"),
    "segments_by_buffer_busy_waits": _List("buffer_busy_waits", "buffer busy waits"),
    "segments_by_gc_buffer_busy": _List("gc_buffer_busy", "gc buffer busy"),
    "segments_by_cr_blocks_received": _List("cr_blocks_received", "gc cr blocks received", "CR Blocks Received"),
    "segments_by_current_blocks_received": _List(
        "current_blocks_received", "gc cu blocks received", "Current Blocks Received"
    ),
}


def captured_share(section: Section) -> float | None:
    """Share (0..1) of the total that all listed segments are; None where shares are of what was captured."""
    return next((float(m[1]) / 100 for note in section.notes if (m := _CAPTURED.search(note))), None)


def sections_of_all(report: Report) -> dict[str, Section]:
    """By the id that they have in a report of one instance; nothing of such a one."""
    if report.kind != "awr_global":
        return {}
    return {**dict(_time_model(report)), **dict(_segments(report))}


def _time_model(report: Report) -> Iterator[tuple[str, Section]]:
    section = report.section(_PRINTED)
    record = section.find(_SUM) if section is not None else None
    if section is not None and record is not None and report.section(TIME_MODEL) is None:
        yield TIME_MODEL, section_of_instance(section, record, TURNED[_PRINTED])


def _segments(report: Report) -> Iterator[tuple[str, Section]]:
    """Rows and id are those of the table that is printed; the columns are named as those of the list."""
    section = report.section(_SEGMENTS)
    if section is None or "value" not in section.index or "pct_total" not in section.index:
        return
    for section_id, one in _LISTS.items():
        rows = [r for r in section.records if section.text(r, "statistic").lower() == one.statistic]
        if rows:
            columns = [replace(c, id=one.column) if c.id == "value" else c for c in section.columns]
            notes = tuple(n for n in section.notes if one.noted and f" of Total {one.noted}:" in n)
            made = replace(section, columns=tuple(columns), records=(), notes=notes)
            captured = captured_share(made)
            yield section_id, replace(made, records=tuple(_with_share(section, r, captured) for r in rows))


def _with_share(section: Section, record: Row, captured: float | None) -> Row:
    """With its share of the total also where only that of what was `captured` (0..1 of the total) is printed."""
    of_captured = section.number(record, "pct_captured")
    if section.number(record, "pct_total") is not None or of_captured is None:
        return record
    cells = list(record.cells)
    part = 1.0 if captured is None else captured
    cells[section.index["pct_total"]] = Value(of_captured.number * part, of_captured.half * part)
    return record._replace(cells=tuple(cells))


def where_printed(evidence: Evidence, *reports: Report) -> Evidence:
    """A row of the time model that none of the reports prints as such, where a global one prints it; any other as it
    is."""
    if evidence.section != TIME_MODEL or any(r.section(TIME_MODEL) is not None for r in reports):
        return evidence
    columns = {name: column for column, name in TURNED[_PRINTED].names.items()}
    column = columns.get(evidence.key)
    return Evidence(_PRINTED, _SUM, column, anchor(_PRINTED, _SUM)) if column is not None else evidence

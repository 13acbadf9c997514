"""Cluster figures of a global (RAC) report in the form of single-instance reports.

Host times are excluded: a mean hides the busy host.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from msgspec.structs import replace

from awrdiff.analysis.model.estimates_and_evidence import Evidence
from awrdiff.analysis.report.rac_instance_rows import ROWS_OF_COLUMNS, TIME_MODEL, section_of_instance
from awrdiff.analysis.rows.align import anchor
from parsers.model import Report, Row, Section, Value

_PRINTED, _SUM = "time_model_by_instance", "Sum"
_SEGMENTS = "segment_statistics"
_CAPTURED = re.compile(r"captured segments account for\s+([\d.]+)\s*%", re.IGNORECASE)


class _List(NamedTuple):
    """Segment list: its column, and the global one's label."""

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
    """Share (0..1) in listed segments; None if of captured ones."""
    return next((float(m[1]) / 100 for note in section.notes if (m := _CAPTURED.search(note))), None)


def sections_of_all(report: Report) -> dict[str, Section]:
    """Sections by single-instance id; empty for a single-instance report."""
    if report.kind != "awr_global":
        return {}
    return {**dict(_time_model(report)), **dict(_segments(report))}


def _time_model(report: Report) -> Iterator[tuple[str, Section]]:
    section = report.section(_PRINTED)
    record = section.find(_SUM) if section is not None else None
    if section is not None and record is not None and report.section(TIME_MODEL) is None:
        yield TIME_MODEL, section_of_instance(section, record, ROWS_OF_COLUMNS[_PRINTED])


def _segments(report: Report) -> Iterator[tuple[str, Section]]:
    section = report.section(_SEGMENTS)
    if section is None or "value" not in section.index or "pct_total" not in section.index:
        return
    for section_id, segment_list in _LISTS.items():
        rows = [r for r in section.records if section.text(r, "statistic").lower() == segment_list.statistic]
        if rows:
            columns = [replace(c, id=segment_list.column) if c.id == "value" else c for c in section.columns]
            notes = tuple(n for n in section.notes if segment_list.noted and f" of Total {segment_list.noted}:" in n)
            of_list = replace(section, columns=tuple(columns), records=(), notes=notes)
            captured = captured_share(of_list)
            yield section_id, replace(of_list, records=tuple(_with_share(section, r, captured) for r in rows))


def _with_share(section: Section, record: Row, captured: float | None) -> Row:
    """Reports may print only the share of `captured` (0..1)."""
    of_captured = section.number(record, "pct_captured")
    if section.number(record, "pct_total") is not None or of_captured is None:
        return record
    cells = list(record.cells)
    part = 1.0 if captured is None else captured
    cells[section.index["pct_total"]] = Value(of_captured.number * part, of_captured.half * part)
    return record._replace(cells=tuple(cells))


def where_printed(evidence: Evidence, *reports: Report) -> Evidence:
    """Evidence moved from an unprinted row to the printed one."""
    if evidence.section != TIME_MODEL or any(r.section(TIME_MODEL) is not None for r in reports):
        return evidence
    columns = {name: column for column, name in ROWS_OF_COLUMNS[_PRINTED].names.items()}
    column = columns.get(evidence.key)
    return Evidence(_PRINTED, _SUM, column, anchor(_PRINTED, _SUM)) if column is not None else evidence

"""What an ASH or ADDM report says about the load as a whole, though it prints neither waits nor statistics."""

from __future__ import annotations

from awrdiff.analysis.report.side import Side
from parsers.tables.values import read_number

_PERIOD = "ash_period"


def active_sessions(side: Side) -> float | None:
    """Average active sessions as printed: by samples in an ASH report, by DB time in one ADDM analysis."""
    section = side.report.section("addm_period")
    if side.report.kind == "addm" and section is not None and len(section.records) == 1:
        found = section.number(section.records[0], "avg_active_sessions")
        return found.number if found else None
    section = side.report.section(_PERIOD)
    row = side.row(_PERIOD, "Average Active Sessions")
    printed = read_number(section.text(row, "value"), "count") if section is not None and row is not None else None
    return printed.number if printed else None


def is_from_disk(side: Side) -> bool | None:
    """Whether the samples are those kept on disk, one in ten of those in memory; None where not printed."""
    section = side.report.section(_PERIOD)
    sources = " ".join(section.text(r, "data_source") for r in section.records).upper() if section is not None else ""
    if "DBA_HIST" in sources:
        return True
    return False if "V$ACTIVE_SESSION" in sources else None


__all__ = ["active_sessions", "is_from_disk"]

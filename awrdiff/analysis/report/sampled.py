"""What an ASH or ADDM report says about the load as a whole, though it prints neither waits nor statistics."""

from __future__ import annotations

from awrdiff.analysis.report.side import ASH_PERIOD, Side
from parsers.model import Value
from parsers.tables.values import read_number

FROM_DISK_S, FROM_MEMORY_S = 10.0, 1.0  # between two samples


def active_sessions(side: Side) -> float | None:
    """Average active sessions as printed: by samples in an ASH report, by DB time in one ADDM analysis."""
    found = mean_sessions(side)
    return found.number if found is not None else None


def mean_sessions(side: Side) -> Value | None:
    """The same with the resolution it is printed in."""
    section = side.report.section("addm_period")
    if side.report.kind == "addm" and section is not None and len(section.records) == 1:
        return section.number(section.records[0], "avg_active_sessions")
    return side.mean_of_samples


def samples(side: Side) -> int | None:
    """How many an ASH report counts in all."""
    found = _printed_value(side, "Sample Count")
    return int(found.number) if found is not None else None


def sample_s(side: Side) -> float:
    """Seconds that one sample stands for: by what the report counts, else by where it took the samples from."""
    count, mean, elapsed = samples(side), active_sessions(side), side.report.period.elapsed_s
    if side.report.kind != "ash":
        return FROM_DISK_S  # of what AWR keeps
    if count and mean and elapsed is not None:
        return mean * elapsed.number / count
    return FROM_MEMORY_S if is_from_disk(side) is False else FROM_DISK_S


def _printed_value(side: Side, name: str) -> Value | None:
    section, row = side.report.section(ASH_PERIOD), side.row(ASH_PERIOD, name)
    return read_number(section.text(row, "value"), "count") if section is not None and row is not None else None


def is_from_disk(side: Side) -> bool | None:
    """Whether the samples are those kept on disk, one in ten of those in memory; None where not printed."""
    section = side.report.section(ASH_PERIOD)
    sources = " ".join(section.text(r, "data_source") for r in section.records).upper() if section is not None else ""
    if "DBA_HIST" in sources:
        return True
    return False if "V$ACTIVE_SESSION" in sources else None


__all__ = ["active_sessions", "is_from_disk", "mean_sessions", "sample_s", "samples"]

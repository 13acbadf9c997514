"""Total load in ASH or ADDM reports, which print neither waits nor statistics."""

from __future__ import annotations

from awrdiff.analysis.report.figures_by_name import ASH_PERIOD, Side
from parsers.model import Value
from parsers.tables.number_parsing import read_number

FROM_DISK_S, FROM_MEMORY_S = 10.0, 1.0  # between two samples


def active_sessions(side: Side) -> float | None:
    """Samples in ASH, DB time in one ADDM analysis."""
    mean = mean_sessions(side)
    return mean.number if mean is not None else None


def mean_sessions(side: Side) -> Value | None:
    """The same with its printed resolution."""
    section = side.report.section("addm_period")
    if side.report.kind == "addm" and section is not None and len(section.records) == 1:
        return section.number(section.records[0], "avg_active_sessions")
    return side.mean_of_samples


def samples(side: Side) -> int | None:
    section, row = side.report.section(ASH_PERIOD), side.row(ASH_PERIOD, "Sample Count")
    count = read_number(section.text(row, "value"), "count") if section is not None and row is not None else None
    return int(count.number) if count is not None else None


def sample_s(side: Side) -> float:
    """Seconds per sample by counts, else by source."""
    count, mean, elapsed = samples(side), active_sessions(side), side.report.period.elapsed_s
    if side.report.kind != "ash":
        return FROM_DISK_S  # of what AWR keeps
    if count and mean and elapsed is not None:
        return mean * elapsed.number / count
    return FROM_MEMORY_S if is_from_disk(side) is False else FROM_DISK_S


def is_from_disk(side: Side) -> bool | None:
    """True: from disk, one sample in ten; None: not printed."""
    section = side.report.section(ASH_PERIOD)
    sources = " ".join(section.text(r, "data_source") for r in section.records).upper() if section is not None else ""
    if "DBA_HIST" in sources:
        return True
    return False if "V$ACTIVE_SESSION" in sources else None

"""Section texts: families, order, missing rows."""

from __future__ import annotations

import re

from awrdiff.analysis.model.comparison import ComparedSection
from awrdiff.web.presenters.section.columns_and_cells import Absent

FAMILIES: dict[str, str] = {
    "load": "Load",
    "time": "Where time went",
    "sql": "SQL",
    "activity": "Instance activity",
    "io": "I/O",
    "segments": "Segments",
    "settings": "Settings",
    "memory": "Memory",
    "latches": "Latches",
    "rac": "RAC",
    "exadata": "Exadata",
    "summary": "Report",
    "other": "Other",
}
# What a reader looks at first, in this order; everything else follows by family.
FIRST_SECTIONS = (
    "load_profile",
    "instance_efficiency",
    "io_profile",
    "top_timed_events",
    "wait_classes",
    "foreground_wait_classes",
    "foreground_wait_events",
    "background_wait_events",
    "wait_event_histogram",
    "time_model",
    "sql_by_elapsed_time",
    r"sql_by_\w+",
    "instance_activity",
    r"instance_activity_\w+",
    "iostat_by_function",
    "iostat_by_filetype",
    "tablespace_io",
    "file_io",
    r"segments_by_\w+",
    "init_parameters",
)
# Open without asking; the others wait folded so that a long report stays quick to scroll.
OPEN_SECTIONS = frozenset(
    {
        "load_profile",
        "instance_efficiency",
        "top_timed_events",
        "wait_classes",
        "foreground_wait_classes",
        "foreground_wait_events",
        "background_wait_events",
        "wait_event_histogram",
        "time_model",
        "sql_by_elapsed_time",
        "instance_activity",
        "iostat_by_function",
        "tablespace_io",
        "segments_by_logical_reads",
        "init_parameters",
    }
)
# Of two ASH reports, in this order and open.
SAMPLED_SECTIONS = (
    "top_user_events",
    "top_background_events",
    "top_sql_with_top_events",
    "top_db_objects",
    "top_sessions",
    "top_blocking_sessions",
)
# What the rail calls a section whose printed heading is longer than the rail is wide.
SHORT_TITLES = {
    "load_profile": "Load profile",
    "instance_efficiency": "Efficiency",
    "top_timed_events": "Top events",
    "wait_classes": "Wait classes",
    "foreground_wait_classes": "Foreground classes",
    "foreground_wait_events": "Foreground events",
    "background_wait_events": "Background events",
    "wait_event_histogram": "Wait histograms",
    "time_model": "Time model",
    "instance_activity": "Instance activity",
    "init_parameters": "Parameters",
    "os_statistics": "OS statistics",
    "operating_system_statistics_detail": "OS statistics, detail",
    "top_addm_findings": "ADDM findings",
}
_LONG_TITLE = re.compile(r"^(?:SQL ordered by|Segments by|Top SQL with) +(.+)$", re.I)
_SAME_BEGINNING = re.compile(r"^(?:Instance Activity Stats - |IOStat by |Top Process Types by )(.+)$", re.I)
_ORDER = tuple(re.compile(f"{p}$") for p in FIRST_SECTIONS)


def rank(section_id: str, *, sampled: bool = False) -> int | None:
    """Reading order, or None; `sampled`: from ASH reports."""
    if sampled:
        return SAMPLED_SECTIONS.index(section_id) if section_id in SAMPLED_SECTIONS else None
    return next((i for i, pattern in enumerate(_ORDER) if pattern.match(section_id)), None)


def short_title(section_id: str, title: str) -> str:
    if short := SHORT_TITLES.get(section_id):
        return short
    if hit := _SAME_BEGINNING.match(title):  # cut at the end they would read alike
        return hit[1]
    hit = _LONG_TITLE.match(title)
    return f"by {hit[1]}" if hit else title


def absent(section: ComparedSection, *, first: bool) -> Absent:
    """Two words for a narrow column, and the reason."""
    if not (section.first_present if first else section.second_present):
        return Absent("not printed", "the whole section is not printed there: unknown, not zero")
    if section.coverage == "top":
        return Absent("not listed", "not in the part of the list that stands there: unknown, not zero")
    if section.id == "init_parameters":
        return Absent("default there", "not among the parameters printed there, so it has its default value")
    if section.coverage == "nonzero":
        return Absent("not listed", "not printed there: nothing to count in that interval")
    return Absent("not listed", "not printed there")


def absent_sides(section: ComparedSection) -> tuple[Absent, Absent]:
    return absent(section, first=True), absent(section, first=False)


def coverage_text(coverage: str) -> str:
    return {
        "top": "not listed: that side lists only a part, so unknown, not zero",
        "nonzero": "not listed: nothing to count on that side",
    }.get(coverage, "")


def counted_text(count: int, unpriced: int, rows: int) -> str:
    """`6 of 48 rows changed`, `226 of 438 rows changed, no share of DB time`."""
    of = f"{rows:,} {'row' if rows == 1 else 'rows'}"
    if unpriced:
        more = f"{unpriced:,} changed, " if count else ""
        return f"{count or unpriced:,} of {of} changed, {more}no share of DB time"
    return f"{count:,} of {of} changed" if count else f"{of} unchanged"


def one_report_coverage(coverage: str) -> str:
    return "not all rows: what is not listed may still have happened" if coverage == "top" else ""

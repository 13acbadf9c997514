"""The rail, and the page's order of sections, with their families and short titles."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import Any, Protocol

from awrdiff.analysis.figures_in_words import number
from awrdiff.analysis.model.comparison import Comparison, SectionWeight
from awrdiff.analysis.rows.materiality import STEPS
from awrdiff.web import value_formatting as fmt
from awrdiff.web.presenters.section.histogram import EVENTS
from awrdiff.web.presenters.section.row_limits import WINDOW

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
# Pixels around the rows of a section and of each row: on a wide screen, on a tablet, on a phone; the most rows at once.
_OF_SECTIONS = tuple(
    (re.compile(pattern), (wide, middle, narrow), most)
    for pattern, wide, middle, narrow, most in (
        (r"sql_", (148, 93), (168, 122), (230, 121), WINDOW),
        (r"segments_by_", (80, 62), (92, 71), (10, 122), WINDOW),
        (r"top_sql_with_", (113, 108), (133, 124), (158, 134), WINDOW),
        (r"top_(blocking_)?sessions$", (113, 66), (133, 76), (158, 85), WINDOW),
        (r"top_db_objects", (95, 52), (115, 60), (158, 122), WINDOW),
        (r"top_timed_events", (75, 45), (105, 56), (115, 60), WINDOW),
        (r"wait_event_histogram", (515, 56), (515, 69), (520, 77), EVENTS),
        (r"activity_over_time", (378, 45), (435, 52), (529, 63), WINDOW),
        (r"load_profile", (79, 28), (91, 32), (80, 36), WINDOW),
        (r"time_model", (110, 28), (130, 33), (130, 49), WINDOW),
        (r"instance_efficiency|wait_classes", (81, 28), (96, 29), (126, 30), WINDOW),
        (r"instance_activity", (95, 28), (115, 33), (20, 49), WINDOW),
        (r"tablespace_io|file_io", (74, 37), (85, 43), (90, 42), WINDOW),
        (r"init_parameters", (69, 32), (80, 37), (70, 60), WINDOW),
        (r"iostat_|foreground_wait_classes", (110, 28), (130, 29), (156, 30), WINDOW),
        (r"", (110, 28), (132, 43), (155, 43), WINDOW),
    )
)
_WITHOUT_ROWS = (100, 100, 140)  # a sentence, and what is below every table
_WITH_RANGES = ((18, 18), (60, 45), (0, 55))  # more against a median: a line for the range in each figure


Heights = tuple[int, int, int]  # pixels on a wide screen, a tablet and a phone


def heights(section_id: str, rows: int, *, ranges: bool = False) -> Heights:
    """`ranges`: First is a median."""
    if not rows:
        return _WITHOUT_ROWS
    sizes, most = next((sizes, most) for pattern, sizes, most in _OF_SECTIONS if pattern.match(section_id))
    visible_rows = min(rows, most)
    wide, middle, narrow = (around + each * visible_rows for around, each in sizes)
    if not ranges or section_id == "wait_event_histogram":
        return wide, middle, narrow
    more = [around + each * visible_rows for around, each in _WITH_RANGES]
    return wide + more[0], middle + more[1], narrow + more[2]


_LARGEST_DOT = 7
_LONG = 24  # characters: the rail cuts a longer name


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


def counted_text(count: int, unpriced: int, rows: int) -> str:
    """`6 of 48 rows changed`, `226 of 438 rows changed, no share of DB time`."""
    of = f"{rows:,} {'row' if rows == 1 else 'rows'}"
    if unpriced:
        more = f"{unpriced:,} changed, " if count else ""
        return f"{count or unpriced:,} of {of} changed, {more}no share of DB time"
    return f"{count:,} of {of} changed" if count else f"{of} unchanged"


class SectionLine(Protocol):
    """Stored section without payload."""

    section_id: str
    title: str
    family: str
    rows: int


@dataclass(frozen=True, slots=True)
class Scale:
    """`weights`: by section id."""

    weights: Mapping[str, SectionWeight]
    step: float
    sessions: float  # of the busier side
    every_row: bool = False
    sampled: bool = False  # of two ASH reports
    ranges: bool = False  # First is a median

    @classmethod
    def of(cls, comparison: Comparison, *, every_row: bool = False, ranges: bool = False) -> Scale:
        ranked = comparison.ranked
        weights = {w.section: w for w in comparison.weights}
        return cls(
            weights,
            comparison.step,
            ranked.yardstick if ranked is not None else 0.0,
            every_row,
            comparison.sampled is not None,
            ranges,
        )

    def count(self, line: SectionLine) -> int:
        """Rows that count; older engines used a fixed rule."""
        weight = self.weights.get(line.section_id)
        return weight.counts[STEPS.index(self.step)] if weight else int(getattr(line, "changed", 0))

    def unpriced(self, line: SectionLine) -> int:
        """Changed rows that no threshold of DB time measures."""
        weight = self.weights.get(line.section_id)
        return weight.unpriced if weight and self.step else 0

    def dot(self, line: SectionLine) -> tuple[int, str] | None:
        """Disc by largest change in active sessions, from 1 to 7, and its text; 0 is a ring, without price."""
        weight = self.weights.get(line.section_id)
        if not self.count(line) and not self.unpriced(line):
            return None
        if weight is None or weight.sessions is None or not self.sessions:
            return 0, ""
        share = min(weight.sessions / self.sessions, 1.0)
        size = 1 + round((_LARGEST_DOT - 1) * math.sqrt(share))
        return size, f"largest change {number(weight.sessions)} active sessions"


def rail_of(lines: Iterable[SectionLine], scale: Scale | None = None) -> dict[str, Any]:
    """In page order: what a reader looks at first, then every other section by family. `scale`: None for one report."""
    entries = [_entry(line, scale) for line in lines]
    sampled = scale is not None and scale.sampled
    ranks = {at: place for at, e in enumerate(entries) if (place := rank(e["id"], sampled=sampled)) is not None}
    first = [entries[at] for at in sorted(ranks, key=lambda at: (ranks[at], at))]
    further = []
    for family, title in FAMILIES.items():
        if rest := [e for at, e in enumerate(entries) if at not in ranks and e["family"] == family]:
            further.append({"id": family, "title": title, "entries": rest})
    groups = [
        *(
            {"id": family, "title": FAMILIES[family], "entries": list(run)}
            for family, run in groupby(first, itemgetter("family"))
        ),
        *further,
    ]
    families = [group["id"] for group in groups]
    return {
        "first": first,
        "others": further,
        "groups": [
            {**group, "title": f"More: {group['title']}"} if group["id"] in families[:at] else group
            for at, group in enumerate(groups)
        ],
        "hidden": sum(e["rows"] - (e["counted"] or 0) for e in entries),
        "sections": len(entries),
    }


def _entry(line: SectionLine, scale: Scale | None) -> dict[str, Any]:
    first, second = getattr(line, "first_present", True), getattr(line, "second_present", True)
    opened = SAMPLED_SECTIONS if scale is not None and scale.sampled else OPEN_SECTIONS
    count, unpriced, dot = (scale.count(line), scale.unpriced(line), scale.dot(line)) if scale else (None, 0, None)
    short = short_title(line.section_id, line.title)
    rows = line.rows if count is None or (scale and scale.every_row) else count
    return {
        "id": line.section_id,
        "title": line.title,
        "short": short,
        "hint": ": ".join(filter(None, (line.title if len(short) > _LONG else "", dot[1] if dot else ""))),
        "family": line.family if line.family in FAMILIES else "other",
        "rows": line.rows,
        "counted": count,  # None on a report's page
        "is_quiet": count == 0 and not unpriced,
        "rows_text": fmt.count_text(line.rows, "row") if count is None else counted_text(count, unpriced, line.rows),
        "open": line.section_id in opened,
        "side": "" if first and second else "First" if first else "Second",  # the only one that prints it
        "dot": dot,
        "heights": heights(line.section_id, rows, ranges=scale is not None and scale.ranges),  # before it is loaded
    }

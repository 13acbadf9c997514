"""The rail, and the page's order of sections."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import groupby
from operator import attrgetter
from typing import Protocol

from awrdiff.analysis.figures_in_words import number
from awrdiff.analysis.model.comparison import Comparison, SectionWeight
from awrdiff.analysis.rows.materiality import DEFAULT, STEPS
from awrdiff.web.presenters.section import order_and_coverage_texts
from awrdiff.web.presenters.section.histogram import EVENTS
from awrdiff.web.presenters.section.row_limits import WINDOW

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


@dataclass(frozen=True, slots=True)
class Heights:
    """Pixels on wide screen, tablet and phone."""

    wide: int
    middle: int
    narrow: int

    @property
    def style(self) -> str:
        return f"--height:{self.wide}px;--middle:{self.middle}px;--narrow:{self.narrow}px"


UNKNOWN = Heights(0, 0, 0)


def heights(section_id: str, rows: int, *, ranges: bool = False) -> Heights:
    """`ranges`: First is a median."""
    if not rows:
        return Heights(*_WITHOUT_ROWS)
    sizes, most = next((sizes, most) for pattern, sizes, most in _OF_SECTIONS if pattern.match(section_id))
    visible_rows = min(rows, most)
    pixels = [around + each * visible_rows for around, each in sizes]
    if ranges and section_id != "wait_event_histogram":
        pixels = [px + around + each * visible_rows for px, (around, each) in zip(pixels, _WITH_RANGES, strict=True)]
    return Heights(*pixels)


_LARGEST_DOT = 7
_LONG = 24  # characters: the rail cuts a longer name


class SectionLine(Protocol):
    """Stored section without payload."""

    section_id: str
    title: str
    family: str
    rows: int


@dataclass(frozen=True, slots=True)
class Dot:
    """Disc by largest change in active sessions; ring without price."""

    size: int  # 1 to 7; 0 is the ring
    said: str

    @property
    def cls(self) -> str:
        return f"d{self.size}"


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

    def counted(self, line: SectionLine) -> int:
        """Rows that count; older engines used a fixed rule."""
        weight = self.weights.get(line.section_id)
        return weight.counts[STEPS.index(self.step)] if weight else int(getattr(line, "changed", 0))

    def unpriced(self, line: SectionLine) -> int:
        """Changed rows that no threshold of DB time measures."""
        weight = self.weights.get(line.section_id)
        return weight.unpriced if weight and self.step else 0

    def dot(self, line: SectionLine) -> Dot | None:
        weight = self.weights.get(line.section_id)
        if not self.counted(line) and not self.unpriced(line):
            return None
        if weight is None or weight.sessions is None or not self.sessions:
            return Dot(0, "")
        share = min(weight.sessions / self.sessions, 1.0)
        size = 1 + round((_LARGEST_DOT - 1) * math.sqrt(share))
        return Dot(size, f"largest change {number(weight.sessions)} active sessions")


@dataclass(frozen=True, slots=True)
class Entry:
    """`counted`: None on a report page."""

    id: str
    title: str
    family: str
    rows: int
    counted: int | None
    open: bool
    side: str  # "First" or "Second" where only that report prints the section
    step: float = DEFAULT
    dot: Dot | None = None
    heights: Heights = UNKNOWN  # of its body before it is loaded
    unpriced: int = 0  # rows that moved and have no price: beside `counted`
    of_several: bool = False  # each report has rows of its own: `rows` is the most that one prints

    @property
    def short(self) -> str:
        return order_and_coverage_texts.short_title(self.id, self.title)

    @property
    def is_quiet(self) -> bool:
        return self.counted == 0 and not self.unpriced

    @property
    def hint(self) -> str:
        return ": ".join(
            p for p in (self.title if len(self.short) > _LONG else "", self.dot.said if self.dot else "") if p
        )

    @property
    def count(self) -> str:
        return f"{self.rows:,}{'+' * self.of_several}" if self.counted is None else ""

    @property
    def said(self) -> str:
        if self.counted is None:
            return f"{'at least ' * self.of_several}{self.rows:,} {'row' if self.rows == 1 else 'rows'}"
        return order_and_coverage_texts.counted_text(self.counted, self.unpriced, self.rows, self.step)


@dataclass(frozen=True, slots=True)
class Group:
    id: str
    title: str
    entries: tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class Rail:
    """In page order."""

    first: tuple[Entry, ...]  # what a reader looks at first
    others: tuple[Group, ...]  # every other section, by family

    @property
    def groups(self) -> tuple[Group, ...]:
        """By family; reappearing families are marked."""
        runs = [
            Group(family, order_and_coverage_texts.FAMILIES[family], tuple(run))
            for family, run in groupby(self.first, attrgetter("family"))
        ]
        groups, seen_families = [*runs, *self.others], set[str]()
        for at, group in enumerate(groups):
            if group.id in seen_families:
                groups[at] = replace(group, title=f"More: {group.title}")
            seen_families.add(group.id)
        return tuple(groups)

    @property
    def hidden(self) -> int:
        """Rows below the threshold."""
        return sum(e.rows - (e.counted or 0) for g in self.groups for e in g.entries)

    @property
    def sections(self) -> int:
        return sum(len(g.entries) for g in self.groups)


def rail_of(lines: Iterable[SectionLine], scale: Scale | None = None, *, of_several: bool = False) -> Rail:
    """`scale`: None for one report or several."""
    entries = [replace(_entry(line, scale), of_several=of_several) for line in lines]
    sampled = scale is not None and scale.sampled
    ranked = sorted(
        (
            (at, i, e)
            for i, e in enumerate(entries)
            if (at := order_and_coverage_texts.rank(e.id, sampled=sampled)) is not None
        ),
        key=lambda x: x[:2],
    )
    first = tuple(e for _, _, e in ranked)
    first_ids = {e.id for e in first}
    rest = [e for e in entries if e.id not in first_ids]
    return Rail(
        first,
        tuple(
            Group(family, title, family_entries)
            for family, title in order_and_coverage_texts.FAMILIES.items()
            if (family_entries := tuple(e for e in rest if e.family == family))
        ),
    )


def _entry(line: SectionLine, scale: Scale | None) -> Entry:
    first, second = getattr(line, "first_present", True), getattr(line, "second_present", True)
    opened = (
        order_and_coverage_texts.SAMPLED_SECTIONS
        if scale is not None and scale.sampled
        else order_and_coverage_texts.OPEN_SECTIONS
    )
    side = "" if first and second else "First" if first else "Second"
    rows = scale.counted(line) if scale and not scale.every_row else line.rows
    return Entry(
        id=line.section_id,
        title=line.title,
        family=line.family if line.family in order_and_coverage_texts.FAMILIES else "other",
        rows=line.rows,
        counted=scale.counted(line) if scale else None,
        open=line.section_id in opened,
        side=side,
        unpriced=scale.unpriced(line) if scale else 0,
        step=scale.step if scale else DEFAULT,
        dot=scale.dot(line) if scale else None,
        heights=heights(line.section_id, rows, ranges=scale is not None and scale.ranges),
    )

"""Estimated height of an unloaded section, so that later sections do not move.

Measured in Chromium at 1280, 768 and 390 pixels, with real pairs and medians.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from awrdiff.web.presenters.section.histogram import EVENTS
from awrdiff.web.presenters.section.window import WINDOW

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
    """Pixels on a wide screen, a tablet and a phone."""

    wide: int
    middle: int
    narrow: int

    @property
    def style(self) -> str:
        """As the style sheet reads them."""
        return f"--height:{self.wide}px;--middle:{self.middle}px;--narrow:{self.narrow}px"


UNKNOWN = Heights(0, 0, 0)


def heights(section_id: str, rows: int, *, ranges: bool = False) -> Heights:
    """Section body with `rows` rows in total. `ranges`: First is a median."""
    if not rows:
        return Heights(*_WITHOUT_ROWS)
    sizes, most = next((sizes, most) for pattern, sizes, most in _OF_SECTIONS if pattern.match(section_id))
    visible_rows = min(rows, most)
    pixels = [around + each * visible_rows for around, each in sizes]
    if ranges and section_id != "wait_event_histogram":
        pixels = [px + around + each * visible_rows for px, (around, each) in zip(pixels, _WITH_RANGES, strict=True)]
    return Heights(*pixels)

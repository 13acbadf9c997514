"""Printed times that cannot be read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from parsers.identity.awr import database_row, read_moment, read_moment_of_day
from parsers.model import Section

_MOST_QUOTED: Final = 3
_MOST_LETTERS: Final = 40
_COLUMNS: Final = {
    "instance_information": ("startup_time",),
    "instances_in_report": ("startup_time", "begin_snap_time", "end_snap_time"),
    "compare_snapshots": ("begin_snap_time", "end_snap_time"),
}
_ASH: Final = ("analysis begin time", "analysis end time")


def unreadable_times(sections: Mapping[str, Section]) -> str:
    """Sentence quoting them, or ""; texts without digits are none."""
    printed = [text for text in _printed_times(sections) if any(c.isdecimal() for c in text)]
    unread = [t for t in dict.fromkeys(printed) if read_moment(t) is None and read_moment_of_day(t) is None]
    if not unread:
        return ""
    quoted = ", ".join(f'"{text[:_MOST_LETTERS]}"' for text in unread[:_MOST_QUOTED])
    more = f" and {len(unread) - _MOST_QUOTED} more" if len(unread) > _MOST_QUOTED else ""
    what = "A time of this report cannot" if len(unread) == 1 else "Times of this report cannot"
    return f"{what} be read ({quoted}{more}): order, overlap and restarts are not known as far as they hang on it."


def _printed_times(sections: Mapping[str, Section]) -> Iterator[str]:
    yield database_row(sections).get("startup_time") or ""
    for section_id, columns in _COLUMNS.items():
        if section := sections.get(section_id):
            yield from (section.text(record, column) for record in section.records for column in columns)
    if snapshots := sections.get("snapshot_information"):
        for record in snapshots.records:
            if snapshots.text(record, "point").lower().startswith(("begin", "end")):
                yield snapshots.text(record, "snap_time")
    if period := sections.get("ash_period"):
        yield from (period.text(r, "value") for r in period.records if period.text(r, "metric").lower() in _ASH)
    if analyses := sections.get("addm_period"):
        for record in analyses.records:
            yield from (analyses.text(record, column) for column in ("begin_time", "end_time"))

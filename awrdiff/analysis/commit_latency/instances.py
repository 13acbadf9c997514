"""The instances of a global (RAC) report one by one, as far as its top lists name them.

Every instance has a log writer of its own; the report's event lists by cluster mix them. The lists of top events by
instance hold log file sync where it ranks high enough: an instance that is missing may still have waited.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from awrdiff.analysis.commit_latency.figures import figures_from
from awrdiff.analysis.commit_latency.inputs import LFPW, LFS, TOP_BACKGROUND, TOP_FOREGROUND, Inputs
from awrdiff.analysis.model.commits import CommitFigures
from awrdiff.analysis.model.evidence import Evidence
from awrdiff.analysis.report.side import TOP, Event, Side, narrow_total
from awrdiff.analysis.rows.align import CLUSTER, anchor
from parsers.model import Section

_FOREGROUND = (TOP_FOREGROUND, TOP)
_BACKGROUND = (TOP_BACKGROUND, TOP)


def instances_of(side: Side) -> tuple[CommitFigures, ...]:
    """Figures of each instance that a list names with log file sync; empty for a report of one instance."""
    waits, writes = _by_instance(side, _FOREGROUND, LFS), _by_instance(side, _BACKGROUND, LFPW)
    return tuple(_figures(number, waits.get(number), writes.get(number)) for number in sorted({*waits, *writes}))


def _figures(number: str, lfs: Event | None, lfpw: Event | None) -> CommitFigures:
    named = ((LFS, lfs), (LFPW, lfpw))
    missing = tuple(f"{name} (not in the top list of instance {number})" for name, event in named if event is None)
    evidence = tuple(_evidence(number, e) for _, e in named if e is not None)
    inputs = Inputs(
        lfs=lfs,
        lfpw=lfpw,
        background_lfs=None,
        lfpw_at_most_s=None,
        db_time=None,
        call_time_share=None,
        calls_per_transaction=None,
        statistics={},
        missing=missing,
        evidence=evidence,
    )
    return replace(figures_from(inputs), whose=f"instance {number}")


def _evidence(number: str, event: Event) -> Evidence:
    """These lists tell their rows apart by instance and event, in this order."""
    row_id = anchor(event.section, number, event.name)
    return Evidence(event.section, f"{number} {event.name}", "total_wait_time_s", row_id)


def _by_instance(side: Side, section_ids: tuple[str, ...], event: str) -> dict[str, Event]:
    out: dict[str, Event] = {}
    for section_id in section_ids:
        section = side.report.section(section_id)
        if section is not None and "instance_number" in section.index:
            for number, found in _events(section, event):
                out.setdefault(number, found)
    return out


def _events(section: Section, event: str) -> Iterator[tuple[str, Event]]:
    for record in section.records:
        number, name = section.text(record, "instance_number"), section.text(record, "event")
        total, waits = section.number(record, "total_wait_time_s"), section.number(record, "waits")
        if name.lower() != event or not number or number == CLUSTER or total is None:
            continue
        exact = narrow_total(total, section.number(record, "avg_wait_s"), waits) or total
        yield number, Event(name, section.id, waits, exact, "Commit" if event == LFS else "System I/O")

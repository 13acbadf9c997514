"""Events of LGWR traces by time."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from awrdiff.analysis.model.lgwr_traces import CommitEvents, Place, SlowWrite, Switch, TraceFile, WorkerSwitch
from awrdiff.web import value_formatting as fmt

FIRST_ROWS = 12
WHERE: dict[Place, str] = {
    "first": "First",
    "second": "Second",
    "both": "both",
    "between": "between",
    "outside": "outside",
    "unplaced": "not placed",
}
ALONE: dict[Place, str] = {"first": "in the window", "outside": "outside", "unplaced": "not placed"}  # of one report
CLASSES: dict[Place, str] = {"first": "first-ink", "second": "second-ink"}


def present(events: CommitEvents | None, *, alone: bool = False) -> dict[str, Any] | None:
    """None without a trace. `alone`: one report's window."""
    if events is None:
        return None
    every: list[Switch | SlowWrite | WorkerSwitch] = [*events.switches, *events.slow_writes, *events.worker_switches]
    every.sort(key=lambda e: (e.moment, e.trace))
    used_anchors: set[str] = set()
    where = ALONE if alone else WHERE
    lines = [_line(e, events.traces, used_anchors, where) for e in every]
    several = len(events.traces) > 1  # each line names its own
    totals = []  # class, window, file of several, figures
    for slow in events.slow_by_place:
        file = events.traces[slow.trace].name if several else ""
        times = [fmt.quantity(seconds, "s") for seconds in (slow.longest.elapsed_s, slow.total_s)]
        totals.append((CLASSES.get(slow.place, ""), where[slow.place], file, [fmt.plain(slow.count), *times]))
    return {
        "files": [_file(t) for t in events.traces],
        "headline": headline(events),
        "totals": totals,
        "lines": lines[:FIRST_ROWS],
        "more": lines[FIRST_ROWS:],
        "notes": events.notes,
        "several": several,
    }


def _file(trace: TraceFile) -> str:
    whose = " on ".join(p for p in (trace.instance, trace.host) if p)
    covered = "no events"
    if trace.begin and trace.end:
        begin, end = _clock(trace.begin), _clock(trace.end)
        covered = f"events from {begin} to {end}" if begin != end else f"event of {begin}"
    return " · ".join(p for p in (trace.name, whose, trace.release or "", covered) if p)


def headline(events: CommitEvents) -> str:
    parts = [
        _count_or_nothing(events.switch_total, "switch", "switches"),
        _count_or_nothing(events.slow_write_total, "slow redo write", "slow redo writes"),
        _count_or_nothing(events.worker_switch_total, "switch of the log writers", "switches of the log writers"),
        "scheduling recorded" if events.scheduled else "",
    ]
    return " · ".join(p for p in parts if p) or "neither switches nor slow writes in it"


def _count_or_nothing(count: int, singular: str, many: str) -> str:
    return fmt.count_text(count, singular, many) if count else ""


def _line(
    event: Switch | SlowWrite | WorkerSwitch,
    traces: tuple[TraceFile, ...],
    used_anchors: set[str],
    where: Mapping[Place, str],
) -> dict[str, str]:
    anchor = f"{event.evidence.section}/{event.evidence.row_id}"
    own = "" if anchor in used_anchors else anchor
    used_anchors.add(anchor)
    if isinstance(event, Switch):
        rate = event.redo_synch_writes_per_s
        what = f"switched to {event.mode}"
        figures = f"{fmt.significant(rate, 3, 0)} redo synch writes/s" if rate is not None else ""
    elif isinstance(event, WorkerSwitch):
        what, figures = f"log writer workers {event.mode}", event.figures
    else:
        what = "slow write"
        size = f" · {fmt.quantity(event.size_bytes, 'bytes')}" if event.size_bytes is not None else ""
        figures = f"{fmt.quantity(event.elapsed_s, 's')}{size}"
    return {
        "anchor": own,  # of the first of simultaneous events
        "moment": _clock(event.moment) or "no time printed",
        "zone": event.zone,
        "what": what,
        "figures": figures,
        "place": where[event.place],
        "cls": CLASSES.get(event.place, ""),
        "file": traces[event.trace].name,
    }


def _clock(iso: str | None) -> str:
    """Milliseconds, as slow writes follow each other quickly."""
    if not iso:
        return ""
    moment = datetime.fromisoformat(iso)
    return f"{moment.day} {moment:%b %Y %H:%M:%S}.{moment.microsecond // 1000:03d}"

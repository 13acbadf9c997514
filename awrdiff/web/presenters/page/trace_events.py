"""Events of LGWR traces by time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

from awrdiff.analysis.model.lgwr_traces import CommitEvents, Place, SlowWrite, Switch, TraceFile, WorkerSwitch
from awrdiff.web import format as fmt

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


@dataclass(frozen=True, slots=True)
class EventLine:
    """`anchor`: only the first of simultaneous events."""

    anchor: str
    moment: str
    zone: str
    what: str
    figures: str
    place: str
    cls: str
    file: str


@dataclass(frozen=True, slots=True)
class EventsView:
    files: tuple[str, ...]
    headline: str
    totals: tuple[tuple[str, str, str, tuple[str, str, str]], ...]  # class, window, file of several, figures
    lines: tuple[EventLine, ...]
    more: tuple[EventLine, ...]
    notes: tuple[str, ...]
    several: bool  # traces, so that each line names its own


def present(events: CommitEvents | None, *, alone: bool = False) -> EventsView | None:
    """None without a trace. `alone`: one report's window."""
    if events is None:
        return None
    every: list[Switch | SlowWrite | WorkerSwitch] = [*events.switches, *events.slow_writes, *events.worker_switches]
    every.sort(key=lambda e: (e.moment, e.trace))
    used_anchors: set[str] = set()
    where = ALONE if alone else WHERE
    lines = tuple(_line(e, events.traces, used_anchors, where) for e in every)
    return EventsView(
        files=tuple(_file(t) for t in events.traces),
        headline=headline(events),
        totals=tuple(_totals(events, where)),
        lines=lines[:FIRST_ROWS],
        more=lines[FIRST_ROWS:],
        notes=events.notes,
        several=len(events.traces) > 1,
    )


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
) -> EventLine:
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
    return EventLine(
        anchor=own,
        moment=_clock(event.moment) or "no time printed",
        zone=event.zone,
        what=what,
        figures=figures,
        place=where[event.place],
        cls=CLASSES.get(event.place, ""),
        file=traces[event.trace].name,
    )


def _totals(events: CommitEvents, where: Mapping[Place, str]) -> Iterator[tuple[str, str, str, tuple[str, str, str]]]:
    for slow in events.slow_by_place:
        file = events.traces[slow.trace].name if len(events.traces) > 1 else ""
        longest, total = (fmt.quantity(seconds, "s") for seconds in (slow.longest.elapsed_s, slow.total_s))
        yield CLASSES.get(slow.place, ""), where[slow.place], file, (fmt.plain(slow.count), longest, total)


def _clock(iso: str | None) -> str:
    """Milliseconds, as slow writes follow each other quickly."""
    if not iso:
        return ""
    moment = datetime.fromisoformat(iso)
    return f"{moment.day} {moment:%b %Y %H:%M:%S}.{moment.microsecond // 1000:03d}"

"""Events of LGWR traces, beside the reports' windows by wall clock and alone."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from heapq import nlargest
from typing import Any, NamedTuple, TypeVar

from msgspec import Struct

from awrdiff.analysis.commit_latency.log_writer_samples import (
    SAMPLES,
    SCHEDULING,
    Window,
    moment_of,
    sampled_of,
    scheduled_of,
)
from awrdiff.analysis.figures_in_words import listing, number, seconds, several
from awrdiff.analysis.model.estimates_and_evidence import Evidence
from awrdiff.analysis.model.lgwr_traces import (
    CommitEvents,
    Place,
    SlowWrite,
    SlowWrites,
    Switch,
    TraceFile,
    TraceOverview,
    TraceSwitch,
    WorkerSwitch,
    WritesOfKind,
)
from awrdiff.analysis.report.printed_rows import PrintedRow, printed_rows
from awrdiff.analysis.rows.align import anchor
from parsers.model import Report, Row, Section, Value

SWITCHES = "lgwr_switches"
TRACE_HEADER = "lgwr_trace_header"
SCALABLE = "lgwr_scalable"
SLOW_WRITES = "lgwr_slow_writes"
SLOW_BROADCASTS = "lgwr_slow_broadcasts"
MOST_SHOWN = 200
SIDES = ("First", "Second")
_LAST: tuple[Place, ...] = ("outside", "unplaced")  # shown only where there is room


class Windows(Struct, frozen=True):
    """`alone`: one report, no second window."""

    first: Window | None
    second: Window | None
    alone: bool = False

    def place(self, moment: datetime | None) -> Place:
        if moment is None:
            return "unplaced"
        in_first, in_second = (w is not None and w.holds(moment) for w in (self.first, self.second))
        if in_first or in_second:
            return "both" if in_first and in_second else "first" if in_first else "second"
        if self.alone and self.first is not None:
            return "outside"
        if self.first is None or self.second is None:
            return "unplaced"
        earlier, later = sorted((self.first, self.second), key=lambda w: (w.begin, w.end))
        return "between" if earlier.end <= moment < later.begin else "outside"

    @property
    def later(self) -> int:
        """0 = First."""
        return 0 if self.first is not None and self.second is not None and self.first.begin > self.second.begin else 1


def windows_of(first: Report, second: Report | None) -> Windows:
    return Windows(_window(first), _window(second) if second is not None else None, alone=second is None)


def window_named(report: int, *, alone: bool) -> str:
    return "the window" if alone else f"{SIDES[report]}'s window"


def events_of(traces: Sequence[Report], first: Report, second: Report | None) -> CommitEvents | None:
    """None without a trace; a duplicate counts once."""
    files: list[Report] = []
    for trace in traces:
        if not any(trace.sections == other.sections for other in files):
            files.append(trace)
    if not files:
        return None
    windows = windows_of(first, second)
    sides, places = (windows.first, windows.second), list(enumerate(files))
    switches, workers = [], []
    for at, trace in places:
        for section, record in _switches(trace, SWITCHES):
            columns = ("redo_synch_writes_per_s", "scheduling_delay_s", "polling_interval_s")
            fields = _event(at, section, record, windows, "mode")
            fields |= {c: _plain(section.number(record, c)) for c in columns}
            switches.append(Switch(**fields, mode=section.text(record, "mode").lower()))
        for section, record in _switches(trace, SCALABLE):
            fields = _event(at, section, record, windows, "mode")
            workers.append(WorkerSwitch(**fields | {c: section.text(record, c) for c in ("mode", "figures")}))
    writes = [w for at, t in places for w in _slow(t, at, windows, SLOW_WRITES, "elapsed_s")]
    broadcasts = [w for at, t in places for w in _slow(t, at, windows, SLOW_BROADCASTS, "wait_s")]
    scheduled = tuple(s for at, t in places for s in scheduled_of(t, at, sides))
    described = tuple(_described(t, first, second, windows) for t in files)
    return CommitEvents(
        traces=described,
        switches=_by_time(_largest(switches, lambda s: s.moment)),
        switch_total=len(switches),
        slow_writes=_by_time([w.slow_write() for w in _largest(writes, lambda w: w.elapsed_s)]),
        slow_write_total=len(writes),
        slow_by_place=_by_place(writes),
        broadcasts_by_place=_by_place(broadcasts),
        scheduled=scheduled,
        sampled=tuple(s for at, t in places for s in sampled_of(t, at, sides)),
        worker_switches=_by_time(_largest(workers, lambda s: s.moment)),
        worker_switch_total=len(workers),
        notes=(
            *_notes(described, windows, len(switches), len(writes)),
            *(
                f"Recorded in {window_named(s.report, alone=windows.alone)}: {seconds(s.covered_s)}, in which the log "
                f"writers ran {seconds(s.cpu_s)} and waited {seconds(s.waited_s)} for a CPU."
                for s in scheduled
            ),
        ),
        warnings=tuple(w for f, t in zip(files, described, strict=True) for w in _warnings(f, t, first, second)),
    )


def _window(report: Report) -> Window | None:
    begin, end = report.period.begin.time, report.period.end.time
    return Window(begin, end) if begin is not None and end is not None and begin < end else None


def _event(trace: int, section: Section, record: Row, windows: Windows, column: str) -> dict[str, Any]:
    """Fields that all events of a trace have."""
    moment, row_id = moment_of(section, record), anchor(section.id, *section.key_of(record))
    return {
        "trace": trace,
        "moment": moment.isoformat() if moment else "",
        "zone": section.text(record, "zone"),
        "place": windows.place(moment),
        "evidence": Evidence(section.id, section.text(record, "time"), column, row_id),
    }


def _switches(trace: Report, section_id: str) -> list[PrintedRow]:
    return [row for row in printed_rows(trace.section(section_id)) if row.text("mode")]


class _Write(NamedTuple):
    """Slow write before selection: a trace may hold 100,000."""

    trace: int
    section: Section
    record: Row
    elapsed_s: float
    place: Place
    windows: Windows
    column: str

    @property
    def size_bytes(self) -> float | None:
        return _plain(self.section.number(self.record, "size_bytes")) if self.column == "elapsed_s" else None

    @property
    def moment(self) -> str:
        """As printed, to the second."""
        return self.section.text(self.record, "time").partition(".")[0]

    def slow_write(self) -> SlowWrite:
        event = _event(self.trace, self.section, self.record, self.windows, self.column)
        return SlowWrite(**event, elapsed_s=self.elapsed_s, size_bytes=self.size_bytes)


def _slow(trace: Report, at: int, windows: Windows, section_id: str, column: str) -> Iterator[_Write]:
    for section, record in printed_rows(trace.section(section_id)):
        if elapsed := section.number(record, column):
            place = windows.place(moment_of(section, record))
            yield _Write(at, section, record, elapsed.number, place, windows, column)


def _plain(value: Value | None) -> float | None:
    return value.number if value is not None else None


Event = TypeVar("Event", Switch, WorkerSwitch, _Write)
Dated = TypeVar("Dated", Switch, WorkerSwitch, SlowWrite)


def _largest(events: Sequence[Event], weight: Callable[[Event], float | str]) -> list[Event]:
    return nlargest(MOST_SHOWN, events, key=lambda e: (e.place not in _LAST, weight(e)))


def _by_time(events: Sequence[Dated]) -> tuple[Dated, ...]:
    return tuple(sorted(events, key=lambda e: (e.moment, e.trace)))


def _by_place(writes: Sequence[_Write]) -> tuple[SlowWrites, ...]:
    by_place: dict[tuple[int, Place], list[_Write]] = {}
    for write in writes:
        by_place.setdefault((write.trace, write.place), []).append(write)
    longest = {place: max(these, key=lambda w: w.elapsed_s).slow_write() for place, these in by_place.items()}
    return tuple(
        SlowWrites(*place, len(these), sum(w.elapsed_s for w in these), longest[place])
        for place, these in by_place.items()
    )


def _described(trace: Report, first: Report, second: Report | None, windows: Windows) -> TraceFile:
    begin, end = trace.period.begin.time, trace.period.end.time
    # else it is no trace of Oracle's, and its silence says nothing
    warns = trace.section(SCHEDULING) is None and trace.section(SAMPLES) is None
    first_covered, second_covered = (
        warns and begin is not None and end is not None and w is not None and begin <= w.begin and w.end <= end
        for w in (windows.first, windows.second)
    )
    zones: dict[str, None] = {}
    for section_id in (SWITCHES, SCALABLE, SLOW_WRITES, SLOW_BROADCASTS):
        for section, record in printed_rows(trace.section(section_id)):
            if zone := section.text(record, "zone"):
                zones.setdefault(zone)
    return TraceFile(
        name=trace.name,
        instance=next((i.name for i in trace.instances), None),
        host=trace.host.name,
        release=trace.release,
        begin=begin.isoformat() if begin else None,
        end=end.isoformat() if end else None,
        zones=tuple(zones),
        of_first=belongs(trace, first),
        of_second=belongs(trace, second) if second is not None else None,
        covers_first=first_covered,
        covers_second=second_covered,
    )


def _notes(files: Sequence[TraceFile], windows: Windows, switches: int, writes: int) -> Iterator[str]:
    zones = list(dict.fromkeys(z for f in files for z in f.zones))
    clock = f"the trace's own wall clock (zone {listing(zones)})" if zones else "the trace's own wall clock"
    yield f"Times are {clock}; the reports print theirs without a zone. They are compared as printed, none is shifted."
    if len(zones) > 1:
        yield "The trace's clock changed its zone: around that moment an event may lie in another window than shown."
    without = [side for side, w in zip(SIDES, (windows.first, windows.second), strict=True) if w is None]
    if windows.alone:
        without = ["The report"] if windows.first is None else []
    if without:
        verb = "print" if len(without) > 1 else "prints"
        yield f"{listing(without)} {verb} no snapshot times: events are not placed."
    yield "A trace warns of redo writes above 500 ms only, unless that limit was changed: shorter ones are not in it."
    for count, what in ((switches, "switches"), (writes, "slow writes")):
        if count > MOST_SHOWN:
            rest = "the slowest, those of the windows first" if what == "slow writes" else "those of the windows first"
            yield f"{MOST_SHOWN} of {count:,} {what} are shown: {rest}."


def _warnings(trace: Report, file: TraceFile, first: Report, second: Report | None) -> Iterator[str]:
    reports = (first,) if second is None else (first, second)
    whose = (file.of_first, file.of_second)[: len(reports)]
    elsewhere = [(s, identity(r)) for s, r, of in zip(SIDES, reports, whose, strict=False) if of is False]
    name = f"The trace {file.name or 'file'}"
    if elsewhere:
        theirs = " or ".join(f"{side}'s ({of_report})" for side, of_report in elsewhere)
        if second is None:
            theirs = f"the report's ({elsewhere[0][1]})"
        elif len(elsewhere) == len(SIDES) and elsewhere[0][1] == elsewhere[1][1]:
            theirs = f"the reports' ({elsewhere[0][1]})"
        yield f"{name} is of {identity(trace)}, not of {theirs}: it proves nothing there."
    elif None in whose:
        they = "the report" if second is None else "the reports"
        yield f"{name} and {they} do not both name their instance: it is taken to be that of {they}."
    if apart := _why_apart(trace, reports):
        yield f"{name} proves nothing here. {apart}"


def why_foreign(trace: Report, reports: Sequence[Report]) -> str:
    """Reason by instance, host or time; "" otherwise."""
    if reports and all(belongs(trace, r) is False for r in reports):
        theirs = listing(list(dict.fromkeys(identity(r) for r in reports)))
        return f"It is of {identity(trace)}; the {'report is' if len(reports) == 1 else 'reports are'} of {theirs}."
    return _why_apart(trace, reports)


def _why_apart(trace: Report, reports: Sequence[Report]) -> str:
    begin, end = trace.period.begin.time, trace.period.end.time
    windows = [_window(r) for r in reports]
    placed_windows = [w for w in windows if w is not None]
    if begin is None or end is None or not windows or len(placed_windows) < len(windows):
        return ""
    first, last = min(w.begin for w in placed_windows), max(w.end for w in placed_windows)
    if begin < last and end >= first:
        return ""
    window = "window lasts" if len(reports) == 1 else "windows last"
    return f"It has events from {begin} to {end}; the {window} from {first} to {last}, and none of them lies in it."


# …/diag/rdbms/<unique name of the database>/<instance>/trace/…, with either kind of slash
_DIAG = re.compile(r"[/\\]diag[/\\]rdbms[/\\]([^/\\]{1,128})[/\\][^/\\]{1,128}[/\\]trace[/\\]", re.IGNORECASE)
_CUT_HOST = 12  # the narrowest column that text reports print a host name in


def belongs(trace: Report, report: Report) -> bool | None:
    """Same instance; None where one does not name it."""
    instance = _same((i.name for i in trace.instances), [i.name for i in report.instances])
    host = _same_host(trace, report)
    header = trace.section("lgwr_trace_header")
    path = header.text(header.records[0], "trace_file") if header is not None and len(header.records) else ""
    match = _DIAG.search(path)
    unique = _same([(match[1] if match else None)], [report.database.unique_name])
    if False in (instance, host, unique):
        return False
    return True if instance else None


def identity(report: Report) -> str:
    """`shop1 on node-a`, of a report or a trace."""
    names = ", ".join(dict.fromkeys(i.name for i in report.instances if i.name))
    host = report.host.name or next((i.host for i in report.instances), None)
    return " on ".join(p for p in (names, host) if p) or "an instance that it does not name"


def _same(ours: Iterable[str | None], theirs: Iterable[str | None]) -> bool | None:
    mine = {n.lower() for n in ours if n}
    their_names = {n.lower() for n in theirs if n}
    return bool(mine & their_names) if mine and their_names else None


def _same_host(trace: Report, report: Report) -> bool | None:
    """One side often prints the domain, text reports cut long names."""
    hosts = (trace.host.name, report.host.name, *(i.host for i in report.instances))
    mine, *theirs = ((h or "").split(".")[0].lower() for h in hosts)
    labels = {label for label in theirs if label}
    if not mine or not labels:
        return None
    if mine in labels:
        return True
    return report.format == "text" and any(len(o) >= _CUT_HOST and mine.startswith(o) for o in labels)


MOST_SWITCHES = 200
_KB = 1024.0
SIZES = ((4 * _KB, "up to 4 KB"), (64 * _KB, "up to 64 KB"), (1024 * _KB, "up to 1 MB"), (None, "above 1 MB"))
LENGTHS = (  # the log writer warns from 500 ms on
    (0.5, "under 500 ms"),
    (1.0, "500 ms to 1 s"),
    (2.0, "1 to 2 s"),
    (5.0, "2 to 5 s"),
    (10.0, "5 to 10 s"),
    (None, "10 s and longer"),
)


def overview_of(trace: Report) -> TraceOverview:
    """All events; of switches the first 200 listed."""
    switches = []
    for section, record in _switches(trace, SWITCHES):
        rate = section.number(record, "redo_synch_writes_per_s")
        figures = f"{number(rate.number)} redo synch writes per second" if rate is not None else ""
        text = f"log file sync switched to {section.text(record, 'mode').lower()}"
        switches.append(TraceSwitch(section.text(record, "time"), text, figures))
    for section, record in _switches(trace, SCALABLE):
        time, mode, figures = (section.text(record, c) for c in ("time", "mode", "figures"))
        switches.append(TraceSwitch(time, f"log writer workers {mode}", figures))
    switches.sort(key=lambda s: s.moment)
    writes = list(_slow(trace, 0, Windows(None, None), SLOW_WRITES, "elapsed_s"))
    moments = [moment for w in writes if (moment := w.moment)]
    sized = [(size, w.elapsed_s) for w in writes if (size := w.size_bytes) is not None]
    return TraceOverview(
        switches=tuple(switches[:MOST_SWITCHES]),
        switch_total=len(switches),
        by_size=_of_kinds(SIZES, sized, closed=True),
        by_length=_of_kinds(LENGTHS, [(w.elapsed_s, w.elapsed_s) for w in writes], closed=False),
        write_total=len(writes),
        first_at=min(moments, default=""),
        longest_at=max(writes, key=lambda w: w.elapsed_s).moment if writes else "",
        last_at=max(moments, default=""),
    )


def _of_kinds(
    kinds: Sequence[tuple[float | None, str]], warned_writes: Iterable[tuple[float, float]], *, closed: bool
) -> tuple[WritesOfKind, ...]:
    took: dict[str, list[float]] = {label: [] for _, label in kinds}
    for measure, elapsed in warned_writes:
        label = next(lb for top, lb in kinds if top is None or measure < top or (closed and measure == top))
        took[label].append(elapsed)
    return tuple(WritesOfKind(label, len(s), max(s), sum(s)) for label, s in took.items() if s)


def overview_sentence(overview: TraceOverview) -> str:
    """Slow writes and switches: how many, the longest, when."""
    writes = several(overview.write_total, "slow redo write", "slow redo writes")
    slow = "no slow redo write"
    if overview.write_total:
        longest = seconds(max(k.longest_s for k in overview.by_length))
        when = f" from {overview.first_at} to {overview.last_at}" if overview.first_at != overview.last_at else ""
        at = f" at {overview.longest_at}" if overview.longest_at else ""
        slow = f"{writes}{when}, the longest {longest}{at}"
    switched = several(overview.switch_total, "switch", "switches") if overview.switch_total else "no switch"
    return f"The trace tells of {slow}, and of {switched}."

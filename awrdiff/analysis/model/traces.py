"""Contents of LGWR traces attached to a comparison: which file it is, and its events beside the reports' windows.

Moments are ISO texts of the trace's own wall clock, as printed: a report's times have no zone, so none is shifted.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, Protocol, TypeVar

from msgspec import Struct

from awrdiff.analysis.model.evidence import Evidence

TRACE = "lgwr_trace"
TOO_FEW = "An LGWR trace is attached to a comparison, it is not compared: two reports are needed beside it."


class _HasKind(Protocol):
    @property
    def kind(self) -> str: ...


T = TypeVar("T", bound=_HasKind)


def split_traces(found: Iterable[T]) -> tuple[list[T], list[T]]:
    """Reports and traces, each in the order given. What was not read yet has no kind, and counts as a report."""
    every = list(found)
    return [r for r in every if r.kind != TRACE], [r for r in every if r.kind == TRACE]


# `second` is the last report where several are compared. `both`: the windows overlap there. `unplaced`: a report
# prints no snapshot times, or the event has none.
Place = Literal["first", "second", "both", "between", "outside", "unplaced"]


class TraceFile(Struct, frozen=True):
    """`begin` and `end` are the moments of its first and last event: what it covers for certain.

    `of_first` and `of_second`: whether it is of that report's instance and host; None = one of the two does not say.
    """

    name: str
    instance: str | None = None
    host: str | None = None
    release: str | None = None
    begin: str | None = None
    end: str | None = None
    zones: tuple[str, ...] = ()
    of_first: bool | None = None
    of_second: bool | None = None
    covers_first: bool = False
    covers_second: bool = False

    def is_of(self, report: int) -> bool | None:
        """Says whether it is of First's instance (0) or of Second's (1)."""
        return self.of_second if report else self.of_first

    def covers(self, report: int) -> bool:
        return self.covers_second if report else self.covers_first


class Switch(Struct, frozen=True):
    """Log file sync went over to `mode` (post/wait or polling). `trace` is the place of its file in `traces`."""

    trace: int
    moment: str
    zone: str
    mode: str
    place: Place
    redo_synch_writes_per_s: float | None
    scheduling_delay_s: float | None
    polling_interval_s: float | None
    evidence: Evidence


class WorkerSwitch(Struct, frozen=True):
    """The adaptive scalable log writer took up its workers (`enabled`), or gave them up (`disabled`)."""

    trace: int
    moment: str
    zone: str
    mode: str
    figures: str
    place: Place
    evidence: Evidence


class SlowWrite(Struct, frozen=True):
    """The log writer warned of a write: `elapsed_s` is that of the whole redo write, not of its I/O alone."""

    trace: int
    moment: str
    zone: str
    elapsed_s: float
    size_bytes: float | None
    place: Place
    evidence: Evidence


class SlowWrites(Struct, frozen=True):
    """All slow writes of one trace in one place, also those that are not shown one by one."""

    trace: int
    place: Place
    count: int
    total_s: float
    longest: SlowWrite


class Scheduled(Struct, frozen=True):
    """The log writers' CPU as the kernel counted it inside a report's window (0 = First): on one, and waiting for one.

    `covered_s`: for how much of the window there are counts. All processes of the file together.
    """

    trace: int
    report: int
    covered_s: float
    cpu_s: float
    waited_s: float
    runs: float
    evidence: Evidence


class SampledWrites(Struct, frozen=True):
    """Redo writes that were sampled inside a report's window (0 = First), of one kind: P1 log files, P2 blocks and P3
    I/O requests, `count` samples of them."""

    trace: int
    report: int
    files: float
    blocks: float
    requests: float
    count: int
    evidence: Evidence


class TraceSwitch(Struct, frozen=True):
    """A switch as the trace has it: when, from what to what, and the figures beside it."""

    moment: str
    what: str
    figures: str


class WritesOfKind(Struct, frozen=True):
    """Slow writes of one size, or of one length."""

    label: str
    count: int
    longest_s: float
    total_s: float


class TraceOverview(Struct, frozen=True):
    """A trace by itself. `switches` is bounded; the totals are of all there are."""

    switches: tuple[TraceSwitch, ...]
    switch_total: int
    by_size: tuple[WritesOfKind, ...]
    by_length: tuple[WritesOfKind, ...]
    write_total: int


class CommitEvents(Struct, frozen=True):
    """Events in order of time. `switches` and `slow_writes` are bounded; the totals are of all there are."""

    traces: tuple[TraceFile, ...]
    switches: tuple[Switch, ...] = ()
    switch_total: int = 0
    slow_writes: tuple[SlowWrite, ...] = ()
    slow_write_total: int = 0
    slow_by_place: tuple[SlowWrites, ...] = ()
    broadcasts_by_place: tuple[SlowWrites, ...] = ()  # waits for the other instances, which it also warns of
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    scheduled: tuple[Scheduled, ...] = ()  # of the companion script's files
    sampled: tuple[SampledWrites, ...] = ()  # of samples attached as CSV
    worker_switches: tuple[WorkerSwitch, ...] = ()
    worker_switch_total: int = 0

    def sampled_in(self, report: int) -> tuple[SampledWrites, ...]:
        """Samples of a report's window, but of another instance's file none."""
        return tuple(s for s in self.sampled if s.report == report and self.traces[s.trace].is_of(report) is not False)

"""LGWR traces attached to a comparison: files, and events beside the reports' windows.

Times are ISO texts of the trace's local clock: reports print no zone, so none is shifted.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, Protocol, TypeVar

from msgspec import Struct

from awrdiff.analysis.model.estimates_and_evidence import Evidence

TRACE = "lgwr_trace"
TOO_FEW = "An LGWR trace is attached to a comparison, it is not compared: two reports are needed beside it."


class _HasKind(Protocol):
    @property
    def kind(self) -> str: ...


T = TypeVar("T", bound=_HasKind)


def split_traces(documents: Iterable[T]) -> tuple[list[T], list[T]]:
    """Reports and traces; unread files count as reports."""
    every = list(documents)
    return [r for r in every if r.kind != TRACE], [r for r in every if r.kind == TRACE]


# `second` is the last report where several are compared. `both`: the windows overlap there. `unplaced`: a report
# prints no snapshot times, or the event has none.
Place = Literal["first", "second", "both", "between", "outside", "unplaced"]


class TraceFile(Struct, frozen=True):
    """`begin`, `end`: first and last event, the certain coverage.

    `of_first`, `of_second`: True for that report's instance and host; None = unknown.
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
        """Match with First's (0) or Second's (1) instance; None: unknown."""
        return self.of_second if report else self.of_first

    def covers(self, report: int) -> bool:
        return self.covers_second if report else self.covers_first


class Switch(Struct, frozen=True):
    """Log file sync switched to `mode` (post/wait or polling); `trace`: index in `traces`."""

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
    """Adaptive scalable log writer started its workers (`enabled`), or stopped them (`disabled`)."""

    trace: int
    moment: str
    zone: str
    mode: str
    figures: str
    place: Place
    evidence: Evidence


class SlowWrite(Struct, frozen=True):
    """Log writer's warning; `elapsed_s`: entire redo write, not only I/O."""

    trace: int
    moment: str
    zone: str
    elapsed_s: float
    size_bytes: float | None
    place: Place
    evidence: Evidence


class SlowWrites(Struct, frozen=True):
    """Total of slow writes of a trace in one place, also unlisted ones."""

    trace: int
    place: Place
    count: int
    total_s: float
    longest: SlowWrite


class Scheduled(Struct, frozen=True):
    """Log writers' CPU and run-queue time by the kernel, in a report's window (0 = First).

    `covered_s`: part of the window with counts; all processes of the file together.
    """

    trace: int
    report: int
    covered_s: float
    cpu_s: float
    waited_s: float
    runs: float
    evidence: Evidence


class SampledWrites(Struct, frozen=True):
    """Sampled redo writes of one kind in a report's window (0 = First): P1 log files, P2 blocks, P3 I/O requests,
    `count` samples.
    """

    trace: int
    report: int
    files: float
    blocks: float
    requests: float
    count: int
    evidence: Evidence


class TraceSwitch(Struct, frozen=True):
    """Switch in a trace: time, from, to, and figures."""

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
    """One trace; `switches` is truncated, totals are complete. Writes in the order of time: moments of the first, of
    the longest and of the last.
    """

    switches: tuple[TraceSwitch, ...]
    switch_total: int
    by_size: tuple[WritesOfKind, ...]
    by_length: tuple[WritesOfKind, ...]
    write_total: int
    first_at: str = ""
    longest_at: str = ""
    last_at: str = ""


class CommitEvents(Struct, frozen=True):
    """Events by time; `switches` and `slow_writes` are truncated, totals complete."""

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
        """Samples in a report's window, only of its instance."""
        return tuple(s for s in self.sampled if s.report == report and self.traces[s.trace].is_of(report) is not False)

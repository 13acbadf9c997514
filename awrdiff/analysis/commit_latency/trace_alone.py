"""LGWR trace without a report: switches, slow writes by size and length."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from awrdiff.analysis.commit_latency.events import SCALABLE, SLOW_WRITES, SWITCHES
from awrdiff.analysis.commit_latency.inputs import records_of
from awrdiff.analysis.model.traces import TraceOverview, TraceSwitch, WritesOfKind
from awrdiff.analysis.words import number, seconds, several
from parsers.model import Report

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
    switches = sorted(_switches(trace), key=lambda s: s.moment)
    writes = list(_writes(trace))
    sized = [(size, elapsed) for size, elapsed in writes if size is not None]
    return TraceOverview(
        switches=tuple(switches[:MOST_SWITCHES]),
        switch_total=len(switches),
        by_size=_of_kinds(SIZES, ((size, elapsed) for size, elapsed in sized), closed=True),
        by_length=_of_kinds(LENGTHS, ((elapsed, elapsed) for _, elapsed in writes), closed=False),
        write_total=len(writes),
    )


def _switches(trace: Report) -> Iterable[TraceSwitch]:
    for section, record in records_of(trace, SWITCHES):
        if mode := section.text(record, "mode"):
            rate = section.number(record, "redo_synch_writes_per_s")
            figures = f"{number(rate.number)} redo synch writes per second" if rate is not None else ""
            yield TraceSwitch(section.text(record, "time"), f"log file sync switched to {mode.lower()}", figures)
    for section, record in records_of(trace, SCALABLE):
        if mode := section.text(record, "mode"):
            yield TraceSwitch(
                section.text(record, "time"), f"log writer workers {mode}", section.text(record, "figures")
            )


def _writes(trace: Report) -> Iterable[tuple[float | None, float]]:
    for section, record in records_of(trace, SLOW_WRITES):
        if (elapsed := section.number(record, "elapsed_s")) is not None:
            size = section.number(record, "size_bytes")
            yield size.number if size is not None else None, elapsed.number


def _of_kinds(
    kinds: Sequence[tuple[float | None, str]], warned_writes: Iterable[tuple[float, float]], *, closed: bool
) -> tuple[WritesOfKind, ...]:
    took: dict[str, list[float]] = {label: [] for _, label in kinds}
    for measure, elapsed in warned_writes:
        label = next(lb for top, lb in kinds if top is None or measure < top or (closed and measure == top))
        took[label].append(elapsed)
    return tuple(WritesOfKind(label, len(s), max(s), sum(s)) for label, s in took.items() if s)


def lead(overview: TraceOverview) -> str:
    longest = max((k.longest_s for k in overview.by_length), default=0.0)
    writes = several(overview.write_total, "slow redo write", "slow redo writes")
    slow = f"{writes}, the longest {seconds(longest)}" if overview.write_total else "no slow redo write"
    switched = several(overview.switch_total, "switch", "switches") if overview.switch_total else "no switch"
    return f"The trace tells of {slow}, and of {switched}. It says nothing of how long commits waited: a report does."

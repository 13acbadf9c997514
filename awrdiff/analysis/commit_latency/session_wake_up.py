"""Sessions resuming after the log writer: `redo synch time overhead`, and polling. docs/commit-latency.md, section 3.

The statistic is garbage in many reports from 11.2.0.4 to 12.2.
"""

from __future__ import annotations

import re

from msgspec import Struct

from awrdiff.analysis.commit_latency.figure_catalogue import stage_of
from awrdiff.analysis.commit_latency.inputs_from_report import ACTIVITY, Inputs, statistic_row
from awrdiff.analysis.commit_latency.interval_arithmetic import exactly, over
from awrdiff.analysis.figures_in_words import seconds, several
from awrdiff.analysis.model.commit_latency import CommitFigures, Polling, Stage
from awrdiff.analysis.model.estimates_and_evidence import Estimate, Evidence
from awrdiff.analysis.report.figures_by_name import Side
from awrdiff.analysis.report.printed_rows import printed_rows
from parsers.model import Value

Counts = list[tuple[float | None, float]]  # (upper edge in ms or None, count)
OVERHEAD = "redo synch time overhead (usec)"
SYNCH_TIME = "redo synch time (usec)"
SYNCH_WRITES = "redo synch writes"
_COUNTS = "redo synch time overhead count ("
LONG_S = 0.128  # the open-ended bucket begins there
# Milliseconds at which the buckets end, in numeric order (12.1 and later) and as 11.2.0.4 lists them.
_NUMERIC = (2.0, 8.0, 32.0, 128.0, None)
_ALPHABETIC = (128.0, 2.0, 32.0, 8.0, None)
_FIRST = {2.0: 0.0, 8.0: 2.0, 32.0: 8.0, 128.0: 32.0, None: 128.0}


class Waits(Struct, frozen=True):
    """Foreground and background; None = not printed.

    `longest_s`: upper edge of the last used bucket; `long`: most waits of 128 ms on.
    """

    total: Value | None = None
    longest_s: float | None = None
    long: float | None = None


class StageTimes(Struct, frozen=True):
    """In order. `processing_s` per redo write: worker to issue, and posting."""

    stages: tuple[Stage, ...] = ()
    notes: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    processing_s: Estimate | None = None


def wake_up_of(side: Side, waits: Waits | None = None) -> StageTimes:
    overhead, writes = side.statistic(OVERHEAD), side.statistic(SYNCH_WRITES)
    total, waits = synch_time_s(side), waits or Waits()
    if overhead is None or writes is None or writes.number <= 0:
        return StageTimes(missing=("redo synch time overhead (statistic of 11.2.0.4 and later)",))
    doubt = _doubt(overhead.number / 1e6, total, waits, overhead_counts(side)[0])
    if not doubt:
        took = exactly(overhead.number / 1e6 / writes.number)
        rows = (statistic_row(OVERHEAD), statistic_row(SYNCH_WRITES))
        return StageTimes((stage_of("wake_up", took, rows, "synch write"),))
    counts = [v for v in (total, waits.total) if v is not None]
    return _from_counts(side, doubt, min(counts, key=lambda v: v.high, default=None), writes.number, waits)


def synch_time_s(side: Side) -> Value | None:
    """From microseconds where printed, else centiseconds."""
    fine = side.statistic(SYNCH_TIME)
    if fine is not None:
        return Value(fine.number / 1e6, fine.half / 1e6)
    coarse = side.statistic("redo synch time")
    return Value(coarse.number / 100, 0.005) if coarse is not None else None


def _doubt(overhead_s: float, synch: Value | None, waits: Waits, counts: Counts) -> str:
    text = f"redo synch time overhead says {seconds(overhead_s)}"
    if synch is None:
        return f"{text}, more than an unknown redo synch time it is part of"
    for name, whole in (("redo synch time", synch), ("log file sync", waits.total)):
        if whole is not None and overhead_s > whole.high:
            return f"{text}, more than {seconds(whole.number)} of {name} it is part of"
    long = sum(n for top, n in counts if top is None)
    others_s = sum(top * n for top, n in counts if top is not None) / 1e3
    longest = (overhead_s - others_s) / long if long > 0 else 0.0
    if waits.longest_s is not None and longest > waits.longest_s:
        return f"{text}, which needs wake-ups of {seconds(longest)} where no commit waited {seconds(waits.longest_s)}"
    if waits.long is not None and long > waits.long:
        count = several(round(long), "wake-up", "wake-ups")
        return f"{text}, with {count} of 128 ms or longer where at most {waits.long:,.0f} commits waited as long"
    return ""


def _from_counts(side: Side, note: str, total: Value | None, writes: float, waits: Waits) -> StageTimes:
    counts, rows = overhead_counts(side)
    number = sum(n for _, n in counts)
    if number <= 0 or (
        waits.longest_s is not None and any(n > 0 and _FIRST[top] / 1e3 > waits.longest_s for top, n in counts)
    ):
        return StageTimes(notes=(f"{note}: not believed.",), missing=("redo synch time overhead (not believable)",))
    # The garbage also lands in the open bucket: nothing is known of those but that they are part of the whole.
    low = sum(_FIRST[top] * n for top, n in counts if top is not None) / number / 1e3
    high = sum((top or 0.0) * n for top, n in counts) / number / 1e3
    if any(n > 0 for top, n in counts if top is None) or total is None:
        high = total.high / writes if total is not None else high
    elif total is not None:
        high = min(high, total.high / writes)
    low = min(low, high)
    stage = stage_of("wake_up", Estimate(low, (low + high) / 2, high), rows, "synch write", bounds_only=True)
    return StageTimes((stage,), (f"{note}: not believed; its counts by duration give bounds.",))


def overhead_counts(side: Side) -> tuple[Counts, tuple[Evidence, ...]]:
    """(upper edge in ms, count) by place: names are cut."""
    entries: list[tuple[str, float, Evidence]] = []
    for section, record in printed_rows(side.report.section(ACTIVITY)):
        name, value = section.text(record, "statistic"), section.number(record, "total")
        if name.startswith(_COUNTS.rstrip("(").rstrip()) and value is not None:
            entries.append((name, value.number, statistic_row(name)))
    edges = _edges([name for name, _, _ in entries])
    pairs = [(edge, n) for edge, (_, n, _) in zip(edges, entries, strict=True) if edge != 0]
    pairs.sort(key=lambda p: p[0] if p[0] is not None else 1e9)
    return pairs, tuple(dict.fromkeys(row for _, _, row in entries))


def edges_of(top: float | None) -> tuple[float, float | None]:
    """Seconds, from the upper edge in ms."""
    return _FIRST[top] / 1e3, top / 1e3 if top is not None else None


def _edges(names: list[str]) -> list[float | None]:
    """By name, or by place where names are cut alike; 0 = unknown."""
    read = [re.search(r"\((>=|<|\s*)\s*(\d+|inf)\s*(?:m|\))", n) for n in names]
    if all(read) and names:
        return [None if m and (m[2] == "inf" or m[1] == ">=") else float(m[2]) if m else 0.0 for m in read]
    if len(names) != len(_NUMERIC):
        return [0.0 for _ in names]
    alphabetic = any("<" in n or ">" in n for n in names)
    return list(_ALPHABETIC if alphabetic else _NUMERIC)


def share_of(f: CommitFigures, inputs: Inputs) -> float | None:
    """Share (0..1); None where only bounds are known."""
    stage, synchs = f.stage("wake_up"), inputs.statistics.get(SYNCH_WRITES)
    waited = sum(e.total.number for e in (inputs.lfs, inputs.background_lfs) if e is not None)
    if stage is None or stage.bounds_only or synchs is None or waited <= 0:
        return None
    return min(stage.seconds.value * synchs.number / waited, 1.0)


MOSTLY = 0.5  # of the synch writes


def mostly_polls(f: CommitFigures) -> bool | None:
    """None where no row tells."""
    return f.polling_share.value >= MOSTLY if f.polling_share is not None else None


def polling_of(f: CommitFigures) -> Polling | None:
    """None unless half polled and polls are printed."""
    share, polls, wait = f.polling_share, f.polls_per_poll_write, f.lfs_avg_s
    if share is None or polls is None or wait is None or share.value < MOSTLY or polls.value <= 0:
        return None
    interval, queue = over(wait, polls), f.stage("queue")
    if interval is None:
        return None
    write = f.lfpw_avg_s.value if f.lfpw_avg_s is not None else None  # to the last session posted: with stages
    write = wait.value - queue.seconds.value if queue is not None else write
    if write is None:
        return Polling(interval, None)
    low = min(max(write, wait.value - interval.value, 0.0), wait.value)
    return Polling(interval, Estimate(low, low, wait.value))

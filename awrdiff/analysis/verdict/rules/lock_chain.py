"""Row locks held while their holder's commit waits for a slow log writer: one trouble, link by link."""

from __future__ import annotations

from msgspec import Struct

from awrdiff.analysis.commit_latency.inputs import LFPW, LFS
from awrdiff.analysis.model.comparison import Evidence
from awrdiff.analysis.report.side import Event, Side
from awrdiff.analysis.verdict.rules import sizes
from awrdiff.analysis.verdict.rules.wait_families import ROW_LOCKS
from awrdiff.analysis.verdict.thresholds import FEWEST, SLOW_S
from awrdiff.analysis.words import percent, seconds

_PART = 0.10  # of a lock wait: a commit of less is no reason for it
_BUSY = 0.5  # of the window: a log writer that writes for less has time to spare
_TWICE = 2.0  # times as long as a write takes on the other side


class LockChain(Struct, frozen=True):
    """`text`: sentence with a figure per link; `rows`: of the commit and the redo write. `holds_all`: a lock wait is as
    long as a commit, or a queue of them.
    """

    text: str
    rows: tuple[Evidence, ...]
    holds_all: bool


def chain_of(side: Side, other: Side | None = None) -> LockChain | None:
    """Chain of one side; None where a link does not hold: commit and lock waits differ in length, or the log writer is
    neither busy for half of the window nor twice as slow as on the other side.
    """
    locks = sizes.events_named(side, ROW_LOCKS.includes)
    commit, write = _average_of(side.foreground.get(LFS)), _average_of(side.background.get(LFPW))
    lock = locks[0].average if locks else None
    if lock is None or commit is None or write is None or side.elapsed is None:
        return None
    queue = 1 + (side.per_second(locks[0].total) or 0.0)  # who waits in front, and the holder
    is_queue = commit.each_s <= lock.number <= queue * commit.each_s
    busy, before = write.total_s / side.elapsed.number, _average_of(other.background.get(LFPW)) if other else None
    holds_all = is_queue and busy >= _BUSY and write.each_s >= SLOW_S
    if not holds_all and not _PART * lock.number <= commit.each_s <= lock.number:
        return None
    if busy < _BUSY and (before is None or write.each_s < _TWICE * before.each_s):
        return None
    writes = f"writes {percent(min(busy, 1.0))} of the time" if busy >= _BUSY else "is slow"
    text = f"of the {seconds(lock.number)} that a lock is waited for, up to {seconds(commit.each_s)} are its holder's "
    text += f"commit, behind a log writer that {writes}: {seconds(write.each_s)} a write"
    text += f" ({seconds(before.each_s)} on the other side)." if before is not None else "."
    return LockChain(text, (commit.row, write.row), holds_all)


class _Waits(Struct, frozen=True):
    """Seconds of one wait and of all."""

    each_s: float
    total_s: float
    row: Evidence


def _average_of(event: Event | None) -> _Waits | None:
    """None for fewer than 100 waits."""
    if event is None or event.average is None or event.waits is None or event.waits.number < FEWEST:
        return None
    return _Waits(event.average.number, event.total.number, event.evidence("avg_wait_s"))

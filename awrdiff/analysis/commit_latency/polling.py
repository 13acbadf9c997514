"""Sessions that poll for their commit wake up at multiples of a sleep, however early the write was done.

The sleep is about the commit wait ÷ polls per wait: on AIX, where every commit polls, that is one sleep of 10 ms. Being
posted, the same session would go on once the redo write is over. Source: docs/commit-latency.md, section 3.
"""

from __future__ import annotations

from awrdiff.analysis.commit_latency.intervals import over
from awrdiff.analysis.model.commits import CommitFigures, Polling
from awrdiff.analysis.model.evidence import Estimate

MOSTLY = 0.5  # of the synch writes


def mostly_polls(f: CommitFigures) -> bool | None:
    """None where no row says how many polled."""
    return f.polling_share.value >= MOSTLY if f.polling_share is not None else None


def polling_of(f: CommitFigures) -> Polling | None:
    """Where at least half of the synch writes polled, and the polls are printed."""
    share, polls, wait = f.polling_share, f.polls_per_poll_write, f.lfs_avg_s
    if share is None or polls is None or wait is None or share.value < MOSTLY or polls.value <= 0:
        return None
    interval = over(wait, polls)
    return Polling(interval, _posted(f, wait, interval)) if interval is not None else None


def _posted(f: CommitFigures, wait: Estimate, interval: Estimate) -> Estimate | None:
    """The commit wait if sessions were posted: one whole redo write, and no more than one sleep less than now."""
    write = whole_write(f)
    if write is None:
        return None
    low = min(max(write, wait.value - interval.value, 0.0), wait.value)
    return Estimate(low, low, wait.value)


def whole_write(f: CommitFigures) -> float | None:
    """From its start to the last session posted, in seconds; the I/O alone where its stages are not printed."""
    queue = f.stage("queue")
    if queue is not None and f.lfs_avg_s is not None:
        return f.lfs_avg_s.value - queue.seconds.value
    return f.lfpw_avg_s.value if f.lfpw_avg_s is not None else None


__all__ = ["MOSTLY", "mostly_polls", "polling_of", "whole_write"]

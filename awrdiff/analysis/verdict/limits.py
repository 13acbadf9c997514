"""Resources at the limit that a report prints: critical on that side, whatever the other report shows.

Each holds from a share of DB time and a number of waiting sessions on, so that neither a nearly idle host nor a
handful of waits alarms anybody. Thresholds: Cary Millsap, Thinking Clearly about Performance (CPU); Oracle Database
Performance Tuning Guide (redo logs, log file sync).
"""

from __future__ import annotations

from collections.abc import Callable

from awrdiff.analysis.commit_latency.inputs import LFS
from awrdiff.analysis.report.side import Side
from awrdiff.analysis.verdict.attribution import unaccounted_share
from awrdiff.analysis.verdict.rules import headroom

BUSY_PCT = 90.0  # of the host's CPUs
QUEUED = 0.20  # of DB time: held back or unaccounted for
SWITCHING = 0.10  # of DB time
SLOW_WRITE_S = 0.020  # of redo, on average
ONE_SESSION, HALF_SESSION = 1.0, 0.5
_REDO_WRITE = "log file parallel write"
# `completion` ends by itself; these wait for somebody else to free a log.
_NO_LOG_FREE = ("log file switch (checkpoint incomplete)", "log file switch (archiving needed)")


def is_cpu_overloaded(side: Side) -> bool:
    """A host that is 90 % busy while a fifth of DB time, a session or more, queues for it."""
    queued = headroom.managed_share(side) + (unaccounted_share(side) or 0.0)
    return (side.host_busy_pct or 0.0) >= BUSY_PCT and _is_held(side, queued, QUEUED, ONE_SESSION)


def is_cpu_capped(side: Side) -> bool:
    """The resource manager holds back a fifth of DB time, a session or more."""
    return _is_held(side, headroom.managed_share(side), QUEUED, ONE_SESSION)


def is_out_of_logs(side: Side) -> bool:
    """No redo log is free to switch to: a tenth of DB time, half a session or more, waits for one."""
    return _is_held(side, _share(side, _NO_LOG_FREE.__contains__), SWITCHING, HALF_SESSION)


def is_redo_write_slow(side: Side) -> bool:
    """A redo write takes 20 ms on average while half a session or more waits for commits."""
    write = side.background.get(_REDO_WRITE)
    average = write.average.number if write is not None and write.average is not None else 0.0
    return average >= SLOW_WRITE_S and _is_held(side, _share(side, LFS.__eq__), 0.0, HALF_SESSION)


def _is_held(side: Side, share: float, least_share: float, least_sessions: float) -> bool:
    return share >= least_share and share * (side.active_sessions or 0.0) >= least_sessions


def _share(side: Side, wanted: Callable[[str], bool]) -> float:
    """Of DB time (0..1), in foreground events by their lower-case names."""
    return sum(side.share_of_db_time(e.total) or 0.0 for name, e in side.foreground.items() if wanted(name))

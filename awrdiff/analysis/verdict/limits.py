"""Thresholds of a sick hour, and resources at their printed limit: critical on that side, whatever the other shows.

Source: Cary Millsap, Thinking Clearly about Performance (CPU); Oracle Database Performance Tuning Guide (redo logs, log
file sync).
"""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from awrdiff.analysis.commit_latency.inputs import LFPW, LFS
from awrdiff.analysis.report.side import Event, Side
from awrdiff.analysis.verdict.attribution import unaccounted_share
from awrdiff.analysis.verdict.rules import headroom
from awrdiff.analysis.verdict.thresholds import FEWEST, SLOW_S


class Threshold(Struct, frozen=True):
    """Least share of DB time (0..1) and least active sessions, also as a share of the CPUs."""

    share: float
    sessions: float
    of_cpus: float = 0.0

    def is_met(self, side: Side, spent: float) -> bool:
        """`spent`: active sessions."""
        whole = side.active_sessions or 0.0
        least = max(self.sessions, self.of_cpus * (cpus_of(side) or 0.0))
        return whole > 0 and spent >= self.share * whole and spent >= least


BUSY_PCT = 90.0  # of the host's CPUs
OF_CPUS = 0.05
ONE_SESSION = 1.0
CAPPED = QUEUED = Threshold(0.20, 1.0)  # held back by the resource manager; unaccounted for beside a full host
SWITCHING = COMMITTING = Threshold(0.10, 0.5)
# `completion` ends by itself; these wait for somebody else to free a log.
_NO_LOG_FREE = ("log file switch (checkpoint incomplete)", "log file switch (archiving needed)")


def cpus_of(side: Side) -> float | None:
    """CPUs; of a global report the sum over its instances, None unless all print theirs."""
    if side.report.kind != "awr_global":
        return side.cpus
    section = side.report.section("os_statistics_by_instance")
    if section is None or "num_cpus" not in section.index:
        return None
    counts = [section.number(r, "num_cpus") for r in section.records]
    return sum(v.number for v in counts if v is not None) if counts and None not in counts else None


def is_slow(event: Event) -> bool:
    """20 ms on average, over enough waits for an average."""
    average, waits = event.average, event.waits
    return average is not None and average.number >= SLOW_S and waits is not None and waits.number >= FEWEST


def is_host_full(side: Side) -> bool:
    return (side.host_busy_pct or 0.0) >= BUSY_PCT


def queued_share(side: Side) -> float:
    """Share (0..1) of DB time queued for CPU: resource manager or unaccounted for."""
    managed = headroom.managed_share(side)
    return max(managed, headroom.share_of_event(side) + (unaccounted_share(side) or 0.0))


def is_cpu_overloaded(side: Side) -> bool:
    """Host, cap or virtual CPUs 90 % busy while a fifth of DB time and a session queue."""
    limit, cpu = headroom.cpus_left(side), side.per_second(side.db_cpu)
    is_used_up = limit is not None and cpu is not None and cpu >= BUSY_PCT / 100 * limit
    queued = queued_share(side) * (side.active_sessions or 0.0)
    return (is_host_full(side) or is_used_up) and QUEUED.is_met(side, queued)


def is_cpu_capped(side: Side) -> bool:
    """The resource manager holds back a fifth of DB time and a session."""
    return CAPPED.is_met(side, headroom.managed_share(side) * (side.active_sessions or 0.0))


def is_out_of_logs(side: Side) -> bool:
    """A tenth of DB time and half a session wait for a free redo log."""
    return SWITCHING.is_met(side, _waiting(side, _NO_LOG_FREE.__contains__))


def is_redo_write_slow(side: Side) -> bool:
    """Redo writes take 20 ms on average while half a session waits for commits."""
    write = side.background.get(LFPW)
    return write is not None and is_slow(write) and _waiting(side, LFS.__eq__) >= COMMITTING.sessions


def _waiting(side: Side, wanted: Callable[[str], bool]) -> float:
    """Active sessions in foreground events, by lower-case name."""
    return sum(side.per_second(e.total) or 0.0 for name, e in side.foreground.items() if wanted(name))

"""Limits of CPU, of a sick hour, and of resources, which are critical on their side alone.

Source: Cary Millsap, Thinking Clearly about Performance (CPU); Oracle Database Performance Tuning Guide (redo logs, log
file sync).
"""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from awrdiff.analysis.commit_latency.inputs_from_report import LFPW, LFS
from awrdiff.analysis.figures_in_words import number, percent, several
from awrdiff.analysis.model.comparison import Evidence
from awrdiff.analysis.report.figures_by_name import Event, Side
from awrdiff.analysis.report.printed_rows import printed_rows
from awrdiff.analysis.verdict.active_sessions_attribution import unaccounted_share
from awrdiff.analysis.verdict.rule_inputs import FactsOfTwo, row
from awrdiff.analysis.verdict.thresholds import FEWEST, SATURATED_PCT, SLOW_S, UNACCOUNTED

QUANTUM = "resmgr:cpu quantum"
_THREADS = {"FREE": 2, "XE": 2, "SE": 16, "SE2": 16}  # user threads on CPU at once (Database Licensing Information)
MANAGED = 0.03  # of DB time or of the CPU: below it the resource manager only switches sessions
OF_DB_TIME, _OF_GROWTH = 1 / 3, 1 / 4  # from which DB CPU itself is much of what the sessions do
_QUEUED = 0.25  # of the busy time: runnable, but not running


class Cap(Struct, frozen=True):
    """Limit below the host's CPUs, its words and row."""

    cpus: float
    text: str
    evidence: Evidence


def caps(side: Side) -> tuple[Cap, ...]:
    cpus = side.cpus
    if cpus is None:
        return ()
    limits = []
    limit = side.value("database_resource_limits", "begin", "CPUs")
    if limit is not None and limit.number < cpus:
        text = f"the database is limited to {number(limit.number)} of {cpus} CPUs"
        limits.append(Cap(limit.number, text, row("database_resource_limits", "CPUs", "begin")))
    edition, database = (side.report.database.edition or "").upper(), side.report.database.name or ""
    if edition in _THREADS and _THREADS[edition] < cpus:
        text = f"edition {edition} runs on {_THREADS[edition]} of {cpus} CPUs at most"
        limits.append(Cap(_THREADS[edition], text, row("database_information", database, "edition")))
    printed = side.text("init_parameters", "begin_value", "cpu_count") or ""
    if printed.isdecimal() and len(printed) <= len(str(cpus)) and 0 < int(printed) < cpus:
        text = f"cpu_count is {printed} of {cpus} CPUs"
        limits.append(Cap(int(printed), text, row("init_parameters", "cpu_count", "begin_value")))
    return (*limits, *_virtual(side, cpus))


def _virtual(side: Side, cpus: int) -> tuple[Cap, ...]:
    """AIX: logical CPUs are threads of fewer virtual ones."""
    return tuple(
        Cap(
            v.number,
            f"{several(v.number, f'{what} CPU stands', f'{what} CPUs stand')} behind {cpus} CPUs",
            row("os_statistics", name, "value"),
        )
        for name, what in (("NUM_VCPUS", "virtual"), ("NUM_LCPUS", "logical"))
        if (v := side.value("os_statistics", "value", name)) is not None and v.number < cpus
    )


def cpus_left(side: Side) -> float | None:
    """CPUs open to the database; None: not printed."""
    return min([*(cap.cpus for cap in caps(side)), *([side.cpus] if side.cpus else [])], default=None)


def is_virtual(side: Side) -> bool:
    """Fewer virtual or logical CPUs: a busy CPU is not whole."""
    return side.cpus is not None and bool(_virtual(side, side.cpus))


def managed_share(side: Side) -> float:
    """Share (0..1) of DB time held back by the resource manager."""
    return max(share_of_event(side), _as_printed(side))


def is_managed_as_printed(side: Side) -> bool:
    return _as_printed(side) > share_of_event(side)


def share_of_event(side: Side) -> float:
    event = side.foreground.get(QUANTUM)
    return (side.share_of_db_time(event.total) or 0.0) if event else 0.0


def _as_printed(side: Side) -> float:
    row = next(printed_rows(side.report.section("instance_cpu")), None)
    printed = row.number("pct_db_time_waiting_for_cpu") if row is not None else None
    return printed.number / 100 if printed else 0.0


def sign_of_shortage(facts: FactsOfTwo) -> str | None:
    """First row that shows a lack of CPU."""
    missing = unaccounted_share(facts.second)
    short = sign_in_settings(facts.second) or sign_in_cpu_share(facts.second)
    cpu, active = facts.both_sides(lambda s: s.per_second(s.db_cpu)), facts.sessions()
    if not short and cpu is not None and active is not None and cpu.diff >= _OF_GROWTH * active.diff > 0:
        return f"DB CPU: {percent(cpu.diff / active.diff)} of the extra active sessions"
    return (
        short
        or (sign_in_unaccounted_time(missing) if missing is not None else None)
        or sign_in_missing_rows(facts.second)
    )


def sign_in_settings(side: Side) -> str | None:
    if managed_share(side) >= MANAGED:
        return f"the resource manager: {percent(managed_share(side))} of DB time"
    if (cap := next(iter(caps(side)), None)) is not None:
        return cap.text
    busy = side.value("os_statistics", "value", "BUSY_TIME")
    for name, least in (("RSRC_MGR_CPU_WAIT_TIME", MANAGED), ("OS_CPU_WAIT_TIME", _QUEUED)):
        waited = side.value("os_statistics", "value", name)
        if waited is not None and busy is not None and busy.number > 0 and waited.number >= least * busy.number:
            return f"{name}: {percent(waited.number / busy.number)} of BUSY_TIME"
    return None


def sign_in_missing_rows(side: Side) -> str | None:
    """Rows missing from a cut file; None if complete."""
    whole = unaccounted_share(side) is not None and all(map(side.lists_all, ("os_statistics", "init_parameters")))
    return "the file does not hold all rows of its report" if side.report.gaps and not whole else None


def sign_in_cpu_share(side: Side) -> str | None:
    share = side.share_of_db_time(side.db_cpu)
    return f"DB CPU: {percent(share)} of DB time" if share is not None and share >= OF_DB_TIME else None


def sign_in_unaccounted_time(unaccounted: float) -> str | None:
    """`unaccounted`: share (0..1) of DB time."""
    return f"DB time: {percent(unaccounted)} of it is unaccounted for" if unaccounted >= UNACCOUNTED else None


class Threshold(Struct, frozen=True):
    """Least share of DB time (0..1), sessions, share of CPUs."""

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
    """Global reports: sum, None unless all instances print theirs."""
    if side.report.kind != "awr_global":
        return side.cpus
    section = side.report.section("os_statistics_by_instance")
    if section is None or "num_cpus" not in section.index:
        return None
    counts = [section.number(r, "num_cpus") for r in section.records]
    return sum(v.number for v in counts if v is not None) if counts and None not in counts else None


def is_slow(event: Event) -> bool:
    """20 ms on average, over enough waits."""
    average, waits = event.average, event.waits
    return average is not None and average.number >= SLOW_S and waits is not None and waits.number >= FEWEST


def is_host_full(side: Side) -> bool:
    return (side.host_busy_pct or 0.0) >= BUSY_PCT


def saturated_host(side: Side, verb: str = "is") -> str:
    busy = side.host_busy_pct or 0.0
    return f"BUSY_TIME: the host {verb} {percent(busy / 100)} busy" if busy >= SATURATED_PCT else ""


def queued_share(side: Side) -> float:
    """Share (0..1) of DB time queued for CPU."""
    managed = managed_share(side)
    return max(managed, share_of_event(side) + (unaccounted_share(side) or 0.0))


def is_cpu_overloaded(side: Side) -> bool:
    limit, cpu = cpus_left(side), side.per_second(side.db_cpu)
    is_used_up = limit is not None and cpu is not None and cpu >= BUSY_PCT / 100 * limit
    queued = queued_share(side) * (side.active_sessions or 0.0)
    return (is_host_full(side) or is_used_up) and QUEUED.is_met(side, queued)


def is_cpu_capped(side: Side) -> bool:
    return CAPPED.is_met(side, managed_share(side) * (side.active_sessions or 0.0))


def is_out_of_logs(side: Side) -> bool:
    return SWITCHING.is_met(side, _waiting(side, _NO_LOG_FREE.__contains__))


def is_redo_write_slow(side: Side) -> bool:
    write = side.background.get(LFPW)
    return write is not None and is_slow(write) and _waiting(side, LFS.__eq__) >= COMMITTING.sessions


def _waiting(side: Side, wanted: Callable[[str], bool]) -> float:
    return sum(side.per_second(e.total) or 0.0 for name, e in side.foreground.items() if wanted(name))

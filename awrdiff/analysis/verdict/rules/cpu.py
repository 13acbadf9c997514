"""CPU of the host and of the database."""

from __future__ import annotations

from awrdiff.analysis.model.comparison import Severity
from awrdiff.analysis.verdict.rules.facts import QUIET, UNKNOWN, Answer, Facts, Said, row
from awrdiff.analysis.words import change, number, percent

_BUSY = (row("os_statistics", "BUSY_TIME", "value"), row("os_statistics", "IDLE_TIME", "value"))


def host_cpu_saturated(facts: Facts) -> Answer:
    busy = facts.both(lambda s: s.host_busy_pct)
    if busy is None:
        return UNKNOWN
    if busy.second < 85:
        return QUIET
    text = (
        f"Host busy {percent(busy.first / 100)} → {percent(busy.second / 100)}: "
        "waits grow because processes queue for CPU."
    )
    severity: Severity = "critical" if busy.second >= 95 and busy.diff >= 5 else "warning"
    return Said("The host's CPUs are saturated.", text, _BUSY, severity=severity)


def cpu_not_the_limit(facts: Facts) -> Answer:
    """More sessions are active, and the host is not busier: they wait for each other or for I/O."""
    busy, sessions = facts.both(lambda s: s.host_busy_pct), facts.sessions()
    if busy is None or sessions is None:
        return UNKNOWN
    if sessions.factor is None or sessions.factor < 1.5 or busy.second >= 70 or busy.diff > 10:
        return QUIET
    text = (
        f"Host busy {percent(busy.first / 100)} → {percent(busy.second / 100)} "
        f"while active sessions rose {number(sessions.first)} → {number(sessions.second)}: "
        "sessions wait, they do not compute."
    )
    return Said("CPU is not the limit.", text, _BUSY, severity="warning")


def db_cpu_change(facts: Facts) -> Answer:
    """DB CPU per second moved apart from the work."""
    cpu = facts.both(lambda s: s.per_second(s.db_cpu))
    work = facts.work_factor(cpu.factor) if cpu is not None and cpu.factor is not None else None
    if cpu is None or work is None or cpu.factor is None:
        return UNKNOWN
    sessions = facts.sessions()
    small = sessions is not None and abs(cpu.diff) < 0.05 * max(sessions.first, sessions.second)
    if small or 0.8 <= cpu.factor / work <= 1.25 or abs(cpu.factor - 1) < 0.15:
        return QUIET
    grew = cpu.factor > work
    title = "More CPU for the same work." if grew else "Less CPU for the same work."
    text = (
        f"DB CPU {number(cpu.first)} → {number(cpu.second)} CPUs ({change(cpu.first, cpu.second)}), "
        f"{facts.work_said(work)}."
    )
    return Said(title, text, (row("time_model", "DB CPU", "time_s"),), severity="warning" if grew else "note")


def resource_manager(facts: Facts) -> Answer:
    """Sessions held back by the resource manager (`resmgr:cpu quantum`)."""
    if not facts.first.foreground or not facts.second.foreground:
        return UNKNOWN
    name = "resmgr:cpu quantum"
    share = facts.both(lambda s: s.share_of_db_time(e.total if (e := s.foreground.get(name)) else None) or 0.0)
    if share is None or share.second < 0.03:
        return QUIET
    text = f"{name}: {percent(share.first)} → {percent(share.second)} of DB time."
    evidence = facts.second.foreground[name].evidence()
    return Said("The resource manager holds sessions back.", text, (evidence,), severity="warning")

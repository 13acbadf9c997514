"""CPU in one report: who used it, who was kept from it, and when it was not what was short."""

from __future__ import annotations

from awrdiff.analysis.model.comparison import Evidence, Range, Subject
from awrdiff.analysis.verdict.answer import QUIET, Answer, Contradicted, Observation, Unknown
from awrdiff.analysis.verdict.rules import headroom, unaccounted
from awrdiff.analysis.verdict.rules.cpu import MUCH, NO_HOST, QUEUEING, SATURATED, quantum_rows
from awrdiff.analysis.verdict.rules.facts import row
from awrdiff.analysis.verdict.single.facts import Alone
from awrdiff.analysis.words import number, percent

_BUSY = (row("os_statistics", "BUSY_TIME", "value"), row("os_statistics", "IDLE_TIME", "value"))
_DB_CPU = row("time_model", "DB CPU", "time_s")
NO_CPU = Unknown("Time Model Statistics: DB CPU")
_MANAGED = 0.05  # of DB time: as of two reports


def cpu_time(alone: Alone) -> Answer:
    """DB CPU of at least a third of DB time: from there on CPU is itself much of what the sessions do.

    Source: Oracle Database Reference, V$SYS_TIME_MODEL.
    """
    sessions = alone.spent(alone.side.db_cpu)
    share = alone.share(sessions)
    if sessions is None or share is None:
        return NO_CPU
    if share < headroom.OF_DB_TIME:
        return QUIET
    title = f"{'Most' if share >= 0.5 else 'Much'} of DB time is CPU."
    text = f"DB CPU took {number(sessions.middle)}{_of_cpus(alone)} on average, {percent(min(share, 1.0))} of DB time"
    work = [
        (n, v)
        for n, v in (
            ("executions", alone.rate("execute count", "Executes (SQL)", "Executes")),
            ("logical reads", _logical_reads(alone)),
        )
        if v
    ]
    each = " and ".join(f"{number(v)} {n}" for n, v in work)
    text += f", for {each} per second." if each else "."
    return Observation(title, text, (_cpu_row(alone), *_work_rows(alone)), sessions, Subject("cpu", "DB CPU"))


def _logical_reads(alone: Alone) -> float | None:
    return alone.rate("session logical reads", "Logical read (blocks)", "Logical reads")


def _work_rows(alone: Alone) -> tuple[Evidence, ...]:
    names = ("execute count", "session logical reads")
    return tuple(row("instance_activity", n, "total") for n in names if alone.side.statistic(n) is not None)


def _of_cpus(alone: Alone) -> str:
    """Of a cluster the report does not print how many CPUs are whose."""
    cpus = alone.side.cpus
    if not cpus or alone.side.report.kind == "awr_global":
        return " CPUs"
    return f" of the host's {cpus} CPUs" if cpus > 1 else " of the host's one CPU"


def _cpu_row(alone: Alone) -> Evidence:
    printed = alone.side.time_model("DB CPU") is not None
    name = "DB CPU" if alone.side.row("top_timed_events", "DB CPU") else "CPU time"
    return _DB_CPU if printed else row("top_timed_events", name, "total_wait_time_s")


def host_cpu_saturated(alone: Alone) -> Answer:
    """A host that is at least 85 % busy; its size is what the database itself spent on CPU.

    Source: Cary Millsap, Thinking Clearly about Performance: the knee of response time.
    """
    busy, cpus = alone.side.host_busy_pct, alone.side.cpus
    if busy is None:
        return NO_HOST
    if busy < SATURATED:
        return QUIET
    text = f"The host was {percent(busy / 100)} busy: part of every wait is waiting for CPU"
    sessions = alone.spent(alone.side.db_cpu)
    if sessions is None:
        return Observation(
            "The host's CPUs are saturated.", f"{text}.", _BUSY, None, Subject("host", "CPU"), severity="warning"
        )
    own = sessions.middle
    text += f"; the sessions of this database took {number(own)} CPUs"
    if cpus:
        text += f" of the {number(busy / 100 * cpus)} that were busy"
        text += ", others the rest" if own < MUCH * busy / 100 * cpus and not headroom.is_virtual(alone.side) else ""
    evidence = (*_BUSY, _cpu_row(alone))
    return Observation(
        "The host's CPUs are saturated.", f"{text}.", evidence, sessions, Subject("host", "CPU"), tone="worse"
    )


def cpu_not_the_limit(alone: Alone) -> Answer:
    """At least one active session on a host below 70 %, of whose time CPU is less than a third: sessions wait.

    Nothing else may say otherwise: resource manager, caps, CPU queues of the operating system, time that is neither
    wait nor CPU.

    Source: Oracle Database Reference, V$OSSTAT; Database Licensing Information for editions.
    """
    side, busy = alone.side, alone.side.host_busy_pct
    if busy is None or alone.sessions is None:
        return NO_HOST
    if alone.sessions < 1 or busy >= QUEUEING or headroom.of_cpu_share(side):
        return QUIET
    missing = alone.unaccounted
    denied = headroom.of_settings(side) or (headroom.of_the_rest(missing) if missing is not None else None)
    denied = denied or headroom.of_the_file(side)
    if denied:
        return Contradicted(denied)
    share = side.share_of_db_time(side.db_cpu)
    if share is None:
        return NO_CPU
    text = (
        f"The host was {percent(busy / 100)} busy while {number(alone.sessions)} sessions were active, "
        f"and DB CPU is {percent(share)} of DB time: sessions wait, they do not compute."
    )
    evidence = (*_BUSY, _cpu_row(alone))
    return Observation("CPU is not the limit.", text, evidence, subject=Subject("host", "CPU"), explains=("top-wait",))


def resource_manager(alone: Alone) -> Answer:
    """Sessions held back by the resource manager for 5 % of DB time; what caps the CPU is named.

    Looks at the event resmgr:cpu quantum and at Instance CPU, whichever says more.

    Source: Oracle Database Reference, wait event resmgr:cpu quantum; Administrator's Guide, instance caging.
    """
    side = alone.side
    if not side.foreground and not side.has("instance_cpu"):
        return Unknown("Foreground Wait Events: resmgr:cpu quantum; Instance CPU")
    share = headroom.managed(side)
    if share < _MANAGED or alone.sessions is None:
        return QUIET
    event = side.foreground.get(headroom.QUANTUM)
    sessions = alone.spent(event.total) if event else Range(share * alone.sessions, share * alone.sessions)
    caps = headroom.caps(side)
    plan = side.text("init_parameters", "begin_value", "resource_manager_plan")
    reasons = [c.said for c in caps] + ([f"resource_manager_plan is {plan}"] if plan else [])
    text = f"Sessions were runnable but held back for {percent(share)} of DB time"
    text += f", {number(share * alone.sessions)} active sessions" + (f": {'; '.join(reasons)}." if reasons else ".")
    evidence = (*quantum_rows(side), *(c.evidence for c in caps))
    subject = Subject("cpu", "resource manager")
    return Observation("The resource manager holds sessions back.", text, evidence, sessions, subject, tone="worse")


def unaccounted_time(alone: Alone) -> Answer:
    """At least 15 % of DB time is in no wait and not on CPU.

    Sessions queued for CPU only where the host was at least 70 % busy; else it is said as what it is, with the reasons
    for it that the report itself prints and that can hold it: from half of that time on, or from a tenth with how much
    at most.

    Source: Oracle Database Reference, V$SYS_TIME_MODEL: DB time holds waits, CPU and the queue for CPU.
    """
    missing, whole, side = alone.unaccounted, alone.sessions, alone.side
    if missing is None or whole is None:
        return Unknown("Foreground Wait Events and DB CPU, both in full")
    if missing < unaccounted.LEAST:
        return QUIET
    size = missing * whole
    text = f"{percent(missing)} of DB time is in no wait and not on CPU: {number(size)} active sessions"
    evidence = (row("time_model", "DB time", "time_s"), _DB_CPU)
    sessions, busy = Range(size, size), side.host_busy_pct
    if busy is not None and busy >= QUEUEING:
        said = f"{text}, on a host that is {percent(busy / 100)} busy."
        on_host = (*evidence, _BUSY[0])
        return Observation("Sessions queue for CPU.", said, on_host, sessions, Subject("cpu", "queue"), tone="worse")
    reasons = unaccounted.reasons_of(side, size)
    text += unaccounted.supported(reasons, "the report")
    title = unaccounted.title_of(missing, "DB time is")
    rows = (*evidence, *(r.evidence for r in reasons))
    return Observation(title, text, rows, sessions, Subject("other", "unaccounted"), tone="worse")

"""CPU of the host and of the database, and the run queue.

Source: Cary Millsap, Thinking Clearly about Performance; Oracle Database Reference, V$OSSTAT, V$SYS_TIME_MODEL.
"""

from __future__ import annotations

from awrdiff.analysis.figures_in_words import change, number, percent, several
from awrdiff.analysis.model.comparison import Evidence, Range, Sessions, Severity, Subject, Tone
from awrdiff.analysis.report.figures_by_name import Side
from awrdiff.analysis.rows.align import anchor
from awrdiff.analysis.verdict import capacity_limits
from awrdiff.analysis.verdict.rule_inputs import ALONG, MEASURES, Facts, FactsOfOne, FactsOfTwo, row
from awrdiff.analysis.verdict.rule_result import QUIET, WORK, Contradicted, Observation, RuleResult, Unknown
from awrdiff.analysis.verdict.rules import finding_sizes
from awrdiff.analysis.verdict.rules.workload_throughput import measures, rows_of_measures
from awrdiff.analysis.verdict.thresholds import OF_CHANGE, QUEUEING_PCT, SATURATED_PCT

_LONG = 2.0  # processes per CPU
_BUSY = 0.5  # of the CPUs that compute at once: below it processes in the load wait for something else
_NOT_PRINTED = Unknown("Host CPU of one host: load averages, and its CPUs")  # a global report has those of each
_EVIDENCE = (Evidence("host_cpu", "", "load_end", anchor("host_cpu")),)
_SUBJECT = Subject("host", "load")
_EXPLAINS = ("host-cpu-saturated", "unaccounted-time", "memory-exhausted", "event-latency")


def busy_of(side: Side) -> float | None:
    """Share (0..1) of CPUs that can compute at once."""
    busy = side.host_busy_pct
    if busy is None or not side.cpus or side.processors <= 0:
        return None
    return min(busy / 100 * side.cpus / side.processors, 1.0)


def is_long(side: Side) -> bool | None:
    load = side.load_average
    return None if load is None or side.processors <= 0 else load.high >= _LONG * side.processors


def load_text(side: Side) -> str:
    load, printed = side.load_average, side.processors
    if load is None:
        return ""
    between = number(load.high) if load.low == load.high else f"{number(load.low)} and {number(load.high)}"
    of = "virtual CPU" if printed < (side.cpus or 0) else "CPU"
    return f"load averages of {between} at the snapshots on {several(printed, of, of + 's')}"


def load_average(facts: Facts) -> RuleResult:
    """A load average of {_LONG} processes per CPU at a snapshot, on a host whose CPUs were at least {_BUSY:%} busy."""
    long = [is_long(s) for s in facts.sides]
    if None in long:
        return _NOT_PRINTED
    if not any(long):
        return QUIET
    side, *other_sides = facts.sides[::-1] if long[-1] else facts.sides
    busy = busy_of(side)  # Linux load counts uninterruptible waits: idle CPUs deny queues
    if busy is not None and busy < _BUSY:
        return Contradicted(f"BUSY_TIME: {percent(busy)} of the CPUs")
    which, other = ("Second", "First") if long[-1] else ("First", "Second")
    text = f"{which if other_sides else 'It'} {'has' if other_sides else 'prints'} {load_text(side)}"
    if not all(long):
        text += f"; {other} {load_text(other_sides[0])}"
    title = "The run queue is long." if long[-1] else "The run queue was long in First."
    severity: Severity = "warning" if facts.unrelated or not other_sides or (long[-1] and not long[0]) else "note"
    return Observation(title, f"{text}.", _EVIDENCE, None, _SUBJECT, severity=severity, explains=_EXPLAINS)


BUSY = (row("os_statistics", "BUSY_TIME", "value"), row("os_statistics", "IDLE_TIME", "value"))
DB_CPU = row("time_model", "DB CPU", "time_s")
NO_HOST = Unknown("Operating System Statistics of one host: BUSY_TIME, IDLE_TIME")
_NO_CPU = Unknown("Time Model Statistics: DB CPU")
_CPU = Subject("cpu", "DB CPU")
_HOST_CPU = Subject("host", "CPU")
MUCH = 0.5  # of the CPUs that were busy
_BINDS_LESS = ("The resource manager binds less.", "The CPU cap binds less.")


def host_cpu_saturated(facts: Facts) -> RuleResult:
    """A host {SATURATED_PCT} % busy on a side, with the database's own CPU; it ended below {QUEUEING_PCT} %."""
    busy = [side.host_busy_pct for side in facts.sides if side.host_busy_pct is not None]
    if len(busy) < len(facts.sides):
        return NO_HOST
    if max(busy) < SATURATED_PCT:
        return QUIET
    side, sessions = facts.sides[-1], finding_sizes.size_in(facts, lambda s: s.db_cpu)
    shares = " → ".join(percent(each / 100) for each in busy)
    text = f"Host busy {shares}" if len(busy) > 1 else f"The host was {shares} busy"
    if isinstance(facts, FactsOfTwo) and isinstance(sessions, Sessions) and busy[1] < SATURATED_PCT:
        ended = "The host's CPUs are no longer saturated."
        if busy[1] >= QUEUEING_PCT:
            ended = f"The host's CPUs are less busy, and still {percent(busy[1] / 100)}."
        title = facts.end_of_trouble("The host's CPUs are saturated", ended)
        tone: Tone = "worse" if facts.unrelated else finding_sizes.tone_of(sessions, "better")
        severity: Severity = "warning" if facts.unrelated else "note"
        size = sessions if sessions.first is not None else None
        return Observation(title, f"{text}.", BUSY, size, _HOST_CPU, tone, severity=severity)
    has_size = side.sessions(side.db_cpu) is not None
    others_text = _busy_elsewhere(side, " in Second" * (len(busy) > 1))
    text += ": part of every wait is waiting for CPU"
    text += f"; the database itself took {finding_sizes.text(sessions)} on CPU{others_text}." if has_size else "."
    rose = not isinstance(sessions, Sessions) or facts.unrelated or busy[1] - busy[0] >= 5 or sessions.change > 0
    return Observation(
        "The host's CPUs are saturated.",
        text,
        (*BUSY, cpu_row(side)) if has_size else BUSY,
        sessions if has_size else None,
        _HOST_CPU,
        "worse" if rose else "neutral",
        severity="warning",
        at_limit=capacity_limits.is_cpu_overloaded(side),
    )


def _busy_elsewhere(side: Side, where: str = "") -> str:
    if capacity_limits.is_virtual(side):
        return ""
    own, busy = side.per_second(side.db_cpu) or 0.0, (side.host_busy_pct or 0.0) / 100 * (side.cpus or 0)
    return f"; others took most of the {number(busy)} CPUs that were busy{where}" if own < MUCH * busy else ""


def is_others(side: Side) -> bool:
    return bool(_busy_elsewhere(side))


def cpu_not_the_limit_of_two(facts: FactsOfTwo) -> RuleResult:
    """Half as many active sessions again on a host below {QUEUEING_PCT} %, no busier, and no sign of short CPU."""
    busy, active = facts.both_sides(lambda s: s.host_busy_pct), facts.sessions()
    if busy is None or active is None:
        return NO_HOST
    rose = facts.db_time_rose and active.factor is not None and active.factor >= 1.5
    if not rose or busy.second >= QUEUEING_PCT or busy.diff > 10:
        return QUIET
    denied = capacity_limits.sign_of_shortage(facts)
    if denied is not None:
        return Contradicted(denied)
    if facts.second.share_of_db_time(facts.second.db_cpu) is None:
        return _NO_CPU
    share = facts.both_sides(lambda s: s.share_of_db_time(s.db_cpu))
    of_db_time = f" (DB CPU {percent(share.first)} → {percent(share.second)} of DB time)" if share is not None else ""
    text = (
        f"Host busy {percent(busy.first / 100)} → {percent(busy.second / 100)} "
        f"at {number(active.first)} → {number(active.second)} active sessions: "
        f"sessions wait, they do not compute{of_db_time}."
    )
    explains = ("load-against-db-time",)
    return Observation("CPU is not the limit.", text, (*BUSY, DB_CPU), subject=_HOST_CPU, explains=explains)


def cpu_not_the_limit_of_one(facts: FactsOfOne) -> RuleResult:
    """Active sessions, CPU under {capacity_limits.OF_DB_TIME:%} of their time, a host below {QUEUEING_PCT} % busy."""
    side, busy = facts.side, facts.side.host_busy_pct
    if busy is None or facts.sessions is None:
        return NO_HOST
    if facts.sessions < 1 or busy >= QUEUEING_PCT or capacity_limits.sign_in_cpu_share(side):
        return QUIET
    missing = facts.unaccounted
    denied = capacity_limits.sign_in_settings(side) or capacity_limits.sign_in_unaccounted_time(missing or 0.0)
    if denied := denied or capacity_limits.sign_in_missing_rows(side):
        return Contradicted(denied)
    share = side.share_of_db_time(side.db_cpu)
    if share is None:
        return _NO_CPU
    text = (
        f"The host was {percent(busy / 100)} busy while {number(facts.sessions)} sessions were active, "
        f"and DB CPU is {percent(share)} of DB time: sessions wait, they do not compute."
    )
    evidence = (*BUSY, cpu_row(facts.side))
    return Observation("CPU is not the limit.", text, evidence, subject=_HOST_CPU, explains=("top-wait",))


def db_cpu_change(facts: FactsOfTwo) -> RuleResult:
    """DB CPU moved by a quarter per unit of every measure of the work; of the same work, per its median."""
    cpu = facts.both_sides(lambda s: s.per_second(s.db_cpu))
    if cpu is None or cpu.factor is None:
        return _NO_CPU
    work, units = facts.work_factor(cpu.factor), facts.per_unit(cpu.factor)
    if work is None or units is None:
        return WORK
    sessions = finding_sizes.sessions_in(facts, lambda s: s.db_cpu)
    active = facts.sessions()
    if active is not None and abs(cpu.diff) < 0.05 * max(active.first, active.second):
        return QUIET
    measure = facts.work_that_changed()
    low, high = (cpu.factor / work,) * 2 if measure is None else (units.low, units.high)
    by = f"{measure} {change(1.0, cpu.factor / units.ratios[measure])}" if measure else ""
    if high >= 1 / 1.25 and low <= 1.25:
        apart = not 1 / 1.25 <= cpu.factor / work <= 1.25
        return Contradicted(by) if apart and by else QUIET
    if by and (facts.nearly_idle or facts.different_databases_and_work):
        why = f"{facts.nearly_idle} is nearly idle" if facts.nearly_idle else "another database"
        return Contradicted(f"{why}, {by}")
    same = "for the same work" if facts.is_same_work else "for as much work"
    of = same if measure is None else "per unit of work"
    text = f"DB CPU {number(cpu.first)} → {number(cpu.second)} CPUs ({change(cpu.first, cpu.second)}); "
    text += f"{measures(facts)}{'' if measure is None else f'. CPU {units.text()}'}."
    evidence = (DB_CPU, *rows_of_measures(facts, facts.work()))
    title = f"{'More' if low > 1 else 'Less'} CPU {of}."
    return Observation(
        title, text, evidence, sessions, _CPU, finding_sizes.tone_of(sessions, "worse" if low > 1 else "better")
    )


def cpu_time_of_two(facts: FactsOfTwo) -> RuleResult:
    """CPU carries {OF_CHANGE:%} of the change of DB time; no trouble where the work moved as much."""
    cpu, active = facts.both_sides(lambda s: s.per_second(s.db_cpu)), facts.sessions()
    if cpu is None or active is None:
        return _NO_CPU
    is_steady = abs(active.diff) < 0.05 * max(active.first, active.second)
    if is_steady or cpu.diff * active.diff <= 0 or abs(cpu.diff) < OF_CHANGE * abs(active.diff):
        return QUIET
    grew = active.diff > 0
    sessions = finding_sizes.sessions_in(facts, lambda s: s.db_cpu)
    of = finding_sizes.part_of(abs(cpu.diff), abs(active.diff), grew=grew, apart=facts.unrelated)
    text = f"DB CPU {number(cpu.first)} → {number(cpu.second)}: {of}"
    title = f"Sessions spend {'more' if grew else 'less'} time on CPU"
    gets = two.factor if (two := facts.work().get("logical reads")) is not None else None
    along = gets and cpu.factor is not None and 1 / ALONG <= cpu.factor / gets <= ALONG and facts.goes_along(gets)
    if along or facts.goes_along(cpu.factor):
        title = f"{title}, for {'more' if grew else 'less'} work."
        return Observation(title, f"{text}.", (DB_CPU,), sessions, _CPU)
    return Observation(f"{title}.", f"{text}.", (DB_CPU,), sessions, _CPU, "worse" if grew else "better")


def cpu_time_of_one(facts: FactsOfOne) -> RuleResult:
    """DB CPU takes {capacity_limits.OF_DB_TIME:%} of DB time."""
    sessions = facts.sessions_in(facts.side.db_cpu)
    share = facts.share(sessions)
    if sessions is None or share is None:
        return _NO_CPU
    if share < capacity_limits.OF_DB_TIME:
        return QUIET
    title = f"{'Most' if share >= 0.5 else 'Much'} of DB time is CPU."
    # A cluster's report does not print each instance's CPUs.
    cpus = facts.side.cpus if facts.side.report.kind != "awr_global" else None
    of_cpus = f" of the host's {f'{cpus} CPUs' if cpus > 1 else 'one CPU'}" if cpus else " CPUs"
    text = f"DB CPU took {number(sessions.middle)}{of_cpus} on average, {percent(min(share, 1.0))} of DB time"
    work = {name: MEASURES[name] for name in ("executions", "logical reads")}
    each = " and ".join(f"{number(rate)} {name}" for name, names in work.items() if (rate := facts.rate(*names)))
    text += f", for {each} per second." if each else "."
    statistics = [statistic for statistic, *_ in work.values() if facts.side.statistic(statistic) is not None]
    rows = (cpu_row(facts.side), *(row("instance_activity", n, "total") for n in statistics))
    return Observation(title, text, rows, sessions, _CPU)


def resource_manager(facts: Facts) -> RuleResult:
    """The resource manager holds sessions back for {capacity_limits.MANAGED:%} of DB time on a side; caps are named."""
    sides = facts.sides
    if not all(side.foreground or side.has("instance_cpu") for side in sides):
        return Unknown("Foreground Wait Events: resmgr:cpu quantum")
    shares = [capacity_limits.managed_share(side) for side in sides]
    if max(shares) < capacity_limits.MANAGED:
        return QUIET
    most = max(facts.sides, key=capacity_limits.managed_share)
    if capacity_limits.managed_share(most) <= _AS_MUCH * capacity_limits.share_of_event(most):
        sessions: finding_sizes.Size = finding_sizes.size_waiting(facts, lambda name: name == capacity_limits.QUANTUM)
    else:
        shares_and_levels = [(share, side.active_sessions) for side, share in zip(facts.sides, shares, strict=True)]
        # Instance CPU prints tenths of a percent.
        bounds = [(max(share - 0.0005, 0.0), share + 0.0005, level) for share, level in shares_and_levels]
        sessions = finding_sizes.of_sides(
            [Range(low * n, high * n) if n is not None else None for low, high, n in bounds]
        )
    tone, most = finding_sizes.tone(sessions), sides[-1] if shares[-1] >= shares[0] else sides[0]
    caps, plan = capacity_limits.caps(most), most.text("init_parameters", "begin_value", "resource_manager_plan")
    reasons = [c.text for c in caps] + ([f"resource_manager_plan is {plan}"] if plan else [])
    text = (
        f"Sessions were runnable but held back for {finding_sizes.share_text(shares)} ({finding_sizes.text(sessions)})"
    )
    text += f": {'; '.join(reasons)}." if reasons else "."
    at_limit = capacity_limits.is_cpu_capped(sides[-1])
    title = "The resource manager holds sessions back."
    if tone == "better":
        title = "The resource manager still holds sessions back." if at_limit else _BINDS_LESS[bool(caps)]
    if tone == "better" and facts.unrelated:
        title = "First was capped." if caps else "The resource manager held sessions back in First."
    evidence = (*quantum_rows(*reversed(sides)), *(c.evidence for c in caps))
    return Observation(title, text, evidence, sessions, Subject("cpu", "resource manager"), tone, at_limit=at_limit)


_AS_MUCH = 1.25  # times the event's share


def quantum_rows(*sides: Side) -> tuple[Evidence, ...]:
    rows = [e.evidence() for s in sides if (e := s.foreground.get(capacity_limits.QUANTUM))][:1]
    printed = Evidence("instance_cpu", "", "pct_db_time_waiting_for_cpu", anchor("instance_cpu"))
    more = not rows or any(capacity_limits.is_managed_as_printed(s) for s in sides)
    return (*rows, *([printed] if more else []))


def cpu_row(side: Side) -> Evidence:
    name = "DB CPU" if side.row("top_timed_events", "DB CPU") else "CPU time"
    return DB_CPU if side.time_model("DB CPU") is not None else row("top_timed_events", name, "total_wait_time_s")

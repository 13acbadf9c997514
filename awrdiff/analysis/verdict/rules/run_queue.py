"""Load averages: processes that wanted a CPU at the snapshots.

Source: Oracle Database Reference, V$OSSTAT: LOAD; proc(5), loadavg.
"""

from __future__ import annotations

from awrdiff.analysis.model.comparison import Evidence, Severity, Subject
from awrdiff.analysis.report.side import Side
from awrdiff.analysis.rows.align import anchor
from awrdiff.analysis.verdict.facts import Facts
from awrdiff.analysis.verdict.rule_result import QUIET, Contradicted, Observation, RuleResult, Unknown
from awrdiff.analysis.words import number, percent, several

_LONG = 2.0  # processes per CPU
_BUSY = 0.5  # of the CPUs that compute at once: below it processes in the load wait for something else
_NOT_PRINTED = Unknown("Host CPU: load averages; the number of CPUs")
_EVIDENCE = (Evidence("host_cpu", "", "load_end", anchor("host_cpu")),)
_SUBJECT = Subject("host", "load")
_EXPLAINS = ("host-cpu-saturated", "unaccounted-time", "memory-exhausted", "event-latency")


def busy_of(side: Side) -> float | None:
    """Share (0..1) of the CPUs that can compute at once."""
    busy = side.host_busy_pct
    if busy is None or not side.cpus or side.processors <= 0:
        return None
    return min(busy / 100 * side.cpus / side.processors, 1.0)


def is_long(side: Side) -> bool | None:
    """None where not printed."""
    load = side.load_average
    return None if load is None or side.processors <= 0 else load.high >= _LONG * side.processors


def contradiction(side: Side) -> str:
    """Linux counts uninterruptible waits in the load: idle CPUs deny a queue."""
    busy = busy_of(side)
    return f"BUSY_TIME: {percent(busy)} of the CPUs" if busy is not None and busy < _BUSY else ""


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
    side, other_sides = (
        facts.sides[-1] if long[-1] else facts.sides[0],
        facts.sides[:-1] if long[-1] else facts.sides[1:],
    )
    if contradiction(side):
        return Contradicted(contradiction(side))
    which, other = ("Second", "First") if long[-1] else ("First", "Second")
    text = f"{which if other_sides else 'It'} {'has' if other_sides else 'prints'} {load_text(side)}"
    if not all(long):
        text += f"; {other} {load_text(other_sides[0])}"
    title = "The run queue is long." if long[-1] else "The run queue was long in First."
    severity: Severity = "warning" if facts.unrelated or not other_sides or (long[-1] and not long[0]) else "note"
    return Observation(title, f"{text}.", _EVIDENCE, None, _SUBJECT, severity=severity, explains=_EXPLAINS)

"""What one unit costs: a hard parse, a logon, an execution."""

from __future__ import annotations

from typing import NamedTuple

from awrdiff.analysis.model.comparison import Subject
from awrdiff.analysis.report.side import Side
from awrdiff.analysis.verdict.rules import sizes
from awrdiff.analysis.verdict.rules.facts import QUIET, Answer, Facts, Forbidden, Said, Two, Unknown, row
from awrdiff.analysis.verdict.rules.parsing import HARD
from awrdiff.analysis.verdict.rules.sessions import CONNECT
from awrdiff.analysis.words import change, number, percent, seconds

_DEARER = 2.0
_ONE_STATEMENT = 0.5  # of DB time
_FEWEST = 100  # of a unit, on each side: an average of fewer is that of a few
_EXECUTE = "sql execute elapsed time"


class Unit(NamedTuple):
    """What is counted, in words, the time model's row of its time and the statistic of its number."""

    name: str
    time: str
    statistic: str


class Cost(NamedTuple):
    """Of one side, in seconds each: as narrow as the printed total allows."""

    low: float
    high: float
    times: float

    @property
    def middle(self) -> float:
        return (self.low + self.high) / 2


_UNITS = (
    Unit("hard parse", HARD, "parse count (hard)"),
    Unit("logon", CONNECT, "logons cumulative"),
    Unit("execution", _EXECUTE, "execute count"),
)


def unit_costs(facts: Facts) -> Answer:
    """One hard parse, logon or execution takes twice or half the time; at least 100 of them on both sides.

    Twice, since an average over all statements moves by less with their mixture alone. Where one statement is half of
    a side's DB time, the average execution is that of none, and the statement is told instead.

    Source: Oracle Database Reference, V$SYS_TIME_MODEL and V$SYSSTAT.
    """
    pairs = [(u, _cost(facts.first, u), _cost(facts.second, u)) for u in _UNITS]
    if all(a is None or b is None for _, a, b in pairs):
        return Unknown("Time Model Statistics and Instance Activity Stats")
    told = [(u, said) for u, a, b in pairs if a and b and (said := _said(facts, u, a, b)) is not None]
    one = next((m for m in facts.moved_statements if m.of_side >= _ONE_STATEMENT), None)
    found = tuple(said for u, said in told if one is None or u.time != _EXECUTE)
    if told and not found and one is not None:
        return Forbidden(f"{one.pair.sql_id}: {percent(one.of_side)} of DB time")
    return found or QUIET


def _cost(side: Side, unit: Unit) -> Cost | None:
    total, count = side.time_model(unit.time), side.statistic(unit.statistic)
    if total is None or count is None or count.number < _FEWEST:
        return None
    return Cost(max(total.low, 0.0) / count.number, total.high / count.number, count.number)


def _said(facts: Facts, unit: Unit, a: Cost, b: Cost) -> Said | None:
    dearer, cheaper = b.low >= _DEARER * a.high, a.low >= _DEARER * b.high
    if not (dearer or cheaper):
        return None
    sessions = sizes.spent(facts, lambda s: s.time_model(unit.time))
    counts = facts.counted(a.times, b.times, "of them")
    text = (
        f"{seconds(a.middle)} → {seconds(b.middle)} ({change(a.middle, b.middle)}); {counts}, {sizes.said(sessions)}."
    )
    return Said(
        f"One {unit.name} takes {seconds(b.middle)} rather than {seconds(a.middle)}.",
        text,
        (row("time_model", unit.time, "time_s"), row("instance_activity", unit.statistic, "total")),
        sessions,
        Subject("work", unit.name),
        sizes.tone_of(sessions, "worse" if dearer else "better"),
    )


def gets_per_execution(facts: Facts) -> Answer:
    """Logical reads per execution doubled or halved, of at least one execution per second on both sides.

    Twice: a plan that reads more shows by a factor, a mixture of statements by less. It has no size of its own: it may
    explain what CPU does.

    Source: Oracle Database Reference, V$SYSSTAT.
    """
    reads = facts.rate("session logical reads", "Logical read (blocks)", "Logical reads")
    runs = facts.rate("execute count", "Executes (SQL)", "Executes")
    if reads is None or runs is None:
        return Unknown("session logical reads, execute count")
    if facts.idle or min(runs.first, runs.second) < 1 or reads.first <= 0:
        return QUIET
    each = Two(reads.first / runs.first, reads.second / runs.second)
    if each.factor is None or 1 / _DEARER < each.factor < _DEARER:
        return QUIET
    title = f"{'More' if each.factor > 1 else 'Fewer'} logical reads per execution."
    text = f"{number(each.first)} → {number(each.second)} per execution ({change(each.first, each.second)})"
    text += f"; logical reads {change(reads.first, reads.second)}, executions {change(runs.first, runs.second)}."
    evidence = (row("instance_activity", "session logical reads", "total"),)
    return Said(
        title,
        text,
        (*evidence, row("instance_activity", "execute count", "total")),
        subject=Subject("work", "gets per execution"),
        explains=("db-cpu", "cpu-time", "load-against-db-time"),
    )

"""Cost of one hard parse, logon or execution.

Source: Oracle Database Reference, V$SYS_TIME_MODEL, V$SYSSTAT.
"""

from __future__ import annotations

from msgspec.structs import astuple

from awrdiff.analysis.figures_in_words import change, number, percent, seconds
from awrdiff.analysis.model.comparison import Range, Subject
from awrdiff.analysis.report.ash_and_addm_load import FROM_DISK_S
from awrdiff.analysis.report.figures_by_name import Side
from awrdiff.analysis.report.printed_rows import printed_rows
from awrdiff.analysis.report.sql_statements import SAMPLED
from awrdiff.analysis.verdict.rule_inputs import MEASURES, FactsOfTwo, FirstSecond, row
from awrdiff.analysis.verdict.rule_result import QUIET, Contradicted, Observation, RuleResult, Unknown
from awrdiff.analysis.verdict.rules import finding_sizes
from awrdiff.analysis.verdict.rules.parsing import HARD
from awrdiff.analysis.verdict.rules.sessions import CONNECT

_DEARER = 2.0  # an average over all statements moves by less with their mixture alone
_HALF = 0.5  # of DB time
_FEW_RUNS = 10
_LONG = 10  # samples of one execution, 10 s apart
_FEWEST = 100  # of a unit, on each side: an average of fewer is that of a few
_EXECUTE = "sql execute elapsed time"


_UNITS = (
    ("hard parse", HARD, "parse count (hard)"),
    ("logon", CONNECT, "logons cumulative"),
    ("execution", _EXECUTE, "execute count"),
)


def unit_costs(facts: FactsOfTwo) -> RuleResult:
    """One hard parse, logon or execution takes twice or half the time, with {_FEWEST} of them on each side."""
    pairs = [(u, _cost(facts.first, u), _cost(facts.second, u)) for u in _UNITS]
    if all(a is None or b is None for _, a, b in pairs):
        return Unknown("Time Model Statistics and Instance Activity Stats")
    cost_texts = [(u, text) for u, a, b in pairs if a and b and (text := _cost_of_unit(facts, u, a, b)) is not None]
    of_none = _average_of_none(facts)
    if not of_none and not facts.is_same_work:
        name = facts.work_that_changed()
        of_none = "statements that ran twice or half as often"
        if name:
            of_none = f"{name} {change(*astuple(facts.work()[name]))}"
    texts = tuple(text for u, text in cost_texts if not of_none or u[1] != _EXECUTE)
    return Contradicted(of_none) if cost_texts and not texts else texts or QUIET


def _average_of_none(facts: FactsOfTwo) -> str:
    dominant = next((m for m in facts.statement_changes if m.of_side >= _HALF), None)
    if dominant is not None:
        return f"{dominant.pair.sql_id}: {percent(dominant.of_side)} of DB time"
    for name, side in (("Second", facts.second), ("First", facts.first)):
        few = [s for s in side.statements.values() if s.executions is not None and s.executions.number <= _FEW_RUNS]
        whole = (side.active_sessions or 0.0) * (side.elapsed.number if side.elapsed else 0.0) / FROM_DISK_S
        shares: dict[tuple[str, str], float] = {}
        for sampled in printed_rows(
            side.section(SAMPLED[0]) if None not in (side.active_sessions, side.elapsed) else None
        ):
            runs, active = sampled.number("sampled_executions"), sampled.number("pct_activity")
            is_few = runs is not None and runs.number <= _FEW_RUNS
            if runs and active and is_few and active.number / 100 * whole >= _LONG * runs.number:
                shares[sampled.text("sql_id"), sampled.text("plan_hash")] = active.number / 100
        timed = sum(side.share_of_db_time(s.elapsed) or 0.0 for s in few if not s.is_plsql)
        long = max(timed, sum(shares.values()))
        if long >= _HALF:
            return f"{percent(long)} of {name}'s time in statements that ran {_FEW_RUNS} times at most"
    return ""


def _cost(side: Side, unit: tuple[str, str, str]) -> Range | None:
    """Seconds each, as narrow as the printed total allows."""
    total, count = side.time_model(unit[1]), side.statistic(unit[2])
    if total is None or count is None or count.number < _FEWEST:
        return None
    return Range(max(total.low, 0.0) / count.number, total.high / count.number)


def _cost_of_unit(facts: FactsOfTwo, unit: tuple[str, str, str], a: Range, b: Range) -> Observation | None:
    name, time, statistic = unit
    dearer, cheaper = b.low >= _DEARER * a.high, a.low >= _DEARER * b.high
    sessions = finding_sizes.sessions_in(facts, lambda s: s.time_model(time))
    outweighed = (
        cheaper and finding_sizes.tone(sessions) == "worse"
    )  # by how many more there are: what got worse is the count
    if outweighed or not (dearer or cheaper):
        return None
    before, now = (count.number if (count := s.statistic(statistic)) else 0.0 for s in facts.sides)
    each, counts = change(a.middle, b.middle), facts.count_text(before, now, "of them")
    return Observation(
        f"One {name} takes {seconds(b.middle)} rather than {seconds(a.middle)}.",
        f"{seconds(a.middle)} → {seconds(b.middle)} ({each}); {counts}, {finding_sizes.text(sessions)}.",
        (row("time_model", time, "time_s"), row("instance_activity", statistic, "total")),
        sessions,
        Subject("work", name),
        finding_sizes.tone_of(sessions, "worse" if dearer else "better"),
    )


def gets_per_execution(facts: FactsOfTwo) -> RuleResult:
    """Logical reads per execution doubled or halved, no statement being {_HALF:%} of DB time."""
    reads, runs = facts.rate(*MEASURES["logical reads"]), facts.rate(*MEASURES["executions"])
    if reads is None or runs is None:
        return Unknown("session logical reads, execute count")
    if facts.idle or min(runs.first, runs.second) < 1 or reads.first <= 0:
        return QUIET
    each = FirstSecond(reads.first / runs.first, reads.second / runs.second)
    if each.factor is None or 1 / _DEARER < each.factor < _DEARER:
        return QUIET
    if of_none := _average_of_none(facts):
        return Contradicted(of_none)
    title = f"{'More' if each.factor > 1 else 'Fewer'} logical reads per execution."
    text = f"{number(each.first)} → {number(each.second)} per execution ({change(each.first, each.second)})"
    text += f"; logical reads {change(reads.first, reads.second)}, executions {change(runs.first, runs.second)}."
    evidence = (row("instance_activity", "session logical reads", "total"),)
    return Observation(
        title,
        text,
        (*evidence, row("instance_activity", "execute count", "total")),
        subject=Subject("work", "gets per execution"),
        explains=("db-cpu", "cpu-time", "load-against-db-time"),
    )

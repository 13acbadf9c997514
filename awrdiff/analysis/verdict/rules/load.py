"""Work of the application against the time it took.

Source: Oracle Database Performance Tuning Guide, DB time as the measure of load, load profile.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from awrdiff.analysis.model.comparison import Evidence, Subject
from awrdiff.analysis.verdict.facts import FactsOfTwo, FirstSecond, row
from awrdiff.analysis.verdict.rule_result import DB_TIME, QUIET, WORK, Contradicted, Observation, RuleResult, Unknown
from awrdiff.analysis.verdict.rules import sizes
from awrdiff.analysis.words import change, listing, number, sentence

# Of each measure of the work: the statistic it is read from, and the load profile's names for its rate.
_READ_FROM: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "transactions": ("user commits", ("Transactions",)),
    "user calls": ("user calls", ("User calls",)),
    "executions": ("execute count", ("Executes (SQL)", "Executes")),
    "logical reads": ("session logical reads", ("Logical read (blocks)", "Logical reads")),
}
_WORK = Subject("work", "load")
THE_WINDOWS = "The rates are those of the windows, not of the work."
_LEAST_REDO = 100_000.0  # bytes per second: less fits into a log of any size for hours
_FEW = 100  # transactions: fewer have no usual size
_MORE, _LESS, _FAR = 1.15, 0.87, 2.0  # DB time per unit of work: less of a difference is that of any two hours


def load_against_db_time(facts: FactsOfTwo) -> RuleResult:
    """DB time against transactions, calls, executions, logical reads: it followed, ran ahead or fell behind."""
    active = facts.sessions()
    if active is None or active.factor is None:
        return DB_TIME
    units = facts.per_unit(active.factor)
    if units is None:
        return WORK
    if abs(active.factor - 1) < 0.10 and all(abs((t.factor or 1) - 1) < 0.10 for t in facts.work().values()):
        return QUIET
    comparable = (
        facts.work_that_changed()
        and not facts.nearly_idle
        and facts.is_comparable(units.low)
        and facts.is_comparable(units.high)
    )
    per_unit = f" DB time {units.text()}." if comparable else ""
    sessions = sizes.active(facts)
    title = _title(facts, active.factor, units.low, units.high)
    ahead, behind = title.startswith("More") or "more time" in title, "ess" in title
    return Observation(
        title,
        f"{sizes.text(sessions)}; {measures(facts)}.{per_unit}",
        (
            _db_time(facts),
            *rows_of_measures(facts, (n for n, t in facts.work().items() if facts.is_comparable(t.factor))),
        ),
        sessions,
        _WORK,
        "worse" if ahead and sessions.change > 0 else "better" if behind and sessions.change < 0 else "neutral",
    )


def _title(facts: FactsOfTwo, factor: float, low: float, high: float) -> str:
    """The work itself is dearer or cheaper only where all units agree."""
    if facts.nearly_idle or facts.runs:
        return f"{facts.nearly_idle} is nearly idle." if facts.nearly_idle else THE_WINDOWS
    if facts.work_that_changed() is None and not facts.is_other_sql:
        work = facts.work_factor(factor) or 1.0
        middle = factor / work
        if _LESS < middle < _MORE:
            return "As much work takes about as much time." if _LESS < work < _MORE else "DB time follows the work."
        took = "less time" if middle <= _LESS else "far more time" if middle >= _FAR else "more time"
        what = "The same" if facts.is_same_work else "As much"
        return f"{what} work takes {took}{' in Second' * facts.unrelated}."
    apart = facts.is_other_sql or facts.different_databases_and_work
    if (low >= _MORE or high <= _LESS) and not apart:
        return f"{'More' if low >= _MORE else 'Less'} DB time per unit of work."
    if low >= _LESS and high <= _MORE and not facts.is_other_sql:
        return "DB time follows the work."
    return "The work is of another kind." if apart or facts.other_work else "DB time follows part of the work."


def measures(facts: FactsOfTwo) -> str:
    changes = [f"{n} {change(t.first, t.second)}" for n, t in facts.work().items() if facts.is_comparable(t.factor)]
    return "; ".join(changes) or "another workload"


def rows_of_measures(facts: FactsOfTwo, names: Iterable[str]) -> tuple[Evidence, ...]:
    """Rows of the measures: exact totals where both sides print them."""
    return tuple(_row_of(facts, *_READ_FROM[name]) for name in names)


def _row_of(facts: FactsOfTwo, statistic: str, rates: tuple[str, ...]) -> Evidence:
    if facts.both_sides(lambda s: v.number if (v := s.statistic(statistic)) else None) is not None:
        return row("instance_activity", statistic, "total")
    printed = next((n for n in rates for s in (facts.second, facts.first) if s.load(n) is not None), rates[0])
    return row("load_profile", printed, "per_second")


def _db_time(facts: FactsOfTwo) -> Evidence:
    if facts.both_sides(lambda s: v.number if (v := s.time_model("DB time")) else None) is not None:
        return row("time_model", "DB time", "time_s")
    return row("load_profile", "DB Time(s)", "per_second")


def throughput_collapsed(facts: FactsOfTwo) -> RuleResult:
    """A measure of the same work halved while DB time doubled: more sessions get less done."""
    active, fallen = facts.sessions(), collapsed_measures(facts)
    if active is None:
        return DB_TIME
    if not facts.work():
        return WORK
    if not fallen:
        return QUIET
    if facts.unrelated or facts.is_other_sql:
        return Contradicted("different databases" if facts.unrelated else "SQL tables: other statements on each side")
    # another measure grew: other work
    grown = next((n for n, t in facts.work().items() if (t.factor or 0.0) > 1.25), None)
    if grown is not None:
        return Contradicted(f"{grown} {change(facts.work()[grown].first, facts.work()[grown].second)}")
    rates = [f"{n} {number(t.first)} → {number(t.second)} per second" for n, t in fallen.items()]
    sessions = sizes.active(facts)
    return Observation(
        f"Less gets done: {listing([f'{n} {change(t.first, t.second)}' for n, t in fallen.items()])}.",
        f"{sentence('; '.join(rates))}, while {sizes.text(sessions)} were needed ({measures(facts)}).",
        (*rows_of_measures(facts, fallen), _db_time(facts)),
        sessions,
        _WORK,
        "worse",
    )


def collapsed_measures(facts: FactsOfTwo) -> dict[str, FirstSecond]:
    """Measures of the work that halved while DB time doubled."""
    active = facts.sessions()
    if active is None or (active.factor or 0.0) < 2.0:
        return {}
    return {n: t for n, t in facts.work().items() if t.factor is not None and t.factor <= 0.5 and t.first >= 1.0}


def redo(facts: FactsOfTwo) -> RuleResult:
    """Redo per transaction halved or doubled; {_LEAST_REDO} bytes per second, {_FEW} transactions a side at least."""
    size, transactions = facts.rate("redo size", "Redo size (bytes)", "Redo size"), facts.transactions()
    if size is None or size.factor is None:
        return Unknown("redo size")
    if transactions is None or not transactions.factor:
        return Unknown("transactions")
    ratio = size.factor / transactions.factor
    few = min(s.transactions or 0.0 for s in (facts.first, facts.second)) < _FEW
    if few or max(size.first, size.second) < _LEAST_REDO or 0.5 < ratio < 2:
        return QUIET
    rates = f"{number(size.first / 1024)} → {number(size.second / 1024)} KB per second"
    text = f"Redo per transaction {change(1.0, ratio)}: {rates}, transactions {change(1.0, transactions.factor)}."
    title = "More redo per transaction." if ratio > 1 else "Less redo per transaction."
    evidence = (row("instance_activity", "redo size", "total"), *rows_of_measures(facts, ("transactions",)))
    return Observation(title, text, evidence, subject=_WORK, explains=("commit-latency", "log-file-switch"))

"""Work of the application against the time it took, and its distribution over a cluster's instances.

Source: Oracle Database Performance Tuning Guide, DB time; RAC Administration Guide, load balancing of services.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec import Struct

from awrdiff.analysis.model.comparison import Evidence, Range, Subject
from awrdiff.analysis.report.side import Side
from awrdiff.analysis.rows.align import anchor
from awrdiff.analysis.verdict.facts import LEAST_SESSIONS, Facts, FactsOfTwo, FirstSecond, row
from awrdiff.analysis.verdict.rule_result import (
    DB_TIME,
    QUIET,
    WORK,
    Contradicted,
    Observation,
    Quiet,
    RuleResult,
    Unknown,
)
from awrdiff.analysis.verdict.rules import sizes
from awrdiff.analysis.words import change, listing, number, percent, sentence

_MODEL, _INSTANCES, _CLASSES = "time_model_by_instance", "instances_in_report", "foreground_wait_classes_by_instance"
_MEASURES = {"DB CPU": (_MODEL, "db_cpu_s"), "DB time": (_MODEL, "db_time_s"), "cluster waits": (_CLASSES, "cluster_s")}
_TIMES = 2.0  # of the mean of the other instances: balanced services differ by less
_LEAST_SHARE = 0.05  # of the sessions of all instances
_WHOLE = 0.5  # of the longest window: an instance that ran for less has no mean of it
_NOT_PRINTED = Unknown("Time Model of each instance")
_SUBJECT = Subject("work", "instances")


class Skew(Struct, frozen=True):
    """Most uneven measure of one report, in average active sessions by instance, and the even ones."""

    measure: str
    by_instance: Mapping[str, float]
    even: Mapping[str, Mapping[str, float]]
    evidence: Evidence

    @property
    def excess(self) -> Range:
        """Active sessions of the busiest instance above the mean of the others."""
        size = _excess(self.by_instance)
        return Range(size, size)

    @property
    def text(self) -> str:
        text = f"{self.measure} {_each(self.by_instance)}"
        even = [f"{name} {_each(of)}" for name, of in self.even.items()]
        return f"{text}; evenly spread: {'; '.join(even)}" if even else text

    @property
    def title(self) -> str:
        return f"{self.measure} {'are' if self.measure.endswith('s') else 'is'} spread unevenly over the instances"


def _each(of: Mapping[str, float]) -> str:
    return listing([f"{number(v)} on instance {name}" for name, v in sorted(of.items(), key=lambda each: -each[1])])


def _excess(of: Mapping[str, float]) -> float:
    most = max(of.values())
    return most - (sum(of.values()) - most) / (len(of) - 1)


def _is_uneven(of: Mapping[str, float]) -> bool:
    most = max(of.values())
    return most >= _TIMES * (sum(of.values()) - most) / (len(of) - 1)


def _column(side: Side, section_id: str, column: str) -> dict[str, float]:
    """By instance number, without rows of sums and means."""
    section = side.report.section(section_id)
    if section is None or column not in section.index:
        return {}
    cells = ((section.text(r, "instance_number") or "", section.number(r, column)) for r in section.records)
    return {name: v.number for name, v in cells if name.isdigit() and v is not None}


def skew_of(side: Side) -> Skew | Quiet | Contradicted | Unknown:
    """Largest of the uneven measures."""
    if not side.report.section(_MODEL):
        return _NOT_PRINTED if side.report.kind == "awr_global" else QUIET
    elapsed, whole = _column(side, _INSTANCES, "elapsed_s"), side.elapsed
    measured: dict[str, dict[str, float]] = {}
    for measure, (section_id, column) in _MEASURES.items():
        spent = {
            n: (s, elapsed.get(n) or (whole.number if whole else 0.0))
            for n, s in _column(side, section_id, column).items()
        }
        if len(spent) > 1 and all(e > 0 for _, e in spent.values()):
            measured[measure] = {name: s / e for name, (s, e) in spent.items()}
    least = max(LEAST_SESSIONS, _LEAST_SHARE * (side.active_sessions or 0.0))
    uneven = {m: of for m, of in measured.items() if _is_uneven(of) and _excess(of) >= least}
    if not uneven:
        return QUIET if measured else _NOT_PRINTED
    shortest = min(elapsed, key=lambda n: elapsed[n], default="")
    if shortest and elapsed[shortest] < _WHOLE * max(elapsed.values()):
        share = percent(elapsed[shortest] / max(elapsed.values()))
        return Contradicted(f"instance {shortest} is reported for {share} of the time")
    measure = max(uneven, key=lambda m: _excess(uneven[m]))
    even = {m: of for m, of in measured.items() if not _is_uneven(of) and max(of.values()) >= least}
    section_id, column = _MEASURES[measure]
    busiest = max(uneven[measure], key=lambda n: uneven[measure][n])
    return Skew(measure, uneven[measure], even, Evidence(section_id, busiest, column, anchor(section_id, busiest)))


def instance_skew(facts: Facts) -> RuleResult:
    """One instance has {_TIMES} times the mean of the others, of DB CPU, DB time or cluster waits."""
    by_side = [skew_of(side) for side in facts.sides]
    skews = [each for each in by_side if isinstance(each, Skew)]
    if not skews:
        unclear = [each for each in by_side if isinstance(each, (Contradicted, Unknown))]
        return unclear[-1] if unclear else QUIET
    names = ("First: ", "Second: ") if len(by_side) > 1 else ("",)
    text = "; ".join(f"{name}{s.text}" for name, s in zip(names, by_side, strict=True) if isinstance(s, Skew))
    sessions = sizes.of_sides([s.excess if isinstance(s, Skew) else sizes.NOTHING for s in by_side])
    title = f"{skews[-1].title}{'' if skews[-1] is by_side[-1] else ' of First'}."
    return Observation(sentence(title), f"{text}.", tuple(s.evidence for s in skews), sessions, _SUBJECT)


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

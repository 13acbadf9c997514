"""Work of the application against its time, in rules and sentences; its spread over a cluster.

Source: Oracle Database Performance Tuning Guide, DB time; RAC Administration Guide, load balancing of services.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping

from msgspec import Struct

from awrdiff.analysis.figures_in_words import change, listing, number, percent, sentence
from awrdiff.analysis.model.comparison import Evidence, Range, Subject
from awrdiff.analysis.report.figures_by_name import Side
from awrdiff.analysis.report.printed_rows import printed_rows
from awrdiff.analysis.report.single_rac_instance import numbers_of
from awrdiff.analysis.rows.align import anchor
from awrdiff.analysis.verdict.rule_inputs import (
    LEAST_SESSIONS,
    MEASURES,
    SAME_UP_TO,
    Facts,
    FactsOfTwo,
    FirstSecond,
    Units,
    row,
)
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
from awrdiff.analysis.verdict.rules import finding_sizes

_MODEL, _INSTANCES, _CLASSES = "time_model_by_instance", "instances_in_report", "foreground_wait_classes_by_instance"
_MEASURES = {"DB CPU": (_MODEL, "db_cpu_s"), "DB time": (_MODEL, "db_time_s"), "cluster waits": (_CLASSES, "cluster_s")}
_TIMES = 2.0  # of the mean of the other instances: balanced services differ by less
_LEAST_SHARE = 0.05  # of the sessions of all instances
_WHOLE = 0.5  # of the longest window: an instance that ran for less has no mean of it
_NOT_PRINTED = Unknown("Time Model of each instance")
_SUBJECT = Subject("work", "instances")


class Skew(Struct, frozen=True):
    """Most uneven measure, in active sessions by instance."""

    measure: str
    by_instance: Mapping[str, float]
    even: Mapping[str, Mapping[str, float]]
    evidence: Evidence

    @property
    def excess(self) -> Range:
        """Active sessions above the other instances' mean."""
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
    cells = ((r.text("instance_number"), r.number(column)) for r in printed_rows(side.report.section(section_id)))
    return {name: v.number for name, v in cells if name.isdigit() and v is not None}


def skew_of(side: Side) -> Skew | Quiet | Contradicted | Unknown:
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
    sessions = finding_sizes.of_sides([s.excess if isinstance(s, Skew) else finding_sizes.NOTHING for s in by_side])
    title = f"{skews[-1].title}{'' if skews[-1] is by_side[-1] else ' of First'}."
    return Observation(sentence(title), f"{text}.", tuple(s.evidence for s in skews), sessions, _SUBJECT)


_WORK = Subject("work", "load")
THE_WINDOWS = "The rates are those of the windows, not of the work."
_LEAST_REDO = 100_000.0  # bytes per second: 360 MB an hour, which any log writer keeps up with
_FEW = 100  # transactions: fewer have no usual size
_MORE, _LESS, _MUCH_MORE = 1.15, 0.87, 2.0  # DB time per unit of work: less of a difference is that of any two hours


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
    comparable = all(map(facts.is_comparable, (units.low, units.high))) and not facts.nearly_idle
    per_unit = f" DB time {units.text()}." if comparable and facts.work_that_changed() else ""
    sessions = finding_sizes.sessions_in(facts, lambda side: side.db_time)
    title = _title(facts, active.factor, units.low, units.high)
    ahead, behind = title.startswith("More") or "more time" in title, "ess" in title
    rows = rows_of_measures(facts, (n for n, t in facts.work().items() if facts.is_comparable(t.factor)))
    return Observation(
        title,
        f"{finding_sizes.text(sessions)}; {measures(facts)}.{per_unit}",
        (_db_time(facts), *rows),
        sessions,
        _WORK,
        "worse" if ahead and sessions.change > 0 else "better" if behind and sessions.change < 0 else "neutral",
    )


def _title(facts: FactsOfTwo, factor: float, low: float, high: float) -> str:
    if facts.nearly_idle or facts.runs:
        return f"{facts.nearly_idle} is nearly idle." if facts.nearly_idle else THE_WINDOWS
    if facts.work_that_changed() is None and not facts.is_other_sql:
        work = facts.work_factor(factor) or 1.0
        middle = factor / work
        if _LESS < middle < _MORE:
            return "As much work takes about as much time." if _LESS < work < _MORE else "DB time follows the work."
        took = "less time" if middle <= _LESS else "far more time" if middle >= _MUCH_MORE else "more time"
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
    """Exact totals where both sides print them."""
    rows = []
    for statistic, *rates in (MEASURES[name] for name in names):
        if all(side.statistic(statistic) is not None for side in facts.sides):
            rows.append(row("instance_activity", statistic, "total"))
        else:
            printed = (n for n in rates for s in (facts.second, facts.first) if s.load(n) is not None)
            rows.append(row("load_profile", next(printed, rates[0]), "per_second"))
    return tuple(rows)


def _db_time(facts: FactsOfTwo) -> Evidence:
    if all(side.time_model("DB time") is not None for side in facts.sides):
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
    sessions = finding_sizes.sessions_in(facts, lambda side: side.db_time)
    return Observation(
        f"Less gets done: {listing([f'{n} {change(t.first, t.second)}' for n, t in fallen.items()])}.",
        f"{sentence('; '.join(rates))}, while {finding_sizes.text(sessions)} were needed ({measures(facts)}).",
        (*rows_of_measures(facts, fallen), _db_time(facts)),
        sessions,
        _WORK,
        "worse",
    )


def collapsed_measures(facts: FactsOfTwo) -> dict[str, FirstSecond]:
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
    few = min(s.transactions or 0.0 for s in facts.sides) < _FEW
    if few or max(size.first, size.second) < _LEAST_REDO or 0.5 < ratio < 2:
        return QUIET
    rates = f"{number(size.first / 1024)} → {number(size.second / 1024)} KB per second"
    text = f"Redo per transaction {change(1.0, ratio)}: {rates}, transactions {change(1.0, transactions.factor)}."
    title = "More redo per transaction." if ratio > 1 else "Less redo per transaction."
    evidence = (row("instance_activity", "redo size", "total"), *rows_of_measures(facts, ("transactions",)))
    return Observation(title, text, evidence, subject=_WORK, explains=("commit-latency", "log-file-switch"))


_STEADY = 0.10  # active sessions within this are "about the same"
_ALONG = 0.5  # of the change of DB time: work that moved by less did not move with it


def load_text(facts: FactsOfTwo) -> str:
    lead, sessions_text = cluster_text(facts) if facts.cluster_side else "", _sessions_text(facts)
    if not lead and facts.is_other_sql and not facts.different_databases:
        lead = facts.commonality.text.rstrip(".")
    return f"{lead}: {sessions_text[0].lower()}{sessions_text[1:]}" if lead else sessions_text


def load_in_brief(facts: FactsOfTwo, symptoms: Collection[str]) -> str:
    """Change of load, without the cause's own symptoms."""
    sessions = facts.sessions()
    work = _measures(facts, but=symptoms)
    if sessions is None or sessions.factor is None or abs(sessions.factor - 1) < _STEADY or not work:
        return load_text(facts)
    verb = "rose" if sessions.factor > 1 else "fell"
    course = f"{number(sessions.first)} to {number(sessions.second)} ({change(sessions.first, sessions.second)})"
    return f"Average active sessions {verb} from {course}; {work}."


def cluster_text(facts: FactsOfTwo) -> str:
    instance, all_ = facts.first.report, facts.second.report
    if facts.cluster_side == "First":
        instance, all_ = all_, instance
    number_ = next((i.number for i in instance.instances), None)
    which = f"instance {number_}" if number_ in numbers_of(all_) else "one instance"
    return f"One instance against its cluster (like with like is {which} of {facts.cluster_side} alone)"


def _sessions_text(facts: FactsOfTwo) -> str:
    sessions = facts.sessions()
    if sessions is None:
        return "A report lacks DB time or elapsed time, so the two cannot be weighed against each other as a whole."
    before, after = number(sessions.first), number(sessions.second)
    factor = sessions.factor
    if factor is None:
        return f"Average active sessions went from {before} to {after}."
    if facts.unrelated:
        return _of_two_databases(facts, before, after, factor)
    if abs(factor - 1) < _STEADY:
        steady_text = f"Average active sessions stayed about the same ({before} and {after})"
        return f"{steady_text}, {_work_beside(facts)}." if facts.work() else f"{steady_text}."
    verb = "rose" if factor > 1 else "fell"
    text = f"Average active sessions {verb} from {before} to {after} ({change(sessions.first, sessions.second)})"
    if facts.nearly_idle:
        beside = f" ({_measures(facts)})" if facts.work() else ""
        return f"{text}: {facts.nearly_idle} is nearly idle{beside}."
    return f"{text}{_work_against(facts, factor)}." if facts.work() else f"{text}."


def _of_two_databases(facts: FactsOfTwo, before: str, after: str, factor: float) -> str:
    how = f" ({change(1.0, factor)})" if facts.is_comparable(factor) else ""
    text = f"Two different databases: {before} active sessions in First, {after} in Second{how}"
    if not all(facts.is_comparable(two.factor) for two in facts.work().values()):
        return f"{text}; another workload."
    kind = "; the work is of another kind: " if facts.other_work or facts.is_other_sql else "; "
    return f"{text}{kind}{_measures(facts)}." if facts.work() else f"{text}."


def idle_text(facts: FactsOfTwo) -> str:
    sessions = facts.sessions()
    if sessions is None:
        return ""
    cpus = list(dict.fromkeys(n for n in (facts.first.cpus, facts.second.cpus) if n))
    on = f" on {listing([str(n) for n in cpus])} CPU{'' if cpus == [1] else 's'}" if cpus else ""
    levels = f"{number(sessions.first)} and {number(sessions.second)} active sessions"
    return f"Both periods are nearly idle: {levels}{on}."


def _work_against(facts: FactsOfTwo, factor: float) -> str:
    fallen = collapsed_measures(facts)
    if fallen and not facts.other_work:
        rest = _measures(facts, but=fallen)
        return f", while {_fall_text(fallen)}{f': {rest}' if rest else ''}"
    if facts.other_work:
        return f", but the work is of another kind: {_measures(facts)}"
    units = facts.per_unit(factor)
    if units is None:
        return f"; {_measures(facts)}"
    if units.low >= _LESS and units.high <= _MORE:
        along = all(((t.factor or 0.0) - 1) / (factor - 1) >= _ALONG for t in facts.work().values())
        return f", {'in proportion to the' if along else 'with about as much'} work: {_measures(facts)}"
    if units.low <= _MORE and units.high >= _LESS:
        return _in_part(facts, units, grew=factor > 1)
    return f"{_against_range(facts, factor, units.low, units.high)}: {_measures(facts)}"


def _in_part(facts: FactsOfTwo, units: Units, *, grew: bool) -> str:
    most = (min, max) if grew else (max, min)
    names = [pick(units.ratios, key=lambda n: units.ratios[n]) for pick in most]  # what moved furthest, and least
    work = facts.work()
    first, last = ((n, change(work[n].first, work[n].second)) for n in names)
    if _LESS <= units.ratios[names[1]] <= _MORE:
        return f", as much as the work did, or less: {first[0]} {first[1]} and {last[0]} {last[1]} per second"
    as_much = f"some of the work {'grew' if grew else 'fell'} as much or more ({first[0]} {first[1]} per second)"
    return f"; {as_much}, some did not ({last[0]} {last[1]})"


def _fall_text(fallen: Mapping[str, FirstSecond]) -> str:
    by_part: dict[str, list[str]] = defaultdict(list)
    for name, two in fallen.items():
        factor = two.factor or 0.0
        by_part[f"{factor * 100:.0f} %" if factor >= 0.01 else "next to nothing"].append(name)
    (first, names), *more_parts = by_part.items()
    return listing([f"{listing(names)} fell to {first}", *(f"{listing(n)} to {part}" for part, n in more_parts)])


def _against_range(facts: FactsOfTwo, factor: float, low: float, high: float) -> str:
    grew = factor > 1
    if (grew and high < 1) or (not grew and low > 1):
        degree = "far " if (high <= 0.5 if grew else low >= 2) else ""
        return f", {degree}less than the work did"
    if facts.work_that_changed() is None:
        is_flat = all(abs((t.factor or 1.0) - 1) <= 0.15 for t in facts.work().values())
        return f", while the work {'did not grow' if grew else 'held'}" if is_flat else ", more than the work did"
    factors = [t.factor or 0.0 for t in facts.work().values()]
    if all(f <= SAME_UP_TO if grew else f >= 1 / SAME_UP_TO for f in factors):
        return f", while the work {'did not grow' if grew else 'did not shrink'}"
    return f", {'far ' * ((low if grew else 1 / high) >= 2)}more than the workload"


def _work_beside(facts: FactsOfTwo) -> str:
    work = facts.work_factor(1.0) or 1.0
    if facts.other_work:
        return f"but the work is of another kind: {_measures(facts)}"
    if facts.same_work is not None:
        return f"while the work went {'faster' if work > 1 else 'slower'}: {_measures(facts)}"
    is_steady = all(1 / SAME_UP_TO < (two.factor or 1.0) < SAME_UP_TO for two in facts.work().values())
    joint = "and so did the work" if abs(work - 1) < _STEADY and is_steady else "though the work changed"
    return f"{joint}: {_measures(facts)}"


def _measures(facts: FactsOfTwo, but: Collection[str] = ()) -> str:
    work = {n: two for n, two in facts.work().items() if n not in but}
    if not work:
        return ""
    wanted = ["transactions", "logical reads"]
    if facts.measures_part:
        wanted = [most(work, key=lambda n: work[n].factor or 0.0) for most in (max, min)]
    elif (most_moved := facts.work_that_changed()) is not None and most_moved not in wanted:
        wanted.insert(1, most_moved)
    names = [n for n in wanted if n in work] or list(work)[:2]
    changes = [change(work[n].first, work[n].second) for n in names]
    if len(set(changes)) == 1:
        return f"{listing(names)} {changes[0]} per second"
    return listing([f"{n} {c}" for n, c in zip(names, changes, strict=True)]) + " per second"

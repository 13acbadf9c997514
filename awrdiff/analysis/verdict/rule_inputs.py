"""Figures of both sides, by name, for the rules and the summary."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from functools import cached_property
from statistics import median
from typing import ClassVar

from msgspec import Struct

from awrdiff.analysis.figures_in_words import change, number
from awrdiff.analysis.model.commit_latency import CommitFigures, Fit
from awrdiff.analysis.model.comparison import (
    Attribution,
    CommitLatency,
    Commonality,
    Consumer,
    Evidence,
    Range,
)
from awrdiff.analysis.names.wait_events import subject_of
from awrdiff.analysis.report.figures_by_name import Side
from awrdiff.analysis.report.kinds import OF_AN_INTERVAL
from awrdiff.analysis.report.same_database_check import different_databases, same_database
from awrdiff.analysis.report_time_windows import SpanWord, span_word
from awrdiff.analysis.rows.align import anchor
from awrdiff.analysis.rows.statement_matching import StatementPair, pair_statements
from awrdiff.analysis.verdict.active_sessions_attribution import attribute, unaccounted_share
from awrdiff.analysis.verdict.statement_changes import Run, StatementChange, runs_of, statement_changes
from parsers.model import Value

CPU_SUBJECT = "CPU"
SAME_UP_TO = 1.25  # a measure of the work, by so much or to the reciprocal of it
ALONG = 1.15  # beside the work: less of a difference is that of any two hours
LEAST_WORK = 1.0  # per second, on the busier side: what is less measures no work
LEAST_SESSIONS = 0.05  # below it, or below this share of the CPUs, a database is nearly idle and nothing is said
LEAST_OF_CPUS = 0.005
WORLDS_APART = 1000.0  # a factor between two databases that says no more than that they do other work
OFTENER = 2.0  # a statement ran, or half as often: its part of the work is another
ROSE = 1.10  # DB time; within it sessions are "about the same"


class FirstSecond(Struct, frozen=True):
    """One figure of both sides."""

    first: float
    second: float

    @property
    def diff(self) -> float:
        return self.second - self.first

    @property
    def factor(self) -> float | None:
        return self.second / self.first if self.first > 0 else None


class Units(Struct, frozen=True):
    """Growth factors per unit of work, by measure name."""

    ratios: Mapping[str, float]

    @property
    def low(self) -> float:
        return min(self.ratios.values())

    @property
    def high(self) -> float:
        return max(self.ratios.values())

    def text(self) -> str:
        """`−63 % per execution to ×2.01 per user call`"""
        low, high = (most(self.ratios, key=self.ratios.__getitem__) for most in (min, max))
        changes = (change(1.0, self.low), change(1.0, self.high))
        if changes[0] == changes[1]:
            unit = f"per {low.removesuffix('s')}" if len(self.ratios) == 1 else "per unit of any measure"
            return f"{changes[0]} {unit}"
        return f"{changes[0]} per {low.removesuffix('s')} to {changes[1]} per {high.removesuffix('s')}"


# Of each measure of the work: the statistic it is read from, and the load profile's names for its rate.
MEASURES: Mapping[str, tuple[str, ...]] = {
    "transactions": ("user commits", "Transactions"),
    "user calls": ("user calls", "User calls"),
    "executions": ("execute count", "Executes (SQL)", "Executes"),
    "logical reads": ("session logical reads", "Logical read (blocks)", "Logical reads"),
}


def _no_less(rate: float | None) -> float | None:
    """None for a counter that was reset inside the window."""
    return rate if rate is not None and rate >= 0 else None


class Contributor(Struct, frozen=True):
    """CPU or a family of events with their session change."""

    name: str
    diff_per_s: float
    by_count_per_s: float
    by_latency_per_s: float


class FactsOfTwo(Struct, frozen=True, dict=True):
    """Input of rules of two reports. `of_median`: First is a median of several."""

    first: Side
    second: Side
    attribution: Attribution | None
    commit_latency: CommitLatency
    commonality: Commonality  # how much of the captured SQL runs on both sides: whether it is the same work
    of_median: bool = False

    @property
    def sides(self) -> tuple[Side, Side]:
        return (self.first, self.second)

    @cached_property
    def statements(self) -> tuple[StatementPair, ...]:
        return pair_statements(self.first.statements, self.second.statements)

    @cached_property
    def statement_changes(self) -> tuple[StatementChange, ...]:
        return statement_changes(self.first, self.second, self.statements)

    def both_sides(self, figure: Callable[[Side], float | None]) -> FirstSecond | None:
        a, b = figure(self.first), figure(self.second)
        return None if a is None or b is None else FirstSecond(a, b)

    def rate(self, statistic: str, *load_profile: str) -> FirstSecond | None:
        """Per second: exact instance activity, else load profile."""
        exact = self.both_sides(lambda s: _no_less(s.per_second(s.statistic(statistic))))
        if exact is not None or not load_profile:
            return exact
        return self.both_sides(lambda s: _no_less(v.number) if (v := s.load(*load_profile)) else None)

    @property
    def span(self) -> SpanWord:
        return span_word(*(side.elapsed.number if side.elapsed else None for side in (self.first, self.second)))

    @property
    def as_long(self) -> bool:
        """Windows have one length, so that totals compare."""
        two = self.elapsed()
        return two is not None and two.factor is not None and 1 / 1.02 <= two.factor <= 1.02

    def count_text(self, first: float, second: float, what: str) -> str:
        """`201 → 1,294 logons`; rates where windows differ."""
        elapsed, per = self.elapsed(), ""
        if not self.as_long and elapsed is not None:
            first, second, per = first / elapsed.first, second / elapsed.second, " per second"
            if min(first, second) < 1:
                first, second, per = first * 3600, second * 3600, " per hour"
        return f"{number(first)} → {number(second)} {what}{per}"

    def share(self, statistic: str) -> FirstSecond | None:
        """Time model statistic's share (0..1) of DB time."""
        return self.both_sides(lambda s: s.share_of_db_time(s.time_model(statistic)))

    def sessions(self) -> FirstSecond | None:
        return self.both_sides(lambda s: s.active_sessions)

    def elapsed(self) -> FirstSecond | None:
        return self.both_sides(lambda s: s.elapsed.number if s.elapsed else None)

    def transactions(self) -> FirstSecond | None:
        counts, elapsed = self.both_sides(lambda s: s.transactions), self.elapsed()
        if counts is None or elapsed is None:
            return None
        return FirstSecond(counts.first / elapsed.first, counts.second / elapsed.second)

    def work(self) -> dict[str, FirstSecond]:
        """Work per second by measure; no transactions if `same_work`."""
        rates = {name: self.rate(*names) for name, names in MEASURES.items()}
        rates["transactions"] = None if self.same_work is not None else self.transactions()
        printed = ((name, two) for name, two in rates.items() if two is not None and two.first > 0)
        return {name: two for name, two in printed if max(two.first, two.second) >= LEAST_WORK}

    @property
    def same_work(self) -> Fit | None:
        """Line of time over commits of the same work."""
        fit = self.commit_latency.what_if.fit
        return fit if fit is not None and fit.c_s > 0 and fit.highest >= 2 * fit.lowest else None

    def _work_factors(self) -> list[float]:
        return [f for two in self.work().values() if (f := two.factor) is not None and f > 0]

    @property
    def measures_part(self) -> bool:
        """Some measures of the work grew, others shrank."""
        factors = self._work_factors()
        return bool(factors) and min(factors) <= 1 / SAME_UP_TO and max(factors) >= SAME_UP_TO

    @property
    def other_work(self) -> bool:
        """Work of another kind, by shared SQL, else measures."""
        return self.commonality.work != "same" and self.measures_part

    @property
    def different_databases_and_work(self) -> bool:
        return same_database(self.first.report.database, self.second.report.database) is False and self.other_work

    def work_factor(self, beside: float) -> float | None:
        """Median growth; where measures part, nearest to `beside`."""
        factors = self._work_factors()
        if not factors:
            return None
        return min(max(beside, min(factors)), max(factors)) if self.measures_part else median(factors)

    def goes_along(self, factor: float | None) -> bool:
        """Work of one kind moved as much as `factor`."""
        work = median(self._work_factors() or [1.0])
        if self.unrelated or self.measures_part or not factor or abs(work - 1) <= ALONG - 1:
            return False
        return 1 < factor <= ALONG * work if work > 1 else work / ALONG <= factor < 1

    def work_that_changed(self) -> str | None:
        """Measure that moved most, beyond 25 %, or None."""
        factors = {n: f for n, two in self.work().items() if (f := two.factor) is not None}
        name = max(factors, key=lambda n: abs(factors[n] - 1), default=None)
        return name if name is not None and abs(factors[name] - 1) > SAME_UP_TO - 1 else None

    @cached_property
    def is_same_work(self) -> bool:
        """One database, measures within 25 %, no major statement doubled."""
        if self.unrelated or self.is_other_sql or self.work_that_changed() is not None:
            return False
        for pair in (each.pair for each in self.statement_changes if each.matters):
            runs = [s.executions if s is not None else None for s in (pair.first, pair.second)]
            a, b = self.first.per_second(runs[0]), self.second.per_second(runs[1])
            if a is not None and b is not None and min(a, b) > 0 and not 1 / OFTENER < b / a < OFTENER:
                return False
        return True

    def per_unit(self, factor: float) -> Units | None:
        """`factor` per unit of work; None without a measure."""
        ratios = {n: factor / f for n, two in self.work().items() if (f := two.factor) is not None and f > 0}
        return Units(ratios) if ratios else None

    @property
    def least_sessions(self) -> float:
        """Active sessions; less is not mentioned."""
        return max(LEAST_SESSIONS, LEAST_OF_CPUS * max(self.first.processors, self.second.processors))

    @property
    def idle(self) -> bool:
        sessions = self.sessions()
        return sessions is not None and max(sessions.first, sessions.second) < self.least_sessions

    @property
    def nearly_idle(self) -> str:
        """Name of the one nearly idle side, else ""."""
        sessions = self.sessions()
        if sessions is None or self.idle:
            return ""
        return "First" if sessions.first < self.least_sessions else "Second" * (sessions.second < self.least_sessions)

    @property
    def db_time_rose(self) -> bool:
        sessions = self.sessions()
        if sessions is None or sessions.diff < self.least_sessions:
            return False
        return sessions.factor is None or sessions.factor >= ROSE

    @cached_property
    def runs(self) -> tuple[Run, ...]:
        """Long runs around both windows: seconds compare, rates do not."""
        if self.as_long or self.elapsed() is None or self.commonality.work != "same":
            return ()
        return runs_of(self.first, self.second, self.statements)

    @cached_property
    def different_databases(self) -> bool:
        return different_databases(self.first.report.header(), self.second.report.header())

    @property
    def unrelated(self) -> bool:
        """Two databases without common SQL: neither better nor worse."""
        return self.different_databases and self.commonality.work != "same"

    @property
    def is_other_sql(self) -> bool:
        return self.commonality.work == "other"

    @property
    def cluster_side(self) -> str:
        """Whole-cluster side beside one of its instances, else ""."""
        a, b = self.first.report, self.second.report
        if not same_database(a.database, b.database) or {a.kind, b.kind} != {"awr", "awr_global"}:
            return ""
        return "First" if a.kind == "awr_global" else "Second"

    def is_comparable(self, factor: float | None) -> bool:
        return not self.unrelated or (factor is not None and 1 / WORLDS_APART <= factor <= WORLDS_APART)

    def became(self, how: str) -> str:
        """`became slower`; of two databases `are slower in Second`."""
        return f"are {how} in Second" if self.unrelated else f"became {how}"

    def end_of_trouble(self, trouble: str, ended: str, doubt: str = "") -> str:
        """`doubt`: figure of Second that leaves it open."""
        if self.unrelated:
            return f"{trouble} in First alone."
        return f"{trouble} in First; not seen in Second, but not excluded: {doubt}." if doubt else ended

    @cached_property
    def unaccounted(self) -> FirstSecond | None:
        """Share (0..1) of DB time neither wait nor CPU; None if unreadable."""
        return self.both_sides(unaccounted_share)

    def contributors(self) -> list[Contributor]:
        if self.attribution is None:
            return []
        by_name: dict[str, list[Consumer]] = defaultdict(list)
        for part in self.attribution.parts:
            is_cpu = part.by_count_per_s is None and part.key == "DB CPU"
            by_name[CPU_SUBJECT if is_cpu else subject_of(part.key) or part.key].append(part)
        return [
            Contributor(
                name,
                sum(p.diff_per_s for p in parts),
                sum(p.by_count_per_s or 0.0 for p in parts),
                sum(p.by_latency_per_s or 0.0 for p in parts),
            )
            for name, parts in by_name.items()
        ]


class FactsOfOne(Struct, frozen=True, dict=True):
    """Input of rules of one report."""

    side: Side
    commit_latency: CommitLatency
    unrelated: ClassVar[bool] = False  # to another report: there is none

    @property
    def sides(self) -> tuple[Side, ...]:
        return (self.side,)

    def end_of_trouble(self, trouble: str, *_: str) -> str:
        return f"{trouble}."

    @cached_property
    def weighable(self) -> bool:
        """Report on everything that happened in an interval."""
        return self.side.report.kind in OF_AN_INTERVAL

    @cached_property
    def attribution(self) -> Attribution | None:
        return attribute(self.side, self.side)

    @property
    def parts(self) -> tuple[Consumer, ...]:
        if self.attribution is None:
            return ()
        return tuple(sorted(self.attribution.parts, key=lambda p: -(p.first_per_s or 0.0)))

    @cached_property
    def statements(self) -> tuple[StatementPair, ...]:
        """Merged where literals or comments alone differ."""
        return pair_statements(self.side.statements, {})

    @property
    def commits(self) -> CommitFigures:
        return self.commit_latency.reports[0]

    @property
    def sessions(self) -> float | None:
        return self.side.active_sessions

    @property
    def least_sessions(self) -> float:
        return max(LEAST_SESSIONS, LEAST_OF_CPUS * self.side.processors)

    @property
    def idle(self) -> bool:
        return self.sessions is not None and self.sessions < self.least_sessions

    @cached_property
    def unaccounted(self) -> float | None:
        return unaccounted_share(self.side)

    def sessions_in(self, seconds: Value | None) -> Range | None:
        """Active sessions of a printed total in seconds."""
        return self.side.sessions(seconds)

    def share(self, sessions: Range | None) -> float | None:
        """Share (0..1) of DB time."""
        return sessions.middle / self.sessions if sessions is not None and self.sessions else None

    def rate(self, statistic: str, *load_profile: str) -> float | None:
        return rate_of(self.side, statistic, *load_profile)


Facts = FactsOfOne | FactsOfTwo  # of a rule that is asked of each side; of two reports it tells the difference, too


def rate_of(side: Side, statistic: str, *load_profile: str) -> float | None:
    """Per second: exact instance activity, else load profile."""
    exact = side.per_second(side.statistic(statistic))
    printed = side.load(*load_profile) if exact is None and load_profile else None
    return printed.number if printed else exact


def row(section: str, key: str, column: str) -> Evidence:
    return Evidence(section, key, column, anchor(section, key))

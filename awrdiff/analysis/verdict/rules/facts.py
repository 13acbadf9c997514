"""What the rules and the summary look at: figures of both sides, by name, and how a rule answers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from statistics import median

from awrdiff.analysis.model.commits import Fit
from awrdiff.analysis.model.comparison import Attribution, CommitLatency, Evidence, Sessions, Severity, Subject, Tone
from awrdiff.analysis.names.events import subject_of
from awrdiff.analysis.report.side import Side
from awrdiff.analysis.rows.align import anchor
from awrdiff.analysis.rows.statements import StatementPair, paired
from awrdiff.analysis.words import change

CPU_SUBJECT = "CPU"
MOVED = 1.25  # a measure of the work, by so much or to the reciprocal of it


@dataclass(frozen=True, slots=True)
class Said:
    """What a rule says. `sessions` give it its place and its severity; without them `severity` stands as given."""

    title: str
    text: str
    evidence: tuple[Evidence, ...] = ()
    sessions: Sessions | None = None
    subject: Subject | None = None
    tone: Tone = "neutral"
    explains: tuple[str, ...] = ()
    severity: Severity | None = None


@dataclass(frozen=True, slots=True)
class Quiet:
    """Checked, nothing to say."""


@dataclass(frozen=True, slots=True)
class Forbidden:
    """It would speak, but another figure of the same two reports denies it: `by` names that row."""

    by: str


@dataclass(frozen=True, slots=True)
class Unknown:
    """It cannot be checked: `lacks` names the table or row that a report does not print."""

    lacks: str


Answer = Said | tuple[Said, ...] | Quiet | Forbidden | Unknown
QUIET = Quiet()
UNKNOWN = Unknown("an input that a report does not print")


@dataclass(frozen=True, slots=True)
class Two:
    """One figure of both sides."""

    first: float
    second: float

    @property
    def diff(self) -> float:
        return self.second - self.first

    @property
    def factor(self) -> float | None:
        return self.second / self.first if self.first > 0 else None


@dataclass(frozen=True, slots=True)
class Consumer:
    """Events that belong together, or CPU: their part in the change of average active sessions."""

    name: str
    diff_per_s: float
    by_count_per_s: float
    by_latency_per_s: float
    events: tuple[str, ...]


@dataclass(frozen=True)
class Facts:
    first: Side
    second: Side
    attribution: Attribution | None
    commit_latency: CommitLatency

    @cached_property
    def statements(self) -> tuple[StatementPair, ...]:
        """Every statement that either report lists, found again on the other side by its id or text."""
        return paired(self.first.statements, self.second.statements)

    def both(self, figure: Callable[[Side], float | None]) -> Two | None:
        a, b = figure(self.first), figure(self.second)
        return None if a is None or b is None else Two(a, b)

    def rate(self, statistic: str, *load_profile: str) -> Two | None:
        """Per second, from the exact totals of instance activity; else as the load profile prints it."""
        exact = self.both(lambda s: s.per_second(s.statistic(statistic)))
        if exact is not None or not load_profile:
            return exact
        return self.both(lambda s: v.number if (v := s.load(*load_profile)) else None)

    def share(self, statistic: str) -> Two | None:
        """Share of DB time (0..1) of a time model statistic."""
        return self.both(lambda s: s.share_of_db_time(s.time_model(statistic)))

    def sessions(self) -> Two | None:
        return self.both(lambda s: s.active_sessions)

    def transactions(self) -> Two | None:
        def per_second(side: Side) -> float | None:
            if side.transactions is None or side.elapsed is None:
                return None
            return side.transactions / side.elapsed.number

        return self.both(per_second)

    def work(self) -> dict[str, Two]:
        """What the application asked for, per second, as far as both sides print it.

        Commits do not measure work that was done once with many and once with few of them.
        """
        found = {
            "transactions": None if self.same_work is not None else self.transactions(),
            "user calls": self.rate("user calls", "User calls"),
            "executions": self.rate("execute count", "Executes (SQL)", "Executes"),
            "logical reads": self.rate("session logical reads", "Logical read (blocks)", "Logical reads"),
        }
        return {name: two for name, two in found.items() if two is not None and two.first > 0}

    @property
    def same_work(self) -> Fit | None:
        """The line through reports of the same work that took the longer the more often it was committed."""
        fit = self.commit_latency.what_if.fit
        return fit if fit is not None and fit.c_s > 0 and fit.highest >= 2 * fit.lowest else None

    def _work_factors(self) -> list[float]:
        """Without measures that fell to nothing or, after a reset, below it."""
        return [f for two in self.work().values() if (f := two.factor) is not None and f > 0]

    @property
    def other_work(self) -> bool:
        """Whether some measures of the work grew while others shrank: it is of another kind, not more or less of it."""
        factors = self._work_factors()
        return bool(factors) and min(factors) <= 1 / MOVED and max(factors) >= MOVED

    def work_factor(self, beside: float) -> float | None:
        """The growth of the work that a growth by `beside` is held against: the median of its measures.

        Of work of another kind the nearest of all that its measures allow: `beside` itself, if it lies among them.
        """
        factors = self._work_factors()
        if not factors:
            return None
        return min(max(beside, min(factors)), max(factors)) if self.other_work else median(factors)

    def work_said(self, factor: float) -> str:
        return f"{'the nearest measure of the ' if self.other_work else ''}work {change(1.0, factor)}"

    def consumers(self) -> list[Consumer]:
        """Where the change of average active sessions went, largest first; CPU is one of them."""
        if self.attribution is None:
            return []
        sums: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0, 0.0])
        events: dict[str, list[str]] = defaultdict(list)
        for part in self.attribution.parts:
            name = CPU_SUBJECT if part.by_count_per_s is None and part.key == "DB CPU" else _subject(part.key)
            total = sums[name]
            total[0] += part.diff_per_s
            total[1] += part.by_count_per_s or 0.0
            total[2] += part.by_latency_per_s or 0.0
            events[name].append(part.key)
        ranked = sorted(sums, key=lambda n: -abs(sums[n][0]))
        return [Consumer(n, sums[n][0], sums[n][1], sums[n][2], tuple(events[n])) for n in ranked]


def _subject(event: str) -> str:
    return subject_of(event) or event


def row(section: str, key: str, column: str) -> Evidence:
    """Evidence: the row printed as `key` in `section`."""
    return Evidence(section, key, column, anchor(section, key))

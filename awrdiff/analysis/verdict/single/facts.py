"""What the rules of one report look at."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from awrdiff.analysis.model.commits import CommitFigures, CommitLatency
from awrdiff.analysis.model.comparison import Attribution, Consumer, Range
from awrdiff.analysis.report.kinds import OF_AN_INTERVAL
from awrdiff.analysis.report.side import Side
from awrdiff.analysis.rows.statements import StatementPair, paired
from awrdiff.analysis.verdict.attribution import attribute, unaccounted
from awrdiff.analysis.verdict.rules import sizes
from awrdiff.analysis.verdict.rules.facts import LEAST_OF_CPUS, LEAST_SESSIONS
from parsers.model import Value


@dataclass(frozen=True)
class Alone:
    """One report."""

    side: Side
    commit_latency: CommitLatency

    @cached_property
    def weighable(self) -> bool:
        """Whether the report is about all that happened in an interval."""
        return self.side.report.kind in OF_AN_INTERVAL

    @cached_property
    def spread(self) -> Attribution | None:
        """Where DB time went; as of a report that is held against itself."""
        return attribute(self.side, self.side)

    @property
    def parts(self) -> tuple[Consumer, ...]:
        """Consumers of DB time, the largest first."""
        if self.spread is None:
            return ()
        return tuple(sorted(self.spread.parts, key=lambda p: -(p.first_per_s or 0.0)))

    @cached_property
    def statements(self) -> tuple[StatementPair, ...]:
        """Every statement that the report lists; those of one text but for literals and comments are one."""
        return paired(self.side.statements, {})

    @property
    def commits(self) -> CommitFigures:
        return self.commit_latency.reports[0]

    @property
    def sessions(self) -> float | None:
        return self.side.active_sessions

    @property
    def least_sessions(self) -> float:
        """What is less than this in active sessions is not worth a word."""
        return max(LEAST_SESSIONS, LEAST_OF_CPUS * self.side.processors)

    @property
    def idle(self) -> bool:
        return self.sessions is not None and self.sessions < self.least_sessions

    @cached_property
    def unaccounted(self) -> float | None:
        """Share (0..1) of DB time that is neither waited for nor on CPU; None where not all of either is printed."""
        return unaccounted(self.side)

    def spent(self, seconds: Value | None) -> Range | None:
        """Seconds that the report prints as a total, as active sessions."""
        return sizes.rate(self.side, seconds)

    def share(self, sessions: Range | None) -> float | None:
        """Of DB time, 0..1."""
        middle = sizes.middle(sessions)
        return middle / self.sessions if middle is not None and self.sessions else None

    def rate(self, statistic: str, *load_profile: str) -> float | None:
        """Per second, from the exact total of instance activity; else as the load profile prints it."""
        exact = self.side.per_second(self.side.statistic(statistic))
        if exact is not None:
            return exact
        printed = self.side.load(*load_profile) if load_profile else None
        return printed.number if printed else None

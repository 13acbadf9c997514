"""Severity, cut-off and order of findings, by active sessions; unmeasured ones follow what they may explain, or end."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from math import inf
from typing import TypeVar

from msgspec import Struct

from awrdiff.analysis.model.comparison import Finding, Sessions, Severity
from awrdiff.analysis.model.single_report import SingleFinding
from awrdiff.analysis.verdict.rule_inputs import LEAST_SESSIONS, FactsOfOne, FactsOfTwo
from awrdiff.analysis.verdict.rule_result import Observation
from awrdiff.analysis.verdict.thresholds import FELT

CRITICAL_RISE = 1.25  # of DB time: a smaller one is what the rules call the same (rule_inputs.SAME_UP_TO)
CRITICAL_SHARE = 0.25  # of the rise of DB time
CRITICAL_LEAST, CRITICAL_OF_CPUS = 1.0, 0.05  # sessions, or of the CPUs: less alarms nobody, whatever its share
WHOLE = "load-against-db-time"  # all of DB time: it carries any change, and the verdict begins with it
RANK = {"critical": 0, "warning": 1, "note": 2}  # the more severe first
WARNING_LEAST = 0.1  # sessions: less alarms nobody, whatever its share


F = TypeVar("F", Finding, SingleFinding)


def sort_findings(findings: Sequence[F]) -> tuple[F, ...]:
    """By severity, size; explanations follow, notes never precede alarms."""
    alarms = {f.rule for f in findings if f.severity != "note"}

    def place(finding: F) -> tuple[int, bool, bool, float]:
        of = _size(finding)
        beside = of is None and finding.severity == "note" and not alarms.isdisjoint(finding.explains)
        return RANK[finding.severity], not beside, of is None, -(of or 0.0)

    every = sorted(findings, key=place)
    under: dict[int | None, list[int]] = defaultdict(list)
    for at, finding in enumerate(every):
        is_note = finding.severity == "note"
        places: dict[str, int] = {}
        for n, larger in enumerate(every[:at]):
            if _size(larger) is not None and (larger.severity == "note") == is_note:
                places.setdefault(larger.rule, n)
        under[next((places[rule] for rule in finding.explains if rule in places), None)].append(at)
    return tuple(every[at] for at in _tree_order(None, under))


def _tree_order(top: int | None, under: Mapping[int | None, Sequence[int]]) -> Iterator[int]:
    for at in under.get(top, ()):
        yield at
        yield from _tree_order(at, under)


def worth_a_word(least: float, sessions: float | None) -> float:
    """Least active sessions: `least`, or less of small DB time."""
    return least if sessions is None else min(least, max(LEAST_SESSIONS, FELT * sessions))


def critical_least(cpus: int | None) -> float:
    """Active sessions, by the machine's CPUs."""
    return max(CRITICAL_LEAST, CRITICAL_OF_CPUS * (cpus or 0))


def _size(finding: Finding | SingleFinding) -> float | None:
    """0 for a finding on all DB time: it leads no list."""
    if isinstance(finding, SingleFinding):
        return finding.sessions.middle if finding.sessions else None
    if finding.rule == WHOLE and finding.tone != "neutral":
        return 0.0
    return finding.sessions.size if finding.sessions else None


class SeverityOfTwo(Struct, frozen=True):
    """`first`, `second`: average active sessions. `unrelated`: no better or worse. `other_work`: severity for
    `one_sided` rules alone. `alarms`: critical is possible.
    """

    first: float | None
    second: float | None
    cpus: int | None
    least: float
    rose: bool
    unrelated: bool = False
    other_work: bool = False
    alarms: bool = True
    one_sided: frozenset[str] = frozenset()

    @classmethod
    def of(cls, facts: FactsOfTwo, one_sided: frozenset[str] = frozenset()) -> SeverityOfTwo:
        sides = (facts.first.active_sessions, facts.second.active_sessions)
        return cls(
            *sides,
            max((n for n in (facts.first.cpus, facts.second.cpus) if n), default=None),
            worth_a_word(facts.least_sessions, None if facts.idle else max((s for s in sides if s), default=None)),
            facts.db_time_rose,
            unrelated=facts.unrelated,
            other_work=facts.unrelated or facts.is_other_sql or bool(facts.runs),
            alarms=not facts.different_databases and facts.cluster_side == "",
            one_sided=one_sided,
        )

    @property
    def rise(self) -> float:
        """Active sessions; negative where it fell, 0 where unknown."""
        return self.second - self.first if self.first is not None and self.second is not None else 0.0

    def finding(self, rule: str, observation: Observation) -> Finding | None:
        sessions = observation.of_both_sides
        if sessions is not None and sessions.size < self.least:
            return None
        tone = "neutral" if observation.at_limit and observation.tone == "better" else observation.tone
        return Finding(
            rule=rule,
            severity=self._severity(rule, observation),
            title=observation.title,
            text=observation.text,
            evidence=observation.evidence,
            sessions=sessions,
            subject=observation.subject,
            tone="neutral" if self.unrelated or self._is_muted(rule) else tone,
            explains=observation.explains,
        )

    def _is_muted(self, rule: str) -> bool:
        return self.other_work and rule not in self.one_sided

    def _severity(self, rule: str, observation: Observation) -> Severity:
        if self._is_muted(rule):
            return "note"
        sessions = observation.of_both_sides
        if sessions is None:
            return observation.severity if self.alarms or observation.severity != "critical" else "warning"
        if observation.at_limit:
            return "critical" if self.alarms else "warning"
        if observation.tone != "worse" and not (self.unrelated and observation.tone == "better"):
            return "note"  # of two databases "better" is only the side that suffers
        if self.alarms and self._is_critical(sessions):
            return "critical"
        if self.unrelated:
            sides = ((sessions.first, self.first), (sessions.second, self.second))
            is_much = any(
                part is not None and whole and part.middle >= max(FELT * whole, WARNING_LEAST) for part, whole in sides
            )
        else:
            is_much = sessions.size >= FELT * max(self.first or 0.0, self.second or 0.0)
        return "warning" if is_much else "note"

    def _is_critical(self, sessions: Sessions) -> bool:
        if not self.rose or sessions.change < critical_least(self.cpus):
            return False
        if self.first and self.second and self.second < CRITICAL_RISE * self.first:
            return False
        return sessions.change >= CRITICAL_SHARE * self.rise or bool(self.cpus and sessions.change >= self.cpus)


class SeverityOfOne(Struct, frozen=True):
    """Alarms where sessions exceed CPUs and this is a quarter, or as many as CPUs. `whole`: average active sessions."""

    whole: float | None
    cpus: int | None
    least: float

    @classmethod
    def of(cls, facts: FactsOfOne) -> SeverityOfOne:
        return cls(
            facts.sessions, facts.side.cpus, worth_a_word(facts.least_sessions, None if facts.idle else facts.sessions)
        )

    def finding(self, rule: str, observation: Observation) -> SingleFinding | None:
        sessions = observation.of_one_side
        if sessions is not None and not self.least <= sessions.middle < inf:
            return None
        return SingleFinding(
            rule=rule,
            severity=self._severity(observation),
            title=observation.title,
            text=observation.text,
            evidence=observation.evidence,
            sessions=sessions,
            subject=observation.subject,
            explains=observation.explains,
        )

    def _severity(self, observation: Observation) -> Severity:
        sessions = observation.of_one_side
        if sessions is None:
            return observation.severity
        if observation.tone != "worse":
            return "note"
        size = sessions.middle
        if observation.at_limit or self._is_critical(size):
            return "critical"
        return "warning" if size >= max(FELT * (self.whole or 0.0), WARNING_LEAST) else "note"

    def _is_critical(self, size: float) -> bool:
        if not self.cpus or self.whole is None or size < critical_least(self.cpus):
            return False
        return size >= self.cpus or (self.whole >= self.cpus and size >= CRITICAL_SHARE * self.whole)

"""What is too small to be said of one report, how bad the rest is, and in which order it stands: by active sessions.

One report does not say what is usual. It is alarming where more sessions were active than there are CPUs, which no
database is meant for, and one trouble holds a quarter of them; or where as many sessions as there are CPUs are in it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf

from awrdiff.analysis.model.comparison import Severity
from awrdiff.analysis.model.single import SingleFinding
from awrdiff.analysis.verdict.answer import Observation
from awrdiff.analysis.verdict.facts import FactsOfOne
from awrdiff.analysis.verdict.ledger import CRITICAL_LEAST, CRITICAL_SHARE, WARNING_SHARE, in_order, worth_a_word

WARNING_LEAST = 0.1  # sessions: less alarms nobody, whatever its share


@dataclass(frozen=True, slots=True)
class Ledger:
    """`whole`: average active sessions; None = not printed. `least`: fewer are not worth a word."""

    whole: float | None
    cpus: int | None
    least: float

    @classmethod
    def of(cls, facts: FactsOfOne) -> Ledger:
        return cls(
            facts.sessions, facts.side.cpus, worth_a_word(facts.least_sessions, None if facts.idle else facts.sessions)
        )

    def finding(self, rule: str, observation: Observation) -> SingleFinding | None:
        """With its severity; None where it is about too little to be said, or about no figure that can be."""
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

    def ordered(self, findings: Sequence[SingleFinding]) -> tuple[SingleFinding, ...]:
        return in_order(findings, lambda f: f.sessions.middle if f.sessions else None)

    def _severity(self, observation: Observation) -> Severity:
        sessions = observation.of_one_side
        if sessions is None:
            return observation.severity
        if observation.tone != "worse":
            return "note"
        size = sessions.middle
        if self._is_critical(size):
            return "critical"
        return "warning" if size >= max(WARNING_SHARE * (self.whole or 0.0), WARNING_LEAST) else "note"

    def _is_critical(self, size: float) -> bool:
        if not self.cpus or self.whole is None or size < CRITICAL_LEAST:
            return False
        return size >= self.cpus or (self.whole >= self.cpus and size >= CRITICAL_SHARE * self.whole)

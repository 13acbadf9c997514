"""One report by itself: verdict, findings, and results of all rules."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from awrdiff.analysis.model.answer import Health, Trouble
from awrdiff.analysis.model.comparison import Range, RuleOutcome, RuleState, Severity, Subject
from awrdiff.analysis.model.evidence import Evidence
from awrdiff.analysis.model.listed import listed

SCHEMA = "awrdiff.single/1"


class SingleFinding(Struct, frozen=True):
    """As `Finding`. `sessions`: active sessions, None if not measured; `explains`: rules whose finding this may
    explain.
    """

    rule: str
    severity: Severity
    title: str
    text: str
    evidence: tuple[Evidence, ...] = ()
    sessions: Range | None = None
    subject: Subject | None = None
    explains: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        return {
            "rule": self.rule,
            "severity": self.severity,
            "title": self.title,
            "text": self.text,
            "sessions": [self.sessions.low, self.sessions.high] if self.sessions else None,
            "subject": listed(self.subject),
            "explains": list(self.explains),
            "evidence": listed(self.evidence),
        }


class Assessment(Struct, frozen=True):
    """`verdict`: plain paragraph. `weighed`: covers all activity of an interval, so rules applied. `state`: sick by
    `troubles`, largest first; calm if read completely; else partial. `headline`: sentence, "" if calm.
    """

    verdict: str
    findings: tuple[SingleFinding, ...] = ()
    rules: tuple[RuleOutcome, ...] = ()
    weighed: bool = True
    state: Health = "partial"
    troubles: tuple[Trouble, ...] = ()
    headline: str = ""

    def rules_in(self, state: RuleState) -> tuple[RuleOutcome, ...]:
        return tuple(r for r in self.rules if r.state == state)

    @property
    def unchecked(self) -> tuple[RuleOutcome, ...]:
        """Rules not checked; `by`: the missing table."""
        return self.rules_in("unknown")

    def as_dict(self) -> dict[str, Any]:
        return {
            "state": self.state,
            "headline": self.headline,
            "troubles": [t.as_dict() for t in self.troubles],
            "verdict": self.verdict,
            "findings": [f.as_dict() for f in self.findings],
            "rules": listed(self.rules),
            "unchecked": [{"rule": r.rule, "by": r.by} for r in self.unchecked],
        }

"""What one report says by itself: a verdict, findings, and what became of every rule."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from awrdiff.analysis.model.answer import Health, Trouble
from awrdiff.analysis.model.comparison import Range, RuleOutcome, RuleState, Severity, Subject
from awrdiff.analysis.model.evidence import Evidence
from awrdiff.analysis.model.listed import listed

SCHEMA = "awrdiff.single/1"


class SingleFinding(Struct, frozen=True):
    """As a finding of two reports. `sessions`: active sessions that it is about; None where it has no such measure.

    `explains`: the rules whose finding this one may explain; it stands with them.
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
    """`verdict`: one paragraph, plain text. `findings` in the order they are shown. `weighed`: the report is about all
    that happened in an interval, so that the rules had something to look at. `state`: sick by one of `troubles`, the
    largest first; calm where it was read whole; else partial, as of an older engine. `headline`: in a sentence, "" of a
    calm hour."""

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
        """The rules that could not be asked; `by` names the table that is missing."""
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


__all__ = ["SCHEMA", "Assessment", "SingleFinding"]

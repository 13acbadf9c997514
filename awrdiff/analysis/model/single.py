"""One report by itself: verdict, findings, and results of all rules."""

from __future__ import annotations

from msgspec import Struct

from awrdiff.analysis.model.answer import Health, Trouble
from awrdiff.analysis.model.comparison import Range, RuleOutcome, RuleState, Severity, Subject
from awrdiff.analysis.model.evidence import Evidence

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

"""One report by itself: verdict, findings, and results of all rules."""

from __future__ import annotations

from msgspec import Struct

from awrdiff.analysis.model.comparison import Range, RuleOutcome, RuleState, Severity, Subject
from awrdiff.analysis.model.diagnosis import Health, Trouble
from awrdiff.analysis.model.estimates_and_evidence import Evidence

SCHEMA = "awrdiff.single/1"


class SingleFinding(Struct, frozen=True):
    """Finding of one report; `sessions` active, None if not measured."""

    rule: str
    severity: Severity
    title: str
    text: str
    evidence: tuple[Evidence, ...] = ()
    sessions: Range | None = None
    subject: Subject | None = None
    explains: tuple[str, ...] = ()


class Assessment(Struct, frozen=True):
    """`weighed`: covers all activity of an interval, so rules applied.

    `state`: sick by `troubles`, largest first; calm if read completely; else partial. `headline`: "" if calm.
    """

    verdict: str
    findings: tuple[SingleFinding, ...] = ()
    rules: tuple[RuleOutcome, ...] = ()
    weighed: bool = True
    state: Health = "partial"
    troubles: tuple[Trouble, ...] = ()
    headline: str = ""

    @property
    def detail(self) -> str:
        """Verdict without its headline."""
        return self.verdict.removeprefix(self.headline).lstrip()

    def rules_in(self, state: RuleState) -> tuple[RuleOutcome, ...]:
        return tuple(r for r in self.rules if r.state == state)

    @property
    def unchecked(self) -> tuple[RuleOutcome, ...]:
        """`by`: the missing table."""
        return self.rules_in("unknown")

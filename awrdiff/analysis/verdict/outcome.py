"""What became of every rule that was asked, of two reports or of one.

A rule whose inputs are not printed is counted as such, never as quiet.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Generic, Protocol, TypeVar

from awrdiff.analysis.model.comparison import Finding, RuleOutcome
from awrdiff.analysis.model.single import SingleFinding
from awrdiff.analysis.report.cluster import where_printed
from awrdiff.analysis.verdict.answer import Contradicted, Quiet, Unknown
from awrdiff.analysis.verdict.reasons import within_budget
from parsers.model import Report

F = TypeVar("F", Finding, SingleFinding)
S = TypeVar("S")  # what a rule says, before it is weighed
S_contra = TypeVar("S_contra", contravariant=True)


@dataclass(frozen=True, slots=True)
class Outcome(Generic[F]):
    """Findings in the order they are shown, and what became of every rule."""

    findings: tuple[F, ...]
    rules: tuple[RuleOutcome, ...]

    def as_printed(self, *reports: Report) -> Outcome[F]:
        """With the rows that global reports print where evidence names a table that reports of one instance have."""
        return replace(self, findings=tuple(_as_printed(f, reports) for f in self.findings))


def _as_printed(finding: F, reports: Sequence[Report]) -> F:
    return replace(finding, evidence=tuple(dict.fromkeys(where_printed(e, *reports) for e in finding.evidence)))


class Weighs(Protocol[S_contra, F]):
    """Makes findings of what rules say (None: too little to be said), and puts them in order."""

    def finding(self, rule: str, said: S_contra, /) -> F | None: ...
    def ordered(self, findings: Sequence[F], /) -> tuple[F, ...]: ...


def outcome(
    answers: Iterable[tuple[str, S | tuple[S, ...] | Quiet | Contradicted | Unknown]], ledger: Weighs[S, F]
) -> Outcome[F]:
    """`answers`: by rule. What is too small to matter counts as quiet."""
    findings: list[F] = []
    rules: list[RuleOutcome] = []
    for rule, answer in answers:
        if isinstance(answer, Contradicted):
            rules.append(RuleOutcome(rule, "forbidden", answer.by))
        elif isinstance(answer, Unknown):
            rules.append(RuleOutcome(rule, "unknown", answer.lacks))
        elif isinstance(answer, Quiet):
            rules.append(RuleOutcome(rule, "quiet"))
        else:
            said = answer if isinstance(answer, tuple) else (answer,)
            heard = [f for one in said if (f := ledger.finding(rule, one)) is not None]
            findings += heard
            rules.append(RuleOutcome(rule, "fired" if heard else "quiet"))
    return Outcome(ledger.ordered(within_budget(findings)), tuple(rules))

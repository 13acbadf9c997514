"""What became of every rule that was asked, of two reports or of one.

A rule whose inputs are not printed is counted as such, never as quiet.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from awrdiff.analysis.model.comparison import RuleOutcome
from awrdiff.analysis.verdict.rules.facts import Forbidden, Quiet, Unknown

F = TypeVar("F")  # a finding
S = TypeVar("S")  # what a rule says, before it is weighed
S_contra = TypeVar("S_contra", contravariant=True)


@dataclass(frozen=True, slots=True)
class Outcome(Generic[F]):
    """Findings in the order they are shown, and what became of every rule."""

    findings: tuple[F, ...]
    rules: tuple[RuleOutcome, ...]


class Weighs(Protocol[S_contra, F]):
    """Makes findings of what rules say (None: too little to be said), and puts them in order."""

    def finding(self, rule: str, said: S_contra, /) -> F | None: ...
    def ordered(self, findings: Sequence[F], /) -> tuple[F, ...]: ...


def outcome(
    answers: Iterable[tuple[str, S | tuple[S, ...] | Quiet | Forbidden | Unknown]], ledger: Weighs[S, F]
) -> Outcome[F]:
    """`answers`: by rule. What is too small to matter counts as quiet."""
    findings: list[F] = []
    rules: list[RuleOutcome] = []
    for rule, answer in answers:
        if isinstance(answer, Forbidden):
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
    return Outcome(ledger.ordered(findings), tuple(rules))

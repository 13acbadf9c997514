"""Answers of a rule."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace

from awrdiff.analysis.figures_in_words import number
from awrdiff.analysis.model.comparison import Evidence, Finding, Range, Sessions, Severity, Subject, Tone
from awrdiff.analysis.model.single_report import SingleFinding


class Observation(Struct, frozen=True):
    """Answer of a rule that fires. `severity` stands only without `sessions`.

    `worse` of one report keeps sessions from their work; `at_limit`: Second's resource is at its limit
    (capacity_limits.py).
    """

    title: str
    text: str
    evidence: tuple[Evidence, ...] = ()
    sessions: Sessions | Range | None = None
    subject: Subject | None = None
    tone: Tone = "neutral"
    explains: tuple[str, ...] = ()
    severity: Severity = "note"
    at_limit: bool = False

    @property
    def of_both_sides(self) -> Sessions | None:
        if isinstance(self.sessions, Range):
            raise TypeError(f"{self.title} A rule of two reports speaks of both sides.")
        return self.sessions

    @property
    def of_one_side(self) -> Range | None:
        if isinstance(self.sessions, Sessions):
            raise TypeError(f"{self.title} A rule of one report speaks of one side.")
        return self.sessions


class Quiet(Struct, frozen=True):
    """Checked, nothing to say."""


class Contradicted(Struct, frozen=True):
    """Denied by another figure, in row `by`."""

    by: str


class Unknown(Struct, frozen=True):
    """Not checkable: table or row `lacks` is not printed."""

    lacks: str


RuleResult = Observation | tuple[Observation, ...] | Quiet | Contradicted | Unknown
QUIET = Quiet()
UNKNOWN = Unknown("an input that a report does not print")
WAITS = Unknown("Foreground Wait Events")
DB_TIME = Unknown("DB time and elapsed time")
WORK = Unknown("transactions, user calls, executions or logical reads")


_ENOUGH, _LEAST = 0.5, 0.1  # of the time it is offered for

F = TypeVar("F", Finding, SingleFinding)


class Candidate(Struct, frozen=True):
    """`most_s`: session seconds at most, None for limits. `usual_s`: by averages, in words `by`. `is_timed`: waits are
    timed.
    """

    claim: str
    evidence: Evidence
    most_s: float | None
    usual_s: float | None = None
    by: str = ""
    is_timed: bool = True


class Reason(Struct, frozen=True):
    """Candidate with enough of the time; its amount under half."""

    text: str
    evidence: Evidence


def reasons_for(candidates: Iterable[Candidate], for_s: float, elapsed_s: float) -> tuple[Reason, ...]:
    """`for_s`: session seconds. Under a tenth drops; untimed last."""
    return tuple(
        Reason(f"{each.claim}{_share(each, for_s, elapsed_s)}", each.evidence)
        for each in sorted(candidates, key=lambda each: not each.is_timed)
        if _can_hold(each.most_s, for_s)
    )


def _share(candidate: Candidate, for_s: float, elapsed_s: float) -> str:
    whole = number(for_s / elapsed_s)
    if candidate.most_s is not None and candidate.most_s < _ENOUGH * for_s:
        return f", at most {number(candidate.most_s / elapsed_s)} of the {whole} sessions"
    if candidate.usual_s is not None and candidate.usual_s < _ENOUGH * for_s:
        return f", {number(candidate.usual_s / elapsed_s)} of the {whole} sessions {candidate.by}"
    return "" if candidate.is_timed else " (no row says how long sessions waited for it)"


def _can_hold(most: float | None, whole: float) -> bool:
    return most is None or most >= _LEAST * whole


def within_budget(findings: Sequence[F]) -> tuple[F, ...]:
    """Findings explaining those at most ten times their size."""

    def is_explained(rule: str, by: F) -> bool:
        of_rule = [f for f in findings if f.rule == rule]
        return not of_rule or any(_can_hold(_most(by), _size(f)) for f in of_rule)

    return tuple(replace(f, explains=tuple(r for r in f.explains if is_explained(r, f))) for f in findings)


def _most(finding: Finding | SingleFinding) -> float | None:
    of = finding.sessions
    if isinstance(of, Sessions):
        return max((side.high for side in (of.first, of.second) if side is not None), default=None)
    return of.high if of is not None else None


def _size(finding: Finding | SingleFinding) -> float:
    of = finding.sessions
    return of.size if isinstance(of, Sessions) else of.middle if of is not None else 0.0

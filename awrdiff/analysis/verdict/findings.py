"""Findings of the rules, of one report and of two."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Generic, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from awrdiff.analysis.commit_latency import commit_latency
from awrdiff.analysis.model.comparison import Finding, RuleOutcome
from awrdiff.analysis.model.single import SingleFinding
from awrdiff.analysis.report.cluster import where_printed
from awrdiff.analysis.report.kinds import weighable
from awrdiff.analysis.report.side import Side, once_per_side
from awrdiff.analysis.verdict.facts import FactsOfOne, FactsOfTwo
from awrdiff.analysis.verdict.folding import fold
from awrdiff.analysis.verdict.reasons import within_budget
from awrdiff.analysis.verdict.rule_registry import RULES, Rule
from awrdiff.analysis.verdict.rule_result import Contradicted, Quiet, RuleResult, Unknown
from awrdiff.analysis.verdict.severity import SeverityOfOne, SeverityOfTwo, SeverityPolicy
from parsers.model import Report

F = TypeVar("F", Finding, SingleFinding)
_WINDOWS = "load-against-db-time"
_NO_ONE_REPORT = Unknown("one report as First: a median of several has no clock and no plan")
_OF_AN_INTERVAL = "load, waits and DB time of an interval"


class Outcome(Struct, Generic[F], frozen=True):
    """Findings in display order, and every rule's state."""

    findings: tuple[F, ...]
    rules: tuple[RuleOutcome, ...]

    def as_printed(self, *reports: Report) -> Outcome[F]:
        """Evidence moved to tables that global reports print."""
        rows = [dict.fromkeys(where_printed(e, *reports) for e in f.evidence) for f in self.findings]
        return replace(
            self, findings=tuple(replace(f, evidence=tuple(of)) for f, of in zip(self.findings, rows, strict=True))
        )


def findings_of_two(facts: FactsOfTwo) -> Outcome[Finding]:
    weighed = weighable(*facts.sides)
    reports = (facts.first.report, facts.second.report)
    one_sided = frozenset(rule.id for rule in RULES if rule.one_sided or (rule.per_execution and facts.runs))
    severity = SeverityOfTwo.of(facts, one_sided)
    lacking = Unknown(f"{_OF_AN_INTERVAL}, on both sides")

    def answer(rule: Rule, test: Callable[[FactsOfTwo], RuleResult]) -> RuleResult:
        if facts.of_median and not rule.of_median:
            return _NO_ONE_REPORT
        return test(facts) if weighed or not rule.needs_an_interval else lacking

    answers = (
        (rule.id, answer(rule, test)) for rule in RULES if (test := rule.of_two) is not None and rule.is_about(*reports)
    )
    outcome = _outcome(answers, severity).as_printed(*reports)
    if not weighed:
        return outcome
    busier = max((s for s in (severity.first, severity.second) if s), default=None)
    findings = fold(outcome.findings, busier, fell=severity.drop, different_databases=severity.unrelated)
    return replace(outcome, findings=_under_the_windows(findings) if facts.runs else findings)


def findings_of_one(facts: FactsOfOne) -> Outcome[SingleFinding]:
    report, lacking = facts.side.report, Unknown(_OF_AN_INTERVAL)
    answers = (
        (rule.id, test(facts) if facts.weighable or not rule.needs_an_interval else lacking)
        for rule in RULES
        if (test := rule.of_one) is not None and rule.is_about(report)
    )
    return _outcome(answers, SeverityOfOne.of(facts)).as_printed(report)


@once_per_side
def alarms_of(side: Side) -> tuple[SingleFinding, ...]:
    findings = findings_of_one(FactsOfOne(side, commit_latency((side,), ()))).findings
    return tuple(finding for finding in findings if finding.severity != "note")


def _outcome(answers: Iterable[tuple[str, RuleResult]], severity: SeverityPolicy[F]) -> Outcome[F]:
    """A rule is never quiet where its inputs are not printed."""
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
            observed = answer if isinstance(answer, tuple) else (answer,)
            severe = [f for observation in observed if (f := severity.finding(rule, observation)) is not None]
            findings += severe
            rules.append(RuleOutcome(rule, "fired" if severe else "quiet"))
    return Outcome(severity.order(within_budget(findings)), tuple(rules))


def _under_the_windows(findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
    if not any(f.rule == _WINDOWS for f in findings):
        return findings
    exempt = {_WINDOWS, *(rule.id for rule in RULES if rule.one_sided), "sql-entering", "sql-leaving", "sql-change"}

    def with_folding(f: Finding) -> Finding:
        if f.rule == _WINDOWS:
            return replace(f, folded_because="")
        if f.severity == "note" and f.sessions is not None and f.rule not in exempt:
            return replace(f, folded_into=_WINDOWS, folded_because="")
        return f

    return tuple(map(with_folding, findings))

"""Findings of the rules, of one report and of two."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Generic, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from awrdiff.analysis.commit_latency import commit_latency
from awrdiff.analysis.model.comparison import Finding, FoldedBecause, RuleOutcome
from awrdiff.analysis.model.single_report import SingleFinding
from awrdiff.analysis.report.figures_by_name import Side, once_per_side
from awrdiff.analysis.report.kinds import weighable
from awrdiff.analysis.report.rac_cluster_figures import where_printed
from awrdiff.analysis.verdict.rule_inputs import FactsOfOne, FactsOfTwo
from awrdiff.analysis.verdict.rule_registry import BY_EVENT, BY_ID, RULES, Rule
from awrdiff.analysis.verdict.rule_result import Contradicted, Observation, Quiet, RuleResult, Unknown, within_budget
from awrdiff.analysis.verdict.severity import RANK, WHOLE, SeverityOfOne, SeverityOfTwo, sort_findings
from awrdiff.analysis.verdict.thresholds import FELT
from parsers.model import Report

F = TypeVar("F", Finding, SingleFinding)
_WINDOWS = "load-against-db-time"
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
        return test(facts) if weighed or not rule.needs_an_interval else lacking

    rules = (rule for rule in RULES if rule.is_about(*reports) and (rule.of_median or not facts.of_median))
    answers = ((rule.id, answer(rule, test)) for rule in rules if (test := rule.of_two) is not None)
    outcome = _outcome(answers, severity.finding).as_printed(*reports)
    if not weighed:
        return outcome
    busier = max((s for s in (severity.first, severity.second) if s), default=None)
    findings = fold(outcome.findings, busier, fell=max(-severity.rise, 0.0), different_databases=severity.unrelated)
    return replace(outcome, findings=_under_the_windows(findings) if facts.runs else findings)


def findings_of_one(facts: FactsOfOne) -> Outcome[SingleFinding]:
    report, lacking = facts.side.report, Unknown(_OF_AN_INTERVAL)
    answers = (
        (rule.id, test(facts) if facts.weighable or not rule.needs_an_interval else lacking)
        for rule in RULES
        if (test := rule.of_one) is not None and rule.is_about(report)
    )
    return _outcome(answers, SeverityOfOne.of(facts).finding).as_printed(report)


@once_per_side
def alarms_of(side: Side) -> tuple[SingleFinding, ...]:
    findings = findings_of_one(FactsOfOne(side, commit_latency((side,), ()))).findings
    return tuple(finding for finding in findings if finding.severity != "note")


def _outcome(answers: Iterable[tuple[str, RuleResult]], finding: Callable[[str, Observation], F | None]) -> Outcome[F]:
    """A rule is never quiet where its inputs are not printed; `finding`: None for too little."""
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
            severe = [f for observation in observed if (f := finding(rule, observation)) is not None]
            findings += severe
            rules.append(RuleOutcome(rule, "fired" if severe else "quiet"))
    return Outcome(sort_findings(within_budget(findings)), tuple(rules))


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


LEAST_OF_LARGEST = 0.25  # of the largest finding that is left: a note of less is small
_OF_ONE_EVENT = (
    "row-locks",
    "enqueues",
    "pga-over-limit",
    "commit-latency",
    "log-file-switch",
    "resource-manager",
    "buffer-busy",
    "interconnect",
    "shared-pool-pressure",
    "network-bound",
)

_BESIDE = ("sql-readers",)  # read only where they may explain what alarms
# What is more, fewer, slower or dearer in Second: of two databases with other work it is no change of either.
_OF_CHANGE = frozenset(
    {
        "load-against-db-time",
        "throughput-collapsed",
        "hard-parse-rate",
        *BY_EVENT,
        "cpu-not-the-limit",
        "cpu-time",
        "db-cpu",
        "session-storm",
        "logon-rate",
        "physical-reads",
        "read-latency",
        "temp-io",
        "cost-per-unit",
        "gets-per-execution",
        "sql-slower",
        "sql-faster",
        "sql-change",
        "sampled-events",
        "redo",
    }
)
_HALF = 0.5  # of a drop of DB time: what carries it is what happened, whatever else got worse
# That DB time and CPU followed the work: the verdict says so first, and nobody acts on it beside what alarms.
_COVERED_BY_ALARMS = (WHOLE, "cpu-time")
_ACTED_ON = ("parameters", "parameters-inside")  # notes of one database that are read where they explain something

_UNITS: Mapping[str, tuple[str, ...]] = {  # what one of costs, by the subject of cost-per-unit
    "hard parse": ("parsing-dominates", "hard-parse-rate"),
    "logon": ("session-storm", "logon-rate"),
    "execution": ("load-against-db-time",),
}


def fold(
    findings: Sequence[Finding], busier: float | None, *, fell: float = 0.0, different_databases: bool = False
) -> tuple[Finding, ...]:
    """`busier`, `fell`: active sessions; None: not printed."""
    owners = {at: other for at in range(len(findings)) if (other := _owner_of(at, findings)) is not None}
    unowned = [f for at, f in enumerate(findings) if at not in owners]
    weighed = [f for f in unowned if f.sessions and not (different_databases and f.rule in _OF_CHANGE)]
    least = LEAST_OF_LARGEST * max((f.sessions.size for f in weighed if f.sessions), default=0.0)
    least = max(least, FELT * (busier or 0.0))
    alarming = {f.rule for at, f in enumerate(findings) if _alarms(findings[_last(at, owners)])}

    def weigh(finding: Finding) -> FoldedBecause:
        sessions = finding.sessions
        if finding.rule in _BESIDE:
            return "" if any(rule in alarming for rule in finding.explains) else "routine"
        if _alarms(finding) or (finding.rule in _ACTED_ON and finding.explains and not different_databases):
            return ""
        if different_databases and finding.rule in _OF_CHANGE:
            return "other-work"
        if sessions is None or (alarming and finding.rule in _COVERED_BY_ALARMS and finding.tone == "neutral"):
            return "routine"
        if sessions.size < least or not sessions.change:
            return "small"
        is_over = fell > 0 and sessions.second is None and not different_databases  # First alone had it
        is_the_drop = finding.rule != WHOLE and 0 < _HALF * fell <= -sessions.change
        return "improved" if is_over or (alarming and finding.tone == "better" and not is_the_drop) else ""

    unfolded = {f.rule for f in unowned if not weigh(f)}
    folded = []
    for at, finding in enumerate(findings):
        because = "" if at in owners else weigh(finding)
        into = next((rule for rule in finding.explains if rule in unfolded), "") if because else ""
        if at in owners:
            into = findings[_last(at, owners)].rule
        folded.append(replace(finding, folded_into=into) if into else replace(finding, folded_because=because))
    return tuple(folded)


def _last(at: int, owners: Mapping[int, int]) -> int:
    while at in owners:
        at = owners[at]
    return at


def _alarms(finding: Finding) -> bool:
    return finding.severity != "note"


def _owner_of(at: int, findings: Sequence[Finding]) -> int | None:
    finding = findings[at]
    candidates = {n: f for n, f in enumerate(findings) if n != at and RANK[f.severity] <= RANK[finding.severity]}
    if finding.rule in BY_EVENT:
        same = {
            n: _events(f) for n, f in candidates.items() if f.rule in _OF_ONE_EVENT and _events(f) & _events(finding)
        }
        return next(iter(same)) if same and _events(finding) <= set().union(*same.values()) else None
    subject = finding.subject.key if finding.subject else ""
    rule = BY_ID[finding.rule]
    rules = _UNITS.get(subject, ()) if rule.id == "cost-per-unit" else rule.belongs_to
    about_it = rule.belongs_if_same

    def is_about_the_same(other: Finding) -> bool:
        return (other.subject is not None and other.subject == finding.subject) or bool(
            _events(other) & _events(finding)
        )

    owners = (n for n, f in candidates.items() if f.rule in rules or (f.rule in about_it and is_about_the_same(f)))
    return next(owners, None)


def _events(finding: Finding) -> set[str]:
    return {e.key for e in finding.evidence if e.section.endswith("wait_events")}


_WORDS: Mapping[FoldedBecause, str] = {
    "small": "small",
    "improved": "better than before",
    "other-work": "of other work",
    "usual": "as usual",
    "routine": "routine",
}


def folded_words(findings: Sequence[Finding]) -> str:
    """`2 belong to another finding, 3 small, 1 routine`"""
    belong = sum(bool(f.folded_into) for f in findings)
    counts = {word: sum(f.folded_because == because for f in findings) for because, word in _WORDS.items()}
    belonging = [f"{belong} {'belongs' if belong == 1 else 'belong'} to another finding"] if belong else []
    return ", ".join([*belonging, *(f"{n} {word}" for word, n in counts.items() if n)])

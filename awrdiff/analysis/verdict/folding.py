"""Folding of findings that are small, routine or said by another; exports and `--fail-on` still count them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import partial

from msgspec.structs import replace

from awrdiff.analysis.model.comparison import Finding, FoldedBecause
from awrdiff.analysis.verdict.rule_registry import BY_EVENT, BY_ID
from awrdiff.analysis.verdict.severity import RANK, WHOLE
from awrdiff.analysis.verdict.thresholds import FELT

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
    weigh = partial(
        _reason,
        different_databases=different_databases,
        least=max(least, FELT * (busier or 0.0)),
        alarming={f.rule for at, f in enumerate(findings) if _alarms(findings[_last(at, owners)])},
        fell=fell,
    )
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


def _reason(
    finding: Finding, *, different_databases: bool, least: float, alarming: Collection[str], fell: float
) -> FoldedBecause:
    """`least`, `fell`: active sessions."""
    if finding.rule in _BESIDE:
        return "" if any(rule in alarming for rule in finding.explains) else "routine"
    if _alarms(finding) or (finding.rule in _ACTED_ON and finding.explains and not different_databases):
        return ""
    if different_databases and finding.rule in _OF_CHANGE:
        return "other-work"
    if finding.sessions is None or (alarming and finding.rule in _COVERED_BY_ALARMS and finding.tone == "neutral"):
        return "routine"
    if finding.sessions.size < least or not finding.sessions.change:
        return "small"
    is_over = fell > 0 and finding.sessions.second is None and not different_databases  # First alone had it
    is_the_drop = finding.rule != WHOLE and 0 < _HALF * fell <= -finding.sessions.change
    is_better = alarming and finding.tone == "better" and not is_the_drop
    return "improved" if is_over or is_better else ""


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
    owners = (
        n for n, f in candidates.items() if f.rule in rules or (f.rule in about_it and _is_about_the_same(f, finding))
    )
    return next(owners, None)


def _is_about_the_same(first: Finding, other: Finding) -> bool:
    return (first.subject is not None and first.subject == other.subject) or bool(_events(first) & _events(other))


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

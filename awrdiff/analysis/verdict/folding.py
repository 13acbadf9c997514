"""Few findings, each once: what somebody on call would not act on, or what another finding says as well, is folded.

What is folded has fired all the same: exports name it, `--fail-on` sees it, its rule counts as fired.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial

from awrdiff.analysis.model.comparison import Finding, FoldedBecause
from awrdiff.analysis.verdict.severity import RANK
from awrdiff.analysis.verdict.table import BY_EVENT, BY_ID

LEAST_SHARE = 0.05  # of the busier side's DB time: a note of less is small
LEAST_OF_LARGEST = 0.25  # of the largest finding that is left: a note of less is small
_OF_ONE_EVENT = ("row-locks", "commit-latency", "log-file-switch", "resource-manager", "buffer-busy", "interconnect")

_BESIDE = ("sql-readers",)  # read only where they may explain what alarms
_ACTED_ON = ("parameters", "parameters-inside")  # notes of one database that are read where they explain something

_UNITS: Mapping[str, tuple[str, ...]] = {  # what one of costs, by the subject of cost-per-unit
    "hard parse": ("parsing-dominates", "hard-parse-rate"),
    "logon": ("session-storm", "logon-rate"),
    "execution": ("load-against-db-time",),
}


def fold(
    findings: Sequence[Finding], busier: float | None, *, different_databases: bool = False
) -> tuple[Finding, ...]:
    """The findings in their order, `folded_into` or `folded_because` set on those that need not be read first.

    `busier`: active sessions of the busier side; None where they are not printed.
    """
    twins = {at: other for at, f in enumerate(findings) if (other := _owner_of(f, findings)) is not None}
    left = [f for at, f in enumerate(findings) if at not in twins]
    least = LEAST_OF_LARGEST * max((f.sessions.size for f in left if f.sessions), default=0.0)
    acted_on = () if different_databases else _ACTED_ON
    alarming = {f.rule for at, f in enumerate(findings) if _alarms(twins.get(at, f))}
    weigh = partial(_reason, acted_on=acted_on, least=max(least, LEAST_SHARE * (busier or 0.0)), alarming=alarming)
    shown = {f.rule for f in left if not weigh(f)}
    return tuple(
        replace(f, folded_into=twins[at].rule) if at in twins else _placed(f, weigh(f), shown)
        for at, f in enumerate(findings)
    )


def _placed(finding: Finding, because: FoldedBecause, shown: Collection[str]) -> Finding:
    """What would be folded, and may explain what is shown, is folded into that."""
    explained = next((rule for rule in finding.explains if rule in shown), "")
    if because and explained:
        return replace(finding, folded_into=explained)
    return replace(finding, folded_because=because)


def _reason(finding: Finding, *, acted_on: Collection[str], least: float, alarming: Collection[str]) -> FoldedBecause:
    """`least`: active sessions; `alarming`: rules of findings that are more than a note, or belong to such."""
    if finding.rule in _BESIDE:
        return "" if any(rule in alarming for rule in finding.explains) else "routine"
    if _alarms(finding) or (finding.rule in acted_on and finding.explains):
        return ""
    if finding.sessions is None:
        return "routine"
    if finding.sessions.size < least or not finding.sessions.change:
        return "small"
    return "improved" if alarming and finding.tone == "better" else ""


def _alarms(finding: Finding) -> bool:
    return finding.severity != "note"


def _owner_of(finding: Finding, findings: Sequence[Finding]) -> Finding | None:
    """The finding that it belongs to, which is no less severe."""
    others = [f for f in findings if f is not finding and RANK[f.severity] <= RANK[finding.severity]]
    if finding.rule in BY_EVENT:
        same = [f for f in others if f.rule in _OF_ONE_EVENT and _events(f) & _events(finding)]
        return same[0] if same and _events(finding) <= set().union(*map(_events, same)) else None
    subject = finding.subject.key if finding.subject else ""
    rule = BY_ID[finding.rule]
    rules = _UNITS.get(subject, ()) if rule.id == "cost-per-unit" else rule.belongs_to
    about_it = rule.belongs_if_same
    return next((f for f in others if f.rule in rules or (f.rule in about_it and _is_about_the_same(f, finding))), None)


def _is_about_the_same(one: Finding, other: Finding) -> bool:
    return (one.subject is not None and one.subject == other.subject) or bool(_events(one) & _events(other))


def _events(finding: Finding) -> set[str]:
    """Names of the events that it rests on."""
    return {e.key for e in finding.evidence if e.section.endswith("wait_events")}


_WORDS: Mapping[FoldedBecause, str] = {"small": "small", "improved": "better than before", "routine": "routine"}


def folded_words(findings: Sequence[Finding]) -> str:
    """Why those that are folded are: "2 belong to another finding, 3 small, 1 routine"."""
    belong = sum(bool(f.folded_into) for f in findings)
    counts = {word: sum(f.folded_because == because for f in findings) for because, word in _WORDS.items()}
    belonging = [f"{belong} {'belongs' if belong == 1 else 'belong'} to another finding"] if belong else []
    return ", ".join([*belonging, *(f"{n} {word}" for word, n in counts.items() if n)])

"""First's own findings in a comparison whose sick hour is First: a recovery is described by the hour that was sick."""

from __future__ import annotations

from dataclasses import replace

from awrdiff.analysis.commit_latency import commit_latency
from awrdiff.analysis.model.answer import Answer
from awrdiff.analysis.model.comparison import Finding
from awrdiff.analysis.model.ranked import Sessions
from awrdiff.analysis.model.single import SingleFinding
from awrdiff.analysis.verdict.answer import AS_SICK
from awrdiff.analysis.verdict.facts import FactsOfOne, FactsOfTwo
from awrdiff.analysis.verdict.findings import Outcome, findings_of_one
from awrdiff.analysis.verdict.severity import RANK

IN_FIRST = "In First: "  # before what is about that hour alone, not about a change


def is_first(answer: Answer) -> bool:
    """First is the hour in trouble, or the one in more trouble."""
    if answer.state == "both_sick":
        first, second = (max(trouble.sessions for trouble in side) for side in (answer.first, answer.second))
        return second < AS_SICK * first
    return answer.state == "first_was_sick" and bool(answer.first)


def with_findings_of_first(facts: FactsOfTwo, outcome: Outcome[Finding]) -> Outcome[Finding]:
    """What warns in First alone, with its severity, before what changed; a note of the change with the same rule and
    subject becomes part of it."""
    alone = FactsOfOne(facts.first, commit_latency((facts.first,), ()))
    changes = {(f.rule, f.subject): f for f in outcome.findings}
    own = [
        _of_first(finding, changes.get((finding.rule, finding.subject)))
        for finding in findings_of_one(alone).findings
        if finding.severity != "note" and not _warns(changes.get((finding.rule, finding.subject)))
    ]
    covered = {(f.rule, f.subject) for f in own}
    fired = {f.rule for f in own}
    rest = tuple(f for f in outcome.findings if (f.rule, f.subject) not in covered)
    rules = tuple(replace(r, state="fired", by="") if r.rule in fired else r for r in outcome.rules)
    alarms = [f for f in rest if _warns(f) and not f.is_folded]
    first = sorted((*own, *alarms), key=lambda f: RANK[f.severity])
    findings = (*first, *(f for f in rest if f not in alarms))
    return replace(outcome, findings=findings, rules=rules).as_printed(facts.first.report, facts.second.report)


def _warns(finding: Finding | None) -> bool:
    return finding is not None and finding.severity != "note"


def _of_first(alone: SingleFinding, change: Finding | None) -> Finding:
    since = f" {change.title} {change.text}".rstrip() if change is not None else ""
    sessions = Sessions(alone.sessions, None) if alone.sessions else None
    return Finding(
        alone.rule,
        alone.severity,
        f"{IN_FIRST}{alone.title}",
        f"{alone.text}{since}",
        tuple(dict.fromkeys((*alone.evidence, *(change.evidence if change is not None else ())))),
        change.sessions if change is not None and change.sessions else sessions,
        alone.subject,
        "worse",
        alone.explains,
    )

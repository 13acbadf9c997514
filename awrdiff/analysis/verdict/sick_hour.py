"""Own findings of the sick hour where no change holds them: First's of a recovery, or those of two sick hours."""

from __future__ import annotations

from msgspec.structs import replace

from awrdiff.analysis.model.answer import Answer
from awrdiff.analysis.model.comparison import Finding
from awrdiff.analysis.model.ranked import Sessions
from awrdiff.analysis.model.single import SingleFinding
from awrdiff.analysis.verdict.answer import sick_hour
from awrdiff.analysis.verdict.facts import FactsOfTwo
from awrdiff.analysis.verdict.findings import Outcome, alarms_of
from awrdiff.analysis.verdict.severity import RANK

# Before what is about an hour alone, not about a change.
IN_FIRST = "In First: "
IN_SECOND = "In Second: "
IN_BOTH = "In both hours: "
OF_ONE_HOUR = (IN_FIRST, IN_SECOND, IN_BOTH)


def with_own_findings(facts: FactsOfTwo, outcome: Outcome[Finding], answer: Answer) -> Outcome[Finding]:
    """Adds warnings of the sick hour alone before what changed; notes of the same rule and subject join them."""
    is_first = sick_hour(answer) == "First"
    of_first = alarms_of(facts.first)
    changes = {(f.rule, f.subject): f for f in outcome.findings}
    if is_first:
        alone = [(IN_FIRST, finding) for finding in of_first]
    else:
        subjects = {(f.rule, f.subject) for f in of_first}
        of_second = alarms_of(facts.second)
        alone = [(IN_BOTH if (f.rule, f.subject) in subjects else IN_SECOND, f) for f in of_second]
    paired = [(begin, finding, changes.get((finding.rule, finding.subject))) for begin, finding in alone]
    own = [_own(begin, finding, change) for begin, finding, change in paired if not _warns(change)]
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


def _own(begin: str, alone: SingleFinding, change: Finding | None) -> Finding:
    since = f" {change.title} {change.text}".rstrip() if change is not None and begin == IN_FIRST else ""
    sessions = change.sessions if change is not None else None
    if sessions is None and alone.sessions:
        sessions = Sessions(alone.sessions, None) if begin == IN_FIRST else Sessions(None, alone.sessions)
    return Finding(
        alone.rule,
        alone.severity,
        f"{begin}{alone.title}",
        f"{alone.text}{since}",
        tuple(dict.fromkeys((*alone.evidence, *(change.evidence if change is not None else ())))),
        sessions,
        alone.subject,
        "worse",
        alone.explains,
    )

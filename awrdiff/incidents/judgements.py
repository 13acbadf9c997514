"""The judgements of several people on the same findings, and what of them is the team's."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from django.db.models import Exists, OuterRef, QuerySet

from awrdiff.incidents.models import Verdict, VerdictState

DISPUTED = "disputed"
Finding = tuple[object, ...]


def finding_of(verdict: Verdict) -> Finding:
    return verdict.comparison_id, verdict.pair, verdict.anchor


def by_finding(verdicts: Iterable[Verdict]) -> dict[Finding, list[Verdict]]:
    """Those of each finding, in their order."""
    findings: dict[Finding, list[Verdict]] = {}
    for verdict in verdicts:
        findings.setdefault(finding_of(verdict), []).append(verdict)
    return findings


def is_agreed(verdicts: Sequence[Verdict]) -> bool:
    """Whether those who judged one finding say the same of it; why they do may differ."""
    return len({(one.state, one.explained_by) for one in verdicts}) == 1


def team_state(verdicts: Sequence[Verdict]) -> str:
    """Of one finding: what its people agree on, else `disputed`."""
    return str(verdicts[0].state) if is_agreed(verdicts) else DISPUTED


def one_of_each(verdicts: Iterable[Verdict]) -> list[Verdict]:
    """The first of each finding."""
    return [several[0] for several in by_finding(verdicts).values()]


def agreed(verdicts: QuerySet[Verdict]) -> QuerySet[Verdict]:
    """Those that nobody contradicts."""
    same = {name: OuterRef(name) for name in ("comparison", "pair", "anchor")}
    others = Verdict.objects.filter(**same, is_current=True).exclude(state=VerdictState.WITHDRAWN)
    return verdicts.exclude(Exists(others.exclude(state=OuterRef("state"), explained_by=OuterRef("explained_by"))))

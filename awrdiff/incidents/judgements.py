"""Several people's verdicts on a finding and the team's resulting state."""

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
    """True if all say the same; reasons may differ."""
    return len({(verdict.state, verdict.explained_by) for verdict in verdicts}) == 1


def team_state(verdicts: Sequence[Verdict]) -> str:
    """Agreed state of one finding, else `disputed`."""
    return str(verdicts[0].state) if is_agreed(verdicts) else DISPUTED


def one_of_each(verdicts: Iterable[Verdict]) -> list[Verdict]:
    """The first of each finding."""
    return [several[0] for several in by_finding(verdicts).values()]


def agreed(verdicts: QuerySet[Verdict]) -> QuerySet[Verdict]:
    """Those that nobody contradicts."""
    same = {name: OuterRef(name) for name in ("comparison", "pair", "anchor")}
    different = Verdict.objects.filter(**same, is_current=True).exclude(state=VerdictState.WITHDRAWN)
    return verdicts.exclude(Exists(different.exclude(state=OuterRef("state"), explained_by=OuterRef("explained_by"))))

"""Findings with the team's verdicts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from msgspec import structs

from awrdiff.accounts.access import AccessContext
from awrdiff.analysis.model.comparison import Comparison as Computed
from awrdiff.comparisons.anchors import of_finding
from awrdiff.comparisons.models import Comparison
from awrdiff.incidents.models import Verdict
from awrdiff.incidents.verdicts import by_finding
from awrdiff.web.presenters.incident.verdicts import Before, Given, exported, given, verdict_before
from awrdiff.web.presenters.page.overview import FindingView, Overview


def judged_in(computed: Computed, verdicts: Sequence[Verdict], pair: int) -> Computed:
    own = by_finding(verdict for verdict in verdicts if verdict.pair == pair)
    judgements = {several[0].anchor: exported(several) for several in own.values()}
    return structs.replace(computed, judged=tuple(judgements.get(of_finding(finding)) for finding in computed.findings))


def verdicts_of(
    access: AccessContext,
    comparison: Comparison,
    verdicts: Sequence[Verdict],
    judged_before: Mapping[str, Verdict],
    *,
    pair: int,
) -> tuple[dict[str, Given], dict[str, Before]]:
    """Current and earlier ones by anchor, for this reader."""
    current = {several[0].anchor: given(access, several, comparison) for several in by_finding(verdicts).values()}
    return current, {anchor: verdict_before(verdict, pair) for anchor, verdict in judged_before.items()}


def with_verdicts(overview: Overview, verdicts: Mapping[str, Given], before: Mapping[str, Before]) -> Overview:
    def judged(finding: FindingView) -> FindingView:
        return replace(finding, verdict=verdicts.get(finding.anchor), before=before.get(finding.anchor))

    return replace(
        overview,
        findings=tuple(map(judged, overview.findings)),
        more_findings=tuple(map(judged, overview.more_findings)),
    )

"""The findings of a comparison's page with what the team makes of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from msgspec import structs

from awrdiff.accounts.access import AccessContext
from awrdiff.analysis.model.comparison import Comparison as Computed
from awrdiff.comparisons.anchors import of_finding
from awrdiff.comparisons.models import Comparison
from awrdiff.incidents.judgements import by_finding
from awrdiff.incidents.models import Verdict
from awrdiff.web.presenters.incident.given import Before, Given, exported, given, verdict_before
from awrdiff.web.presenters.page.overview import FindingView, Overview


def judged_in(computed: Computed, verdicts: Sequence[Verdict], pair: int) -> Computed:
    """One pair with what the team makes of its findings, for a file that is taken away."""
    judged = {several[0].anchor: exported(several) for several in _of_pair(verdicts, pair)}
    return structs.replace(computed, judged=tuple(judged.get(of_finding(one)) for one in computed.findings))


def _of_pair(verdicts: Sequence[Verdict], pair: int) -> Iterable[Sequence[Verdict]]:
    return by_finding(one for one in verdicts if one.pair == pair).values()


def verdicts_of(
    access: AccessContext,
    comparison: Comparison,
    verdicts: Sequence[Verdict],
    judged_before: Mapping[str, Verdict],
    *,
    pair: int,
) -> tuple[dict[str, Given], dict[str, Before]]:
    """By the anchor of a finding, as this reader sees them: what the team makes of it, and made of it before."""
    held = {several[0].anchor: given(access, several, comparison) for several in by_finding(verdicts).values()}
    return held, {anchor: verdict_before(one, pair) for anchor, one in judged_before.items()}


def with_verdicts(seen: Overview, verdicts: Mapping[str, Given], before: Mapping[str, Before]) -> Overview:
    def judged(found: FindingView) -> FindingView:
        return replace(found, verdict=verdicts.get(found.anchor), before=before.get(found.anchor))

    return replace(
        seen, findings=tuple(map(judged, seen.findings)), more_findings=tuple(map(judged, seen.more_findings))
    )

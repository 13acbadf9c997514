"""The findings of a comparison's page with what the team makes of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from awrdiff.accounts.access import AccessContext
from awrdiff.analysis.model.comparison import Comparison as Computed
from awrdiff.comparisons.anchors import of_finding
from awrdiff.comparisons.models import Comparison
from awrdiff.incidents.models import Verdict
from awrdiff.web.presenters.incident.given import exported_verdict, given_verdict, verdict_before
from awrdiff.web.presenters.page.overview import FindingView, Overview


def judged_in(computed: Computed, verdicts: Sequence[Verdict], pair: int) -> Computed:
    """One pair with what the team makes of its findings, for a file that is taken away."""
    held = {one.anchor: exported_verdict(one) for one in verdicts if one.pair == pair}
    return replace(computed, judged=tuple(held.get(of_finding(one)) for one in computed.findings))


def with_verdicts(
    seen: Overview,
    access: AccessContext,
    comparison: Comparison,
    verdicts: Sequence[Verdict],
    rejected: Mapping[str, Verdict],
) -> Overview:
    held = {one.anchor: given_verdict(access, one, comparison) for one in verdicts}
    told = {anchor: verdict_before(one) for anchor, one in rejected.items()}

    def shown(found: FindingView) -> FindingView:
        return replace(found, verdict=held.get(found.anchor), before=told.get(found.anchor))

    return replace(seen, findings=tuple(map(shown, seen.findings)), more_findings=tuple(map(shown, seen.more_findings)))

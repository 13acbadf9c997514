"""The findings of a comparison's page with what the team makes of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from awrdiff.comparisons.models import Comparison
from awrdiff.incidents.models import Verdict
from awrdiff.web.presenters.incident.given import before, given
from awrdiff.web.presenters.page.overview import FindingView, Overview


def with_verdicts(
    seen: Overview, comparison: Comparison, verdicts: Sequence[Verdict], rejected: Mapping[str, Verdict]
) -> Overview:
    held = {one.anchor: given(one, comparison) for one in verdicts}
    told = {anchor: before(one) for anchor, one in rejected.items()}

    def judged(found: FindingView) -> FindingView:
        return replace(found, verdict=held.get(found.anchor), before=told.get(found.anchor))

    return replace(
        seen, findings=tuple(map(judged, seen.findings)), more_findings=tuple(map(judged, seen.more_findings))
    )

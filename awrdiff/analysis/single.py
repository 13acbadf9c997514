"""`Report` → `Assessment`: what stands out in one report."""

from __future__ import annotations

from collections.abc import Sequence

from awrdiff.analysis.commit_latency import commit_latency
from awrdiff.analysis.compare import compare_reports
from awrdiff.analysis.model.commit_latency import CommitLatency
from awrdiff.analysis.model.single import Assessment
from awrdiff.analysis.oracle_compare.figures import PERIODS
from awrdiff.analysis.oracle_compare.periods import is_compare, period_of
from awrdiff.analysis.report.side import Side
from awrdiff.analysis.verdict import troubles, without_interval
from awrdiff.analysis.verdict.answer import headline_of_one
from awrdiff.analysis.verdict.facts import FactsOfOne
from awrdiff.analysis.verdict.findings import findings_of_one
from awrdiff.analysis.verdict.summary import summary_of_one
from parsers.model import Report


def assess(report: Report, traces: Sequence[Report] = ()) -> Assessment:
    """Assessment with the report's LGWR traces."""
    side = Side(report)
    return assess_side(side, commit_latency((side,), traces))


def assess_side(side: Side, latency: CommitLatency) -> Assessment:
    alone = FactsOfOne(side, latency)
    outcome = findings_of_one(alone)
    sick = troubles.troubles_of(side)
    headline = headline_of_one(alone, sick)
    verdict = summary_of_one(alone, outcome, headline, sick[0].rule if sick else "")
    if is_compare(side.report):
        first, second = (period_of(side.report, period) for period in PERIODS)
        verdict = f"{compare_reports(first, second).summary} {without_interval.more_in(side)}"
    return Assessment(
        verdict,
        outcome.findings,
        outcome.rules,
        alone.weighable,
        troubles.health_of(side, sick),
        sick,
        headline,
    )

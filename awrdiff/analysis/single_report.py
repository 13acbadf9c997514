"""`Report` → `Assessment`: what stands out in one report."""

from __future__ import annotations

from collections.abc import Sequence

from awrdiff.analysis.commit_latency import commit_latency
from awrdiff.analysis.compare import compare_reports
from awrdiff.analysis.model.commit_latency import CommitLatency
from awrdiff.analysis.model.single_report import Assessment
from awrdiff.analysis.oracle_compare.period_columns import PERIODS
from awrdiff.analysis.oracle_compare.period_reports import is_compare, period_of
from awrdiff.analysis.report.figures_by_name import Side
from awrdiff.analysis.verdict import reports_without_interval, trouble_detection
from awrdiff.analysis.verdict.diagnosis import headline_of_one
from awrdiff.analysis.verdict.findings import findings_of_one
from awrdiff.analysis.verdict.rule_inputs import FactsOfOne
from awrdiff.analysis.verdict.summary import summary_of_one
from parsers.model import Report


def assess(report: Report, traces: Sequence[Report] = ()) -> Assessment:
    """Assessment with the report's LGWR traces."""
    side = Side(report)
    return assess_side(side, commit_latency((side,), traces))


def assess_side(side: Side, latency: CommitLatency) -> Assessment:
    alone = FactsOfOne(side, latency)
    outcome = findings_of_one(alone)
    sick = trouble_detection.troubles_of(side)
    headline = headline_of_one(alone, sick)
    verdict = summary_of_one(alone, outcome, headline, sick[0].rule if sick else "")
    if is_compare(side.report):
        first, second = (period_of(side.report, period) for period in PERIODS)
        verdict = f"{compare_reports(first, second).summary} {reports_without_interval.more_in(side)}"
    return Assessment(
        verdict,
        outcome.findings,
        outcome.rules,
        alone.weighable,
        trouble_detection.health_of(side, sick),
        sick,
        headline,
    )

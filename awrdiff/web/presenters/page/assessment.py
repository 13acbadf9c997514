"""What stands above the sections of one report: verdict, findings, and what could not be checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from awrdiff.analysis.export.single import rules_by_missing_table
from awrdiff.analysis.model.single import Assessment
from awrdiff.web.presenters.page.overview import FindingView, finding_view, more_heading, rules_said
from awrdiff.web.presenters.page.verdict import Piece, pieces


@dataclass(frozen=True, slots=True)
class AssessmentView:
    """`unchecked`: what the report does not print, and how many rules needed it."""

    verdict: tuple[Piece, ...]
    findings: tuple[FindingView, ...]
    more_findings: tuple[FindingView, ...]  # notes: they open on demand
    more_heading: str
    rules: str
    weighed: bool
    unchecked: tuple[str, ...]


def present(assessment: Assessment, titles: Mapping[str, str]) -> AssessmentView:
    """`titles`: section id to title, for the words of evidence links."""
    shown = [finding_view(f, titles) for f in assessment.findings]
    return AssessmentView(
        verdict=pieces(assessment.verdict),
        findings=tuple(f for f in shown if not f.folded),
        more_findings=(more := tuple(f for f in shown if f.folded)),
        more_heading=more_heading(more),
        rules=rules_said(assessment.rules) if assessment.weighed else "",
        weighed=assessment.weighed,
        unchecked=tuple(rules_by_missing_table(assessment.unchecked)) if assessment.weighed else (),
    )

"""Verdict and findings of one report: as a document (awrdiff.single/1) and as Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from awrdiff.analysis.commit_latency.sla import Sla
from awrdiff.analysis.export.brief_summary import nothing_found_text, sla_lines
from awrdiff.analysis.export.json_encoding import as_json, commit_dict, published
from awrdiff.analysis.export.markdown import escape
from awrdiff.analysis.export.report_headers import identity_in_words, report_title
from awrdiff.analysis.model.commit_latency import CommitLatency
from awrdiff.analysis.model.comparison import RuleOutcome
from awrdiff.analysis.model.single_report import SCHEMA, Assessment
from awrdiff.analysis.report.figures_by_name import Side
from awrdiff.analysis.report.pair_identity import identity_of


def as_dict(
    side: Side, assessment: Assessment, latency: CommitLatency, slas: Sequence[Sla | None] = ()
) -> dict[str, Any]:
    """`slas`: commit waits against the promise, as `commit_latency.sla`."""
    commits = commit_dict(latency)
    if slas:
        commits["sla"] = [as_json(sla) for sla in slas]
    return {
        "schema": SCHEMA,
        "report": side.report.header(),
        **published(assessment),
        "commit_latency": commits,
    }


def as_markdown(
    side: Side, assessment: Assessment, slas: Sequence[Sla | None] = (), warnings: Sequence[str] = ()
) -> str:
    """`warnings`: about attached traces of another instance."""
    return "\n".join(_lines(side, assessment, slas, warnings)) + "\n"


def _lines(side: Side, assessment: Assessment, slas: Sequence[Sla | None], warnings: Sequence[str]) -> Iterator[str]:
    identity = identity_of(side)
    yield f"# {escape(report_title(identity))}"
    yield ""
    for warning in warnings:
        yield f"> {escape(warning)}"
        yield ""
    yield escape(assessment.verdict)
    yield ""
    yield f"- {escape(identity_in_words(identity).in_a_line)}"
    yield ""
    for n, finding in enumerate(assessment.findings, start=1):
        yield f"{n}. **{escape(finding.title)}** {escape(finding.text)}"
    if not assessment.findings and (assessment.state == "calm" or not assessment.weighed):
        yield nothing_found_text(len(assessment.rules_in("quiet")), is_whole=assessment.weighed)
    if assessment.weighed and assessment.unchecked:
        yield ""
        missing = "; ".join(rules_by_missing_table(assessment.unchecked))
        yield f"Not checked, as the report does not print it: {escape(missing)}."
    if slas:
        yield ""
        yield from sla_lines(slas)


def rules_by_missing_table(unchecked: Sequence[RuleOutcome]) -> dict[str, list[str]]:
    rules: dict[str, list[str]] = {}
    for outcome in unchecked:
        rules.setdefault(outcome.by, []).append(outcome.rule)
    return rules

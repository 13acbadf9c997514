"""One report by itself, from the command line."""

from __future__ import annotations

import json
from dataclasses import dataclass

from awrdiff.analysis.commit_latency import commit_latency
from awrdiff.analysis.commit_latency.sla import of_reports
from awrdiff.analysis.export.single import as_dict, as_markdown
from awrdiff.analysis.model.commits import CommitLatency
from awrdiff.analysis.model.single import Assessment
from awrdiff.analysis.report.side import Side
from awrdiff.analysis.single import assessed
from awrdiff.cli.comparing import chosen
from parsers import Report


@dataclass(frozen=True, slots=True)
class Assessed:
    side: Side
    latency: CommitLatency
    assessment: Assessment


def assessed_report(report: Report, instance: int | None) -> Assessed:
    """`instance`: of a global (RAC) report that instance alone. Raises Refused where it has none of that number."""
    side = Side(chosen(report, instance))
    latency = commit_latency((side,))
    return Assessed(side, latency, assessed(side, latency))


def written(found: Assessed, form: str, sla_s: float | None) -> str:
    """As Markdown, or as one line of JSON."""
    slas = of_reports(found.latency, sla_s) if sla_s is not None else []
    if form == "markdown":
        return f"{as_markdown(found.side, found.assessment, slas)}\n"
    return json.dumps(as_dict(found.side, found.assessment, found.latency, slas), ensure_ascii=True) + "\n"

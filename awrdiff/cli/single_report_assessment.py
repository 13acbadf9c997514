"""One report by itself."""

from __future__ import annotations

import json
from collections.abc import Sequence

from awrdiff.analysis.commit_latency import commit_latency
from awrdiff.analysis.commit_latency.sla import slas_of_reports
from awrdiff.analysis.export.single_report import as_dict, as_markdown
from awrdiff.analysis.model.lgwr_traces import split_traces
from awrdiff.analysis.model.single_report import SingleFinding
from awrdiff.analysis.report.figures_by_name import Side
from awrdiff.analysis.single_report import assess_side
from awrdiff.cli.comparing import instance_of
from parsers import Report


def assessments(
    reports: Sequence[Report], instance: int | None, form: str, sla_s: float | None
) -> list[tuple[str, tuple[SingleFinding, ...]]]:
    """Markdown, or one line of JSON, and findings of each report with its LGWR traces; else of each trace.

    Raises Refused for an unknown instance.
    """
    alone, traces = split_traces(reports)
    assessed = []
    for report in alone or traces:
        side = Side(instance_of(report, instance))
        latency = commit_latency((side,), traces if alone else ())
        assessment = assess_side(side, latency)
        slas = slas_of_reports(latency, sla_s) if sla_s is not None else []
        if form == "markdown":
            text = as_markdown(side, assessment, slas, latency.events.warnings if latency.events is not None else ())
        else:
            text = json.dumps(as_dict(side, assessment, latency, slas), ensure_ascii=True)
        assessed.append((f"{text}\n", assessment.findings))
    return assessed

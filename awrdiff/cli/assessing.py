"""One report by itself."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from awrdiff.analysis.commit_latency import commit_latency
from awrdiff.analysis.commit_latency.sla import slas_of_reports
from awrdiff.analysis.export.single import as_dict, as_markdown
from awrdiff.analysis.model.commit_latency import CommitLatency
from awrdiff.analysis.model.lgwr_traces import split_traces
from awrdiff.analysis.model.single import Assessment
from awrdiff.analysis.report.side import Side
from awrdiff.analysis.single import assess_side
from awrdiff.cli.comparing import instance_of
from parsers import Report


@dataclass(frozen=True, slots=True)
class Assessed:
    side: Side
    latency: CommitLatency
    assessment: Assessment


def assessed_reports(reports: Sequence[Report], instance: int | None) -> list[Assessed]:
    """Reports with their LGWR traces; else traces alone."""
    alone, traces = split_traces(reports)
    return [_assess(r, instance, traces) for r in alone] if alone else [_assess(t, instance, ()) for t in traces]


def _assess(report: Report, instance: int | None, traces: Sequence[Report]) -> Assessed:
    """Raises Refused for an unknown instance."""
    side = Side(instance_of(report, instance))
    latency = commit_latency((side,), traces)
    return Assessed(side, latency, assess_side(side, latency))


def assessment_text(assessed: Assessed, form: str, sla_s: float | None) -> str:
    """Markdown, or one line of JSON."""
    slas = slas_of_reports(assessed.latency, sla_s) if sla_s is not None else []
    if form == "markdown":
        warnings = assessed.latency.events.warnings if assessed.latency.events is not None else ()
        return f"{as_markdown(assessed.side, assessed.assessment, slas, warnings)}\n"
    return json.dumps(as_dict(assessed.side, assessed.assessment, assessed.latency, slas), ensure_ascii=True) + "\n"

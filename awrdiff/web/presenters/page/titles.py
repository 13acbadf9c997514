"""Titles of reports and comparisons."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from awrdiff.analysis.model.traces import split_traces
from awrdiff.analysis.names.releases import with_product
from awrdiff.analysis.windows import window
from awrdiff.comparisons.models import Comparison
from awrdiff.comparisons.pairs import places_of_pair
from awrdiff.comparisons.placed_reports import PlacedReport, comparison_title, database_of
from awrdiff.reports.models import SEVERAL, Report
from awrdiff.web import clock

KINDS = {
    "awr": "AWR report",
    "awr_pdb": "AWR report of a pluggable database",
    "awr_global": "AWR report of all RAC instances",
    "awr_compare": "AWR compare period report",
    "awr_sql": "AWR SQL report",
    "statspack": "Statspack report",
    "ash": "ASH report",
    "addm": "ADDM report",
    "lgwr_trace": "LGWR trace",
    SEVERAL: "File of several reports",
}
STAGES = {
    "reading": "reading the reports",
    "waiting": "queued",
    "parsing": "reading tables",
    "parse": "reading tables",
    "loading": "loading both reports",
    "storing": "storing the result",
    "comparing": "comparing row by row",
    "": "working",
}


@dataclass(frozen=True, slots=True)
class ListLine:
    url: str
    title: str
    note: str
    said: str


def stage_text(stage: str) -> str:
    return STAGES.get(stage, stage)


def report_title(report: Report | PlacedReport) -> str:
    """`RECEIPT · 11 Jan 2018 09:30 – 10:30`, or the file name."""
    name = report.db_name or report.instance_name
    if not report.begin_at:
        return report.name
    if name and isinstance(report, PlacedReport):
        name = database_of(report)
    return f"{name or 'database not named'} · {window(report.begin_at, report.end_at)}"


def list_line(comparison: Comparison, placed_reports: Sequence[PlacedReport], url: str) -> ListLine:
    reports, _ = split_traces(placed_reports)
    state = "" if comparison.is_ready else f"{'failed' if comparison.is_failed else 'in progress'} · "
    files = ", ".join(dict.fromkeys(r.name for r in placed_reports))
    created_text = clock.moment(comparison.created_at)
    return ListLine(url, comparison_title(comparison, reports), comparison.note, f"{state}{files} · {created_text}")


def report_said(report: Report) -> str:
    parts = [
        KINDS.get(report.kind, report.kind),
        with_product(report.release or ""),
        report.db_name,
        f"instance {report.instance_name}" if report.instance_name else "",
        f"snapshots {report.begin_snap} – {report.end_snap}" if report.begin_snap is not None else "",
        window(report.begin_at, report.end_at) if report.begin_at else "",
    ]
    return " · ".join(p for p in parts if p)


def pairs(reports: Sequence[PlacedReport], stored: int) -> list[dict[str, str | int]]:
    """Stored pairs by Second; the default first."""
    if len(reports) < 3:
        return []
    return [{"number": pair, "label": _second_of(pair, reports)} for pair in (stored - 1, *range(stored - 1))]


def _second_of(pair: int, reports: Sequence[PlacedReport]) -> str:
    first, second = places_of_pair(pair, len(reports))
    title, name = report_title(reports[second]), reports[second].name
    before = ", against the one before it" if first else ""
    return f"{title}{'' if name in title else f' · {name}'}{before}"


__all__ = [
    "KINDS",
    "STAGES",
    "ListLine",
    "comparison_title",
    "list_line",
    "pairs",
    "report_said",
    "report_title",
    "stage_text",
]

"""Titles of reports and comparisons."""

from __future__ import annotations

from collections.abc import Sequence

from awrdiff.analysis.names.oracle_releases import with_product
from awrdiff.analysis.report_time_windows import window
from awrdiff.comparisons.report_pairs import places_of_pair
from awrdiff.comparisons.report_places_and_titles import PlacedReport, comparison_title, database_of
from awrdiff.reports.models import SEVERAL, Report

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


def title_with_file(report: Report | PlacedReport) -> str:
    title = report_title(report)
    return title if report.name in title else f"{title} · {report.name}"


def report_facts(report: Report) -> str:
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
    choices: list[dict[str, str | int]] = []
    for pair in (stored - 1, *range(stored - 1)):
        first, second = places_of_pair(pair, len(reports))
        against = ", against the one before it" if first else ""
        choices.append({"number": pair, "label": f"{title_with_file(reports[second])}{against}"})
    return choices


__all__ = [
    "KINDS",
    "STAGES",
    "comparison_title",
    "pairs",
    "report_facts",
    "report_title",
    "stage_text",
    "title_with_file",
]

"""Titles of reports and comparisons, and the parts of reports that they show."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from awrdiff.analysis.names.oracle_releases import with_product
from awrdiff.analysis.oracle_compare.period_columns import PERIODS
from awrdiff.analysis.report_scopes import WHOLE, aspect_text
from awrdiff.analysis.report_time_windows import window
from awrdiff.comparisons.report_places_and_titles import (
    PlacedReport,
    choices_of,
    comparison_title,
    database_of,
    places_of_pair,
)
from awrdiff.reports.models import SEVERAL, Report
from awrdiff.web.query_options import Choice

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
    choices: list[dict[str, str | int]] = []
    for pair in (stored - 1, *range(stored - 1)):
        first, second = places_of_pair(pair, len(reports))
        against = ", against the one before it" if first else ""
        choices.append({"number": pair, "label": f"{title_with_file(reports[second])}{against}"})
    return choices


ALL = "all"


def of_sides(
    placed_reports: Sequence[PlacedReport], pair: int, *, may_choose: bool
) -> tuple[dict[str, Any] | None, list[dict[str, Any]]]:
    """One choice if both sides offer the same, else one for each."""
    if len(placed_reports) < 2:
        return None, []
    first, second = places_of_pair(pair, len(placed_reports))
    sides = (("First", placed_reports[first]), ("Second", placed_reports[second]))
    parts = [_looked_at(side, placed_report, may_choose=may_choose) for side, placed_report in sides]
    named = [part for part in parts if part["label"] or part["choices"]]
    return _common_choice(named), named


def _common_choice(parts: Sequence[dict[str, Any]]) -> dict[str, Any] | None:
    """Compare reports choose per side: their periods always differ."""
    if len(parts) < 2:
        return None
    first, second = (part["choices"] for part in parts)
    values = [choice.value for choice in first]
    if not values or set(values) & set(PERIODS) or values != [choice.value for choice in second]:
        return None
    choices = [a._replace(current=a.current and b.current) for a, b in zip(first, second, strict=True)]
    return {"looks": "Both look at", "place": ALL, "choices": choices}


def _looked_at(side: str, placed_report: PlacedReport, *, may_choose: bool) -> dict[str, Any]:
    kind = placed_report.report.kind
    offered = choices_of(placed_report.report) if may_choose or not placed_report.aspect else ()
    label = aspect_text(placed_report.aspect, kind) if placed_report.aspect or offered else ""
    # both periods at once are no interval: once one is chosen, there is no way back to them
    aspects = [a for a in offered if a != WHOLE or kind != "awr_compare" or placed_report.aspect == WHOLE]
    choices = [Choice(a, aspect_text(a, kind), a == placed_report.aspect) for a in aspects] if may_choose else []
    return {"looks": f"{side} looks at", "place": placed_report.position, "label": label, "choices": choices}


__all__ = [
    "ALL",
    "KINDS",
    "STAGES",
    "comparison_title",
    "of_sides",
    "pairs",
    "report_said",
    "report_title",
    "stage_text",
    "title_with_file",
]

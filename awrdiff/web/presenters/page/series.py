"""Many reports: a line per series, and the rest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from awrdiff.analysis.windows import window
from awrdiff.comparisons.series import DatabaseSeries, Sorted
from awrdiff.reports.models import Report
from awrdiff.web import format as fmt
from awrdiff.web.presenters.page import titles


@dataclass(frozen=True, slots=True)
class SeriesLine:
    """`ids`: compared reports; empty for one."""

    name: str
    said: str
    ids: Sequence[UUID]
    only: Report | None


@dataclass(frozen=True, slots=True)
class SeriesView:
    title: str
    lines: Sequence[SeriesLine]
    ids: Sequence[UUID]  # of all that are compared
    to_compare: int
    unread: str
    sorted: Sorted


def present(sorted_reports: Sorted) -> SeriesView:
    count = sum(len(series.reports) for series in sorted_reports.series)
    lines = [_line(series) for series in sorted_reports.series]
    return SeriesView(
        title=f"{fmt.count_text(count, 'report')}: {f'{len(lines)} series' if lines else 'none names its database'}",
        lines=lines,
        ids=[pk for line in lines for pk in line.ids],
        to_compare=len(sorted_reports.to_compare),
        unread=f"{fmt.count_text(sorted_reports.unread, 'file')} not read" if sorted_reports.unread else "",
        sorted=sorted_reports,
    )


def _line(series: DatabaseSeries) -> SeriesLine:
    latest = series.reports[-1]
    first = next((r for r in series.compared if r.begin_at), latest)
    parts = [fmt.count_text(len(series.reports), "report")]
    if len(series.reports) == 1:
        parts.append("no other of this database and instance to hold it against")
    elif latest.begin_at:
        earlier = window(first.begin_at, "")
        parts.append(f"latest {window(latest.begin_at, latest.end_at)}, the others from {earlier} on")
    if series.older:
        parts.append(f"{series.older} older left out")
    is_one = len(series.reports) == 1
    ids = [] if is_one else [r.pk for r in series.compared]
    return SeriesLine(_title(latest), " · ".join(parts), ids, latest if is_one else None)


def _title(report: Report) -> str:
    instance = report.instance_name or report.instance_number
    parts = (
        report.db_name or f"DBID {report.dbid}",
        f"instance {instance}" if instance else "",
        titles.KINDS.get(report.kind, ""),
    )
    return " · ".join(part for part in parts if part)

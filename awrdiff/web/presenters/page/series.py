"""Many reports at once: one line per series, and reports without a series."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from uuid import UUID

from awrdiff.accounts.access import AccessContext
from awrdiff.analysis.windows import window
from awrdiff.comparisons.series import DatabaseSeries, Sorted
from awrdiff.reports.models import Report
from awrdiff.web import format as fmt
from awrdiff.web import links
from awrdiff.web.presenters.page import titles


@dataclass(frozen=True, slots=True)
class NamedReport:
    name: str
    url: str


@dataclass(frozen=True, slots=True)
class SeriesLine:
    """`ids`: compared reports; empty for a single report."""

    name: str
    said: str
    ids: Sequence[UUID]
    only: NamedReport | None


@dataclass(frozen=True, slots=True)
class SeriesView:
    title: str
    lines: Sequence[SeriesLine]
    ids: Sequence[UUID]  # of all that are compared
    to_compare: int
    unknown: Sequence[NamedReport]
    twice: Sequence[tuple[NamedReport, NamedReport]]
    beside: Sequence[NamedReport]
    unread: str


def present(access: AccessContext, sorted_reports: Sorted) -> SeriesView:
    count = sum(len(series.reports) for series in sorted_reports.series)
    lines = [_line(access, series) for series in sorted_reports.series]
    return SeriesView(
        title=f"{fmt.count_text(count, 'report')}: {_series_text(len(lines))}",
        lines=lines,
        ids=[pk for line in lines for pk in line.ids],
        to_compare=len(sorted_reports.to_compare),
        unknown=_named_reports(access, sorted_reports.unknown),
        twice=[(_name(access, report), _name(access, other)) for report, other in sorted_reports.twice],
        beside=_named_reports(access, sorted_reports.beside),
        unread=f"{fmt.count_text(sorted_reports.unread, 'file')} not read" if sorted_reports.unread else "",
    )


def _series_text(number: int) -> str:
    return f"{number} series" if number else "none names its database"


def _line(access: AccessContext, series: DatabaseSeries) -> SeriesLine:
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
    return SeriesLine(_title(latest), " · ".join(parts), ids, _name(access, latest) if is_one else None)


def _title(report: Report) -> str:
    """`PAY · instance pay1 · AWR report`."""
    instance = report.instance_name or report.instance_number
    parts = (
        report.db_name or f"DBID {report.dbid}",
        f"instance {instance}" if instance else "",
        titles.KINDS.get(report.kind, ""),
    )
    return " · ".join(part for part in parts if part)


def _named_reports(access: AccessContext, reports: Iterable[Report]) -> list[NamedReport]:
    return [_name(access, report) for report in reports]


def _name(access: AccessContext, report: Report) -> NamedReport:
    return NamedReport(report.name, links.report(access, report) or "")

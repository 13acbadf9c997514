"""Many reports at once, as they are offered: a line for each series, and what is part of none."""

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
    """`ids` of those that are compared; none where there is but one report."""

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


def present(access: AccessContext, found: Sorted) -> SeriesView:
    count = sum(len(one.reports) for one in found.series)
    lines = [_line(access, one) for one in found.series]
    return SeriesView(
        title=f"{fmt.count_text(count, 'report')}: {_series_text(len(lines))}",
        lines=lines,
        ids=[pk for line in lines for pk in line.ids],
        to_compare=len(found.to_compare),
        unknown=_named(access, found.unknown),
        twice=[(_name(access, one), _name(access, other)) for one, other in found.twice],
        beside=_named(access, found.beside),
        unread=f"{fmt.count_text(found.unread, 'file')} not read" if found.unread else "",
    )


def _series_text(number: int) -> str:
    return f"{number} series" if number else "none names its database"


def _line(access: AccessContext, one: DatabaseSeries) -> SeriesLine:
    latest = one.reports[-1]
    first = next((r for r in one.compared if r.begin_at), latest)
    parts = [fmt.count_text(len(one.reports), "report")]
    if len(one.reports) == 1:
        parts.append("no other of this database and instance to hold it against")
    elif latest.begin_at:
        earlier = window(first.begin_at, "")
        parts.append(f"latest {window(latest.begin_at, latest.end_at)}, the others from {earlier} on")
    if one.older:
        parts.append(f"{one.older} older left out")
    is_one = len(one.reports) == 1
    ids = [] if is_one else [r.pk for r in one.compared]
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


def _named(access: AccessContext, reports: Iterable[Report]) -> list[NamedReport]:
    return [_name(access, one) for one in reports]


def _name(access: AccessContext, report: Report) -> NamedReport:
    return NamedReport(report.name, links.report(access, report) or "")

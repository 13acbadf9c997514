"""Many reports at once: one comparison per series."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlencode
from uuid import UUID

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST

from awrdiff.accounts.access import AccessContext
from awrdiff.analysis.baseline.against import BaselineSelection
from awrdiff.analysis.windows import window
from awrdiff.comparisons import series
from awrdiff.comparisons.errors import ComparisonRefused
from awrdiff.comparisons.models import Comparison
from awrdiff.comparisons.series import DatabaseSeries, Sorted
from awrdiff.reports.models import Report
from awrdiff.web import format as fmt
from awrdiff.web import links, options
from awrdiff.web.api.comparisons import chosen_reports
from awrdiff.web.presenters.page import titles
from awrdiff.web.sign_in.members import member
from awrdiff.web.views.home import RECENT


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


@require_POST
def offer(request: HttpRequest) -> HttpResponse:
    """Field `report`, repeated: sorts them into series. Changes nothing; a POST because an address has no room for so
    many ids.
    """
    access = member(request)
    chosen_rows = chosen_reports(access, request.POST.getlist("report"))
    if not access.can_write:
        raise PermissionDenied
    sorted_reports = series.sort_out(chosen_rows)
    return render(request, "web/series.html", {"access": access, "series": present(sorted_reports)})


@require_POST
def compare(request: HttpRequest) -> HttpResponse:
    """Field `report`, repeated: makes a comparison of each series, its latest 24; redirects to it or to the list."""
    access = member(request)
    chosen_rows = chosen_reports(access, request.POST.getlist("report"))
    if not access.can_write:
        raise PermissionDenied
    to_compare = series.sort_out(chosen_rows).to_compare
    if not to_compare:
        raise ComparisonRefused("A series needs two reports of one database and instance.")
    comparisons = series.compare(access, to_compare)
    if len(comparisons) == 1:
        return redirect(_latest_against_the_others(access, comparisons[0], len(to_compare[0].compared)))
    return redirect(f"{reverse('home')}?{urlencode(RECENT)}")


def _latest_against_the_others(access: AccessContext, comparison: Comparison, reports: int) -> str:
    address = links.comparison(access, comparison)
    if reports < 3:
        return address
    return f"{address}?{options.baseline_query(BaselineSelection(tuple(range(reports - 1)), reports - 1))}"

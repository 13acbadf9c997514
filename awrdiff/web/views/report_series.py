"""Many reports at once: one comparison per series."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST

from awrdiff.accounts.access import AccessContext, Can
from awrdiff.analysis.baseline.section_vs_median import BaselineSelection
from awrdiff.analysis.report_time_windows import window
from awrdiff.comparisons import report_series
from awrdiff.comparisons.errors import ComparisonRefused
from awrdiff.comparisons.models import Comparison
from awrdiff.comparisons.report_series import DatabaseSeries, Sorted
from awrdiff.reports.models import Report
from awrdiff.web import links, query_options
from awrdiff.web import value_formatting as fmt
from awrdiff.web.api.comparisons import chosen_reports
from awrdiff.web.presenters.page import titles
from awrdiff.web.sign_in.permission_helpers import member
from awrdiff.web.views.home import RECENT


class SeriesLine(NamedTuple):
    """`compared`: empty for one report, which is `only`."""

    name: str
    note: str
    compared: Sequence[Report]
    only: Report | None


def _title(sorted_reports: Sorted) -> str:
    count = sum(len(series.reports) for series in sorted_reports.series)
    kinds = len(sorted_reports.series)
    return f"{fmt.count_text(count, 'report')}: {f'{kinds} series' if kinds else 'none names its database'}"


def _line(series: DatabaseSeries) -> SeriesLine:
    latest = series.reports[-1]
    is_one = len(series.reports) == 1
    parts = [fmt.count_text(len(series.reports), "report")]
    if is_one:
        parts.append("no other of this database and instance to hold it against")
    elif latest.begin_at:
        earlier = window(next(r for r in series.compared if r.begin_at).begin_at, "")
        parts.append(f"latest {window(latest.begin_at, latest.end_at)}, the others from {earlier} on")
    if series.older:
        parts.append(f"{series.older} older left out")
    instance = latest.instance_name or latest.instance_number
    name_parts = (
        latest.db_name or f"DBID {latest.dbid}",
        f"instance {instance}" if instance else "",
        titles.KINDS.get(latest.kind, ""),
    )
    name = " · ".join(part for part in name_parts if part)
    return SeriesLine(name, " · ".join(parts), [] if is_one else series.compared, latest if is_one else None)


@require_POST
def offer(request: HttpRequest) -> HttpResponse:
    """Field `report`, repeated: sorts them into series. Changes nothing; a POST because an address has no room for so
    many ids.
    """
    access = member(request)
    chosen_rows = chosen_reports(access, request.POST.getlist("report"))
    access.check(Can.WRITE)
    sorted_reports = report_series.sort_out(chosen_rows)
    lines = [_line(group) for group in sorted_reports.series]
    context = {"access": access, "title": _title(sorted_reports), "lines": lines, "sorted": sorted_reports}
    return render(request, "web/series.html", context)


@require_POST
def compare(request: HttpRequest) -> HttpResponse:
    """Field `report`, repeated: makes a comparison of each series, its latest 24; redirects to it or to the list."""
    access = member(request)
    chosen_rows = chosen_reports(access, request.POST.getlist("report"))
    access.check(Can.WRITE)
    to_compare = report_series.sort_out(chosen_rows).to_compare
    if not to_compare:
        raise ComparisonRefused("A series needs two reports of one database and instance.")
    comparisons = report_series.compare(access, to_compare)
    if len(comparisons) == 1:
        return redirect(_latest_against_the_others(access, comparisons[0], len(to_compare[0].compared)))
    return redirect(f"{reverse('home')}?{urlencode(RECENT)}")


def _latest_against_the_others(access: AccessContext, comparison: Comparison, reports: int) -> str:
    address = links.comparison(access, comparison)
    if reports < 3:
        return address
    return f"{address}?{query_options.baseline_query(BaselineSelection(tuple(range(reports - 1)), reports - 1))}"

"""Many reports at once: one comparison per series."""

from __future__ import annotations

from urllib.parse import urlencode

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST

from awrdiff.accounts.access import AccessContext
from awrdiff.analysis.baseline.against import BaselineSelection
from awrdiff.comparisons import series
from awrdiff.comparisons.errors import ComparisonRefused
from awrdiff.comparisons.models import Comparison
from awrdiff.web import links, options
from awrdiff.web.api.comparisons import chosen_reports
from awrdiff.web.presenters.page import series as shown
from awrdiff.web.sign_in.members import member
from awrdiff.web.views.home import RECENT


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
    return render(request, "web/series.html", {"access": access, "series": shown.present(sorted_reports)})


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

"""Deleting comparisons and reports, after a page that asks."""

from __future__ import annotations

from functools import partial
from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_http_methods

from awrdiff.accounts.access import AccessContext, Can
from awrdiff.comparisons import comparisons_by_database, queries, services
from awrdiff.comparisons.models import Comparison
from awrdiff.comparisons.report_places_and_titles import placed_reports_in, placed_reports_of
from awrdiff.reports import services as report_services
from awrdiff.reports.models import Report
from awrdiff.reports.queries import report_for, traces_of
from awrdiff.sharing.models import Shows
from awrdiff.sharing.queries import ending_with
from awrdiff.web import links
from awrdiff.web.comparison_dependents import is_bare, team_of
from awrdiff.web.content_negotiation import done
from awrdiff.web.presenters.page import deletion_warnings, titles
from awrdiff.web.sign_in.permission_helpers import member

METHODS = ["GET", "HEAD", "POST", "DELETE"]


@require_http_methods(METHODS)
def comparison(request: HttpRequest, pk: UUID) -> HttpResponse:
    """A page that lists what goes; a POST or DELETE deletes it with its links, and with those of reports that are in no
    other comparison.
    """
    access = member(request)
    own_comparison = queries.comparison_for(access, pk)
    access.check(Can.WRITE)
    if request.method in ("GET", "HEAD"):
        return _page(request, access, _of_comparison(access, own_comparison))
    services.delete(access, own_comparison, partial(is_bare, access))
    return done(request, "home")


@require_http_methods(METHODS)
def report(request: HttpRequest, pk: UUID) -> HttpResponse:
    """A page that asks first; a POST or DELETE deletes it, 204, or 409 with the comparisons that contain it."""
    access = member(request)
    own_report = report_for(access, pk)
    access.check(Can.WRITE)
    if request.method in ("GET", "HEAD"):
        return _page(request, access, _of_report(access, own_report))
    report_services.delete_report(access, own_report)
    return done(request, "home")


def _page(request: HttpRequest, access: AccessContext, view: dict[str, Any]) -> HttpResponse:
    return render(request, "web/delete.html", {"access": access, "view": view})


def _of_comparison(access: AccessContext, own_comparison: Comparison) -> dict[str, Any]:
    hanging = queries.hanging_on(own_comparison)
    shared = ending_with(access, own_comparison, Shows.COMPARISON)
    with_reports = sum(ending_with(access, going_report, Shows.REPORT) for going_report in hanging.going)
    title = titles.comparison_title(own_comparison, placed_reports_of(own_comparison))
    url = links.comparison(access, own_comparison)
    return deletion_warnings.of_comparison(
        title, url, hanging, shared, team_of(own_comparison), shared_reports=with_reports
    )


def _of_report(access: AccessContext, own_report: Report) -> dict[str, Any]:
    standing = list(comparisons_by_database.standing_on(access, own_report))
    placed_reports = placed_reports_in(standing)
    comparison_titles = [
        (c.pk, titles.comparison_title(c, placed_reports[c.pk])) for c in standing if c.pk in placed_reports
    ]
    url, shared = links.report(access, own_report) or "", ending_with(access, own_report, Shows.REPORT)
    return deletion_warnings.of_report(
        own_report, titles.report_title(own_report), url, comparison_titles, list(traces_of(own_report)), shared=shared
    )

"""Deleting comparisons and reports, after a page that asks."""

from __future__ import annotations

from functools import partial
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_http_methods

from awrdiff.accounts.access import AccessContext, Can
from awrdiff.analysis.model.lgwr_traces import split_traces
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
from awrdiff.web.presenters.page import titles
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
        return _comparison_page(request, access, own_comparison)
    services.delete(access, own_comparison, partial(is_bare, access))
    return done(request, "home")


@require_http_methods(METHODS)
def report(request: HttpRequest, pk: UUID) -> HttpResponse:
    """A page that asks first; a POST or DELETE deletes it, 204, or 409 with the comparisons that contain it."""
    access = member(request)
    own_report = report_for(access, pk)
    access.check(Can.WRITE)
    if request.method in ("GET", "HEAD"):
        return _report_page(request, access, own_report)
    report_services.delete_report(access, own_report)
    return done(request, "home")


def _comparison_page(request: HttpRequest, access: AccessContext, own_comparison: Comparison) -> HttpResponse:
    hanging, team = queries.hanging_on(own_comparison), team_of(own_comparison)
    shared = ending_with(access, own_comparison, Shows.COMPARISON)
    shared_reports = sum(ending_with(access, going_report, Shows.REPORT) for going_report in hanging.going)
    reports, traces = split_traces(hanging.going)
    context = {
        "access": access,
        "title": titles.comparison_title(own_comparison, placed_reports_of(own_comparison)),
        "back_url": links.comparison(access, own_comparison),
        "shared": shared,
        "shared_reports": shared_reports,
        "team": team,
        "reports": reports,
        "traces": traces,
        "goes": shared or shared_reports or hanging.going or any(team),
        "hanging": hanging,
    }
    return render(request, "comparisons/delete.html", context)


def _report_page(request: HttpRequest, access: AccessContext, own_report: Report) -> HttpResponse:
    standing = list(comparisons_by_database.standing_on(access, own_report))
    placed_reports = placed_reports_in(standing)
    context = {
        "access": access,
        "kind": " the report",
        "report": own_report,
        "title": titles.report_title(own_report),
        "back_url": links.report(access, own_report) or "",
        "standing": [
            (c.pk, titles.comparison_title(c, placed_reports[c.pk])) for c in standing if c.pk in placed_reports
        ],
        "traces": list(traces_of(own_report)),
        "shared": ending_with(access, own_report, Shows.REPORT),
    }
    return render(request, "reports/delete.html", context)

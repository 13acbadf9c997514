"""Deleting comparisons and reports: a page first names all that goes with them."""

from __future__ import annotations

from functools import partial
from uuid import UUID

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from awrdiff.accounts.access import AccessContext
from awrdiff.analysis.model.traces import split_traces
from awrdiff.comparisons import library, queries, services
from awrdiff.comparisons.models import Comparison
from awrdiff.comparisons.placed_reports import placed_reports_in, placed_reports_of
from awrdiff.reports import services as report_services
from awrdiff.reports.models import Report
from awrdiff.reports.queries import report_for, traces_of
from awrdiff.sharing.models import Shows
from awrdiff.sharing.queries import ending_with
from awrdiff.web import links
from awrdiff.web.hanging import is_bare, team_of
from awrdiff.web.negotiate import wants_json
from awrdiff.web.presenters.page import deleting, titles
from awrdiff.web.sign_in.members import member

METHODS = ["GET", "HEAD", "POST"]


@require_http_methods(METHODS)
def comparison(request: HttpRequest, pk: UUID) -> HttpResponse:
    """A page that names what goes; a POST deletes it with its links, and with those of its reports that stand in no
    other.
    """
    access = member(request)
    found = queries.comparison_for(access, pk)
    if not access.can_write:
        raise PermissionDenied
    if request.method != "POST":
        return _page(request, access, _of_comparison(access, found))
    services.delete(access, found, partial(is_bare, access))
    return redirect("home")


@require_http_methods(METHODS)
def report(request: HttpRequest, pk: UUID) -> HttpResponse:
    """A page that asks first; a POST deletes it, 204, or 409 with the comparisons that it stands in."""
    access = member(request)
    found = report_for(access, pk)
    if not access.can_write:
        raise PermissionDenied
    if request.method != "POST":
        return _page(request, access, _of_report(access, found))
    report_services.delete_report(access, found)
    return HttpResponse(status=204) if wants_json(request) else redirect("home")


def _page(request: HttpRequest, access: AccessContext, view: deleting.DeleteView) -> HttpResponse:
    return render(request, "web/delete.html", {"access": access, "view": view})


def _of_comparison(access: AccessContext, found: Comparison) -> deleting.DeleteView:
    hanging = queries.hanging_on(found)
    shared = ending_with(access, found, Shows.COMPARISON)
    with_reports = sum(ending_with(access, one, Shows.REPORT) for one in hanging.going)
    title = titles.comparison_title(found, split_traces(placed_reports_of(found))[0])
    url = links.comparison(access, found)
    return deleting.of_comparison(title, url, hanging, shared, team_of(found), shared_reports=with_reports)


def _of_report(access: AccessContext, found: Report) -> deleting.DeleteView:
    standing = list(library.standing_on(access, found))
    seen = placed_reports_in(standing)
    named = [(c.pk, titles.comparison_title(c, split_traces(seen[c.pk])[0])) for c in standing if c.pk in seen]
    url, shared = links.report(access, found) or "", ending_with(access, found, Shows.REPORT)
    return deleting.of_report(found, titles.report_title(found), url, named, list(traces_of(found)), shared=shared)

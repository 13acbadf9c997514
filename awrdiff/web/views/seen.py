"""Precedents, loaded after a comparison's or incident's page: a folded element, or nothing."""

from __future__ import annotations

from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from awrdiff.comparisons.pairs import TURNED, latest_pair
from awrdiff.comparisons.placed_reports import placed_reports_of
from awrdiff.comparisons.queries import comparison_for
from awrdiff.comparisons.similar import similar_to, similar_to_any
from awrdiff.incidents import hours, queries
from awrdiff.incidents.models import IncidentComparison
from awrdiff.incidents.queries import with_comparison
from awrdiff.incidents.remembered import remembered
from awrdiff.web import options
from awrdiff.web.presenters.incident import seen
from awrdiff.web.sign_in.members import member, no_guest

MOST_ASKED = 5  # comparisons of an incident, those attached last, whose similar hours it shows


@require_safe
def of_comparison(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Page part: earlier knowledge of its databases and files, and similar hours."""
    access = member(request)
    own_comparison = comparison_for(access, pk)
    reports = [place.report for place in placed_reports_of(own_comparison)]
    incidents = [incident.pk for incident in with_comparison(access, own_comparison)]
    remembered_work = remembered(access, reports, comparisons=[own_comparison.pk], incidents=incidents)
    similar = seen.similar_lines(access, similar_to(access, own_comparison, is_turned=options.pair(request) == TURNED))
    return _answer(request, seen.present(remembered_work, similar))


@require_safe
def of_incident(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Page part: earlier knowledge of its databases and files, and similar hours."""
    access = no_guest(request)
    own_incident = queries.incident_for(access, pk)
    attached = queries.comparisons_of(own_incident)
    reports = [place.report for comparison in attached for place in comparison.comparison.places.all()]
    reports += [incident_report.report for incident_report in queries.reports_of(own_incident)]
    comparisons = [comparison.comparison_id for comparison in attached]
    remembered_work = remembered(access, reports, comparisons=comparisons, incidents=[own_incident.pk])
    latest = [comparison for comparison in attached if not comparison.comparison.is_demo][-MOST_ASKED:]
    turned_by_comparison = {comparison.comparison_id: _is_turned(comparison) for comparison in latest}
    similar = seen.similar_lines(access, similar_to_any(access, turned_by_comparison, comparisons))
    return _answer(request, seen.present(remembered_work, similar))


def _is_turned(attached: IncidentComparison) -> bool:
    """True if the incident's hour is First in the default view."""
    return hours.sides_of(attached, latest_pair(hours.reports_count(attached))).is_turned


def _answer(request: HttpRequest, precedents: seen.Seen | None) -> HttpResponse:
    return render(request, "incidents/_seen.html", {"seen": precedents}) if precedents else HttpResponse()

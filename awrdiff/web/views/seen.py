"""Have we seen this before? Asked for by the pages of a comparison and of an incident once they are shown: the answer
is a folded element, or nothing."""

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
    """A piece of the page: what is known of its databases and files, and similar hours."""
    access = member(request)
    found = comparison_for(access, pk)
    reports = [place.report for place in placed_reports_of(found)]
    incidents = [one.pk for one in with_comparison(access, found)]
    known = remembered(access, reports, comparisons=[found.pk], incidents=incidents)
    similar = seen.similar_lines(access, similar_to(access, found, is_turned=options.pair(request) == TURNED))
    return _answer(request, seen.present(known, similar))


@require_safe
def of_incident(request: HttpRequest, pk: UUID) -> HttpResponse:
    """A piece of the page: what is known of its databases and files, and similar hours."""
    access = no_guest(request)
    found = queries.incident_for(access, pk)
    attached = queries.comparisons_of(found)
    reports = [place.report for one in attached for place in one.comparison.places.all()]
    reports += [one.report for one in queries.reports_of(found)]
    comparisons = [one.comparison_id for one in attached]
    known = remembered(access, reports, comparisons=comparisons, incidents=[found.pk])
    latest = [one for one in attached if not one.comparison.is_demo][-MOST_ASKED:]
    asked = {one.comparison_id: _is_turned(one) for one in latest}
    similar = seen.similar_lines(access, similar_to_any(access, asked, comparisons))
    return _answer(request, seen.present(known, similar))


def _is_turned(one: IncidentComparison) -> bool:
    """Whether the incident's hour is First of what the comparison opens on."""
    return hours.sides_of(one, latest_pair(hours.reports_count(one))).is_turned


def _answer(request: HttpRequest, found: seen.Seen | None) -> HttpResponse:
    return render(request, "incidents/_seen.html", {"seen": found}) if found else HttpResponse()

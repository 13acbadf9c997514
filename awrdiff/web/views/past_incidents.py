"""Precedents, loaded after the page: a folded element, or nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from awrdiff.accounts.access import AccessContext
from awrdiff.analysis.figures_in_words import number
from awrdiff.analysis.model.ranked_changes import Subject
from awrdiff.analysis.verdict.ranked_changes import label
from awrdiff.comparisons.models import REVERSE
from awrdiff.comparisons.queries import comparison_for
from awrdiff.comparisons.report_places_and_titles import PlacedReport, placed_reports_in, placed_reports_of
from awrdiff.comparisons.similar import Similar, similar_to, similar_to_any
from awrdiff.incidents import queries
from awrdiff.incidents.bad_hour_selection import is_turned
from awrdiff.incidents.past_incident_knowledge import Remembered, remembered, remembered_of
from awrdiff.incidents.queries import with_comparison
from awrdiff.web import links, query_options
from awrdiff.web import value_formatting as fmt
from awrdiff.web.presenters.page import titles
from awrdiff.web.sign_in.permission_helpers import member, no_guest

MOST_JUDGED = 20  # of a similar hour


def present(remembered: Remembered, similar: Sequence[dict[str, Any]] = ()) -> dict[str, Any]:
    """Empty if there is nothing. `summary`: counts of the folded lines."""
    states = [before.verdict.state for before in remembered.verdicts]
    confirmed, rejected = (states.count(state) for state in ("confirmed", "rejected"))
    counts = (
        (len(remembered.same_files), f"the same files in {fmt.count_text(len(remembered.same_files), 'incident')}"),
        (len(remembered.incidents), f"{fmt.count_text(len(remembered.incidents), 'incident')} of this database"),
        (confirmed, f"{fmt.count_text(confirmed, 'finding')} confirmed"),
        (rejected, f"{fmt.count_text(rejected, 'finding')} rejected"),
        (len(similar), fmt.count_text(len(similar), "similar hour")),
    )
    if not (summary := ", ".join(text for number, text in counts if number)):
        return {}
    beside = {line["comparison"].pk for line in similar}  # what was judged there stands there
    return {
        "summary": summary,
        "incidents": (
            ("Incidents with the same files", remembered.same_files),
            ("Incidents of this database", remembered.incidents),
        ),
        "judged": [before for before in remembered.verdicts if before.verdict.comparison_id not in beside],
        "similar": similar,
    }


def similar_lines(access: AccessContext, similar: Sequence[Similar]) -> list[dict[str, Any]]:
    places = placed_reports_in(alike.comparison for alike in similar)
    visible = [alike for alike in similar if alike.comparison.pk in places]
    remembered = remembered_of(access, [alike.comparison.pk for alike in visible])
    return [
        _similar(access, alike, places[alike.comparison.pk], remembered.get(alike.comparison.pk, Remembered()))
        for alike in visible
    ]


def _similar(
    access: AccessContext, similar: Similar, places: Sequence[PlacedReport], remembered: Remembered
) -> dict[str, Any]:
    """`share`: common part of the change. `is_reversed`: opposite way. `incidents`: attached; `judged`: verdicts."""
    alike, way = similar.likeness, -1 if remembered.is_turned else 1
    shared_texts = [
        f"{_part_label(s.key)} ({_sessions(s.mine)} here, {_sessions(way * s.other)} there)" for s in alike.shared
    ]
    alone = [
        f"{where}: {', '.join(f'{_part_label(key)} ({_sessions(sign * change)})' for key, change in some)}"
        for where, some, sign in (("only here", alike.mine, 1), ("only there", alike.theirs, way))
        if some
    ]
    return {
        "comparison": similar.comparison,
        "title": titles.comparison_title(similar.comparison, places),
        "url": links.comparison(access, similar.comparison),
        "share": f"{100 * alike.overlap:.0f} %",
        "is_reversed": alike.is_reversed != remembered.is_turned,
        "alike": ", ".join(shared_texts),
        "unlike": "; ".join(alone),
        "incidents": remembered.incidents,
        "judged": remembered.verdicts[:MOST_JUDGED],
    }


def _part_label(key: str) -> str:
    kind, _, name = key.partition(" ")
    return label(Subject(kind, name))  # type: ignore[arg-type] # as change_similarity.py wrote it


def _sessions(change: float) -> str:
    return f"{'+' if change > 0 else '−'}{number(abs(change))}"


MOST_ASKED = 5  # comparisons of an incident, those attached last, whose similar hours it shows


@require_safe
def of_comparison(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Page part: earlier knowledge of its databases and files, and similar hours."""
    access = member(request)
    own_comparison = comparison_for(access, pk)
    reports = [place.report for place in placed_reports_of(own_comparison)]
    incidents = [incident.pk for incident in with_comparison(access, own_comparison)]
    remembered_work = remembered(access, reports, comparisons=[own_comparison.pk], incidents=incidents)
    is_reverse = query_options.pair(request) == REVERSE
    similar = similar_lines(access, similar_to(access, own_comparison, is_turned=is_reverse))
    return _answer(request, present(remembered_work, similar))


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
    turned_by_comparison = {comparison.comparison_id: is_turned(comparison) for comparison in latest}
    similar = similar_lines(access, similar_to_any(access, turned_by_comparison, comparisons))
    return _answer(request, present(remembered_work, similar))


def _answer(request: HttpRequest, precedents: dict[str, Any]) -> HttpResponse:
    return render(request, "incidents/_seen.html", {"seen": precedents}) if precedents else HttpResponse()

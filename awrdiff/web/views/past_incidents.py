"""Precedents, loaded after the page: a folded element, or nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from awrdiff.accounts.access import AccessContext
from awrdiff.accounts.display_names import shown_name
from awrdiff.analysis.figures_in_words import number
from awrdiff.analysis.model.ranked_changes import Subject
from awrdiff.analysis.verdict.ranked_changes import label
from awrdiff.comparisons.queries import comparison_for
from awrdiff.comparisons.report_pairs import TURNED
from awrdiff.comparisons.report_places_and_titles import PlacedReport, placed_reports_in, placed_reports_of
from awrdiff.comparisons.similar import Similar, similar_to, similar_to_any
from awrdiff.incidents import queries
from awrdiff.incidents.bad_hour_selection import is_turned
from awrdiff.incidents.models import Incident
from awrdiff.incidents.past_incident_knowledge import JudgedBefore, Remembered, remembered, remembered_of
from awrdiff.incidents.queries import with_comparison
from awrdiff.web import links, query_options
from awrdiff.web import value_formatting as fmt
from awrdiff.web.presenters.incident.time_zone_clock import Clock
from awrdiff.web.presenters.page import titles
from awrdiff.web.sign_in.permission_helpers import member, no_guest

MOST_JUDGED = 20  # of a similar hour


@dataclass(frozen=True, slots=True)
class JudgedLine:
    state: str
    title: str
    url: str
    why: str
    by: str
    at: str
    is_agreed: bool
    incidents: Sequence[tuple[str, str]]  # title and address of each


@dataclass(frozen=True, slots=True)
class IncidentSeen:
    title: str
    url: str
    status: str
    window: str


@dataclass(frozen=True, slots=True)
class SimilarLine:
    """`share`: common part of the change. `turned`: opposite direction. `incidents`: attached; `judged`: verdicts."""

    comparison: UUID
    title: str
    url: str
    share: str
    turned: bool
    alike: str
    unlike: str
    incidents: Sequence[tuple[str, str]]
    judged: Sequence[JudgedLine]


@dataclass(frozen=True, slots=True)
class Seen:
    """`said`: counts of the folded lines."""

    said: str
    incidents: Sequence[tuple[str, Sequence[IncidentSeen]]]  # by what they have in common
    judged: Sequence[JudgedLine]
    similar: Sequence[SimilarLine]


def present(remembered: Remembered, similar: Sequence[SimilarLine] = ()) -> Seen | None:
    """None if there is nothing."""
    states = [judged_before.verdict.state for judged_before in remembered.verdicts]
    confirmed, rejected = (states.count(state) for state in ("confirmed", "rejected"))
    counts = (
        (len(remembered.same_files), f"the same files in {fmt.count_text(len(remembered.same_files), 'incident')}"),
        (len(remembered.incidents), f"{fmt.count_text(len(remembered.incidents), 'incident')} of this database"),
        (confirmed, f"{fmt.count_text(confirmed, 'finding')} confirmed"),
        (rejected, f"{fmt.count_text(rejected, 'finding')} rejected"),
        (len(similar), fmt.count_text(len(similar), "similar hour")),
    )
    summary = ", ".join(text for number, text in counts if number)
    if not summary:
        return None
    groups = (
        ("Incidents with the same files", remembered.same_files),
        ("Incidents of this database", remembered.incidents),
    )
    incidents = [(heading, [_incident(incident) for incident in some]) for heading, some in groups if some]
    beside = {similar_line.comparison for similar_line in similar}  # what was judged there stands there
    judged_lines = [
        _judged_line(judged_before)
        for judged_before in remembered.verdicts
        if judged_before.verdict.comparison_id not in beside
    ]
    return Seen(summary, incidents, judged_lines, similar)


def similar_lines(access: AccessContext, similar: Sequence[Similar]) -> list[SimilarLine]:
    places = placed_reports_in(alike.comparison for alike in similar)
    visible = [alike for alike in similar if alike.comparison.pk in places]
    remembered = remembered_of(access, [alike.comparison.pk for alike in visible])
    return [
        _similar(access, alike, places[alike.comparison.pk], remembered.get(alike.comparison.pk, Remembered()))
        for alike in visible
    ]


def _similar(
    access: AccessContext, similar: Similar, places: Sequence[PlacedReport], remembered: Remembered
) -> SimilarLine:
    alike, way = similar.likeness, -1 if remembered.is_turned else 1
    shared_texts = [
        f"{_part_label(s.key)} ({_sessions(s.mine)} here, {_sessions(way * s.other)} there)" for s in alike.shared
    ]
    alone = [
        f"{where}: {', '.join(f'{_part_label(key)} ({_sessions(sign * change)})' for key, change in some)}"
        for where, some, sign in (("only here", alike.mine, 1), ("only there", alike.others, way))
        if some
    ]
    return SimilarLine(
        comparison=similar.comparison.pk,
        title=titles.comparison_title(similar.comparison, places),
        url=links.comparison(access, similar.comparison),
        share=f"{100 * alike.overlap:.0f} %",
        turned=alike.turned != remembered.is_turned,
        alike=", ".join(shared_texts),
        unlike="; ".join(alone),
        incidents=_addresses(remembered.incidents),
        judged=[_judged_line(judged_before) for judged_before in remembered.verdicts[:MOST_JUDGED]],
    )


def _addresses(incidents: Sequence[Incident]) -> list[tuple[str, str]]:
    return [(incident.title, reverse("incident", args=[incident.pk])) for incident in incidents]


def _part_label(key: str) -> str:
    kind, _, name = key.partition(" ")
    return label(Subject(kind, name))  # type: ignore[arg-type] # as change_similarity.py wrote it


def _sessions(change: float) -> str:
    return f"{'+' if change > 0 else '−'}{number(abs(change))}"


def _incident(incident: Incident) -> IncidentSeen:
    window = f"{Clock.of(incident).window(incident.begins_at, incident.ends_at)} {incident.time_zone}"
    return IncidentSeen(incident.title, reverse("incident", args=[incident.pk]), incident.status, window)


def _judged_line(judged_before: JudgedBefore) -> JudgedLine:
    verdict = judged_before.verdict
    return JudgedLine(
        state=verdict.get_state_display(),
        title=judged_before.reading.heading if judged_before.reading else verdict.title,
        url=links.place(verdict.comparison_id, verdict.pair),
        why=verdict.why,
        by=shown_name(verdict.user),
        at=f"{verdict.at:%d %b %Y}",
        is_agreed=judged_before.is_agreed,
        incidents=_addresses(judged_before.incidents),
    )


MOST_ASKED = 5  # comparisons of an incident, those attached last, whose similar hours it shows


@require_safe
def of_comparison(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Page part: earlier knowledge of its databases and files, and similar hours."""
    access = member(request)
    own_comparison = comparison_for(access, pk)
    reports = [place.report for place in placed_reports_of(own_comparison)]
    incidents = [incident.pk for incident in with_comparison(access, own_comparison)]
    remembered_work = remembered(access, reports, comparisons=[own_comparison.pk], incidents=incidents)
    similar = similar_lines(access, similar_to(access, own_comparison, is_turned=query_options.pair(request) == TURNED))
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


def _answer(request: HttpRequest, precedents: Seen | None) -> HttpResponse:
    return render(request, "incidents/_seen.html", {"seen": precedents}) if precedents else HttpResponse()

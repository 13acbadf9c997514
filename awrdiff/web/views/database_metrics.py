"""Figures of a database over time, and the history of a statement or event: page, JSON, CSV."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple
from uuid import UUID

from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from awrdiff.accounts.access import AccessContext
from awrdiff.analysis.course.metric_history import MetricHistory, follow
from awrdiff.analysis.course.report_timeline import Course, Slot, members_of, slots_of
from awrdiff.analysis.course.statement_and_event_history import EventAt, StatementAt, event_in, statement_in
from awrdiff.analysis.entities.kinds import LONGEST_KEY
from awrdiff.analysis.normal.level_shifts import REFERENCE
from awrdiff.databases import queries, reports_over_time
from awrdiff.databases.models import Database
from awrdiff.processing.storable_values import storable_text
from awrdiff.web import links
from awrdiff.web.content_negotiation import json_response, wants_json
from awrdiff.web.presenters.database import metrics_over_time, statement_and_event_history, timeline_span
from awrdiff.web.sign_in.permission_helpers import no_guest
from awrdiff.web.streamed_downloads import download

# What is normal, and a step, is told by the eight weeks before; three of them have to be there before a step is.
_HISTORY = REFERENCE + timedelta(weeks=3)
_LONGEST = 400  # of one name


class RequestValues(NamedTuple):
    span: timeline_span.Span
    shown: list[Course]
    found: reports_over_time.Read
    course: str
    slots: list[Slot]
    followed: list[MetricHistory]
    unknown: list[str]
    since: datetime | None  # from when on reports tell what is normal, where not all that should are read


@require_safe
def metrics(request: HttpRequest, uid: UUID) -> HttpResponse:
    """`metric`, once for each of up to four, by id or name; `range`, or `from` and `to`; `course`."""
    access = no_guest(request)
    database = queries.database_for(access, uid)
    if database.merged_into is not None:
        return redirect(links.of_merged(request, database, database.merged_into))
    if wants_json(request):
        return JsonResponse(document(request, database, request.GET.getlist("metric")))
    request_values = _request_values(request, database, request.GET.getlist("metric"))
    page = metrics_over_time.present(
        request_values.followed,
        request_values.unknown,
        request_values.slots,
        span=request_values.span,
        course=request_values.course,
    )
    own = {"metric": [metric_course.metric.id for metric_course in request_values.followed]}
    frame = timeline_span.frame(
        request_values.shown, request_values.found, request_values.span, request_values.course, sums=True, beside=own
    )
    left_until = max((slot.begin for slot in request_values.slots if slot.is_left), default=None)
    context = {"access": access, "database": database, "page": page, "line": frame, "since": request_values.since}
    context["left_until"] = left_until
    return render(request, "databases/metrics.html", context)


@require_safe
def table(request: HttpRequest, uid: UUID) -> HttpResponseBase:
    """The same as CSV."""
    access = no_guest(request)
    database = queries.database_for(access, uid)
    request_values = _request_values(request, database.merged_into or database, request.GET.getlist("metric"))
    return download(
        request,
        f"{database.label} figures",
        "csv",
        lambda: metrics_over_time.csv_lines(request_values.followed, request_values.slots),
    )


def document(request: HttpRequest, database: Database, metrics: Sequence[str]) -> dict[str, Any]:
    request_values = _request_values(request, database, metrics)
    return {
        "database": str(database.uid),
        "course": request_values.course,
        "courses": [
            {"id": shown_course.id, "name": timeline_span.course_name(shown_course)}
            for shown_course in request_values.shown
        ],
        "left_out": request_values.found.left_out,
        **metrics_over_time.document(request_values.followed, request_values.slots),
    }


def _request_values(request: HttpRequest, database: Database, metrics: Sequence[str]) -> RequestValues:
    wanted = [storable_text(text)[:_LONGEST] for text in metrics[:20]]
    known_metrics, unknown = metrics_over_time.asked_metrics(wanted)
    chosen_span = timeline_span.span_of(request.GET.dict(), reports_over_time.latest_end(database))
    instances = reports_over_time.instances_of(database, chosen_span.begin, chosen_span.end)
    course = timeline_span.chosen_course(instances.in_span, storable_text(request.GET.get("course", ""))[:200])
    whose = members_of(course, *instances)
    read_reports = reports_over_time.read(database, chosen_span.begin, chosen_span.end, whose)
    slots = slots_of(read_reports.points, course, whose)
    since: datetime | None = None
    earlier: list[Slot] = []
    if chosen_span.begin is not None and not read_reports.left_out:
        before = reports_over_time.read(database, chosen_span.begin - _HISTORY, chosen_span.begin, whose)
        earlier = slots_of(before.points, course, whose)
        since = earlier[0].begin if before.left_out and earlier else None
    return RequestValues(
        chosen_span,
        instances.in_span,
        read_reports,
        course,
        slots,
        follow(known_metrics, slots, earlier),
        unknown,
        since,
    )


@require_safe
def statement(request: HttpRequest, uid: UUID, key: str) -> HttpResponse:
    """A statement (`key`: its SQL id) in each report; `range`, `from`, `to`, `course`."""
    access = no_guest(request)
    return _answer(request, access, queries.database_for(access, uid), "statement", key[:LONGEST_KEY])


@require_safe
def event(request: HttpRequest, uid: UUID, key: str) -> HttpResponse:
    """An event (`key`: its name) in each report; `range`, `from`, `to`, `course`."""
    access = no_guest(request)
    return _answer(request, access, queries.database_for(access, uid), "event", key[:LONGEST_KEY])


def _answer(request: HttpRequest, access: AccessContext, database: Database, kind: str, key: str) -> HttpResponse:
    if database.merged_into is not None:
        return redirect(links.of_merged(request, database, database.merged_into))
    if wants_json(request):
        return json_response(history_document(request, database, kind, key))
    chosen_span, span_courses, read_reports, course, history_points = _history_points(request, database, kind, key)
    if kind == "statement":
        page = statement_and_event_history.of_statement(key, history_points)  # type: ignore[arg-type]
    else:
        page = statement_and_event_history.of_event(key, history_points)  # type: ignore[arg-type]
    context = {
        "access": access,
        "database": database,
        "page": page,
        "line": timeline_span.frame(span_courses, read_reports, chosen_span, course),
    }
    return render(request, "databases/history.html", context)


def history_document(request: HttpRequest, database: Database, kind: str, key: str) -> dict[str, Any]:
    _, span_courses, read_reports, course, history_points = _history_points(request, database, kind, key)
    return {
        "database": str(database.uid),
        kind: key,
        "course": course,
        "courses": [
            {"id": span_course.id, "name": timeline_span.course_name(span_course)} for span_course in span_courses
        ],
        "left_out": read_reports.left_out,
        "reports": statement_and_event_history.documents(history_points),
    }


def _history_points(
    request: HttpRequest, database: Database, kind: str, key: str
) -> tuple[timeline_span.Span, list[Course], reports_over_time.Read, str, list[StatementAt] | list[EventAt]]:
    query = {"range": timeline_span.EVERY, **request.GET.dict()}
    chosen_span = timeline_span.span_of(query, reports_over_time.latest_end(database))
    span_courses = reports_over_time.instances_of(database, chosen_span.begin, chosen_span.end).in_span
    wanted = storable_text(request.GET.get("course", ""))[:200]
    whose = [span_course for span_course in span_courses if span_course.id == wanted] or span_courses
    read_reports = reports_over_time.read(database, chosen_span.begin, chosen_span.end, whose, with_largest=True)
    if len(whose) > 1:
        whose = [_usual(whose, read_reports, kind, key)]
        read_reports = reports_over_time.read(database, chosen_span.begin, chosen_span.end, whose, with_largest=True)
    course = whose[0].id if whose else ""
    points = ((slot.points[0], read_reports.largest(slot.points[0])) for slot in slots_of(read_reports.points, course))
    history_points = statement_in(points, key) if kind == "statement" else event_in(points, key)
    return chosen_span, span_courses, read_reports, course, history_points


def _usual(whose: Sequence[Course], read_reports: reports_over_time.Read, kind: str, key: str) -> Course:
    counts: Counter[str] = Counter()
    for point in read_reports.points:
        largest = read_reports.largest(point)
        rows = largest[f"{kind}s"] if largest is not None else ()
        counts[point.course.id] += any(row[0].lower() == key.lower() for row in rows)
    return max(whose, key=lambda course: counts[course.id])

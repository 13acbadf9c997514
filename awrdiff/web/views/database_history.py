"""A statement's or event's history over a database's reports."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from awrdiff.accounts.access import AccessContext
from awrdiff.analysis.course.history import EventAt, StatementAt, event_in, statement_in
from awrdiff.analysis.course.slots import Course, slots_of
from awrdiff.analysis.entities.kinds import LONGEST_KEY
from awrdiff.databases import courses, queries
from awrdiff.databases.models import Database
from awrdiff.processing.storable import storable_text
from awrdiff.web import links
from awrdiff.web.negotiate import json_response, wants_json
from awrdiff.web.presenters.database import history, span
from awrdiff.web.sign_in.members import no_guest


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
        return json_response(document(request, database, kind, key))
    chosen_span, span_courses, read_reports, course, history_points = _history_points(request, database, kind, key)
    page = history.of_statement(key, history_points) if kind == "statement" else history.of_event(key, history_points)  # type: ignore[arg-type]
    context = {
        "access": access,
        "database": database,
        "page": page,
        "line": span.frame(span_courses, read_reports, chosen_span, course),
    }
    return render(request, "databases/history.html", context)


def document(request: HttpRequest, database: Database, kind: str, key: str) -> dict[str, Any]:
    _, span_courses, read_reports, course, history_points = _history_points(request, database, kind, key)
    return {
        "database": str(database.uid),
        kind: key,
        "course": course,
        "courses": [{"id": span_course.id, "name": span.course_name(span_course)} for span_course in span_courses],
        "left_out": read_reports.left_out,
        "reports": history.documents(history_points),
    }


def _history_points(
    request: HttpRequest, database: Database, kind: str, key: str
) -> tuple[span.Span, list[Course], courses.Read, str, list[StatementAt] | list[EventAt]]:
    query = {"range": span.EVERY, **request.GET.dict()}
    chosen_span = span.span_of(query, courses.latest_end(database))
    span_courses = courses.instances_of(database, chosen_span.begin, chosen_span.end).in_span
    wanted = storable_text(request.GET.get("course", ""))[:200]
    whose = [span_course for span_course in span_courses if span_course.id == wanted] or span_courses
    read_reports = courses.read(database, chosen_span.begin, chosen_span.end, whose, with_largest=True)
    if len(whose) > 1:
        whose = [_usual(whose, read_reports, kind, key)]
        read_reports = courses.read(database, chosen_span.begin, chosen_span.end, whose, with_largest=True)
    course = whose[0].id if whose else ""
    points = ((slot.points[0], read_reports.largest(slot.points[0])) for slot in slots_of(read_reports.points, course))
    history_points = statement_in(points, key) if kind == "statement" else event_in(points, key)
    return chosen_span, span_courses, read_reports, course, history_points


def _usual(whose: Sequence[Course], read_reports: courses.Read, kind: str, key: str) -> Course:
    counts: Counter[str] = Counter()
    for point in read_reports.points:
        largest = read_reports.largest(point)
        rows = largest[f"{kind}s"] if largest is not None else ()
        counts[point.course.id] += any(row[0].lower() == key.lower() for row in rows)
    return max(whose, key=lambda course: counts[course.id])

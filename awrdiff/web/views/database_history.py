"""How one statement, or one event, went over the reports of a database."""

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
from awrdiff.web.presenters.database import history, line, span
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
    asked, shown, found, course, told = _followed(request, database, kind, key)
    page = history.of_statement(key, told) if kind == "statement" else history.of_event(key, told)  # type: ignore[arg-type]
    context = {
        "access": access,
        "database": database,
        "page": page,
        "line": line.frame(shown, found, asked, course),
    }
    return render(request, "databases/history.html", context)


def document(request: HttpRequest, database: Database, kind: str, key: str) -> dict[str, Any]:
    """What scripts get: the same figures, of each report."""
    _, shown, found, course, told = _followed(request, database, kind, key)
    return {
        "database": str(database.uid),
        kind: key,
        "course": course,
        "courses": [{"id": one.id, "name": line.course_name(one)} for one in shown],
        "left_out": found.left_out,
        "reports": history.documents(told),
    }


def _followed(
    request: HttpRequest, database: Database, kind: str, key: str
) -> tuple[span.Span, list[Course], courses.Read, str, list[StatementAt] | list[EventAt]]:
    """`range`, or `from` and `to`, as on the page of the database, all of it where nothing is said; `course`: that of
    which most reports have it."""
    query = {"range": span.EVERY, **request.GET.dict()}
    asked = span.span_of(query, courses.latest_end(database))
    shown = courses.instances_of(database, asked.begin, asked.end).in_span
    wanted = storable_text(request.GET.get("course", ""))[:200]
    whose = [one for one in shown if one.id == wanted] or shown
    found = courses.read(database, asked.begin, asked.end, whose, with_largest=True)
    if len(whose) > 1:
        whose = [_usual(whose, found, kind, key)]
        found = courses.read(database, asked.begin, asked.end, whose, with_largest=True)
    course = whose[0].id if whose else ""
    points = ((slot.points[0], found.largest(slot.points[0])) for slot in slots_of(found.points, course))
    told = statement_in(points, key) if kind == "statement" else event_in(points, key)
    return asked, shown, found, course, told


def _usual(whose: Sequence[Course], found: courses.Read, kind: str, key: str) -> Course:
    counted: Counter[str] = Counter()
    for point in found.points:
        one = found.largest(point)
        rows = one[f"{kind}s"] if one is not None else ()
        counted[point.course.id] += any(row[0].lower() == key.lower() for row in rows)
    return max(whose, key=lambda course: counted[course.id])

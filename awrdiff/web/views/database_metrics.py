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
from awrdiff.analysis.course.statement_and_event_history import event_in, statement_in
from awrdiff.analysis.entities.kinds import LONGEST_KEY
from awrdiff.analysis.normal.level_shifts import REFERENCE
from awrdiff.databases import queries, reports_over_time
from awrdiff.databases.models import Database
from awrdiff.processing.storable_values import storable_text
from awrdiff.web import links
from awrdiff.web.content_negotiation import is_api, json_response, wants_json
from awrdiff.web.presenters.database import metrics_over_time, timeline_span
from awrdiff.web.presenters.database.statement_and_event_history import documents as documents_of
from awrdiff.web.presenters.database.statement_and_event_history import of_event, of_statement
from awrdiff.web.presenters.database.timeline_span import Span
from awrdiff.web.sign_in.permission_helpers import no_guest
from awrdiff.web.streamed_downloads import download

# What is normal, and a step, is told by the eight weeks before; three of them have to be there before a step is.
_HISTORY = REFERENCE + timedelta(weeks=3)
_LONGEST = 400  # of one name


class SpanOfReports(NamedTuple):
    """Reports of a database in the requested span, one course or all."""

    span: Span
    courses: list[Course]
    whose: Sequence[Course]
    course: str
    read: reports_over_time.Read

    def slots(self) -> list[Slot]:
        return slots_of(self.read.points, self.course, self.whose)

    def frame(self, **more: Any) -> dict[str, Any]:
        return timeline_span.frame(self.courses, self.read, self.span, self.course, **more)

    def document(self, database: Database, **more: Any) -> dict[str, Any]:
        return {
            "database": str(database.uid),
            "course": self.course,
            "courses": [{"id": course.id, "name": timeline_span.course_name(course)} for course in self.courses],
            "left_out": self.read.left_out,
            **more,
        }


def span_of_reports(request: HttpRequest, database: Database, *, with_largest: bool = False) -> SpanOfReports:
    span = timeline_span.span_of(request.GET.dict(), reports_over_time.latest_end(database))
    instances = reports_over_time.instances_of(database, span.begin, span.end)
    course = timeline_span.chosen_course(instances.in_span, storable_text(request.GET.get("course", ""))[:200])
    whose = members_of(course, *instances)
    read = reports_over_time.read(database, span.begin, span.end, whose, with_largest=with_largest)
    return SpanOfReports(span, instances.in_span, whose, course, read)


def database_or_redirect(
    request: HttpRequest, access: AccessContext, uid: UUID
) -> tuple[Database, HttpResponse | None]:
    """The database it was merged into, and for pages the way there."""
    database = queries.database_for(access, uid)
    if (into := database.merged_into) is None:
        return database, None
    return into, None if is_api(request) else redirect(links.of_merged(request, database, into))


@require_safe
def metrics(request: HttpRequest, uid: UUID) -> HttpResponse:
    """`metric`, once for each of up to four, by id or name (or `metrics`, by commas); `range`, or `from` and `to`;
    `course`.
    """
    access = no_guest(request)
    database, elsewhere = database_or_redirect(request, access, uid)
    if elsewhere is not None:
        return elsewhere
    wanted = span_of_reports(request, database)
    slots = wanted.slots()
    histories, unknown, since = _histories(request, database, wanted, slots)
    if wants_json(request):
        return JsonResponse(wanted.document(database, **metrics_over_time.document(histories, slots)))
    own = {"metric": [metric_course.metric.id for metric_course in histories]}
    context = {
        "access": access,
        "database": database,
        "page": metrics_over_time.present(histories, unknown, slots, span=wanted.span, course=wanted.course),
        "line": wanted.frame(sums=True, beside=own),
        "since": since,
        "left_until": max((slot.begin for slot in slots if slot.is_left), default=None),
    }
    return render(request, "databases/metrics.html", context)


@require_safe
def table(request: HttpRequest, uid: UUID) -> HttpResponseBase:
    """The same as CSV."""
    access = no_guest(request)
    requested = queries.database_for(access, uid)
    database = requested.merged_into or requested
    wanted = span_of_reports(request, database)
    slots = wanted.slots()
    histories, _, _ = _histories(request, database, wanted, slots)
    return download(request, f"{requested.label} figures", "csv", lambda: metrics_over_time.csv_lines(histories, slots))


def _histories(
    request: HttpRequest, database: Database, wanted: SpanOfReports, slots: Sequence[Slot]
) -> tuple[list[MetricHistory], list[str], datetime | None]:
    """Metrics, unknown names, and from when on reports tell what is normal, where not all that should are read."""
    names = [*request.GET.getlist("metric"), request.GET.get("metrics", "")][:20]
    known_metrics, unknown = metrics_over_time.asked_metrics([storable_text(text)[:_LONGEST] for text in names])
    since: datetime | None = None
    earlier: list[Slot] = []
    if wanted.span.begin is not None and not wanted.read.left_out:
        before = reports_over_time.read(database, wanted.span.begin - _HISTORY, wanted.span.begin, wanted.whose)
        earlier = slots_of(before.points, wanted.course, wanted.whose)
        since = earlier[0].begin if before.left_out and earlier else None
    return follow(known_metrics, slots, earlier), unknown, since


@require_safe
def statement(request: HttpRequest, uid: UUID, key: str) -> HttpResponse:
    """A statement (`key`: its SQL id) in each report; `range`, `from`, `to`, `course`."""
    access = no_guest(request)
    return _answer(request, access, uid, "statement", key[:LONGEST_KEY])


@require_safe
def event(request: HttpRequest, uid: UUID, key: str) -> HttpResponse:
    """An event (`key`: its name) in each report; `range`, `from`, `to`, `course`."""
    access = no_guest(request)
    return _answer(request, access, uid, "event", key[:LONGEST_KEY])


def _answer(request: HttpRequest, access: AccessContext, uid: UUID, kind: str, key: str) -> HttpResponse:
    database, elsewhere = database_or_redirect(request, access, uid)
    if elsewhere is not None:
        return elsewhere
    wanted = _of_one_course(request, database, kind, key)
    points = ((slot.points[0], wanted.read.largest(slot.points[0])) for slot in wanted.slots())
    page: dict[str, Any]
    if kind == "statement":
        statements = statement_in(points, key)
        documents, page = documents_of(statements), of_statement(key, statements)
    else:
        events = event_in(points, key)
        documents, page = documents_of(events), of_event(key, events)
    if wants_json(request):
        return json_response({"database": str(database.uid), kind: key, **wanted.document(database, reports=documents)})
    context = {"access": access, "database": database, "page": page, "line": wanted.frame()}
    return render(request, "databases/history.html", context)


def _of_one_course(request: HttpRequest, database: Database, kind: str, key: str) -> SpanOfReports:
    """The one that is named, else that which lists it most often."""
    chosen_span = timeline_span.span_of(
        {"range": timeline_span.EVERY, **request.GET.dict()}, reports_over_time.latest_end(database)
    )
    span_courses = reports_over_time.instances_of(database, chosen_span.begin, chosen_span.end).in_span
    wanted = storable_text(request.GET.get("course", ""))[:200]
    whose = [span_course for span_course in span_courses if span_course.id == wanted] or span_courses
    read_reports = reports_over_time.read(database, chosen_span.begin, chosen_span.end, whose, with_largest=True)
    if len(whose) > 1:
        whose = [_usual(whose, read_reports, kind, key)]
        read_reports = reports_over_time.read(database, chosen_span.begin, chosen_span.end, whose, with_largest=True)
    return SpanOfReports(chosen_span, span_courses, whose, whose[0].id if whose else "", read_reports)


def _usual(whose: Sequence[Course], read_reports: reports_over_time.Read, kind: str, key: str) -> Course:
    counts: Counter[str] = Counter()
    for point in read_reports.points:
        largest = read_reports.largest(point)
        rows = largest[f"{kind}s"] if largest is not None else ()
        counts[point.course.id] += any(row[0].lower() == key.lower() for row in rows)
    return max(whose, key=lambda course: counts[course.id])

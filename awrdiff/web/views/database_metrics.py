"""Any figures of a database over time: page, JSON and CSV."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple
from uuid import UUID

from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from awrdiff.analysis.course.normal import Followed, follow
from awrdiff.analysis.course.slots import Course, Slot, members_of, slots_of
from awrdiff.analysis.normal.steps import REFERENCE
from awrdiff.databases import courses, queries
from awrdiff.databases.models import Database
from awrdiff.processing.storable import storable_text
from awrdiff.web import links
from awrdiff.web.downloads import download
from awrdiff.web.negotiate import wants_json
from awrdiff.web.presenters.database import figures, line, span
from awrdiff.web.sign_in.members import no_guest

# What is normal, and a step, is told by the eight weeks before; three of them have to be there before a step is.
_HISTORY = REFERENCE + timedelta(weeks=3)
_LONGEST = 400  # of one name


class Asked(NamedTuple):
    span: span.Span
    shown: list[Course]
    found: courses.Read
    course: str
    slots: list[Slot]
    followed: list[Followed]
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
    asked = _asked(request, database, request.GET.getlist("metric"))
    page = figures.present(asked.followed, asked.unknown, asked.slots, span=asked.span, course=asked.course)
    own = {"metric": [one.metric.id for one in asked.followed]}
    frame = line.frame(asked.shown, asked.found, asked.span, asked.course, sums=True, beside=own)
    left_until = max((slot.begin for slot in asked.slots if slot.is_left), default=None)
    context = {"access": access, "database": database, "page": page, "line": frame, "since": asked.since}
    context["left_until"] = left_until
    return render(request, "databases/metrics.html", context)


@require_safe
def table(request: HttpRequest, uid: UUID) -> HttpResponseBase:
    """The same as CSV."""
    access = no_guest(request)
    database = queries.database_for(access, uid)
    asked = _asked(request, database.merged_into or database, request.GET.getlist("metric"))
    return download(request, f"{database.label} figures", "csv", lambda: figures.csv_lines(asked.followed, asked.slots))


def document(request: HttpRequest, database: Database, metrics: Sequence[str]) -> dict[str, Any]:
    asked = _asked(request, database, metrics)
    return {
        "database": str(database.uid),
        "course": asked.course,
        "courses": [{"id": one.id, "name": line.course_name(one)} for one in asked.shown],
        "left_out": asked.found.left_out,
        **figures.document(asked.followed, asked.slots),
    }


def _asked(request: HttpRequest, database: Database, metrics: Sequence[str]) -> Asked:
    wanted = [storable_text(text)[:_LONGEST] for text in metrics[:20]]
    chosen, unknown = figures.asked_metrics(wanted)
    asked = span.span_of(request.GET.dict(), courses.latest_end(database))
    instances = courses.instances_of(database, asked.begin, asked.end)
    course = line.chosen_course(instances.in_span, storable_text(request.GET.get("course", ""))[:200])
    whose = members_of(course, *instances)
    found = courses.read(database, asked.begin, asked.end, whose)
    slots = slots_of(found.points, course, whose)
    since: datetime | None = None
    earlier: list[Slot] = []
    if asked.begin is not None and not found.left_out:
        before = courses.read(database, asked.begin - _HISTORY, asked.begin, whose)
        earlier = slots_of(before.points, course, whose)
        since = earlier[0].begin if before.left_out and earlier else None
    return Asked(asked, instances.in_span, found, course, slots, follow(chosen, slots, earlier), unknown, since)

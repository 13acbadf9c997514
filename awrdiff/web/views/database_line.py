"""Time line of a database's reports."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.http import HttpRequest
from django.urls import reverse

from awrdiff.accounts.access import AccessContext
from awrdiff.analysis.course.movers import Mover, SlotLargest, movers_of
from awrdiff.analysis.course.slots import Course, Slot, members_of, slots_of
from awrdiff.comparisons.of_database import comparisons_in
from awrdiff.databases import courses
from awrdiff.databases.models import Database
from awrdiff.incidents.of_database import bad_hours, confirmed_causes, open_actions
from awrdiff.processing.storable import storable_text
from awrdiff.web.presenters.database import line, span
from awrdiff.web.presenters.database import movers as movers_shown
from awrdiff.web.presenters.database.stacked import Beside, Compared, Incident

MOST_MOVED = 400  # intervals of each time: two weeks of hours


def line_of(request: HttpRequest, access: AccessContext, database: Database) -> dict[str, Any]:
    """`range`: day, week, month or all; or `from` and `to`. `course`: an instance, or `all`."""
    chosen_span = span.span_of(request.GET.dict(), courses.latest_end(database))
    instances = courses.instances_of(database, chosen_span.begin, chosen_span.end)
    course_id = line.chosen_course(instances.in_span, storable_text(request.GET.get("course", ""))[:200])
    whose = members_of(course_id, *instances)
    read_reports = courses.read(database, chosen_span.begin, chosen_span.end, whose, with_largest=True)
    slots = slots_of(read_reports.points, course_id, whose)
    frame = line.frame(instances.in_span, read_reports, chosen_span, course_id, sums=True)
    is_told = len(slots) <= MOST_MOVED and not read_reports.left_out
    movers_view = (
        _movers(database, chosen_span, (course_id, whose), _complete_slots(slots, read_reports)) if is_told else None
    )
    return {
        "line": line.present(frame, slots, _beside(access, database, chosen_span)),
        "movers": movers_shown.present(database, movers_view, chosen_span, course_id),
        "causes": confirmed_causes(access, database),
        "actions": open_actions(access, database),
    }


def _movers(
    database: Database,
    chosen_span: span.Span,
    course_choice: tuple[str, Sequence[Course]],
    now: Sequence[SlotLargest],
) -> list[Mover] | None:
    """Against the equally long time before; None without one, or for too many reports."""
    before, (course, whose) = chosen_span.before, course_choice
    if before is None:
        return None
    earlier = courses.read(database, before.begin, before.end, whose, most=MOST_MOVED, with_largest=True)
    if earlier.left_out:
        return None
    return movers_of(_complete_slots(slots_of(earlier.points, course, whose), earlier), now)


def _complete_slots(slots: Sequence[Slot], read_reports: courses.Read) -> list[SlotLargest]:
    """Without incomplete days: their worst hours against a full span are no change."""
    return [(slot, map(read_reports.largest, slot.points)) for slot in slots if not slot.is_left]


def _beside(access: AccessContext, database: Database, chosen_span: span.Span) -> Beside:
    incidents = [
        Incident(str(bad_hour.report), f"Incident: {bad_hour.title}", reverse("incident", args=[bad_hour.incident]))
        for bad_hour in bad_hours(access, database, chosen_span.begin, chosen_span.end)
    ]
    compared = [
        Compared(
            str(comparison.reports[0]),
            str(comparison.reports[-1]),
            _title(comparison.title, len(comparison.reports)),
            reverse("comparison", args=[comparison.comparison]),
        )
        for comparison in comparisons_in(access, database, chosen_span.begin, chosen_span.end)
        if len(comparison.reports) > 1
    ]
    return Beside(incidents, compared)


def _title(title: str, reports: int) -> str:
    return f"Comparison: {title}" if title else f"Comparison of {reports} reports"

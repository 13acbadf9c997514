"""The time line of a database: what its page shows of its reports."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.http import HttpRequest
from django.urls import reverse

from awrdiff.accounts.access import AccessContext
from awrdiff.analysis.course.movers import Mover, Told, movers_of
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
    """`range`: day, week, month or all; or `from` and `to`. `course`: which instance, `all` for all of them."""
    asked = span.span_of(request.GET.dict(), courses.latest_end(database))
    instances = courses.instances_of(database, asked.begin, asked.end)
    chosen = line.chosen_course(instances.in_span, storable_text(request.GET.get("course", ""))[:200])
    whose = members_of(chosen, *instances)
    found = courses.read(database, asked.begin, asked.end, whose, with_largest=True)
    slots = slots_of(found.points, chosen, whose)
    frame = line.frame(instances.in_span, found, asked, chosen, sums=True)
    is_told = len(slots) <= MOST_MOVED and not found.left_out
    moved = _moved(database, asked, (chosen, whose), _told(slots, found)) if is_told else None
    return {
        "line": line.present(frame, slots, _beside(access, database, asked)),
        "movers": movers_shown.present(database, moved, asked, chosen),
        "causes": confirmed_causes(access, database),
        "actions": open_actions(access, database),
    }


def _moved(
    database: Database,
    asked: span.Span,
    chosen: tuple[str, Sequence[Course]],
    now: Sequence[Told],
) -> list[Mover] | None:
    """Against as long a time just before; None where there is none, and of more reports than are looked at for that."""
    before, (course, whose) = asked.before, chosen
    if before is None:
        return None
    earlier = courses.read(database, before.begin, before.end, whose, most=MOST_MOVED, with_largest=True)
    if earlier.left_out:
        return None
    return movers_of(_told(slots_of(earlier.points, course, whose), earlier), now)


def _told(slots: Sequence[Slot], found: courses.Read) -> list[Told]:
    """Without what was left of a day: the worst hours of one time against all of another are no change."""
    return [(slot, map(found.largest, slot.points)) for slot in slots if not slot.is_left]


def _beside(access: AccessContext, database: Database, asked: span.Span) -> Beside:
    incidents = [
        Incident(str(one.report), f"Incident: {one.title}", reverse("incident", args=[one.incident]))
        for one in bad_hours(access, database, asked.begin, asked.end)
    ]
    compared = [
        Compared(
            str(one.reports[0]),
            str(one.reports[-1]),
            _title(one.title, len(one.reports)),
            reverse("comparison", args=[one.comparison]),
        )
        for one in comparisons_in(access, database, asked.begin, asked.end)
        if len(one.reports) > 1
    ]
    return Beside(incidents, compared)


def _title(title: str, reports: int) -> str:
    return f"Comparison: {title}" if title else f"Comparison of {reports} reports"

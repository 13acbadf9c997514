"""Comparison of a database's window with its normal, the week before or another window."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal
from uuid import UUID

from awrdiff.accounts.access import AccessContext, Can
from awrdiff.analysis.baseline.section_vs_median import BaselineSelection
from awrdiff.analysis.course.report_timeline import Slot, apart, courses_of, slots_of
from awrdiff.analysis.metrics.catalogue import BY_ID
from awrdiff.comparisons import services
from awrdiff.comparisons.errors import ComparisonRefused
from awrdiff.comparisons.files import MOST_REPORTS
from awrdiff.comparisons.models import Comparison
from awrdiff.databases import reports_over_time
from awrdiff.databases.models import Database
from awrdiff.reports.models import Report
from awrdiff.reports.queries import reports_for

Against = Literal["normal", "week", "other"]
MOST = MOST_REPORTS // 2  # reports of each of the two
_WEEK = timedelta(days=7)
_WEEKS = 8 * _WEEK  # in which normal is looked for
_MOST_BEFORE = 3 * reports_over_time.MOST  # of these: every quarter of an hour
_DB_TIME = BY_ID["db_time"]


@dataclass(frozen=True, slots=True)
class Window:
    begin: datetime
    end: datetime

    def holds(self, slot: Slot) -> bool:
        """Tests the middle of its time."""
        return self.begin <= slot.begin + slot.length / 2 < self.end

    def earlier(self, by: timedelta) -> Window:
        return Window(self.begin - by, self.end - by)


@dataclass(frozen=True, slots=True)
class WindowComparison:
    """`view`: how it opens; None for two reports."""

    comparison: Comparison
    view: BaselineSelection | None


def compare(
    access: AccessContext,
    database: Database,
    window: Window,
    against: Against,
    *,
    other: Window | None = None,
    course: str = "",
) -> WindowComparison:
    """Busiest report of the window comes last. Raises ComparisonRefused, PermissionDenied.

    `course`: instance, required if several report.
    """
    access.check(Can.WRITE)
    own = apart(_slots(database, window, course))[0]
    if not own:
        raise ComparisonRefused("No report of this database lies in that window.")
    _refuse_many(own)
    if against == "normal":
        baseline = _usual(database, own, window)
        refusal = "No report of the same hours before the window: there is nothing that is normal yet."
    else:
        wanted = window.earlier(_WEEK) if against == "week" else other
        if wanted is None:
            raise ComparisonRefused("Say from when to when the other window is.")
        slots = _slots(database, wanted, own[0].points[0].course.id)
        baseline, refusal = _like(own[0], slots) or apart(slots)[0], "No report lies in the other window."
    mine = {slot.points[0].report for slot in own}
    baseline = [slot for slot in baseline if slot.points[0].report not in mine]
    if not baseline:
        raise ComparisonRefused(refusal)
    _refuse_many(baseline)
    return _new_comparison(access, own, baseline)


def _refuse_many(slots: Sequence[Slot]) -> None:
    if len(slots) > MOST:
        raise ComparisonRefused(f"There are {len(slots)} reports in a window: choose one with at most {MOST}.")


def _like(own: Slot, slots: Sequence[Slot]) -> list[Slot]:
    """Half to twice as long."""
    return apart(s for s in slots if own.length / 2 <= s.length <= 2 * own.length)[0]


def _slots(database: Database, window: Window, course: str) -> list[Slot]:
    read = reports_over_time.read(database, window.begin - timedelta(days=1), window.end)
    points = [p for p in read.points if window.holds(Slot((p,)))]
    known_courses = courses_of(points)
    if not known_courses:
        return []
    if course and course not in {c.id for c in known_courses}:
        return []
    if not course and len(known_courses) > 1:
        raise ComparisonRefused("Several instances have reports in that window: choose one of them.")
    return slots_of(points, course or known_courses[0].id)


def _usual(database: Database, own: Sequence[Slot], window: Window) -> list[Slot]:
    """Same hours of the week in eight weeks, else of the day."""
    course = own[0].points[0].course
    read = reports_over_time.read(database, window.begin - _WEEKS, window.begin, [course], most=_MOST_BEFORE)
    before = _like(own[0], [s for s in slots_of(read.points, course.id) if s.end <= window.begin and not s.is_left])
    same = [s for s in before if s.era == own[0].era] or before
    hours = {s.begin.hour for s in own}
    of_day = [s for s in same if s.begin.hour in hours]
    of_week = [
        s for s in of_day if (s.begin.weekday(), s.begin.hour) in {(o.begin.weekday(), o.begin.hour) for o in own}
    ]
    return (of_week if len(of_week) > 1 else of_day)[-MOST:]


def _new_comparison(access: AccessContext, own: Sequence[Slot], baseline: Sequence[Slot]) -> WindowComparison:
    ids = [slot.points[0].report for slot in (*baseline, *own)]
    rows = {str(r.pk): r for r in reports_for(access).filter(pk__in=[UUID(pk) for pk in ids])}
    reports: list[Report] = [rows[pk] for pk in ids if pk in rows]
    if len(reports) != len(ids):
        raise ComparisonRefused("One of these reports was deleted meanwhile.")
    comparison = services.create_comparison(access, reports, order_by_time=False)
    busiest = max(range(len(own)), key=lambda n: _sessions(own[n]))
    if len(reports) == 2:
        return WindowComparison(comparison, None)
    return WindowComparison(comparison, BaselineSelection(tuple(range(len(baseline))), len(baseline) + busiest))


def _sessions(slot: Slot) -> float:
    figure = slot.figure(_DB_TIME)
    return figure.number if figure is not None else -1.0

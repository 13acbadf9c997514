"""Reports of a database on a time line, each interval once, of one instance or summed over all. Gaps and missing
instances stay visible.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from msgspec import Struct

from awrdiff.analysis.metrics.binary_storage import figure_in
from awrdiff.analysis.metrics.declaration_helpers import Metric, Unit
from awrdiff.analysis.report.instance_startup import may_be_same
from awrdiff.analysis.report_time_windows import is_close
from parsers.model import Value

ALL = "all"  # of the choices: every instance, added up
WHOLE = ("awr", "statspack")  # kinds of which every instance has a report of its own
ADDED_UP: frozenset[Unit] = frozenset({"sessions", "per_s", "bytes_per_s", "per_hour"})


class Course(NamedTuple):
    """Comparable reports: one kind and instance."""

    kind: str
    number: int | None
    name: str

    @property
    def id(self) -> str:
        """Form used in addresses."""
        return f"{self.kind}-{self.name.lower() if self.number is None else self.number}"


class Point(NamedTuple):
    """`started`: by instance number. `figures`: None before measuring. `is_left`: survivor of a thinned day."""

    report: str
    begin: datetime
    end: datetime
    course: Course
    release: str
    started: tuple[tuple[int | None, datetime], ...]
    era: str | None
    figures: bytes | None
    is_left: bool = False


class Slot(Struct, frozen=True):
    """`points`: one instance's, or several to sum; `of`: expected."""

    points: tuple[Point, ...]
    of: int = 1

    @property
    def begin(self) -> datetime:
        return self.points[0].begin

    @property
    def end(self) -> datetime:
        return self.points[0].end

    @property
    def length(self) -> timedelta:
        return self.end - self.begin

    @property
    def is_partial(self) -> bool:
        """An instance is missing."""
        return len(self.points) < self.of

    @property
    def is_left(self) -> bool:
        """Survivor of a thinned day, no measure of normal."""
        return any(point.is_left for point in self.points)

    @property
    def era(self) -> tuple[str | None, ...]:
        return tuple(point.era for point in self.points)

    @property
    def is_made(self) -> bool:
        """Its metrics are measured."""
        return all(point.figures is not None for point in self.points)

    def figure(self, metric: Metric) -> Value | None:
        """None where not printed, or averages cannot be summed."""
        if len(self.points) == 1:
            figures = self.points[0].figures
            return figure_in(figures, metric.id) if figures else None
        values = [figure_in(point.figures, metric.id) if point.figures else None for point in self.points]
        if metric.unit not in ADDED_UP or any(value is None for value in values):
            return None
        printed = [value for value in values if value is not None]
        return Value(sum(v.number for v in printed), sum(v.half for v in printed))


def courses_of(points: Iterable[Point]) -> list[Course]:
    """By kind and instance; a renamed one under its last name."""
    return distinct(point.course for point in points)


def distinct(courses: Iterable[Course]) -> list[Course]:
    by_id = {course.id: course for course in courses}
    return sorted(by_id.values(), key=lambda c: (c.kind, c.number is None, c.number or 0, c.name))


def usual_course(courses: Sequence[Course]) -> str:
    """Default: all instances, where one kind has several."""
    first = next((c for c in courses if c.kind == "awr"), courses[0] if courses else None)
    if first is None:
        return ALL
    return ALL if len(_added(courses)) > 1 else first.id


def _added(courses: Sequence[Course]) -> list[Course]:
    """One kind only, or figures would count twice."""
    kind = next((kind for kind in WHOLE if any(c.kind == kind for c in courses)), "")
    return [c for c in courses if c.kind == kind]


def members_of(selected: str, visible: Sequence[Course], around: Sequence[Course]) -> list[Course]:
    """One instance's, or all of a `visible` kind, also those `around`."""
    if selected != ALL:
        return [c for c in visible if c.id == selected]
    added = _added(visible)
    return distinct([*(c for c in around if added and c.kind == added[0].kind), *added])


def slots_of(points: Sequence[Point], selected: str, among: Iterable[Course] = ()) -> list[Slot]:
    """By time; text and HTML once. `among`: expected courses."""
    if selected != ALL:
        return [Slot((point,)) for point in _once(p for p in points if p.course.id == selected)]
    own = _added(courses_of(points))
    added = {course.id for course in (*own, *(c for c in among if own and c.kind == own[0].kind))}
    together: dict[object, list[Point]] = defaultdict(list)
    for point in _once(p for p in points if p.course.id in added):
        together[_window(point)].append(point)
    order = sorted(together.values(), key=lambda points_of_window: points_of_window[0].begin)
    return [
        Slot(tuple(sorted(points_of_window, key=lambda p: p.course.number or 0)), len(added))
        for points_of_window in order
    ]


def _once(points: Iterable[Point]) -> list[Point]:
    """The report with metrics wins."""
    by_window: dict[object, Point] = {}
    for point in points:
        key = point.course.id, _window(point)
        if key not in by_window or (by_window[key].figures is None and point.figures is not None):
            by_window[key] = point
    return sorted(by_window.values(), key=lambda p: (p.begin, p.end))


def _window(point: Point) -> tuple[datetime, datetime]:
    """Snapshots of instances are printed some seconds apart."""
    return _minute(point.begin), _minute(point.end)


def _minute(moment: datetime) -> datetime:
    return (moment + timedelta(seconds=30)).replace(second=0, microsecond=0)


def apart(slots: Iterable[Slot]) -> tuple[list[Slot], list[Slot]]:
    """Separate slots, and longer ones around them."""
    separate: list[Slot] = []
    around: list[Slot] = []
    for slot in slots:
        while separate and slot.begin < separate[-1].end - timedelta(minutes=1):
            if slot.length >= separate[-1].length:
                around.append(slot)
                break
            around.append(separate.pop())
        else:
            separate.append(slot)
    return separate, around


def follows(before: Slot, after: Slot) -> bool:
    """Gap under half of a window."""
    return is_close(before.begin, before.end, after.begin)


def restarts_between(before: Slot, after: Slot) -> list[datetime]:
    first = {n: at for point in before.points for n, at in point.started}
    then = [(n, at) for point in after.points for n, at in point.started]
    return sorted({at for n, at in then if n in first and not may_be_same(first[n], at)})


def release_between(before: Slot, after: Slot) -> tuple[str, str] | None:
    first, second = before.points[0].release, after.points[0].release
    return (first, second) if first and second and first != second else None


def is_changed(before: Slot, after: Slot) -> bool:
    """Start, release or parameters of a shared instance differ."""
    first = {point.course.id: point.era for point in before.points}
    return any(point.era and first.get(point.course.id, point.era) not in (None, point.era) for point in after.points)

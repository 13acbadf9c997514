"""Reports of a database on a line: each interval once, of one instance or of all that printed it.

What is missing stays missing: between two slots there may be a gap, and where an instance is not printed what is added
up is of the others alone, and says so.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from msgspec import Struct

from awrdiff.analysis.metrics.declare import Metric, Unit
from awrdiff.analysis.metrics.packed import figure_in
from awrdiff.analysis.report.startup import may_be_same
from parsers.model import Value

ALL = "all"  # of the choices: every instance, added up
WHOLE = ("awr", "statspack")  # kinds of which every instance has a report of its own
ADDED_UP: frozenset[Unit] = frozenset({"sessions", "per_s", "bytes_per_s", "per_hour"})
_CLOSE = 0.5  # of a window: less between two of them is no gap


class Course(NamedTuple):
    """Whose figures follow each other: those of one kind of report and instance."""

    kind: str
    number: int | None
    name: str

    @property
    def id(self) -> str:
        """As an address says it."""
        return f"{self.kind}-{self.name.lower() if self.number is None else self.number}"


class Point(NamedTuple):
    """One report of an interval. `started`: its instances' starts by number, as printed. `figures`, packed, are None
    where its metrics are not made yet. `is_left`: others of its day were removed and it was not."""

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
    """One interval. `points`: of one instance, or of several that are added up; `of`: how many there should be."""

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
        """An instance is not there."""
        return len(self.points) < self.of

    @property
    def is_left(self) -> bool:
        """One of the worst hours of a day of which no others are there any more: it says nothing of what is normal."""
        return any(point.is_left for point in self.points)

    @property
    def era(self) -> tuple[str | None, ...]:
        return tuple(point.era for point in self.points)

    @property
    def is_made(self) -> bool:
        """Whether its metrics are there."""
        return all(point.figures is not None for point in self.points)

    def figure(self, metric: Metric) -> Value | None:
        """None where a report does not print it, and of several what cannot be added up, such as an average."""
        if len(self.points) == 1:
            figures = self.points[0].figures
            return figure_in(figures, metric.id) if figures else None
        found = [figure_in(point.figures, metric.id) if point.figures else None for point in self.points]
        if metric.unit not in ADDED_UP or any(value is None for value in found):
            return None
        known = [value for value in found if value is not None]
        return Value(sum(v.number for v in known), sum(v.half for v in known))


def courses_of(points: Iterable[Point]) -> list[Course]:
    """In the order of kinds and instances; whose name changed is one, by its last name."""
    return distinct(point.course for point in points)


def distinct(courses: Iterable[Course]) -> list[Course]:
    found = {course.id: course for course in courses}
    return sorted(found.values(), key=lambda c: (c.kind, c.number is None, c.number or 0, c.name))


def usual_course(courses: Sequence[Course]) -> str:
    """What is shown where nothing was chosen: all instances, where there are several of one kind."""
    first = next((c for c in courses if c.kind == "awr"), courses[0] if courses else None)
    if first is None:
        return ALL
    return ALL if len(_added(courses)) > 1 else first.id


def _added(courses: Sequence[Course]) -> list[Course]:
    """Those that `ALL` adds up: one kind of report alone, as two kinds would count the same twice."""
    kind = next((kind for kind in WHOLE if any(c.kind == kind for c in courses)), "")
    return [c for c in courses if c.kind == kind]


def members_of(chosen: str, shown: Sequence[Course], around: Sequence[Course]) -> list[Course]:
    """Whose reports are read: one instance's, or all of a kind that is `shown`, also those only `around` the time."""
    if chosen != ALL:
        return [c for c in shown if c.id == chosen]
    added = _added(shown)
    return distinct([*(c for c in around if added and c.kind == added[0].kind), *added])


def slots_of(points: Sequence[Point], chosen: str, among: Iterable[Course] = ()) -> list[Slot]:
    """In the order of time, each window once: a text and an HTML report of one are one. `among`: whose reports there
    should be, also where none of these points is of them."""
    if chosen != ALL:
        return [Slot((point,)) for point in _once(p for p in points if p.course.id == chosen)]
    own = _added(courses_of(points))
    added = {course.id for course in (*own, *(c for c in among if own and c.kind == own[0].kind))}
    together: dict[object, list[Point]] = defaultdict(list)
    for point in _once(p for p in points if p.course.id in added):
        together[_window(point)].append(point)
    order = sorted(together.values(), key=lambda found: found[0].begin)
    return [Slot(tuple(sorted(found, key=lambda p: p.course.number or 0)), len(added)) for found in order]


def _once(points: Iterable[Point]) -> list[Point]:
    """The one with metrics, where one of two has them."""
    found: dict[object, Point] = {}
    for point in points:
        key = point.course.id, _window(point)
        if key not in found or (found[key].figures is None and point.figures is not None):
            found[key] = point
    return sorted(found.values(), key=lambda p: (p.begin, p.end))


def _window(point: Point) -> tuple[datetime, datetime]:
    """Snapshots of all instances are taken at once, and printed some seconds apart."""
    return _minute(point.begin), _minute(point.end)


def _minute(moment: datetime) -> datetime:
    return (moment + timedelta(seconds=30)).replace(second=0, microsecond=0)


def apart(slots: Iterable[Slot]) -> tuple[list[Slot], list[Slot]]:
    """Those that stand beside each other, and the longer ones around them: a report of a day is none of its hours."""
    kept: list[Slot] = []
    around: list[Slot] = []
    for slot in slots:
        while kept and slot.begin < kept[-1].end - timedelta(minutes=1):
            if slot.length >= kept[-1].length:
                around.append(slot)
                break
            around.append(kept.pop())
        else:
            kept.append(slot)
    return kept, around


def follows(before: Slot, after: Slot) -> bool:
    """Whether less lies between the two than half of a window."""
    return after.begin - before.end <= before.length * _CLOSE


def restarts_between(before: Slot, after: Slot) -> list[datetime]:
    """When instances that both name were started."""
    first = {n: at for point in before.points for n, at in point.started}
    then = [(n, at) for point in after.points for n, at in point.started]
    return sorted({at for n, at in then if n in first and not may_be_same(first[n], at)})


def release_between(before: Slot, after: Slot) -> tuple[str, str] | None:
    first, second = before.points[0].release, after.points[0].release
    return (first, second) if first and second and first != second else None


def is_changed(before: Slot, after: Slot) -> bool:
    """Whether a start, the release or parameters of an instance in both is another."""
    first = {point.course.id: point.era for point in before.points}
    return any(point.era and first.get(point.course.id, point.era) not in (None, point.era) for point in after.points)


__all__ = [
    "ALL",
    "Course",
    "Point",
    "Slot",
    "apart",
    "courses_of",
    "distinct",
    "follows",
    "is_changed",
    "members_of",
    "release_between",
    "restarts_between",
    "slots_of",
    "usual_course",
]

"""A database's reports in a span of time, with metrics."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from django.db.models import Max, Q

from awrdiff.analysis.course.report_timeline import Course, Point, distinct
from awrdiff.analysis.course.statement_and_event_history import Largest
from awrdiff.analysis.report.kinds import OF_AN_INTERVAL
from awrdiff.databases.models import Database
from awrdiff.processing.models import State
from awrdiff.reports.models import Report
from parsers.storage.compressed_blocks import unpack

_NEAR = timedelta(days=7)
_LONGEST_S = 366 * 86_400.0  # of a report's interval
MOST = 2_000  # reports of an instance that are looked at together, the latest
INSTANCES = 3  # of whose so many are: of more of them together as many as of three
_MOST_ASKED = 100  # instances that a query names
_OF_A_POINT = (
    *("pk", "begin_at", "end_at", "kind", "instance_number", "instance_name", "release", "elapsed_s"),
    *("header__instances", "metrics__era", "metrics__figures", "thinned_at"),
)
_COLUMNS = len(_OF_A_POINT)


@dataclass(frozen=True, slots=True)
class Read:
    """`left_out`: earlier reports beyond `most`. `packed`: largest events and statements by report id, packed to save
    memory.
    """

    points: list[Point]
    left_out: bool
    most: int
    packed: Mapping[str, bytes]

    def largest(self, point: Point) -> Largest | None:
        return unpack(self.packed[point.report]) if point.report in self.packed else None


class Instances(NamedTuple):
    """`in_span`, and `around` it: as long before too, at least a week."""

    in_span: list[Course]
    around: list[Course]


def latest_end(database: Database) -> datetime | None:
    """None where no report has a time."""
    latest = _reports(database).order_by("-begin_at", "-created_at").values_list("begin_at", "end_at").first()
    moments = [m for text in latest or () if (m := _moment(text)) is not None]
    return max(moments, default=None)


def instances_of(database: Database, begin: datetime | None, end: datetime | None) -> Instances:
    before = begin - (max(end - begin, _NEAR) if end is not None else _NEAR) if begin is not None else None
    columns = _between(_reports(database), before, end).values_list("kind", "instance_number", "instance_name")
    rows = [(Course(*row), last) for *row, last in columns.annotate(last=Max("begin_at")).order_by("last")]
    first = begin.isoformat() if begin is not None else ""
    return Instances(distinct(c for c, last in rows if last >= first), distinct(c for c, _ in rows))


def read(
    database: Database,
    begin: datetime | None,
    end: datetime | None,
    whose: Sequence[Course] | None = None,
    *,
    most: int = MOST,
    with_largest: bool = False,
) -> Read:
    """Begin in [`begin`, `end`), at most `most` per instance."""
    most *= min(len(whose), INSTANCES) if whose else 1
    more = ("metrics__largest",) if with_largest else ()
    rows = _rows(_whose(database, whose), begin, end, most, *more)
    pairs = [(point, row[_COLUMNS:]) for row in rows[:most] if (point := _point(row[:_COLUMNS])) is not None]
    packed = {point.report: bytes(largest) for point, of in pairs for largest in of if largest is not None}
    return Read([point for point, _ in pairs], len(rows) > most, most, packed)


def _whose(database: Database, whose: Sequence[Course] | None) -> Any:
    reports = _reports(database)
    if whose is None or len(whose) > _MOST_ASKED:
        return reports
    wanted = Q(pk__in=())
    for course in whose:
        by_name = {"instance_name__iexact": course.name} if course.number is None else {}
        wanted |= Q(kind=course.kind, instance_number=course.number, **by_name)
    return reports.filter(wanted)


def _rows(reports: Any, begin: datetime | None, end: datetime | None, most: int, *more: str) -> list[tuple[Any, ...]]:
    """Earliest first; with one beyond `most`, which comes last."""
    latest = _between(reports, begin, end).order_by("-begin_at", "-created_at")
    rows = list(latest.values_list(*_OF_A_POINT, *more)[: most + 1])
    return [*reversed(rows[:most]), *rows[most:]]


def _reports(database: Database) -> Any:
    return Report.objects.filter(database=database, state=State.READY, kind__in=OF_AN_INTERVAL).exclude(begin_at="")


def _between(reports: Any, begin: datetime | None, end: datetime | None) -> Any:
    reports = reports.filter(begin_at__gte=begin.isoformat()) if begin is not None else reports
    return reports.filter(begin_at__lt=end.isoformat()) if end is not None else reports


def _point(row: tuple[Any, ...]) -> Point | None:
    """None without begin and end."""
    pk, begin_at, end_at, kind, number, name, release, elapsed_s, instances, era, figures, thinned_at = row
    begin, end = _moment(begin_at), _moment(end_at)
    if begin is None:
        return None
    if end is None and elapsed_s and 0 < elapsed_s < _LONGEST_S:
        end = begin + timedelta(seconds=elapsed_s)
    if end is None or end <= begin:
        return None
    packed = bytes(figures) if figures is not None else None
    own, started = Course(kind, number, name), tuple(_started(instances))
    return Point(str(pk), begin, end, own, release, started, era, packed, thinned_at is not None)


def _started(instances: Any) -> Iterator[tuple[int | None, datetime]]:
    for instance in instances or ():
        if (at := _moment(instance.get("startup"))) is not None:
            yield instance.get("number"), at


def _moment(text: str | None) -> datetime | None:
    try:
        return datetime.fromisoformat(text).replace(tzinfo=None) if text else None
    except ValueError:
        return None

"""State of a database from its latest reports: rhythm and silent instances.

Only reports within days of their end show life. Those beginning over a day after arrival are ignored; one or two count
until contradicted.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple
from uuid import UUID
from zoneinfo import ZoneInfo

from django.db.models import Count, Max, QuerySet
from django.db.models.functions import Lower
from django.utils import timezone

from awrdiff.analysis.normal.report_cadence import LEAST_GAPS, Rhythm, rhythm_of
from awrdiff.analysis.report.kinds import OF_AN_INTERVAL
from awrdiff.databases.models import Database
from awrdiff.fleet.models import Standing
from awrdiff.processing.models import State
from awrdiff.reports.models import Report

LATEST = 100  # reports from which it is told how often they come
AHEAD = timedelta(hours=26)  # of UTC, by which a database's own clock may be
EAST = timedelta(hours=14)  # of UTC is the farthest a zone's clock is ahead, for a database whose zone is not known
FRESH = timedelta(days=2)  # between the end of a window and its report, for it to tell of now
SAME_AGAIN = timedelta(minutes=30)  # in autumn an hour has the begin of the one before
FIRST = datetime(1, 1, 1)  # there is nothing before it, and a report may claim to be of it
MOST_ASTRAY = 2  # reports in a row that are ahead of those that come after them
ON_TOP = timedelta(days=30)  # what has been silent for longer is no news
_COLUMNS = ("pk", "created_at", "begin_at", "end_at", "release", "sha256")


class _Came(NamedTuple):
    """`own`: database's clock (UTC if unknown), `doubt` how much later."""

    own: datetime
    doubt: timedelta
    pk: UUID
    created_at: datetime
    begin: str
    end: str
    release: str
    sha256: str

    @property
    def is_ahead(self) -> bool:
        return _moment(self.begin) - self.own > self.doubt


def as_a_whole(database: int) -> dict[str, Any]:
    own = _of_now(database)
    latest = _latest(own, Database.objects.filter(pk=database).values_list("zone", flat=True).first() or "")
    rows = [row for row in latest if _moment(row.begin) - row.own <= AHEAD]
    came, astray = _arrivals(sorted(rows, key=lambda row: (row.created_at, row.begin)))
    believed = [row for row in rows if row not in astray]
    overtaken = own.exclude(pk__in={row.pk for row in latest}.difference(row.pk for row in believed))
    arrivals = [row.created_at for row in came]
    rhythm = rhythm_of(arrivals)
    last = believed[0] if believed else None
    return {
        "came_at": arrivals[-1] if arrivals else None,
        "every_s": rhythm.every.total_seconds() if rhythm else None,
        "patience_s": rhythm.patience.total_seconds() if rhythm else None,
        "last_end": last.end or last.begin if last else "",
        "release": last.release if last else "",
        "silent": _silent(overtaken, last.begin, rhythm) if last and rhythm else [],
    }


def is_overdue(standing: Standing | None, now: datetime) -> bool:
    """False without a rhythm, after long silence, or during measuring."""
    if standing is None or standing.due_from or standing.came_at is None or standing.patience_s is None:
        return False
    return timedelta(seconds=standing.patience_s) < now - standing.came_at <= ON_TOP


def _of_now(database: int) -> QuerySet[Report]:
    own = Report.objects.filter(database=database, state=State.READY, kind__in=OF_AN_INTERVAL).exclude(begin_at="")
    return own.filter(begin_at__lte=(timezone.now().replace(tzinfo=None) + AHEAD).isoformat())


def _latest(own: QuerySet[Report], zone: str) -> list[_Came]:
    clock, doubt = (ZoneInfo(zone), timedelta(0)) if zone else (UTC, EAST)
    rows = own.order_by("-begin_at", "-created_at", "-pk").values_list(*_COLUMNS)[:LATEST]
    return [_Came(row[1].astimezone(clock).replace(tzinfo=None), doubt, *row) for row in rows]


def _arrivals(rows: Iterable[_Came]) -> tuple[list[_Came], set[_Came]]:
    arrivals: list[_Came] = []
    astray, begins = set[_Came](), set[str]()
    for row in rows:
        is_new = row.sha256 not in begins
        begins.add(row.sha256)
        if row.own - _moment(row.end or row.begin) > FRESH:
            continue
        ahead = [
            earlier
            for earlier in arrivals[-MOST_ASTRAY:]
            if earlier.begin > row.begin and (earlier.is_ahead or earlier is not arrivals[0])
        ]
        latest = arrivals[-1 - len(ahead)] if len(arrivals) > len(ahead) else None
        again = latest is not None and row.begin == latest.begin and row.created_at - latest.created_at >= SAME_AGAIN
        if latest is None or row.begin > latest.begin or (again and is_new and not ahead):
            arrivals[len(arrivals) - len(ahead) :] = [row]
            astray.update(earlier for earlier in ahead if earlier.is_ahead)
    return arrivals, astray


def _silent(own: QuerySet[Report], latest: str, rhythm: Rhythm) -> list[list[str]]:
    """Missing numbers come from reports printing both; ambiguous ones say nothing."""
    since = (max(_moment(latest), FIRST + ON_TOP) - ON_TOP).isoformat()
    rows = own.filter(begin_at__gte=since).order_by().values_list("instance_number", Lower("instance_name"))
    groups = list(rows.annotate(n=Count("*"), begin=Max("begin_at"), end=Max("end_at")))
    numbers: defaultdict[str, set[int]] = defaultdict(set)
    for number, name, *_ in groups:
        if number is not None and name:
            numbers[name].add(number)
    by_instance: defaultdict[tuple[int, str], list[tuple[int, str, str]]] = defaultdict(list)
    for number, name, *bounds in groups:
        of = numbers[name] if number is None else {number}
        if len(of) == 1 or (name and not of):
            by_instance[(*of, "") if of else (-1, name)].append((bounds[0], bounds[1], bounds[2]))
    silent = []
    for (number, name), parts in sorted(by_instance.items()):
        count, begin, end = sum(n for n, *_ in parts), max(b for _, b, _ in parts), max(e for *_, e in parts)
        if count > LEAST_GAPS and _moment(latest) - _moment(begin) > rhythm.patience:
            silent.append([name or str(number), end or begin])
    return silent


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text)

"""Largest changes in a span over a team's databases, each on its own clock (UTC without a zone).

Overdue is by the server's clock.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Literal
from zoneinfo import ZoneInfo

from django.db.models import Count, Exists, Max, OuterRef, Q, QuerySet
from django.utils import timezone

from awrdiff.accounts.access import AccessContext
from awrdiff.analysis.normal.hour_of_week_normal import ALARM
from awrdiff.databases.errors import DatabaseRefused
from awrdiff.databases.models import Database
from awrdiff.databases.queries import databases_for, reports_of_each
from awrdiff.fleet.database_status import AHEAD, is_overdue
from awrdiff.fleet.models import Departure, Standing
from awrdiff.processing.models import State
from awrdiff.reports.models import LEFT_OUT, Report

LONGEST = timedelta(days=14)
PER_PAGE = 30
MOST_FAILED = 5  # files that are named
Lacking = Literal["", "report", "interval", "measured", "normal"]  # for a database to be judged


@dataclass(frozen=True, slots=True)
class Span:
    """Last `hours`, or `since` to before `until`, on the databases' clocks."""

    hours: int = 24
    since: datetime | None = None
    until: datetime | None = None

    @classmethod
    def between(cls, since: datetime, until: datetime) -> Span:
        """Raises DatabaseRefused."""
        if until <= since:
            raise DatabaseRefused("“To” must be later than “from”.")
        if until - since > LONGEST:
            raise DatabaseRefused(f"At most {LONGEST.days} days are looked at: choose less.")
        return cls(0, since, until)

    def of(self, zone: str, now: datetime) -> tuple[str, str]:
        """Bounds on that zone's clock."""
        if self.since is not None and self.until is not None:
            return self.since.isoformat(), self.until.isoformat()
        own = now.astimezone(ZoneInfo(zone) if zone else UTC).replace(tzinfo=None, microsecond=0)
        return (own - timedelta(hours=self.hours)).isoformat(), (own + AHEAD).isoformat()


@dataclass(frozen=True, slots=True)
class Wanted:
    """All words of `text` in name, DBID or tags."""

    tag: str = ""
    release: str = ""
    text: str = ""

    def has(self, database: Any) -> bool:
        haystack = " ".join((database.name, database.dbid, *database.tags)).lower()
        return (
            (not self.tag or self.tag in database.tags)
            and (not self.release or release_of(database) == self.release)
            and all(word in haystack for word in self.text.lower().split())
        )


@dataclass(slots=True)
class Hour:
    instance: str
    interval: str
    begin: str
    sessions: float | None
    normal: float | None
    deviation: float | None
    above: float | None
    is_alarm: bool


@dataclass(slots=True)
class DatabaseNight:
    """Database in the span: `reports`, of which `of` exist.

    `highest` above normal in active sessions. `alarms`: hours. `lacking`: unjudged reports. `worst`: farthest above,
    alarms first; `lowest`: farthest below. `hours`: those of `worst`'s instance.
    """

    database: Any
    reports: int = 0
    of: int = 0
    comparable: int = 0  # of them, against something normal
    alarms: int = 0
    alarm: float | None = None  # the largest of them
    highest: float | None = None
    overdue: bool = False
    lacking: Lacking = ""
    instances: list[str] = field(default_factory=list)
    lowest: Hour | None = None
    hours: list[Hour] = field(default_factory=list)
    worst: Departure | None = None

    @property
    def standing(self) -> Standing | None:
        return standing_of(self.database)

    @property
    def is_being_measured(self) -> bool:
        return self.standing is None or bool(self.standing.due_from)

    @property
    def silent(self) -> list[list[str]]:
        """Silent instances, unless the whole database is."""
        return self.standing.silent if self.standing and not self.is_being_measured and not self.overdue else []

    @property
    def rank(self) -> tuple[object, ...]:
        none = float("-inf")
        return (
            -(self.alarm if self.alarm is not None else none),
            -(self.highest if self.highest is not None else none),
            -self.reports,
            self.database.label,
            self.database.pk,
        )


@dataclass(frozen=True, slots=True)
class Night:
    """`lines` of the page; `overdue` of all, latest silent first."""

    lines: list[DatabaseNight]
    page: int
    pages: int
    count: int
    alarmed: int
    lacking: Counter[Lacking]  # of how many databases; "" of those that can be judged
    overdue: list[DatabaseNight]
    failed: list[Report]
    failed_count: int
    reading: int  # files that came and are not read yet: of which databases they are nobody knows
    tags: list[str]
    releases: list[str]
    there: int  # databases, whether wanted or not
    latest: str  # begin of the latest window of those that are wanted


def night(access: AccessContext, span: Span, wanted: Wanted, page: int = 1) -> Night:
    now = timezone.now()
    every = list(databases_for(access).select_related("standing"))
    lines = {database.pk: DatabaseNight(database) for database in every if wanted.has(database)}
    for row in _ranked(every, span, now):
        if (line := lines.get(row.pop("database"))) is not None:
            for name, value in row.items():
                setattr(line, name, value)
    for line in lines.values():
        line.overdue = is_overdue(line.standing, now)
        line.lacking = _lacking(line, *span.of(line.database.zone, now))
    ordered = sorted(lines.values(), key=lambda line: line.rank)
    pages = max(1, -(-len(ordered) // PER_PAGE))
    page = min(max(page, 1), pages)
    page_lines = ordered[(page - 1) * PER_PAGE : page * PER_PAGE]
    _fill(page_lines, span, now)
    failed = _failed(access, span, now)
    latest_failed = list(failed.order_by("-created_at").defer("head", "assessment", "header", "issues")[:MOST_FAILED])
    mine = Report.objects.filter(team=access.team, copy_of=None).order_by().values("pk")
    waiting, running = (mine.filter(state=state) for state in (State.PENDING, State.RUNNING))
    silent = [line for line in ordered if line.overdue or line.silent]
    return Night(
        page_lines,
        page,
        pages,
        len(ordered),
        sum(line.alarms > 0 for line in ordered),
        Counter(line.lacking for line in ordered),
        sorted(silent, key=lambda line: (line.standing.last_end if line.standing else "", line.database.label))[::-1],
        latest_failed,
        failed.count() if len(latest_failed) == MOST_FAILED else len(latest_failed),
        waiting.union(running, all=True).count(),  # each by its index
        sorted({tag for database in every for tag in database.tags}),
        sorted({release for database in every if (release := release_of(database))}),
        len(every),
        max((_latest(line, now) for line in ordered), default=""),
    )


def _lacking(line: DatabaseNight, since: str, until: str) -> Lacking:
    latest = line.database.latest or ""
    if line.comparable:
        return ""
    if not line.reports and latest < since:
        return "report"
    if line.is_being_measured:
        return "measured"
    if not line.reports:
        return "interval" if latest < until else "report"
    return "normal"


def _latest(line: DatabaseNight, now: datetime) -> str:
    latest = line.database.latest or ""
    is_past = latest <= (now.replace(tzinfo=None) + AHEAD).isoformat()
    return latest if is_past else line.standing.last_end if line.standing else ""


def standing_of(database: Database) -> Standing | None:
    return getattr(database, "standing", None)


def release_of(database: Database) -> str:
    standing = standing_of(database)
    return standing.release if standing else ""


def _within(databases: Iterable[Database], span: Span, now: datetime) -> Q:
    """The outer bound is explicit for the index."""
    by_zone: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for zone in sorted({database.zone for database in databases}):
        by_zone[span.of(zone, now)].append(zone)
    either = Q()
    for (since, until), zones in by_zone.items():
        either |= Q(database__zone__in=zones, begin_at__gte=since, begin_at__lt=until)
    return Q(begin_at__gte=min((since for since, _ in by_zone), default="")) & either


def _ranked(databases: Sequence[Database], span: Span, now: datetime) -> Iterable[Any]:
    team = {database.team_id for database in databases}
    departures = Departure.objects.filter(_within(databases, span, now), database__team__in=team).order_by()
    return departures.values("database").annotate(
        reports=Count("*"),
        comparable=Count("above"),
        alarms=Count("begin_at", filter=Q(is_alarm=True), distinct=True),
        alarm=Max("above", filter=Q(is_alarm=True)),
        highest=Max("above"),
    )


def _fill(lines: Sequence[DatabaseNight], span: Span, now: datetime) -> None:
    by_database = {line.database.pk: line for line in lines}
    for pk, of in reports_of_each(line.database for line in lines).items():
        by_database[pk].of = of
    departures = Departure.objects.filter(
        _within([line.database for line in lines], span, now), database__in=by_database
    )
    columns = ("instance", "interval", "begin_at", "sessions", "normal", "deviation", "above", "is_alarm")
    rows: defaultdict[int, list[tuple[Any, Hour]]] = defaultdict(list)
    for pk, database, *figures in departures.order_by("begin_at", "pk").values_list("pk", "database", *columns):
        rows[database].append((pk, Hour(*figures)))
    worst = {database: _farthest(of) for database, of in rows.items()}
    is_there = Exists(Report.objects.filter(pk=OuterRef("nearest")))
    whole = Departure.objects.annotate(is_there=is_there).in_bulk([pk for pk in worst.values() if pk])
    for own_hours in whole.values():
        own_hours.nearest = own_hours.nearest if own_hours.is_there else None
    for database, own in rows.items():
        line = by_database[database]
        line.worst = whole.get(worst[database])
        hours = [hour for _, hour in own]
        line.instances = sorted({hour.instance for hour in hours})
        line.lowest = min((h for h in hours if h.above is not None), key=lambda h: h.above or 0.0, default=None)
        line.hours = _hours_of_one(hours, line.worst)


def _farthest(of: Sequence[tuple[Any, Hour]]) -> Any:
    comparable = [(pk, hour) for pk, hour in of if hour.above is not None]
    return max(comparable, key=lambda pair: _severity(pair[1]))[0] if comparable else None


def _hours_of_one(hours: Sequence[Hour], worst: Departure | None) -> list[Hour]:
    """Per minute the largest departure."""
    usual, _ = Counter((hour.instance, hour.interval) for hour in hours).most_common(1)[0]
    own = (worst.instance, worst.interval) if worst else usual
    by_minute: dict[str, Hour] = {}
    for hour in hours:
        if (hour.instance, hour.interval) == own:
            minute = hour.begin[:16]
            by_minute[minute] = max(by_minute.get(minute, hour), hour, key=_severity)
    return list(by_minute.values())


def _severity(hour: Hour) -> tuple[bool, float]:
    return hour.is_alarm, hour.above if hour.above is not None else float("-inf")


def _failed(access: AccessContext, span: Span, now: datetime) -> QuerySet[Report]:
    """Their database is unknown."""
    since, until = (datetime.fromisoformat(at).replace(tzinfo=UTC) for at in span.of("", now))
    own = Report.objects.filter(team=access.team, state=State.FAILED, copy_of=None)
    return own.filter(created_at__gte=since, created_at__lt=until).exclude(error_code=LEFT_OUT)


__all__ = ["ALARM", "PER_PAGE", "DatabaseNight", "Hour", "Night", "Span", "Wanted", "night"]

"""Statistics of a team's incidents. Figures say of how many; unknowns are left out."""

from __future__ import annotations

import re
import statistics
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from uuid import UUID

from django.db.models import QuerySet
from django.utils import timezone

from awrdiff.accounts.access import AccessContext
from awrdiff.incidents import queries
from awrdiff.incidents.fields import zone_of
from awrdiff.incidents.hours import Hours
from awrdiff.incidents.models import (
    ActionItem,
    ActionState,
    Incident,
    IncidentComparison,
    IncidentReport,
    Verdict,
    VerdictState,
)
from awrdiff.incidents.verdicts import agreed, one_of_each

MOST = 500  # incidents that are looked at, the latest
AT_ONCE = 50  # incidents whose comparisons are read together, with their overviews
PERIODS_DAYS = (30, 90, 365)
# With its unit, and none of the digits of a SQL id or a name.
_UNIT = r" ?(?:ns|µs|ms|s|min|h|d|[kMGTP]i?B|B|[kMGT]|%|×)"
_FIGURE = re.compile(rf"(?<![\w$#])\d+(?:[.,]\d+)*(?:{_UNIT})?(?![\w$#])")


@dataclass(frozen=True, slots=True)
class Period:
    """Begin of incidents; `since` to `until` inclusive (UTC)."""

    days: int | None = None
    since: date | None = None
    until: date | None = None

    def narrowed(self, incidents: QuerySet[Incident]) -> QuerySet[Incident]:
        if self.days is not None:
            now = timezone.now()
            return incidents.filter(begins_at__gte=now - timedelta(days=self.days), begins_at__lte=now)
        if self.since is not None:
            incidents = incidents.filter(begins_at__gte=_midnight(self.since))
        if self.until is not None and self.until < date.max:
            incidents = incidents.filter(begins_at__lt=_midnight(self.until + timedelta(days=1)))
        return incidents


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time.min, UTC)


ALWAYS = Period()


@dataclass(frozen=True, slots=True)
class Took:
    """Durations among `of` incidents, where both times are set."""

    times: tuple[timedelta, ...]
    of: int

    @property
    def median(self) -> timedelta | None:
        return statistics.median(self.times) if self.times else None  # type: ignore[type-var]


@dataclass(frozen=True, slots=True)
class Database:
    """`dbid` tells namesakes apart."""

    name: str
    dbid: str


InDatabases = defaultdict[UUID, set[Database]]


@dataclass(slots=True)
class Cause:
    """Confirmed finding by subject and direction, latest incident first; differing figures are cut from its title."""

    title: str
    incidents: list[Incident] = field(default_factory=list)
    databases: set[Database] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class OpenActions:
    total: int
    overdue: int
    without_owner: int
    without_due: int


@dataclass(frozen=True, slots=True)
class Statistics:
    """Incidents of two databases count in both; `of_none` in none. `open_hours`: findings uncounted while the hour is
    open.
    """

    total: int
    incidents: Sequence[Incident]
    databases: Mapping[Database, Sequence[Incident]]
    of_none: int
    causes: Sequence[Cause]
    without_cause: int
    open_hours: int
    detected: Took
    mitigated: Took
    resolved: Took
    actions: OpenActions


def statistics_of(access: AccessContext, period: Period = ALWAYS) -> Statistics:
    in_period = period.narrowed(queries.incidents_for(access))
    incidents = list(in_period[:MOST])
    attached = queries.comparisons_of_each(incidents)
    by_incident = _databases(attached, incidents)
    causes, with_cause, open_hours = _causes(incidents, attached, by_incident)
    return Statistics(
        in_period.count(),
        incidents,
        _by_database(incidents, by_incident),
        sum(not by_incident[incident.pk] for incident in incidents),
        causes,
        len(incidents) - len(with_cause),
        open_hours,
        _took(incidents, "detected_at"),
        _took(incidents, "mitigated_at"),
        _took(incidents, "resolved_at"),
        _actions(incidents),
    )


def _databases(attached: Mapping[UUID, Sequence[IncidentComparison]], incidents: Sequence[Incident]) -> InDatabases:
    """Databases of the incident's hour, or of all hours while open."""
    by_incident: InDatabases = defaultdict(set)
    for rows in attached.values():
        for row in rows:
            by_incident[row.incident_id] |= _of_hour(row)
    alone = IncidentReport.objects.filter(incident__in=incidents).exclude(bad=False).order_by()
    for pk, name, dbid in alone.values_list("incident", "report__db_name", "report__dbid"):
        by_incident[pk] |= {Database(name, dbid)} if name or dbid else set()
    return defaultdict(set, {pk: _named_once(ones) for pk, ones in by_incident.items()})


def _of_hour(row: IncidentComparison) -> set[Database]:
    places = row.comparison.places.all()
    own = [place.report for place in places if row.bad is None or place.position == row.bad]
    return {Database(report.db_name, report.dbid) for report in own if report.db_name or report.dbid}


def _named_once(databases: set[Database]) -> set[Database]:
    """A trace has no DBID: take a namesake report's."""
    with_id = {database.name for database in databases if database.dbid}
    return {database for database in databases if database.dbid or database.name not in with_id}


def _by_database(incidents: Sequence[Incident], of: InDatabases) -> dict[Database, list[Incident]]:
    incidents_of: defaultdict[Database, list[Incident]] = defaultdict(list)
    for incident in incidents:
        for database in of[incident.pk]:
            incidents_of[database].append(incident)
    return dict(sorted(incidents_of.items(), key=lambda entry: (-len(entry[1]), entry[0].name, entry[0].dbid)))


def _causes(
    incidents: Sequence[Incident], attached: Mapping[UUID, Sequence[IncidentComparison]], databases: InDatabases
) -> tuple[list[Cause], set[UUID], int]:
    causes: dict[tuple[str, str], Cause] = {}
    with_cause: set[UUID] = set()
    open_hours = 0
    for incident, hours, confirmed in _confirmed(incidents, attached):
        for verdict in confirmed:
            reading = hours.verdict(verdict)
            if not hours.sides(verdict).is_known:
                open_hours += 1
            elif not reading.of_other:
                cause = causes.setdefault((verdict.anchor, _FIGURE.sub("#", reading.title)), Cause(reading.title))
                if cause.title != reading.title:
                    cause.title = _FIGURE.sub("…", reading.title)
                with_cause.add(incident.pk)
                if incident not in cause.incidents:
                    cause.incidents.append(incident)
                cause.databases |= databases[incident.pk]
    return sorted(causes.values(), key=lambda cause: (-len(cause.incidents), cause.title)), with_cause, open_hours


def _confirmed(
    incidents: Sequence[Incident], attached: Mapping[UUID, Sequence[IncidentComparison]]
) -> Iterator[tuple[Incident, Hours, list[Verdict]]]:
    by_comparison: defaultdict[UUID, list[Verdict]] = defaultdict(list)
    verdicts = Verdict.objects.filter(
        comparison__incidents__incident__in=incidents, is_current=True, state=VerdictState.CONFIRMED
    )
    for verdict in one_of_each(queries.with_authors(agreed(verdicts).distinct().order_by("at", "pk"))):
        by_comparison[verdict.comparison_id].append(verdict)
    for start in range(0, len(incidents), AT_ONCE):
        some = incidents[start : start + AT_ONCE]
        rows = [attached.get(incident.pk, ()) for incident in some]
        own = [[verdict for row in of for verdict in by_comparison[row.comparison_id]] for of in rows]
        hours = Hours.of_each([(of, own_verdicts, ()) for of, own_verdicts in zip(rows, own, strict=True)])
        yield from zip(some, hours, own, strict=True)


def _took(incidents: Sequence[Incident], name: str) -> Took:
    time_pairs = ((incident.impact_at, getattr(incident, name)) for incident in incidents)
    return Took(tuple(at - impact for impact, at in time_pairs if impact and at and at >= impact), len(incidents))


def _actions(incidents: Sequence[Incident]) -> OpenActions:
    open_items = list(
        ActionItem.objects.filter(incident__in=incidents, state=ActionState.OPEN).select_related("incident")
    )
    now = timezone.now()
    late = [
        action
        for action in open_items
        if action.due and action.due < now.astimezone(zone_of(action.incident.time_zone)).date()
    ]
    return OpenActions(
        len(open_items),
        len(late),
        sum(action.owner_id is None for action in open_items),
        sum(action.due is None for action in open_items),
    )

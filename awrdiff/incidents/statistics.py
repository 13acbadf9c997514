"""Statistics of a team's incidents. Figures say of how many; unknowns are left out."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from typing import TypeAlias
from uuid import UUID

from django.db.models import QuerySet
from django.utils import timezone

from awrdiff.accounts.access import AccessContext
from awrdiff.incidents import queries
from awrdiff.incidents.bad_hour_selection import Hours
from awrdiff.incidents.finding_verdicts import agreed, one_of_each
from awrdiff.incidents.models import (
    ActionItem,
    ActionState,
    Incident,
    IncidentComparison,
    IncidentReport,
    Verdict,
    VerdictState,
)

MOST = 500  # incidents that are looked at, the latest
AT_ONCE = 50  # incidents whose comparisons are read together, with their overviews
PERIODS_DAYS = (30, 90, 365)
# With its unit, and none of the digits of a SQL id or a name.
_UNIT = r" ?(?:ns|µs|ms|s|min|h|d|[kMGTP]i?B|B|[kMGT]|%|×)"
_FIGURE = re.compile(rf"(?<![\w$#])\d+(?:[.,]\d+)*(?:{_UNIT})?(?![\w$#])")
Database: TypeAlias = tuple[str, str]  # name, DBID: it tells namesakes apart


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
            incidents = incidents.filter(begins_at__gte=datetime.combine(self.since, time.min, UTC))
        if self.until is not None and self.until < date.max:
            incidents = incidents.filter(begins_at__lt=datetime.combine(self.until, time.min, UTC) + timedelta(days=1))
        return incidents


ALWAYS = Period()


@dataclass(slots=True)
class Cause:
    """Confirmed finding by subject and direction, latest incident first; differing figures are cut from its title."""

    title: str
    incidents: list[Incident] = field(default_factory=list)
    databases: set[Database] = field(default_factory=set)


@dataclass(slots=True)
class Statistics:
    """Incidents of two databases count in both; `of_none` in none. `open_hours`: findings uncounted while the hour is
    open. `times`: from the begin of the impact, where both are set. `actions`: numbers of open items.
    """

    total: int
    incidents: Sequence[Incident]
    databases: Mapping[Database, Sequence[Incident]]
    of_none: int
    times: Mapping[str, Sequence[timedelta]]
    actions: Mapping[str, int]
    causes: Sequence[Cause] = ()
    without_cause: int = 0
    open_hours: int = 0


def statistics_of(access: AccessContext, period: Period = ALWAYS) -> Statistics:
    in_period = period.narrowed(queries.incidents_for(access))
    incidents = list(in_period[:MOST])
    attached = queries.comparisons_of_each(incidents)
    databases = _databases(attached, incidents)
    by_database: defaultdict[Database, list[Incident]] = defaultdict(list)
    for incident in incidents:
        for database in databases[incident.pk]:
            by_database[database].append(incident)
    open_items = list(
        ActionItem.objects.filter(incident__in=incidents, state=ActionState.OPEN).select_related("incident")
    )
    numbers = Statistics(
        in_period.count(),
        incidents,
        dict(sorted(by_database.items(), key=lambda entry: (-len(entry[1]), *entry[0]))),
        sum(not databases[incident.pk] for incident in incidents),
        {name: _durations(incidents, name) for name in ("detected_at", "mitigated_at", "resolved_at")},
        {
            "total": len(open_items),
            "overdue": sum(action.is_overdue for action in open_items),
            "without_owner": sum(action.owner_id is None for action in open_items),
            "without_due": sum(action.due is None for action in open_items),
        },
    )
    _add_causes(numbers, attached, databases)
    return numbers


def _databases(
    attached: Mapping[UUID, Sequence[IncidentComparison]], incidents: Sequence[Incident]
) -> defaultdict[UUID, set[Database]]:
    """Databases of the incident's hour, or of all hours while open."""
    printed: defaultdict[UUID, set[Database]] = defaultdict(set)
    for rows in attached.values():
        for row in rows:
            for place in row.comparison.places.all():
                if row.bad is None or place.position == row.bad:
                    printed[row.incident_id].add((place.report.db_name, place.report.dbid))
    alone = IncidentReport.objects.filter(incident__in=incidents).exclude(bad=False).order_by()
    for pk, *database in alone.values_list("incident", "report__db_name", "report__dbid"):
        printed[pk].add((database[0], database[1]))
    databases: defaultdict[UUID, set[Database]] = defaultdict(set)
    for pk, of_incident in printed.items():
        with_id = {name for name, dbid in of_incident if dbid}  # a trace has no DBID: a namesake report's is taken
        databases[pk] = {(name, dbid) for name, dbid in of_incident if dbid or (name and name not in with_id)}
    return databases


def _add_causes(
    numbers: Statistics,
    attached: Mapping[UUID, Sequence[IncidentComparison]],
    databases: Mapping[UUID, set[Database]],
) -> None:
    causes: dict[tuple[str, str], Cause] = {}
    with_cause: set[UUID] = set()
    for incident, hours, confirmed in _confirmed(numbers.incidents, attached):
        for verdict in confirmed:
            reading = hours.verdict(verdict)
            if not hours.sides(verdict).is_known:
                numbers.open_hours += 1
            elif not reading.of_other:
                cause = causes.setdefault((verdict.anchor, _FIGURE.sub("#", reading.title)), Cause(reading.title))
                if cause.title != reading.title:
                    cause.title = _FIGURE.sub("…", reading.title)
                with_cause.add(incident.pk)
                if incident not in cause.incidents:
                    cause.incidents.append(incident)
                cause.databases |= databases[incident.pk]
    numbers.causes = sorted(causes.values(), key=lambda cause: (-len(cause.incidents), cause.title))
    numbers.without_cause = len(numbers.incidents) - len(with_cause)


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


def _durations(incidents: Sequence[Incident], name: str) -> list[timedelta]:
    time_pairs = ((incident.impact_at, getattr(incident, name)) for incident in incidents)
    return [at - impact for impact, at in time_pairs if impact and at and at >= impact]

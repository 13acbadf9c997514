"""What a team's incidents have in common: databases, causes that somebody confirmed, how long they took.

What an incident does not say is left out of a figure, and every figure says of how many it is.
"""

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
from awrdiff.incidents.judgements import agreed, one_of_each
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


@dataclass(frozen=True, slots=True)
class Period:
    """In which incidents began: the last `days`, or from the day `since` to the day `until`, both included (UTC); or
    ever."""

    days: int | None = None
    since: date | None = None
    until: date | None = None

    def narrowed(self, found: QuerySet[Incident]) -> QuerySet[Incident]:
        if self.days is not None:
            now = timezone.now()
            return found.filter(begins_at__gte=now - timedelta(days=self.days), begins_at__lte=now)
        if self.since is not None:
            found = found.filter(begins_at__gte=_midnight(self.since))
        if self.until is not None and self.until < date.max:
            found = found.filter(begins_at__lt=_midnight(self.until + timedelta(days=1)))
        return found


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time.min, UTC)


ALWAYS = Period()


@dataclass(frozen=True, slots=True)
class Took:
    """Of the incidents that say how long it took: `of` how many it could be said."""

    times: tuple[timedelta, ...]
    of: int

    @property
    def median(self) -> timedelta | None:
        return statistics.median(self.times) if self.times else None  # type: ignore[type-var]


@dataclass(frozen=True, slots=True)
class Database:
    """`dbid` tells two of the same name apart."""

    name: str
    dbid: str


InDatabases = defaultdict[UUID, set[Database]]


@dataclass(slots=True)
class Cause:
    """A finding that was confirmed, in `incidents`, the latest first. Of the same subject one that fell is not one that
    rose: what it says is the same but for its figures, which the title leaves out where they differ."""

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
    """`total` incidents there are in the period, of which `incidents` are looked at. An incident of two databases
    counts in both; `of_none` have neither report nor comparison that names one. `open_hours`: confirmed findings that
    are no cause while it is open which hour is the incident's."""

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
    known = period.narrowed(queries.incidents_for(access))
    incidents = list(known[:MOST])
    attached = queries.comparisons_of_each(incidents)
    by_incident = _databases(attached, incidents)
    causes, with_cause, open_hours = _causes(incidents, attached, by_incident)
    return Statistics(
        known.count(),
        incidents,
        _by_database(incidents, by_incident),
        sum(not by_incident[one.pk] for one in incidents),
        causes,
        len(incidents) - len(with_cause),
        open_hours,
        _took(incidents, "detected_at"),
        _took(incidents, "mitigated_at"),
        _took(incidents, "resolved_at"),
        _actions(incidents),
    )


def _databases(attached: Mapping[UUID, Sequence[IncidentComparison]], incidents: Sequence[Incident]) -> InDatabases:
    """By incident, those of its hour; of every hour that is compared while it is open which is the incident's."""
    found: InDatabases = defaultdict(set)
    for rows in attached.values():
        for row in rows:
            found[row.incident_id] |= _of_hour(row)
    alone = IncidentReport.objects.filter(incident__in=incidents).exclude(bad=False).order_by()
    for pk, name, dbid in alone.values_list("incident", "report__db_name", "report__dbid"):
        found[pk] |= {Database(name, dbid)} if name or dbid else set()
    return defaultdict(set, {pk: _named_once(ones) for pk, ones in found.items()})


def _of_hour(row: IncidentComparison) -> set[Database]:
    places = row.comparison.places.all()
    own = [one.report for one in places if row.bad is None or one.position == row.bad]
    return {Database(one.db_name, one.dbid) for one in own if one.db_name or one.dbid}


def _named_once(found: set[Database]) -> set[Database]:
    """A trace names a database without its id: it is the one that a report beside it names with one."""
    named = {one.name for one in found if one.dbid}
    return {one for one in found if one.dbid or one.name not in named}


def _by_database(incidents: Sequence[Incident], of: InDatabases) -> dict[Database, list[Incident]]:
    """By database, that with the most first."""
    found: defaultdict[Database, list[Incident]] = defaultdict(list)
    for incident in incidents:
        for one in of[incident.pk]:
            found[one].append(incident)
    return dict(sorted(found.items(), key=lambda one: (-len(one[1]), one[0].name, one[0].dbid)))


def _causes(
    incidents: Sequence[Incident], attached: Mapping[UUID, Sequence[IncidentComparison]], databases: InDatabases
) -> tuple[list[Cause], set[UUID], int]:
    """As the post-mortem has them: what is said of the hour for comparison is none. With the incidents that have one,
    and how many findings may be none, since their hour is open."""
    causes: dict[tuple[str, str], Cause] = {}
    with_cause: set[UUID] = set()
    open_hours = 0
    for incident, hours, confirmed in _confirmed(incidents, attached):
        for one in confirmed:
            told = hours.verdict(one)
            if not hours.sides(one).is_known:
                open_hours += 1
            elif not told.of_other:
                cause = causes.setdefault((one.anchor, _FIGURE.sub("#", told.title)), Cause(told.title))
                if cause.title != told.title:
                    cause.title = _FIGURE.sub("…", told.title)
                with_cause.add(incident.pk)
                if incident not in cause.incidents:
                    cause.incidents.append(incident)
                cause.databases |= databases[incident.pk]
    return sorted(causes.values(), key=lambda one: (-len(one.incidents), one.title)), with_cause, open_hours


def _confirmed(
    incidents: Sequence[Incident], attached: Mapping[UUID, Sequence[IncidentComparison]]
) -> Iterator[tuple[Incident, Hours, list[Verdict]]]:
    given: defaultdict[UUID, list[Verdict]] = defaultdict(list)
    found = Verdict.objects.filter(
        comparison__incidents__incident__in=incidents, is_current=True, state=VerdictState.CONFIRMED
    )
    for verdict in one_of_each(queries.with_authors(agreed(found).distinct().order_by("at", "pk"))):
        given[verdict.comparison_id].append(verdict)
    for start in range(0, len(incidents), AT_ONCE):
        some = incidents[start : start + AT_ONCE]
        rows = [attached.get(one.pk, ()) for one in some]
        own = [[verdict for row in of for verdict in given[row.comparison_id]] for of in rows]
        hours = Hours.of_each([(of, judged, ()) for of, judged in zip(rows, own, strict=True)])
        yield from zip(some, hours, own, strict=True)


def _took(incidents: Sequence[Incident], name: str) -> Took:
    """From the impact to the time of that name, where people have set both."""
    both = ((one.impact_at, getattr(one, name)) for one in incidents)
    return Took(tuple(at - impact for impact, at in both if impact and at and at >= impact), len(incidents))


def _actions(incidents: Sequence[Incident]) -> OpenActions:
    """What is overdue, by the zone of its incident."""
    found = list(ActionItem.objects.filter(incident__in=incidents, state=ActionState.OPEN).select_related("incident"))
    now = timezone.now()
    late = [one for one in found if one.due and one.due < now.astimezone(zone_of(one.incident.time_zone)).date()]
    return OpenActions(
        len(found), len(late), sum(one.owner_id is None for one in found), sum(one.due is None for one in found)
    )

"""All databases by deviation from their normal."""

from __future__ import annotations

from typing import Annotated, Literal
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from msgspec import Meta, Struct, convert

from awrdiff.accounts.access import AccessContext
from awrdiff.analysis.normal.hour_of_week_normal import By
from awrdiff.fleet import deviations
from awrdiff.fleet.models import Departure
from awrdiff.web.api.v1.operation import closed_to_guests, reads
from awrdiff.web.content_negotiation import conditional, json_response
from awrdiff.web.presenters.incident.json_types import Page
from awrdiff.web.views.fleet import WITHIN, between


class FleetQuery(Struct, forbid_unknown_fields=True):
    within: Annotated[Literal["24h", "7d"], Meta(description="the last hours, by each database's clock")] = "24h"
    since: Annotated[str, Meta(max_length=32, description="with `until` instead: moments without a zone")] = ""
    until: Annotated[str, Meta(max_length=32, description="at most 14 days later")] = ""
    tag: Annotated[str, Meta(max_length=40, pattern="^[^\\x00]*$")] = ""
    release: Annotated[str, Meta(max_length=40, pattern="^[^\\x00]*$")] = ""
    q: Annotated[str, Meta(max_length=200, pattern="^[^\\x00]*$", description="words of name, DBID or tags")] = ""
    page: Annotated[int, Meta(ge=1, le=99_999, description="of 30")] = 1


class FleetPart(Struct):
    kind: Literal["cpu", "event", "wait class", "statement", "phase"]
    name: str
    above: Annotated[float, Meta(description="active sessions above its own normal")]
    at_least: Annotated[bool, Meta(description="others do not list it: it may be more")]


class FleetWorst(Struct):
    report: UUID
    instance: Annotated[str | None, Meta(description="null of all together")]
    begin: str
    sessions: Annotated[float | None, Meta(description="active on average; null where its figures cannot be read")]
    normal: float
    above: float
    deviations: float
    of: Annotated[int, Meta(description="reports that say what is normal")]
    by: Annotated[By, Meta(description="of which hours these are: of the day, on days like it; around, on days before")]
    alarm: bool
    nearest: Annotated[UUID | None, Meta(description="the report nearest to their median; it may be deleted since")]
    parts: list[FleetPart]


class FleetHour(Struct):
    begin: str
    sessions: Annotated[float | None, Meta(description="null where the report prints no DB time")]
    normal: Annotated[float | None, Meta(description="null with fewer than five reports before")]
    deviation: float | None
    alarm: bool


class SilentInstance(Struct):
    instance: str
    since: Annotated[str, Meta(description="by the database's own clock")]


class FleetDatabase(Struct):
    id: UUID
    name: str
    dbid: str | None
    tags: list[str]
    release: str | None
    reports: Annotated[int, Meta(description="that began in this time")]
    alarms: int
    overdue: Annotated[bool, Meta(description="no report came for longer than usual")]
    silent: Annotated[list[SilentInstance], Meta(description="while others of the database have reports")]
    lacking: Annotated[str | None, Meta(description="why nothing could be told of it")]
    last_end: Annotated[str | None, Meta(description="of its latest window, by its own clock")]
    worst: FleetWorst | None
    hours: list[FleetHour]
    url: Page


class OverdueDatabase(Struct):
    id: UUID
    name: str
    since: Annotated[str | None, Meta(description="end of its latest window, by its own clock")]
    every_s: float | None
    instances: Annotated[list[SilentInstance], Meta(description="where it is these alone")]


class FailedReport(Struct):
    id: UUID
    name: str
    error: str


class Fleet(Struct):
    items: Annotated[list[FleetDatabase], Meta(description="what changed most first, alarms before all")]
    page: int
    pages: int
    databases: int
    judged: Annotated[int, Meta(description="of which it could be told")]
    not_judged: Annotated[dict[str, int], Meta(description="how many of the others, by what is lacking")]
    alarmed: int
    overdue: list[OverdueDatabase]
    failed: Annotated[list[FailedReport], Meta(description="the latest five that could not be read")]
    failed_count: int
    reading: Annotated[int, Meta(description="files that came and are not read yet")]


@reads("Databases by what changed most against their normal, and those that are overdue", Fleet, FleetQuery)
@closed_to_guests
def listed(request: HttpRequest, access: AccessContext, query: FleetQuery) -> HttpResponse:
    has_bounds = query.since or query.until
    span = between(query.since, query.until) if has_bounds else deviations.Span(WITHIN[query.within][0])
    night_result = deviations.night(access, span, deviations.Wanted(query.tag, query.release, query.q), query.page)
    document = Fleet(
        items=[_line(database_night) for database_night in night_result.lines],
        page=night_result.page,
        pages=night_result.pages,
        databases=night_result.count,
        judged=night_result.lacking[""],
        not_judged={why: count for why, count in sorted(night_result.lacking.items()) if why},
        alarmed=night_result.alarmed,
        overdue=[_overdue(database_night) for database_night in night_result.overdue],
        failed=[FailedReport(report.pk, report.name, report.error) for report in night_result.failed],
        failed_count=night_result.failed_count,
        reading=night_result.reading,
    )
    return conditional(request, json_response(document))


def _line(database_night: deviations.DatabaseNight) -> FleetDatabase:
    database, standing = database_night.database, database_night.standing
    return FleetDatabase(
        id=database.uid,
        name=database.name,
        dbid=database.dbid or None,
        tags=database.tags,
        release=(standing.release if standing else "") or None,
        reports=database_night.reports,
        alarms=database_night.alarms,
        overdue=database_night.overdue,
        silent=_silent(database_night),
        lacking=database_night.lacking or None,
        last_end=(standing.last_end if standing else "") or None,
        worst=_worst(database_night.worst) if database_night.worst else None,
        hours=[
            FleetHour(hour.begin, hour.sessions, hour.normal, hour.deviation, hour.is_alarm)
            for hour in database_night.hours
        ],
        url=reverse("database", args=[database.uid]),
    )


def _worst(deviation: Departure) -> FleetWorst:
    """Its own figures may be damaged since it was judged."""
    own = {
        name: getattr(deviation, name) for name in ("sessions", "normal", "above", "deviations", "of", "by", "nearest")
    }
    parts = [FleetPart(*part) for part in deviation.parts]
    head = {
        "report": deviation.pk,
        "instance": deviation.instance or None,
        "begin": deviation.begin_at,
        "alarm": deviation.is_alarm,
    }
    return convert({**head, **own, "parts": parts}, FleetWorst)


def _overdue(database_night: deviations.DatabaseNight) -> OverdueDatabase:
    database, standing = database_night.database, database_night.standing
    since, every_s = (standing.last_end, standing.every_s) if standing else (None, None)
    return OverdueDatabase(database.uid, database.name, since, every_s, _silent(database_night))


def _silent(database_night: deviations.DatabaseNight) -> list[SilentInstance]:
    return [SilentInstance(instance, since) for instance, since in database_night.silent]

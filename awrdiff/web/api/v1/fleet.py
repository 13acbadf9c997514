"""All databases by deviation from their normal, as on the page of databases."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from msgspec import convert

from awrdiff.accounts.access import AccessContext
from awrdiff.fleet import night
from awrdiff.fleet.models import Departure
from awrdiff.web.api.v1.fleet_kinds import (
    FailedReport,
    Fleet,
    FleetDatabase,
    FleetHour,
    FleetPart,
    FleetQuery,
    FleetWorst,
    OverdueDatabase,
    SilentInstance,
)
from awrdiff.web.negotiate import conditional, json_response
from awrdiff.web.sign_in.members import no_guest
from awrdiff.web.views.fleet import WITHIN, between


def listed(request: HttpRequest, _access: AccessContext, query: FleetQuery) -> HttpResponse:
    access = no_guest(request)
    has_bounds = query.since or query.until
    span = between(query.since, query.until) if has_bounds else night.Span(WITHIN[query.within][0])
    night_result = night.night(access, span, night.Wanted(query.tag, query.release, query.q), query.page)
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


def _line(database_night: night.DatabaseNight) -> FleetDatabase:
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
    """Always judged, being its database's worst; its own figures may be damaged since."""
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


def _overdue(database_night: night.DatabaseNight) -> OverdueDatabase:
    database, standing = database_night.database, database_night.standing
    since, every_s = (standing.last_end, standing.every_s) if standing else (None, None)
    return OverdueDatabase(database.uid, database.name, since, every_s, _silent(database_night))


def _silent(database_night: night.DatabaseNight) -> list[SilentInstance]:
    return [SilentInstance(instance, since) for instance, since in database_night.silent]

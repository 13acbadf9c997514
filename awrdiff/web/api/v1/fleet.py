"""All databases by what changed most against their normal, as the page of databases has it."""

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


def listed(request: HttpRequest, _access: AccessContext, asked: FleetQuery) -> HttpResponse:
    access = no_guest(request)
    chosen = asked.since or asked.until
    span = between(asked.since, asked.until) if chosen else night.Span(WITHIN[asked.within][0])
    found = night.night(access, span, night.Wanted(asked.tag, asked.release, asked.q), asked.page)
    document = Fleet(
        items=[_line(one) for one in found.lines],
        page=found.page,
        pages=found.pages,
        databases=found.count,
        judged=found.lacking[""],
        not_judged={why: count for why, count in sorted(found.lacking.items()) if why},
        alarmed=found.alarmed,
        overdue=[_overdue(one) for one in found.overdue],
        failed=[FailedReport(one.pk, one.name, one.error) for one in found.failed],
        failed_count=found.failed_count,
        reading=found.reading,
    )
    return conditional(request, json_response(document))


def _line(one: night.DatabaseNight) -> FleetDatabase:
    database, standing = one.database, one.standing
    return FleetDatabase(
        id=database.uid,
        name=database.name,
        dbid=database.dbid or None,
        tags=database.tags,
        release=(standing.release if standing else "") or None,
        reports=one.reports,
        alarms=one.alarms,
        overdue=one.overdue,
        silent=_silent(one),
        lacking=one.lacking or None,
        last_end=(standing.last_end if standing else "") or None,
        worst=_worst(one.worst) if one.worst else None,
        hours=[FleetHour(hour.begin, hour.sessions, hour.normal, hour.deviation, hour.is_alarm) for hour in one.hours],
        url=reverse("database", args=[database.uid]),
    )


def _worst(one: Departure) -> FleetWorst:
    """Judged, as it is the worst of its database; its own figures may be damaged since."""
    own = {name: getattr(one, name) for name in ("sessions", "normal", "above", "deviations", "of", "by", "nearest")}
    parts = [FleetPart(*part) for part in one.parts]
    head = {"report": one.pk, "instance": one.instance or None, "begin": one.begin_at, "alarm": one.is_alarm}
    return convert({**head, **own, "parts": parts}, FleetWorst)


def _overdue(one: night.DatabaseNight) -> OverdueDatabase:
    database, standing = one.database, one.standing
    since, every_s = (standing.last_end, standing.every_s) if standing else (None, None)
    return OverdueDatabase(database.uid, database.name, since, every_s, _silent(one))


def _silent(one: night.DatabaseNight) -> list[SilentInstance]:
    return [SilentInstance(instance, since) for instance, since in one.silent]

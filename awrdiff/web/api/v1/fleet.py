"""All databases by what changed most against their normal, as the page of databases has it."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import reverse

from awrdiff.accounts.access import AccessContext
from awrdiff.fleet import night
from awrdiff.fleet.models import Departure
from awrdiff.web.api.v1.fleet_kinds import FleetQuery
from awrdiff.web.negotiate import conditional
from awrdiff.web.sign_in.members import no_guest
from awrdiff.web.views.fleet import WITHIN, between


def listed(request: HttpRequest, _access: AccessContext, asked: FleetQuery) -> HttpResponse:
    access = no_guest(request)
    chosen = asked.since or asked.until
    span = between(asked.since, asked.until) if chosen else night.Span(WITHIN[asked.within][0])
    found = night.night(access, span, night.Wanted(asked.tag, asked.release, asked.q), asked.page)
    document = {
        "items": [_line(one) for one in found.lines],
        "page": found.page,
        "pages": found.pages,
        "databases": found.count,
        "judged": found.lacking[""],
        "not_judged": {why: count for why, count in sorted(found.lacking.items()) if why},
        "alarmed": found.alarmed,
        "overdue": [_overdue(one) for one in found.overdue],
        "failed": [{"id": str(one.pk), "name": one.name, "error": one.error} for one in found.failed],
        "failed_count": found.failed_count,
        "reading": found.reading,
    }
    return conditional(request, JsonResponse(document))


def _line(one: night.DatabaseNight) -> dict[str, Any]:
    database, standing = one.database, one.standing
    return {
        "id": str(database.uid),
        "name": database.name,
        "dbid": database.dbid or None,
        "tags": database.tags,
        "release": (standing.release if standing else "") or None,
        "reports": one.reports,
        "alarms": one.alarms,
        "overdue": one.overdue,
        "silent": _silent(one),
        "lacking": one.lacking or None,
        "last_end": (standing.last_end if standing else "") or None,
        "worst": _worst(one.worst) if one.worst else None,
        "hours": [
            {
                "begin": hour.begin,
                "sessions": hour.sessions,
                "normal": hour.normal,
                "deviation": hour.deviation,
                "alarm": hour.is_alarm,
            }
            for hour in one.hours
        ],
        "url": reverse("database", args=[database.uid]),
    }


def _worst(one: Departure) -> dict[str, Any]:
    return {
        "report": str(one.pk),
        "instance": one.instance or None,
        "begin": one.begin_at,
        "sessions": one.sessions,
        "normal": one.normal,
        "above": one.above,
        "deviations": one.deviations,
        "of": one.of,
        "by": one.by,
        "alarm": one.is_alarm,
        "nearest": str(one.nearest) if one.nearest else None,
        "parts": [
            {"kind": kind, "name": name, "above": above, "at_least": at_least}
            for kind, name, above, at_least in one.parts
        ],
    }


def _overdue(one: night.DatabaseNight) -> dict[str, Any]:
    standing = one.standing
    return {
        "id": str(one.database.uid),
        "name": one.database.name,
        "since": standing.last_end if standing else None,
        "every_s": standing.every_s if standing else None,
        "instances": _silent(one),
    }


def _silent(one: night.DatabaseNight) -> list[dict[str, str]]:
    return [{"instance": instance, "since": since} for instance, since in one.silent]

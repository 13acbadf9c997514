"""What a morning begins with, told to the team once a day at the hour that its owners chose; off until they do.

It is a notice: it goes to everybody's list, and by mail and the team's webhook as each has it; what stands in it beside
its sentence leaves the server only where the team lets contents out.
"""

from __future__ import annotations

from datetime import date, datetime
from zoneinfo import ZoneInfo, available_timezones

from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from awrdiff.accounts.access import AccessContext
from awrdiff.accounts.models import Role, Team, User
from awrdiff.audit.services import note
from awrdiff.databases.errors import DatabaseRefused
from awrdiff.fleet.models import Digest
from awrdiff.fleet.night import DatabaseNight, Night, Span, Wanted, night
from awrdiff.notices.services import notify
from awrdiff.numbers import whole_number

EVERY_S = 120
MOST = 3  # databases that are named


def digest_of(team: Team) -> Digest | None:
    return Digest.objects.filter(team=team).first()


def choose(access: AccessContext, hour: str, zone: str) -> None:
    """At that hour of the zone's clock every day; without an hour never. Raises DatabaseRefused."""
    if not access.can_administer:
        raise PermissionDenied("Only an owner of the team says when it is told of its databases.")
    if hour and whole_number(hour, 23) is None:
        raise DatabaseRefused("The hour must be one from 0 to 23, or empty for none.")
    if zone and zone not in available_timezones():
        raise DatabaseRefused("The time zone must be an IANA name, such as Europe/Vienna, America/New_York or UTC.")
    with transaction.atomic():
        if hour:
            told_on = _today(zone, timezone.now()) if _hour(zone, timezone.now()) >= int(hour) else None
            values = {"at_hour": int(hour), "zone": zone, "told_on": told_on}
            Digest.objects.update_or_create(team=access.team, defaults=values)
        else:
            Digest.objects.filter(team=access.team).delete()
        note(access, "changed", "team", access.team.pk)


def gather() -> int:
    """Tell the teams whose hour has come today; returns how many were."""
    now = timezone.now()
    return sum(_tell(one, now) for one in list(Digest.objects.select_related("team")))


def _tell(digest: Digest, now: datetime) -> bool:
    today = _today(digest.zone, now)
    if _hour(digest.zone, now) < digest.at_hour or digest.told_on == today:
        return False
    found = night(AccessContext(team=digest.team, role=Role.READER), Span(), Wanted())
    with transaction.atomic():
        # A day that is still to come was told by a clock that has been put back since.
        due = Digest.objects.filter(Q(told_on=None) | ~Q(told_on=today), pk=digest.pk, at_hour=digest.at_hour)
        if not due.update(told_on=today) or not found.there:
            return False  # another sweeper was quicker, or there is nothing to tell of
        people = User.objects.filter(membership__team=digest.team)
        notify(
            digest.team,
            "night",
            people,
            kind="databases",
            thing=digest.team.pk,
            about=said(found),
            key=today.isoformat(),
        )
    return True


def said(found: Night) -> str:
    """`2 of 300 databases beyond normal: DB007 +13.2 at 03:00, DB101 +4.1 at 05:00; no report of DB009 since 02:00.`"""
    parts = [f"{found.alarmed or 'None'} of {found.lacking['']} databases beyond normal"]
    alarms = [one for one in found.lines if one.alarms][:MOST]
    if alarms:
        parts[0] += f": {', '.join(map(_alarm_said, alarms))}"
    if unknown := found.count - found.lacking[""]:
        parts.append(f"{unknown} could not be judged")
    if found.overdue:
        named = ", ".join(one.database.label for one in found.overdue[:MOST])
        more = f" and {len(found.overdue) - MOST} more" if len(found.overdue) > MOST else ""
        parts.append(f"no report in time of {named}{more}")
    if found.failed_count:
        parts.append(f"{found.failed_count} not read")
    return f"{'; '.join(parts)}."


def _alarm_said(one: DatabaseNight) -> str:
    worst = one.worst
    at = f" at {worst.begin_at[11:16]}" if worst is not None else ""
    return f"{one.database.label} +{one.alarm or 0.0:.3g}{at}"


def _local(zone: str, now: datetime) -> datetime:
    return now.astimezone(ZoneInfo(zone or "UTC"))


def _hour(zone: str, now: datetime) -> int:
    return _local(zone, now).hour


def _today(zone: str, now: datetime) -> date:
    return _local(zone, now).date()

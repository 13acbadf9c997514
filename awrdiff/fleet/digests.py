"""Daily notice of what changed most, at the hour that owners chose.

Details leave the server only where the team lets contents out.
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
from awrdiff.fleet.deviations import DatabaseNight, Night, Span, Wanted, night
from awrdiff.fleet.models import Digest
from awrdiff.notices.services import notify
from awrdiff.whole_number_input import whole_number

EVERY_S = 120
MOST = 3  # databases that are named


def digest_of(team: Team) -> Digest | None:
    return Digest.objects.filter(team=team).first()


def choose(access: AccessContext, hour: str, zone: str) -> None:
    """Hour on the zone's clock, "" for never. Raises DatabaseRefused."""
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
    """Number of teams notified, whose hour has come today."""
    now = timezone.now()
    return sum(_tell(digest, now) for digest in list(Digest.objects.select_related("team")))


def _tell(digest: Digest, now: datetime) -> bool:
    today = _today(digest.zone, now)
    if _hour(digest.zone, now) < digest.at_hour or digest.told_on == today:
        return False
    overview = night(AccessContext(team=digest.team, role=Role.READER), Span(), Wanted())
    with transaction.atomic():
        # A day that is still to come was told by a clock that has been put back since.
        due = Digest.objects.filter(Q(told_on=None) | ~Q(told_on=today), pk=digest.pk, at_hour=digest.at_hour)
        if not due.update(told_on=today) or not overview.there:
            return False  # another sweeper was quicker, or there is nothing to tell of
        people = User.objects.filter(membership__team=digest.team)
        notify(
            digest.team,
            "night",
            people,
            kind="databases",
            thing=digest.team.pk,
            about=digest_text(overview),
            key=today.isoformat(),
        )
    return True


def digest_text(overview: Night) -> str:
    """`2 of 300 databases beyond normal: DB007 +13.2 at 03:00; no report of DB009 since 02:00.`"""
    parts = [f"{overview.alarmed or 'None'} of {overview.lacking['']} databases beyond normal"]
    alarms = [line for line in overview.lines if line.alarms][:MOST]
    if alarms:
        parts[0] += f": {', '.join(map(_alarm_text, alarms))}"
    if unknown := overview.count - overview.lacking[""]:
        parts.append(f"{unknown} could not be judged")
    if overview.overdue:
        labels = ", ".join(line.database.label for line in overview.overdue[:MOST])
        more = f" and {len(overview.overdue) - MOST} more" if len(overview.overdue) > MOST else ""
        parts.append(f"no report in time of {labels}{more}")
    if overview.failed_count:
        parts.append(f"{overview.failed_count} not read")
    return f"{'; '.join(parts)}."


def _alarm_text(line: DatabaseNight) -> str:
    worst = line.worst
    at = f" at {worst.begin_at[11:16]}" if worst is not None else ""
    return f"{line.database.label} +{line.alarm or 0.0:.3g}{at}"


def _local(zone: str, now: datetime) -> datetime:
    return now.astimezone(ZoneInfo(zone or "UTC"))


def _hour(zone: str, now: datetime) -> int:
    return _local(zone, now).hour


def _today(zone: str, now: datetime) -> date:
    return _local(zone, now).date()

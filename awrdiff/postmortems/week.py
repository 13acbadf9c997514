"""The week of a team: what is open, due, waits for a review or was resolved, and what came back. Told once a week to
whoever asked for it, and to nobody where there is nothing to say."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from uuid import UUID

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from awrdiff.accounts.access import AccessContext
from awrdiff.accounts.capabilities import Can, roles_that
from awrdiff.accounts.models import Membership
from awrdiff.accounts.names import shown_name
from awrdiff.incidents import queries, statistics
from awrdiff.incidents.fields import zone_of
from awrdiff.incidents.models import ActionItem, ActionState, EventKind, Incident, Status, TimelineEvent
from awrdiff.incidents.statistics import Period
from awrdiff.notices.models import Notice, NoticeChoice
from awrdiff.notices.services import notify
from awrdiff.notices.words import path_of
from awrdiff.postmortems.second import PLACE, stages_of

logger = logging.getLogger(__name__)
LOOK_EVERY_S = 900
WHAT, KIND = "week", "week"
HOUR_UTC = 6  # on Mondays
WEEK = timedelta(days=7)
CAUSES_OF = Period(days=90)
MOST_LINES, BATCH = 10, 200


@dataclass(frozen=True, slots=True)
class WeekLine:
    text: str
    beside: str
    url: str


@dataclass(frozen=True, slots=True)
class Group:
    """`one` and `many` name what it lists; `count` is of all, of which the first are told in `lines`."""

    one: str
    many: str
    count: int
    lines: tuple[WeekLine, ...]

    @property
    def more(self) -> int:
        return self.count - len(self.lines)

    @property
    def said(self) -> str:
        return f"{self.count} {self.one if self.count == 1 else self.many}"


def week_of(access: AccessContext) -> list[Group]:
    """Of what they may read, until now; empty where there is nothing to say."""
    incidents = queries.incidents_for(access)
    is_open = Q(status__in=queries.UNRESOLVED)
    resolved = incidents.filter(status__in=[Status.RESOLVED, Status.REVIEWED], pk__in=_resolved(access))
    overdue, due = _due(access)
    each = (
        _group("open incident", "open incidents", [_incident(one) for one in incidents.filter(is_open)]),
        _group("action item overdue", "action items overdue", overdue),
        _group("action item due within a week", "action items due within a week", due),
        _group(
            "post-mortem waits for a review",
            "post-mortems wait for a review",
            _waiting(incidents.exclude(is_open)),
        ),
        _group("incident resolved", "incidents resolved", [_incident(one) for one in resolved]),
        _group("cause came back", "causes came back", _came_back(access)),
    )
    return [one for one in each if one.count]


def _group(one: str, many: str, lines: Sequence[WeekLine]) -> Group:
    return Group(one, many, len(lines), tuple(lines[:MOST_LINES]))


def _incident(one: Incident, place: str = "", beside: str = "") -> WeekLine:
    return WeekLine(
        one.title, beside or f"severity {one.get_severity_display()}", path_of("incident", str(one.pk), place)
    )


def _resolved(access: AccessContext) -> list[UUID]:
    """The incidents that somebody resolved in the week."""
    told = TimelineEvent.objects.filter(incident__team=access.team, kind=EventKind.STATUS, by_system=True)
    told = told.filter(at__gte=timezone.now() - WEEK, text__endswith=f"→ {Status.RESOLVED}")
    return list(told.order_by().values_list("incident", flat=True).distinct())


def _due(access: AccessContext) -> tuple[list[WeekLine], list[WeekLine]]:
    """Overdue, and due within a week, by the zone of its incident."""
    lines: tuple[list[WeekLine], list[WeekLine]] = ([], [])
    latest = timezone.now().date() + WEEK + timedelta(days=1)  # in whatever zone
    for one in queries.actions_for(access, state=ActionState.OPEN).filter(due__lte=latest):
        today = timezone.now().astimezone(zone_of(one.incident.time_zone)).date()
        if one.due is not None and one.due <= today + WEEK:
            lines[one.due >= today].append(_item(one))
    return lines


def _item(one: ActionItem) -> WeekLine:
    owner = shown_name(one.owner) if one.owner else "nobody"
    return WeekLine(
        one.text,
        f"{one.incident.title}, {owner}, due {one.due}",
        path_of("incident", str(one.incident_id), f"#action-{one.pk}"),
    )


def _waiting(resolved: QuerySet[Incident]) -> list[WeekLine]:
    """Of incidents that are resolved: drafted, or in review, and not published."""
    waiting = list(resolved.filter(postmortem__isnull=False, postmortem__reviewed_at=None))
    stages = stages_of([one.pk for one in waiting])
    return [_incident(one, PLACE, f"post-mortem: {stages[one.pk]}") for one in waiting if one.pk in stages]


def _came_back(access: AccessContext) -> list[WeekLine]:
    """Confirmed in several incidents of three months, the last of which began in the week."""
    since = timezone.now() - WEEK
    causes = statistics.statistics_of(access, CAUSES_OF).causes
    again = [one for one in causes if len(one.incidents) > 1 and one.incidents[0].begins_at >= since]
    return [
        WeekLine(one.title, f"in {len(one.incidents)} incidents", path_of("incident", str(one.incidents[0].pk)))
        for one in again
    ]


def tell() -> int:
    """Returns how many notices were made. Somebody's week is looked at once, in a transaction with what is told of it:
    however many look, and wherever they die. One that fails is looked at again later, and keeps back nobody's."""
    begun = _begin(timezone.now())
    asked = NoticeChoice.objects.filter(weekly=True, user__is_active=True)
    asked = asked.filter(Q(last_week_at=None) | Q(last_week_at__lt=begun)).order_by("pk")
    made = 0
    for pk in list(asked.values_list("pk", flat=True)[:BATCH]):
        try:
            made += _tell(pk, begun)
        except Exception:
            logger.exception("The week was not told to whoever made the choice %s", pk)
    return made


def _begin(now: datetime) -> datetime:
    """The last Monday at that hour."""
    monday = datetime.combine(
        now.astimezone(UTC).date() - timedelta(days=now.astimezone(UTC).weekday()), time(HOUR_UTC), UTC
    )
    return monday if monday <= now else monday - WEEK


def _tell(pk: int, begun: datetime) -> int:
    with transaction.atomic():
        choice = NoticeChoice.objects.select_for_update().filter(pk=pk, weekly=True).first()
        if choice is None or (choice.last_week_at and choice.last_week_at >= begun):
            return 0  # another sweeper was quicker
        NoticeChoice.objects.filter(pk=pk).update(last_week_at=timezone.now())
        theirs = Membership.objects.filter(user=choice.user_id, role__in=roles_that(Can.READ))
        return sum(_told(one, begun) for one in theirs.select_related("team", "user"))


def _told(one: Membership, begun: datetime) -> int:
    groups = week_of(_access(one))
    if not groups:
        return 0
    about = ", ".join(group.said for group in groups)
    key = f"week {begun:%Y-%m-%d}"
    return len(notify(one.team, WHAT, [one.user], kind=KIND, thing=one.team_id, about=about, key=key, to_channel=False))


def _access(one: Membership) -> AccessContext:
    return AccessContext(team=one.team, user=one.user, role=one.role, membership=one.pk)


def mail_lines(notice: Notice) -> Iterator[str]:
    """What its mail says beyond the counts, as it is when the mail is sent."""
    found = Membership.objects.filter(user=notice.user_id, team=notice.team_id, role__in=roles_that(Can.READ))
    for one in found.select_related("team", "user"):
        for group in week_of(_access(one)):
            yield f"{group.said}:"
            yield from (f"- {line.text} ({line.beside})" for line in group.lines)
            if group.more:
                yield f"- and {group.more} more"

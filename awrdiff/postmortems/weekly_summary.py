"""Weekly summary of a team: open, due, awaiting review, resolved, recurring."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, time, timedelta
from uuid import UUID

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone
from msgspec import Struct, field

from awrdiff.accounts.access import AccessContext, Can, roles_that
from awrdiff.accounts.display_names import shown_name
from awrdiff.accounts.models import Membership
from awrdiff.incidents import queries, statistics
from awrdiff.incidents.models import ActionState, EventKind, Incident, Status, TimelineEvent
from awrdiff.incidents.statistics import Period
from awrdiff.notices.models import Notice, NoticeChoice
from awrdiff.notices.notice_sentences import path_of
from awrdiff.notices.services import notify
from awrdiff.postmortems.second_reviews import PLACE, stages_of

logger = logging.getLogger(__name__)
LOOK_EVERY_S = 900
WHAT, KIND = "week", "week"
HOUR_UTC = 6  # on Mondays
WEEK = timedelta(days=7)
CAUSES_OF = Period(days=90)
MOST_LINES, BATCH = 10, 200


class WeekLine(Struct, frozen=True):
    text: str
    beside: str
    url: str


class Group(Struct, frozen=True):
    """`heading`: their number and what they are; the first of `count` in `lines`."""

    heading: str = field(name="said")
    count: int
    lines: tuple[WeekLine, ...]

    @property
    def more(self) -> int:
        return self.count - len(self.lines)


def week_of(access: AccessContext) -> list[Group]:
    """Groups the reader may see; empty if none."""
    incidents = queries.incidents_for(access)
    is_open = Q(status__in=queries.UNRESOLVED)
    resolved = incidents.filter(status__in=[Status.RESOLVED, Status.REVIEWED], pk__in=_resolved(access))
    overdue, due = _due(access)
    each = (
        _group("open incident", "open incidents", [_incident(incident) for incident in incidents.filter(is_open)]),
        _group("action item overdue", "action items overdue", overdue),
        _group("action item due within a week", "action items due within a week", due),
        _group(
            "post-mortem waits for a review",
            "post-mortems wait for a review",
            _waiting(incidents.exclude(is_open)),
        ),
        _group("incident resolved", "incidents resolved", [_incident(incident) for incident in resolved]),
        _group("cause came back", "causes came back", _came_back(access)),
    )
    return [group for group in each if group.count]


def _group(singular: str, many: str, lines: Sequence[WeekLine]) -> Group:
    return Group(f"{len(lines)} {singular if len(lines) == 1 else many}", len(lines), tuple(lines[:MOST_LINES]))


def _incident(incident: Incident, place: str = "", beside: str = "") -> WeekLine:
    return WeekLine(
        incident.title,
        beside or f"severity {incident.get_severity_display()}",
        path_of("incident", str(incident.pk), place),
    )


def _resolved(access: AccessContext) -> list[UUID]:
    status_events = TimelineEvent.objects.filter(incident__team=access.team, kind=EventKind.STATUS, by_system=True)
    status_events = status_events.filter(at__gte=timezone.now() - WEEK, text__endswith=f"→ {Status.RESOLVED}")
    return list(status_events.order_by().values_list("incident", flat=True).distinct())


def _due(access: AccessContext) -> tuple[list[WeekLine], list[WeekLine]]:
    """Overdue, and due within a week by the incident's zone."""
    lines: tuple[list[WeekLine], list[WeekLine]] = ([], [])
    latest = timezone.now().date() + WEEK + timedelta(days=1)  # in whatever zone
    for action in queries.actions_for(access, state=ActionState.OPEN).filter(due__lte=latest):
        today = action.incident.today
        if action.due is not None and action.due <= today + WEEK:
            owner = shown_name(action.owner) if action.owner else "nobody"
            beside = f"{action.incident.title}, {owner}, due {action.due}"
            url = path_of("incident", str(action.incident_id), f"#action-{action.pk}")
            lines[action.due >= today].append(WeekLine(action.text, beside, url))
    return lines


def _waiting(resolved: QuerySet[Incident]) -> list[WeekLine]:
    waiting = list(resolved.filter(postmortem__isnull=False, postmortem__reviewed_at=None))
    stages = stages_of([incident.pk for incident in waiting])
    return [
        _incident(incident, PLACE, f"post-mortem: {stages[incident.pk]}")
        for incident in waiting
        if incident.pk in stages
    ]


def _came_back(access: AccessContext) -> list[WeekLine]:
    """Causes of several incidents in three months, the last within the week."""
    since = timezone.now() - WEEK
    causes = statistics.statistics_of(access, CAUSES_OF).causes
    again = [cause for cause in causes if len(cause.incidents) > 1 and cause.incidents[0].begins_at >= since]
    return [
        WeekLine(cause.title, f"in {len(cause.incidents)} incidents", path_of("incident", str(cause.incidents[0].pk)))
        for cause in again
    ]


def tell() -> int:
    """Number of notices. Each user has a transaction: one that fails delays no other."""
    begun = _begin(timezone.now())
    choices = NoticeChoice.objects.filter(weekly=True, user__is_active=True)
    choices = choices.filter(Q(last_week_at=None) | Q(last_week_at__lt=begun)).order_by("pk")
    notice_count = 0
    for pk in list(choices.values_list("pk", flat=True)[:BATCH]):
        try:
            notice_count += _tell(pk, begun)
        except Exception:
            logger.exception("The week was not told to whoever made the choice %s", pk)
    return notice_count


def _begin(now: datetime) -> datetime:
    """Last Monday at HOUR_UTC."""
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
        return sum(_notify(membership, begun) for membership in theirs.select_related("team", "user"))


def _notify(membership: Membership, begun: datetime) -> int:
    groups = week_of(_access(membership))
    if not groups:
        return 0
    about, key = ", ".join(group.heading for group in groups), f"week {begun:%Y-%m-%d}"
    whom, own = [membership.user], membership.team_id
    return len(notify(membership.team, WHAT, whom, kind=KIND, thing=own, about=about, key=key, to_channel=False))


def _access(membership: Membership) -> AccessContext:
    return AccessContext(team=membership.team, user=membership.user, role=membership.role, membership=membership.pk)


def mail_lines(notice: Notice) -> Iterator[str]:
    """Current when sent."""
    memberships = Membership.objects.filter(user=notice.user_id, team=notice.team_id, role__in=roles_that(Can.READ))
    for membership in memberships.select_related("team", "user"):
        for group in week_of(_access(membership)):
            yield f"{group.heading}:"
            yield from (f"- {line.text} ({line.beside})" for line in group.lines)
            if group.more:
                yield f"- and {group.more} more"

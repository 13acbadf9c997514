"""Owners of open action items hear of the due date: once some days before, once when it has passed."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import F
from django.utils import timezone

from awrdiff.incidents import fields
from awrdiff.incidents.models import ActionItem, ActionState, Incident
from awrdiff.notices import services as notices
from awrdiff.notices.services import notify
from awrdiff.processing.rows import lock

LOOK_EVERY_S = 900
DAYS_BEFORE = 3
DAYS_AFTER = 7  # what was overdue for longer when this server first looked is history
FRESH = timedelta(days=1)  # whoever has just set a date knows it
SORTS = ("due", "overdue")


def remind() -> int:
    """Returns how many were told. That somebody was told is a row of its own key: however many look, and wherever they
    die, each owner is told once of a date."""
    today, day = datetime.now(UTC).date(), timedelta(days=1)
    since, until = today - timedelta(days=DAYS_AFTER) - day, today + timedelta(days=DAYS_BEFORE) + day  # in any zone
    found = ActionItem.objects.filter(state=ActionState.OPEN, due__range=(since, until), owner__is_active=True)
    found = found.filter(incident__team__membership__user=F("owner"))
    return sum(_remind(pk, of) for pk, of in list(found.order_by("due", "pk").values_list("pk", "incident")))


def take_back(action: ActionItem) -> None:
    """It is done, somebody else's, or due on another day: whoever has not read its reminders has none."""
    if action.owner is not None and action.due is not None:
        for what in SORTS:
            notices.take_back(action.incident.team, what, [action.owner], key=_key(action))


def _remind(pk: int, of: object) -> bool:
    with transaction.atomic():
        incident = next(iter(lock(Incident, [of])), None)
        action = next(iter(lock(ActionItem, [pk])), None)
        what = _sort(action, incident) if action is not None and incident is not None else ""
        if action is None or incident is None or action.owner is None or not what:
            return False  # somebody changed it meanwhile, or it is not the day for it
        told = notify(
            incident.team,
            what,
            [action.owner],
            kind="incident",
            thing=incident.pk,
            place=f"#action-{action.pk}",
            about=f"{action.text} · {incident.title}",
            key=_key(action),
        )
        return bool(told)


def _sort(action: ActionItem, incident: Incident) -> str:
    """What its owner is told today, by the zone of the incident; "" for nothing."""
    if action.state != ActionState.OPEN or action.due is None:
        return ""
    left = (action.due - _today(incident)).days
    # Longer than a notice is kept nobody knows that it was told.
    kept = settings.AWRDIFF_KEEP_NOTICES_DAYS or DAYS_AFTER
    if left < 0:
        return "overdue" if -left <= min(DAYS_AFTER, kept) else ""
    soon = left <= min(DAYS_BEFORE, kept - 1)
    return "due" if soon and action.updated_at <= timezone.now() - FRESH else ""


def _today(incident: Incident) -> date:
    return timezone.now().astimezone(fields.zone_of(incident.time_zone)).date()


def _key(action: ActionItem) -> str:
    return f"action {action.pk} {action.due}"

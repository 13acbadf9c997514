"""Reminders to owners of open items: days before the due date, and after it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import F
from django.utils import timezone

from awrdiff.incidents import fields
from awrdiff.incidents.models import ActionItem, ActionState, Incident
from awrdiff.notices import services as notices
from awrdiff.notices.services import notify
from awrdiff.processing.row_locks import lock

LOOK_EVERY_S = 900
DAYS_BEFORE = 3
DAYS_AFTER = 7  # what was overdue for longer when this server first looked is history
FRESH = timedelta(days=1)  # whoever has just set a date knows it
SORTS = ("due", "overdue")


def remind() -> int:
    """Number notified; a notice's key makes each once per date."""
    today, day = datetime.now(UTC).date(), timedelta(days=1)
    since, until = today - timedelta(days=DAYS_AFTER) - day, today + timedelta(days=DAYS_BEFORE) + day  # in any zone
    actions = ActionItem.objects.filter(state=ActionState.OPEN, due__range=(since, until), owner__is_active=True)
    actions = actions.filter(incident__team__membership__user=F("owner"))
    return sum(_remind(pk, of) for pk, of in list(actions.order_by("due", "pk").values_list("pk", "incident")))


def take_back(action: ActionItem) -> None:
    """Withdraw unread reminders of done, moved or reassigned items."""
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
        notices = notify(
            incident.team,
            what,
            [action.owner],
            kind="incident",
            thing=incident.pk,
            place=f"#action-{action.pk}",
            about=f"{action.text} · {incident.title}",
            key=_key(action),
        )
        return bool(notices)


def _sort(action: ActionItem, incident: Incident) -> str:
    """Due by the incident's zone; "" for none."""
    if action.state != ActionState.OPEN or action.due is None:
        return ""
    today = timezone.now().astimezone(fields.zone_of(incident.time_zone)).date()
    days_left = (action.due - today).days
    # Longer than a notice is kept nobody knows that it was told.
    kept_days = settings.AWRDIFF_KEEP_NOTICES_DAYS or DAYS_AFTER
    if days_left < 0:
        return "overdue" if -days_left <= min(DAYS_AFTER, kept_days) else ""
    soon = days_left <= min(DAYS_BEFORE, kept_days - 1)
    return "due" if soon and action.updated_at <= timezone.now() - FRESH else ""


def _key(action: ActionItem) -> str:
    return f"action {action.pk} {action.due}"

"""Action items: task, owner, due date; and reminders of them, days before the due date and after it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import Count, F
from django.utils import timezone

from awrdiff.accounts.access import AccessContext, Can, existing, roles_that
from awrdiff.accounts.member_events import Happening
from awrdiff.accounts.models import Membership, Team, User
from awrdiff.incidents import field_validation, services
from awrdiff.incidents.field_validation import IncidentRefused
from awrdiff.incidents.models import ActionItem, ActionState, Incident, IncidentRole
from awrdiff.incidents.queries import UNRESOLVED
from awrdiff.incidents.services import locked_incident, note_change, notify_of, teammate
from awrdiff.notices.services import forget, take_back
from awrdiff.processing.row_locks import lock, lock_one


@dataclass(frozen=True, slots=True)
class OpenWork:
    """Open action items, and roles in unresolved incidents."""

    actions: int = 0
    roles: int = 0


def open_work_of_people(access: AccessContext) -> dict[int, OpenWork]:
    """By user id."""
    items = ActionItem.objects.filter(incident__team=access.team, state=ActionState.OPEN).exclude(owner=None)
    roles = IncidentRole.objects.filter(incident__team=access.team, incident__status__in=UNRESOLVED)
    owned: dict[int, int] = dict(items.order_by().values_list("owner").annotate(n=Count("pk")))
    had: dict[int, int] = dict(roles.order_by().values_list("user").annotate(n=Count("pk")))
    return {user: OpenWork(owned.get(user, 0), had.get(user, 0)) for user in owned.keys() | had.keys()}


def of_people(what: Happening) -> None:
    """Team listener. Done items and roles in resolved incidents stay."""
    if not isinstance(what.subject, Membership) or what.heir is None:
        return
    if what.action in ("left", "removed") or (what.action == "role" and what.subject.role not in roles_that(Can.WRITE)):
        _pass_on(what.team, what.subject.user, what.heir, what.user)


def _pass_on(team: Team, user: User, heir: User, by: User | None) -> None:
    items = ActionItem.objects.filter(incident__team=team, owner=user, state=ActionState.OPEN)
    roles = IncidentRole.objects.filter(incident__team=team, incident__status__in=UNRESOLVED, user=user)
    around = {*items.values_list("incident", flat=True), *roles.values_list("incident", flat=True)}
    incidents = {incident.pk: incident for incident in lock(Incident, around)}
    for item in items.filter(incident__in=incidents).select_related("owner"):
        give_to(item, heir, by)
    for role in roles.filter(incident__in=incidents):
        services.pass_role(incidents[role.incident_id], role, heir, by)
    services.renew(Incident.objects.filter(pk__in=incidents))
    for incident in incidents.values():
        notify_of(incident, "assigned", [heir], actor=by)


MOST_ACTIONS, LONGEST_ACTION = 300, 500
TICKET_KIND = "action"  # of messages about an item's ticket


@dataclass(frozen=True, slots=True)
class TypedAction:
    """`owner`: id of a team member, or ""."""

    text: str
    owner: str = ""
    due: str = ""
    link: str = ""
    state: str = ActionState.OPEN.value

    @classmethod
    def of(cls, action: ActionItem) -> TypedAction:
        owner = str(action.owner_id) if action.owner_id else ""
        return cls(action.text, owner, action.due.isoformat() if action.due else "", action.link, action.state)

    def values(self, access: AccessContext, now: ActionItem | None = None) -> dict[str, Any]:
        """A former member may stay owner."""
        stays = now is not None and now.owner is not None and str(now.owner_id) == self.owner
        owner = now.owner if now is not None and stays else teammate(access, self.owner) if self.owner else None
        return {
            "text": field_validation.line(self.text, LONGEST_ACTION, "The text"),
            "owner": owner,
            "due": field_validation.day(self.due),
            "link": field_validation.ticket(self.link),
            "state": field_validation.choice(ActionState, self.state, "The state"),
        }


def add(access: AccessContext, incident: Incident, typed: TypedAction, *, client_key: UUID | None = None) -> ActionItem:
    """Idempotent by `client_key`."""
    with locked_incident(access, incident) as locked:
        own = ActionItem.objects.filter(incident=locked)
        if client_key and (there := own.filter(client_key=client_key).first()):
            return there
        if own.count() >= MOST_ACTIONS:
            raise IncidentRefused(f"An incident holds at most {MOST_ACTIONS} action items: remove one first.")
        values = typed.values(access)
        by = {"created_by": access.user, "updated_by": access.user}
        action = ActionItem.objects.create(incident=locked, client_key=client_key, **by, **values)
        note_change(access, locked)
        _tell_its_owner(access, action)
        return action


def change(access: AccessContext, action: ActionItem, version: int, typed: TypedAction) -> ActionItem:
    """Merge with changes since `version`. Raises ChangedMeanwhile."""
    with locked_incident(access, action.incident):
        now = locked_action(action)
        before, wanted = texts_of(now), typed.values(access, now)
        texts = services.put_together(now, version, _texts(wanted), before)
        values = {name: wanted[name] for name, text in texts.items() if text != before[name]}
        return _save(access, now, values) if values else now


def texts_of(action: ActionItem) -> dict[str, str]:
    """Fields as stored; people by name."""
    return _texts({name: getattr(action, name) for name in TypedAction.__slots__})


def _texts(values: Mapping[str, Any]) -> dict[str, str]:
    owner, due = values["owner"], values["due"]
    people = {"owner": owner.get_username() if owner else "", "due": due.isoformat() if due else ""}
    return {name: str(value) for name, value in values.items()} | people


def set_state(access: AccessContext, action: ActionItem, text: str) -> ActionItem:
    """Idempotent."""
    state = field_validation.choice(ActionState, text, "The state")
    with locked_incident(access, action.incident):
        now = locked_action(action)
        return now if now.state == state else _save(access, now, {"state": state})


def remove(access: AccessContext, action: ActionItem) -> None:
    """Idempotent."""
    with locked_incident(access, action.incident) as incident:
        for locked in lock(ActionItem, [action.pk]):
            take_back_reminders(locked)
            forget(TICKET_KIND, [locked.pk])
            locked.delete()
            note_change(access, incident)


def give_to(action: ActionItem, heir: User, by: User | None) -> None:
    """Caller holds the incident's lock."""
    before = texts_of(action)
    take_back_reminders(action)
    action.owner = heir
    services.save_version(action, before, texts_of(action), by)


def _save(access: AccessContext, now: ActionItem, values: dict[str, object]) -> ActionItem:
    was, owner, before = now.state, now.owner_id, texts_of(now)
    if values.keys() & {"state", "owner", "due"}:
        take_back_reminders(now)
    for name, value in values.items():
        setattr(now, name, value)
    if now.link or now.state != ActionState.OPEN:
        forget(TICKET_KIND, [now.pk])
    if now.state != was:
        now.by_tracker = False
        now.closed_at = None if now.state == ActionState.OPEN else timezone.now()
    services.save_version(now, before, texts_of(now), access.user)
    note_change(access, now.incident)
    if now.owner_id != owner:
        _tell_its_owner(access, now)
    return now


def _tell_its_owner(access: AccessContext, action: ActionItem) -> None:
    if action.owner is not None:
        notify_of(action.incident, "assigned", [action.owner], actor=access.user)


def locked_action(action: ActionItem) -> ActionItem:
    """Raises NotFound if removed."""
    return existing(lock_one(ActionItem, action.pk), "The action item has been removed.")


REMIND_EVERY_S = 900
DAYS_BEFORE = 3
DAYS_AFTER = 7  # what was overdue for longer when this server first looked is history
FRESH = timedelta(days=1)  # whoever has just set a date knows it
REMINDERS = ("due", "overdue")


def remind() -> int:
    """Number notified; a notice's key makes each once per date."""
    today, day = datetime.now(UTC).date(), timedelta(days=1)
    since, until = today - timedelta(days=DAYS_AFTER) - day, today + timedelta(days=DAYS_BEFORE) + day  # in any zone
    actions = ActionItem.objects.filter(state=ActionState.OPEN, due__range=(since, until), owner__is_active=True)
    actions = actions.filter(incident__team__membership__user=F("owner"))
    return sum(_remind(pk, of) for pk, of in list(actions.order_by("due", "pk").values_list("pk", "incident")))


def take_back_reminders(action: ActionItem) -> None:
    """Withdraw unread reminders of done, moved or reassigned items."""
    if action.owner is not None and action.due is not None:
        for what in REMINDERS:
            take_back(action.incident.team, what, [action.owner], key=_reminder_key(action))


def _remind(pk: int, of: object) -> bool:
    with transaction.atomic():
        incident, action = lock_one(Incident, of), lock_one(ActionItem, pk)
        what = _reminder_sort(action, incident) if action is not None and incident is not None else ""
        if action is None or incident is None or action.owner is None or not what:
            return False  # somebody changed it meanwhile, or it is not the day for it
        place, about = f"#action-{action.pk}", f"{action.text} · {incident.title}"
        return bool(notify_of(incident, what, [action.owner], place=place, about=about, key=_reminder_key(action)))


def _reminder_sort(action: ActionItem, incident: Incident) -> str:
    """Due by the incident's zone; "" for none."""
    if action.state != ActionState.OPEN or action.due is None:
        return ""
    days_left = (action.due - incident.today).days
    # Longer than a notice is kept nobody knows that it was told.
    kept_days = settings.AWRDIFF_KEEP_NOTICES_DAYS or DAYS_AFTER
    if days_left < 0:
        return "overdue" if -days_left <= min(DAYS_AFTER, kept_days) else ""
    soon = days_left <= min(DAYS_BEFORE, kept_days - 1)
    return "due" if soon and action.updated_at <= timezone.now() - FRESH else ""


def _reminder_key(action: ActionItem) -> str:
    return f"action {action.pk} {action.due}"

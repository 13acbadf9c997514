"""Tickets of action items: requested from the team's webhook, and their status as a tracker tells it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from django.db import transaction
from django.db.models import F
from django.utils import timezone
from msgspec import Struct

from awrdiff.accounts import rate_limits
from awrdiff.accounts.access import AccessContext
from awrdiff.accounts.display_names import shown_name
from awrdiff.accounts.errors import TooMuch
from awrdiff.accounts.models import Team
from awrdiff.accounts.rate_limits import Budget, EachMinute, key_of
from awrdiff.accounts.ticket_references import address_of, is_address, name_of
from awrdiff.audit import services as audit
from awrdiff.incidents import field_validation, services
from awrdiff.incidents.action_items import TICKET_KIND, locked_action, take_back_reminders, texts_of
from awrdiff.incidents.field_validation import IncidentRefused
from awrdiff.incidents.models import ActionItem, ActionState, Incident
from awrdiff.incidents.services import locked_incident, renew
from awrdiff.notices.models import Delivery, Way
from awrdiff.notices.services import ask_webhook, takes_tickets
from awrdiff.processing.row_locks import lock, lock_one

EVENT = "ticket.wanted"
STATUSES_A_MINUTE = EachMinute(120)  # of one team
MOST_REVISIONS = services.MOST_REVISIONS // 2  # of an item that a tracker changes: people need the rest
# By the tracker's word in small letters; Jira's categories of statuses and GitHub's actions are among them.
STATES = {
    **dict.fromkeys(("done", "closed", "resolved", "completed"), ActionState.DONE),
    **dict.fromkeys(("reopened", "open", "opened", "new", "in progress", "indeterminate"), ActionState.OPEN),
}
NOBODY_ASKED = (
    "This team has no webhook that makes tickets: an owner sets one under “Team”. A ticket can be typed by hand."
)


def ask(access: AccessContext, action: ActionItem) -> None:
    """For an open item without ticket; no-op while waiting."""
    with locked_incident(access, action.incident) as incident:
        locked = locked_action(action)
        if locked.state != ActionState.OPEN or locked.link:
            raise IncidentRefused("A ticket is asked for an open action item that has none.")
        if not takes_tickets(access.team):
            raise IncidentRefused(NOBODY_ASKED)
        if ask_webhook(access.team, _event(access, incident, locked), TICKET_KIND, locked.pk, access.user):
            ActionItem.objects.filter(pk=locked.pk).update(ticket_asked_at=None)
            audit.note(access, "ticket asked", "incident", incident.pk)


def _event(access: AccessContext, incident: Incident, action: ActionItem) -> dict[str, Any]:
    wanted = {
        "item": action.pk,
        "title": incident.title,
        "text": action.text,
        "due": action.due.isoformat() if action.due else None,
        "assignee": shown_name(action.owner) if action.owner else None,
    }
    place = {"kind": "incident", "thing": str(incident.pk), "place": f"#action-{action.pk}"}
    return {"what": EVENT, **place, "actor": shown_name(access.user) if access.user else "", "wanted": wanted}


def requests_of(team: Team, items: Sequence[ActionItem]) -> dict[int, Delivery | None]:
    """By item, where one can be or was requested; None where none waits or failed."""
    open_ones = [action for action in items if action.state == ActionState.OPEN and not action.link]
    to = getattr(team, "notices_to", None) if open_ones else None  # comes with the incident
    if to is None or not (to.tickets and to.url):
        return {}
    things = [str(action.pk) for action in open_ones]
    sent = Delivery.objects.filter(team=team, way=Way.WEBHOOK, kind=TICKET_KIND, thing__in=things)
    by_action = {delivery.thing: delivery for delivery in sent}
    return {action.pk: by_action.get(str(action.pk)) for action in open_ones}


def answered(sent: Delivery, answer: bytes) -> None:
    """Webhook listener: sets a missing ticket."""
    action = ActionItem.objects.filter(pk=sent.thing, incident__team=sent.team_id).select_related("incident").first()
    if action is None or lock_one(Incident, action.incident_id) is None:
        return
    renew(Incident.objects.filter(pk=action.incident_id))
    ticket = ticket_in(answer, sent.team.ticket_pattern)
    now = lock_one(ActionItem, action.pk)
    if now is None or now.link:
        return
    if not ticket:
        ActionItem.objects.filter(pk=now.pk).update(ticket_asked_at=sent.created_at)
        return
    ActionItem.objects.filter(pk=now.pk).update(link=ticket, version=F("version") + 1)
    services.keep_revision(now, now.version, {"link": ""}, {"link": ticket}, sent.user)
    audit.note_chore(sent.team_id, "ticket written", "incident", [now.incident_id])


def ticket_in(answer: bytes, pattern: str) -> str:
    """From `{"ticket": "JIRA-123", "url": "https://…"}`; "" if none."""
    try:
        document = json.loads(answer)
    except (ValueError, RecursionError):
        return ""
    reference, url = (
        (_clean(document.get(name)) for name in ("ticket", "url")) if isinstance(document, dict) else ("", "")
    )
    if not is_address(url) or address_of(pattern, reference) == url:
        return reference
    return (not is_address(reference) and _clean(f"{reference} {url}")) or url


def _clean(text: object) -> str:
    try:
        return field_validation.ticket(text) if isinstance(text, str) else ""
    except IncidentRefused:
        return ""


class TicketStatus(Struct):
    """`ticket`: its reference (JIRA-123, #45) or address; `url`: its address, where the reference is not enough."""

    ticket: str
    status: str
    url: str = ""


class Repeated(TooMuch):
    """The same message came before."""


def receive_status(team: Team, message: TicketStatus, digest: str) -> dict[str, int]:
    """Apply a signed message once. `items` have the ticket, `changed` follow. Raises IncidentRefused, TooMuch."""
    ticket, url = field_validation.ticket(message.ticket), field_validation.link(message.url)
    if not ticket:
        raise IncidentRefused("“ticket” must be a reference such as JIRA-123 or #45, or an address.")
    reference, url = ("", ticket) if is_address(ticket) else (name_of(ticket), url or address_of("", ticket))
    state = STATES.get(message.status.strip().lower())
    if state is None:
        raise IncidentRefused(f"“status” must be one of {', '.join(STATES)}.")
    try:
        with transaction.atomic():
            same_ticket = (
                ActionItem.objects.filter(incident__team=team).exclude(link="").values_list("pk", "incident", "link")
            )
            carrying = {pk: of for pk, of, link in same_ticket if carries(link, team.ticket_pattern, reference, url)}
            incidents = {incident.pk: incident for incident in lock(Incident, set(carrying.values()))}
            items = [
                action
                for action in lock(ActionItem, carrying)
                if action.incident_id in incidents and carries(action.link, team.ticket_pattern, reference, url)
            ]
            _count(team, digest)
            changed = [action for action in items if _set_state(action, incidents[action.incident_id], state)]
            touched = {action.incident_id for action in changed}
            renew(Incident.objects.filter(pk__in=touched))
            audit.note_chore(team.pk, "ticket status", "incident", sorted(touched))
            return {"items": len(items), "changed": len(changed)}
    except Repeated:
        return {"items": 0, "changed": 0}


def carries(link: str, pattern: str, reference: str, url: str) -> bool:
    """True if `link` names it by address, else reference."""
    own_url = address_of(pattern, link)
    if url and own_url:
        return url.rstrip("/") == own_url.rstrip("/")
    if not reference:
        return False
    same_url = bool(own_url) and own_url == address_of(pattern, reference)
    return same_url or _bare(name_of(link)) == _bare(reference)


def _bare(reference: str) -> str:
    return reference.removeprefix("#").lower()


def _count(team: Team, digest: str) -> None:
    """A digest is remembered longer (1 h) than its signature is valid."""
    once = {key_of("tracker's message", f"{team.pk} {digest}"): Budget(1)}
    minute: dict[str, Budget] = {key_of("tracker", team.pk): STATUSES_A_MINUTE}
    rows = rate_limits.locked_rows(once | minute)
    rate_limits.spend(once, lambda wait_s: Repeated("This message came before.", wait_s), rows)
    sentence = f"More than {STATUSES_A_MINUTE.most} messages came within a minute."
    rate_limits.spend(minute, lambda wait_s: TooMuch(sentence, wait_s), rows)


def _set_state(action: ActionItem, incident: Incident, state: ActionState) -> bool:
    """False if already so; dropped items stay dropped."""
    if action.state in (state, ActionState.DROPPED) or action.revisions.count() >= MOST_REVISIONS:
        return False
    before, action.incident = texts_of(action), incident
    take_back_reminders(action)
    action.state, action.by_tracker = state, True
    action.closed_at = timezone.now() if state == ActionState.DONE else None
    services.save_version(action, before, texts_of(action), None, by_tracker=True)
    return True

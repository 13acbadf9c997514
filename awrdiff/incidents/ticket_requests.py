"""Tickets requested from the team's webhook for action items, with its answers."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import F

from awrdiff.accounts import tickets
from awrdiff.accounts.access import AccessContext, NotFound
from awrdiff.accounts.models import Team
from awrdiff.accounts.names import shown_name
from awrdiff.audit import services as audit
from awrdiff.incidents import fields, services
from awrdiff.incidents.fields import IncidentRefused
from awrdiff.incidents.models import ActionItem, ActionState, Incident
from awrdiff.incidents.services import locked_incident, renew
from awrdiff.notices.models import Delivery, Way
from awrdiff.notices.services import ask_webhook, takes_tickets
from awrdiff.processing.row_locks import lock_one

EVENT, KIND = "ticket.wanted", "action"
NOBODY_ASKED = (
    "This team has no webhook that makes tickets: an owner sets one under “Team”. A ticket can be typed by hand."
)


@dataclass(frozen=True, slots=True)
class Request:
    """`error`: the webhook's. Neither waiting nor error: unasked, or answered without ticket."""

    at: datetime | None = None
    waits: bool = False
    error: str = ""


def ask(access: AccessContext, action: ActionItem) -> None:
    """For an open item without ticket; no-op while waiting."""
    with locked_incident(access, action.incident) as incident:
        locked = lock_one(ActionItem, action.pk)
        if locked is None:
            raise NotFound("The action item has been removed.")
        if locked.state != ActionState.OPEN or locked.link:
            raise IncidentRefused("A ticket is asked for an open action item that has none.")
        if not takes_tickets(access.team):
            raise IncidentRefused(NOBODY_ASKED)
        if ask_webhook(access.team, _event(access, incident, locked), KIND, locked.pk, access.user):
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


def requests_of(team: Team, items: Sequence[ActionItem]) -> dict[int, Request]:
    """By item, where one can be or was requested."""
    open_ones = [action for action in items if action.state == ActionState.OPEN and not action.link]
    to = getattr(team, "notices_to", None) if open_ones else None  # comes with the incident
    if to is None or not (to.tickets and to.url):
        return {}
    things = [str(action.pk) for action in open_ones]
    sent = Delivery.objects.filter(team=team, way=Way.WEBHOOK, kind=KIND, thing__in=things)
    by_action = {delivery.thing: delivery for delivery in sent}
    return {
        action.pk: Request(asked.created_at, asked.due_at is not None, asked.error)
        if (asked := by_action.get(str(action.pk)))
        else Request(action.ticket_asked_at)
        for action in open_ones
    }


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
    if not tickets.is_address(url) or tickets.address_of(pattern, reference) == url:
        return reference
    return (not tickets.is_address(reference) and _clean(f"{reference} {url}")) or url


def _clean(text: object) -> str:
    try:
        return fields.ticket(text) if isinstance(text, str) else ""
    except IncidentRefused:
        return ""

"""Tickets that are made elsewhere: an action item asks the team's webhook for one, and keeps what it answers."""

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
from awrdiff.incidents import fields, revisions
from awrdiff.incidents.errors import IncidentRefused
from awrdiff.incidents.models import ActionItem, ActionState, Incident
from awrdiff.incidents.services import locked_incident, renew
from awrdiff.notices.models import Delivery, Way
from awrdiff.notices.services import ask_webhook, takes_tickets
from awrdiff.processing.rows import lock

EVENT, KIND = "ticket.wanted", "action"
NOBODY_ASKED = (
    "This team has no webhook that makes tickets: an owner sets one under “Team”. A ticket can be typed by hand."
)


@dataclass(frozen=True, slots=True)
class Request:
    """What became of it: `waits` for an answer, or the webhook's `error`; neither: nobody was asked, or, where it was
    asked `at`, the answer named none. Where nothing waits one can be asked for."""

    at: datetime | None = None
    waits: bool = False
    error: str = ""


def ask(access: AccessContext, action: ActionItem) -> None:
    """Of an open item without a ticket; asked again while an answer is awaited changes nothing."""
    with locked_incident(access, action.incident) as incident:
        found = next(iter(lock(ActionItem, [action.pk])), None)
        if found is None:
            raise NotFound("The action item has been removed.")
        if found.state != ActionState.OPEN or found.link:
            raise IncidentRefused("A ticket is asked for an open action item that has none.")
        if not takes_tickets(access.team):
            raise IncidentRefused(NOBODY_ASKED)
        if ask_webhook(access.team, _event(access, incident, found), KIND, found.pk, access.user):
            ActionItem.objects.filter(pk=found.pk).update(ticket_asked_at=None)
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


def requests_of(team: Team, found: Sequence[ActionItem]) -> dict[int, Request]:
    """By item, of those for which a ticket can be asked, or was."""
    open_ones = [one for one in found if one.state == ActionState.OPEN and not one.link]
    to = getattr(team, "notices_to", None) if open_ones else None  # comes with the incident
    if to is None or not (to.tickets and to.url):
        return {}
    things = [str(one.pk) for one in open_ones]
    sent = Delivery.objects.filter(team=team, way=Way.WEBHOOK, kind=KIND, thing__in=things)
    known = {one.thing: one for one in sent}
    return {one.pk: _request(one, known.get(str(one.pk))) for one in open_ones}


def _request(one: ActionItem, sent: Delivery | None) -> Request:
    return (
        Request(one.ticket_asked_at) if sent is None else Request(sent.created_at, sent.due_at is not None, sent.error)
    )


def answered(sent: Delivery, answer: bytes) -> None:
    """Listens to what the webhook answered: a ticket is written on the item, unless it has one by now."""
    found = ActionItem.objects.filter(pk=sent.thing, incident__team=sent.team_id).select_related("incident").first()
    if found is None or not lock(Incident, [found.incident_id]):
        return
    renew(Incident.objects.filter(pk=found.incident_id))
    ticket = ticket_in(answer, sent.team.ticket_pattern)
    now = next(iter(lock(ActionItem, [found.pk])), None)
    if now is None or now.link:
        return
    if not ticket:
        ActionItem.objects.filter(pk=now.pk).update(ticket_asked_at=sent.created_at)
        return
    ActionItem.objects.filter(pk=now.pk).update(link=ticket, version=F("version") + 1)
    revisions.keep(now, now.version, {"link": ""}, {"link": ticket}, sent.user)
    audit.note_chore(sent.team_id, "ticket written", "incident", [now.incident_id])


def ticket_in(answer: bytes, pattern: str) -> str:
    """As an item keeps it, of `{"ticket": "JIRA-123", "url": "https://…"}`: the reference, and the address where the
    team's pattern does not lead there; "" where neither is one."""
    try:
        said = json.loads(answer)
    except (ValueError, RecursionError):
        return ""
    reference, url = (_clean(said.get(name)) for name in ("ticket", "url")) if isinstance(said, dict) else ("", "")
    if not tickets.is_address(url) or tickets.address_of(pattern, reference) == url:
        return reference
    return (not tickets.is_address(reference) and _clean(f"{reference} {url}")) or url


def _clean(text: object) -> str:
    try:
        return fields.ticket(text) if isinstance(text, str) else ""
    except IncidentRefused:
        return ""

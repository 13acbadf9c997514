"""The status of a ticket, as the team's tracker tells it: action items that carry it are done, or open again."""

from __future__ import annotations

from django.db import transaction
from django.utils import timezone
from msgspec import Struct

from awrdiff.accounts import limits, tickets
from awrdiff.accounts.errors import TooMuch
from awrdiff.accounts.limits import Budget, Count, EachMinute, key_of
from awrdiff.accounts.models import Team
from awrdiff.audit import services as audit
from awrdiff.incidents import fields, reminders, revisions
from awrdiff.incidents.actions import texts_of
from awrdiff.incidents.fields import IncidentRefused
from awrdiff.incidents.models import ActionItem, ActionState, Incident
from awrdiff.incidents.services import renew
from awrdiff.processing.rows import lock

# By the tracker's word in small letters; Jira's categories of statuses and GitHub's actions are among them.
STATES = {
    **dict.fromkeys(("done", "closed", "resolved", "completed"), ActionState.DONE),
    **dict.fromkeys(("reopened", "open", "opened", "new", "in progress", "indeterminate"), ActionState.OPEN),
}
A_MINUTE = EachMinute(120)  # of one team
MOST_REVISIONS = revisions.MOST_REVISIONS // 2  # of an item that a tracker changes: people need the rest


class TicketStatus(Struct):
    """`ticket`: its reference (JIRA-123, #45) or address; `url`: its address, where the reference is not enough."""

    ticket: str
    status: str
    url: str = ""


class TicketAnswer(Struct):
    """Number of action items with the ticket, and of those changed."""

    items: int = 0
    changed: int = 0


class Repeated(TooMuch):
    """The same message came before."""


def receive(team: Team, message: TicketStatus, digest: str) -> TicketAnswer:
    """Take a signed message. The same one sent again changes nothing. Raises IncidentRefused, TooMuch."""
    reference, url = _ticket_of(message)
    state = STATES.get(message.status.strip().lower())
    if state is None:
        raise IncidentRefused(f"“status” must be one of {', '.join(STATES)}.")
    try:
        with transaction.atomic():
            return _receive(team, reference, url, state, digest)
    except Repeated:
        return TicketAnswer()


def _receive(team: Team, reference: str, url: str, state: ActionState, digest: str) -> TicketAnswer:
    same_ticket = ActionItem.objects.filter(incident__team=team).exclude(link="").values_list("pk", "incident", "link")
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
    return TicketAnswer(len(items), len(changed))


def _ticket_of(message: TicketStatus) -> tuple[str, str]:
    """Reference and address; either may be empty. Raises IncidentRefused."""
    ticket, url = fields.ticket(message.ticket), fields.link(message.url)
    if not ticket:
        raise IncidentRefused("“ticket” must be a reference such as JIRA-123 or #45, or an address.")
    if tickets.is_address(ticket):
        return "", ticket
    return tickets.name_of(ticket), url or tickets.address_of("", ticket)


def carries(link: str, pattern: str, reference: str, url: str) -> bool:
    """True where an action item's `link` names the ticket. Two addresses decide; else the references do."""
    own_url = tickets.address_of(pattern, link)
    if url and own_url:
        return url.rstrip("/") == own_url.rstrip("/")
    if not reference:
        return False
    same_url = bool(own_url) and own_url == tickets.address_of(pattern, reference)
    return same_url or _bare(tickets.name_of(link)) == _bare(reference)


def _bare(reference: str) -> str:
    return reference.removeprefix("#").lower()


def _count(team: Team, digest: str) -> None:
    """Raises Repeated, TooMuch. A digest is remembered for an hour, longer than it is taken."""
    once = Count(key_of("tracker's message", f"{team.pk} {digest}"), Budget(1))
    minute = Count(key_of("tracker", team.pk), A_MINUTE)
    rows = limits.locked_rows([once, minute])
    limits.spend([once], lambda wait_s: Repeated("This message came before.", wait_s), rows)
    sentence = f"More than {A_MINUTE.most} messages came within a minute."
    limits.spend([minute], lambda wait_s: TooMuch(sentence, wait_s), rows)


def _set_state(action: ActionItem, incident: Incident, state: ActionState) -> bool:
    """False where it is so already; what somebody dropped stays dropped."""
    if action.state in (state, ActionState.DROPPED) or action.revisions.count() >= MOST_REVISIONS:
        return False
    before, action.incident = texts_of(action), incident
    reminders.take_back(action)
    action.state, action.by_tracker, action.updated_by = state, True, None
    action.closed_at = timezone.now() if state == ActionState.DONE else None
    revisions.keep(action, action.version, before, texts_of(action), None, by_tracker=True)
    action.version += 1
    action.save()
    return True

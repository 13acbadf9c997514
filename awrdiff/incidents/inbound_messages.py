"""Messages from other servers: a channel's for a timeline, a tracker's ticket status."""

from __future__ import annotations

import hmac
import re
import unicodedata
from uuid import UUID, uuid4, uuid5

from django.db import transaction
from django.utils import timezone
from msgspec import Struct

from awrdiff.accounts import limits, tickets
from awrdiff.accounts.access import AccessContext, NotFound
from awrdiff.accounts.errors import TooMuch
from awrdiff.accounts.limits import Budget, Count, EachMinute, key_of
from awrdiff.accounts.models import Spent, Team, User
from awrdiff.accounts.tokens import derived_token
from awrdiff.audit import services as audit
from awrdiff.incidents import action_items, fields, services
from awrdiff.incidents.action_items import texts_of
from awrdiff.incidents.fields import IncidentRefused
from awrdiff.incidents.models import ActionItem, ActionState, Incident, TimelineEvent
from awrdiff.incidents.services import LONGEST_EVENT, MOST_EVENTS, locked_incident, renew
from awrdiff.processing.row_locks import lock, lock_one
from awrdiff.processing.storable import one_line

# What is taken from one incident's channel and from one team's tracker.
MESSAGES_A_MINUTE = EachMinute(60)  # requests
MOST_AT_ONCE = 100
MOST_MESSAGES = MOST_EVENTS // 2  # of an incident: the rest is its people's
GONE = "This address does not exist, or was revoked."
STATUSES_A_MINUTE = EachMinute(120)  # of one team
MOST_REVISIONS = services.MOST_REVISIONS // 2  # of an item that a tracker changes: people need the rest
# By the tracker's word in small letters; Jira's categories of statuses and GitHub's actions are among them.
STATES = {
    **dict.fromkeys(("done", "closed", "resolved", "completed"), ActionState.DONE),
    **dict.fromkeys(("reopened", "open", "opened", "new", "in progress", "indeterminate"), ActionState.OPEN),
}
LONGEST_AUTHOR = 60
MOST_MARKS = 3  # in a row: vowel signs of some scripts need as many
_JOINERS = "\u200c\u200d"  # parts of words in Persian and Hindi, and of emoji
_QUOTES = '"„‟′″‴‵‶‷❛❜❝❞❟❠〝〞〟〃ʹʺ˝ˮ`´'
_BLANK = "\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0"  # letters and signs without ink
_APOSTROPHES = re.compile("['’ʼ]+")


def without_format_signs(text: str) -> str:
    """Drops direction signs, which could mirror the author."""
    return "".join(c for c in text if unicodedata.category(c) != "Cf" or c in _JOINERS)


def author_name(text: str) -> str:
    """Visible line that cannot close its quotes, or ""."""
    name: list[str] = []
    marks = 0
    for c in _APOSTROPHES.sub("'", unicodedata.normalize("NFKC", one_line(text))):
        category = unicodedata.category(c)
        if not c.isprintable() or c in _BLANK or c in _QUOTES or category in ("Pi", "Pf"):
            continue
        is_mark = category.startswith("M")
        if is_mark and (not name or name[-1] == " " or marks == MOST_MARKS):
            continue
        marks = marks + 1 if is_mark else 0
        name.append(c)
    return one_line(one_line("".join(name))[:LONGEST_AUTHOR])


class ChannelMessage(Struct):
    """`at`: ISO 8601; without an offset by the clocks of the incident. `id`: the channel's own, else the other three
    tell a repeated message.
    """

    text: str
    author: str
    at: str
    id: str = ""


class ChannelAnswer(Struct):
    """`known`: messages that came before."""

    added: int
    known: int


def choose_channel(access: AccessContext, incident: Incident, wanted: str) -> Incident:
    """`on`, `new` (another address) or `off`. Raises IncidentRefused."""
    if wanted not in ("on", "new", "off"):
        raise IncidentRefused("“channel” must be on, new or off.")
    with locked_incident(access, incident) as locked:
        was_open, is_off = locked.channel_nonce is not None, wanted == "off"
        if was_open if wanted == "on" else is_off and not was_open:
            return locked
        locked.channel_nonce, locked.channel_by = (None, None) if is_off else (uuid4(), access.user)
        locked.save(update_fields=["channel_nonce", "channel_by"])
        action = "channel closed" if is_off else "channel renewed" if was_open else "channel opened"
        audit.note(access, action, "incident", locked.pk)
        return locked


def close_channels(team: Team, incidents: list[Incident], by: User | None) -> None:
    """`by` None: the server."""
    pks = [incident.pk for incident in incidents]
    audit.note_chore(team.pk, "channel closed", "incident", pks, by)
    Incident.objects.filter(pk__in=pks).update(channel_nonce=None, channel_by=None)


def incident_of(pk: UUID, token: str) -> Incident:
    """Raises NotFound, also where no messages are taken."""
    incident = Incident.objects.filter(pk=pk).first()
    expected = (incident.channel_token if incident is not None else "") or derived_token("channel of nobody")
    is_right = hmac.compare_digest(expected.encode(), token.encode("utf-8", "replace"))
    if not is_right or incident is None or not incident.channel_nonce:
        raise NotFound(GONE)
    return incident


def receive_messages(incident: Incident, messages: list[ChannelMessage]) -> ChannelAnswer:
    """All or none. Raises IncidentRefused, TooMuch, NotFound."""
    if not 1 <= len(messages) <= MOST_AT_ONCE:
        raise IncidentRefused(f"Send 1 to {MOST_AT_ONCE} messages at once.")
    events = {event.client_key: event for event in (_event_of(incident, message) for message in messages)}
    with transaction.atomic():
        locked = lock_one(Incident, incident.pk)
        if locked is None or locked.channel_nonce != incident.channel_nonce:
            raise NotFound(GONE)
        own = TimelineEvent.objects.filter(incident=incident)
        kept = own.filter(client_key__in=list(events)).values_list("client_key", flat=True)
        for key in {*kept, *map(UUID, locked.removed_messages or ())}:
            events.pop(key, None)
        if own.exclude(outside_author="").count() + len(events) > MOST_MESSAGES:
            raise IncidentRefused(f"An incident holds at most {MOST_MESSAGES} messages of a channel.")
        if own.count() + len(events) > MOST_EVENTS:
            raise IncidentRefused(f"An incident holds at most {MOST_EVENTS:,} events.")
        _spend_minute(Count(key_of("channel", incident.pk), MESSAGES_A_MINUTE), "requests", MESSAGES_A_MINUTE.most)
        if events:
            TimelineEvent.objects.bulk_create(events.values())
            renew(Incident.objects.filter(pk=incident.pk))
            audit.note_chore(incident.team_id, "channel wrote", "incident", [incident.pk])
    return ChannelAnswer(len(events), len(messages) - len(events))


def remember_removed(incident: Incident, event: TimelineEvent) -> None:
    """Removed messages do not return. `incident`: locked."""
    if event.outside_author and event.client_key:
        incident.removed_messages = [*(incident.removed_messages or ()), str(event.client_key)][-MOST_MESSAGES:]
        incident.save(update_fields=["removed_messages"])


def _event_of(incident: Incident, message: ChannelMessage) -> TimelineEvent:
    at = fields.moment(message.at, incident.time_zone, "“at”")
    text, author = (
        fields.prose(without_format_signs(message.text), LONGEST_EVENT, "“text”"),
        author_name(message.author),
    )
    if not author:
        raise IncidentRefused("“author” is missing.")
    key = message.id or f"{at.isoformat()} {author} {text}"
    return TimelineEvent(
        incident=incident, at=at, text=text, outside_author=author, client_key=uuid5(incident.pk, f"channel {key}")
    )


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


def receive_status(team: Team, message: TicketStatus, digest: str) -> TicketAnswer:
    """Apply a signed message once. Raises IncidentRefused, TooMuch."""
    reference, url = _ticket_of(message)
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
            return TicketAnswer(len(items), len(changed))
    except Repeated:
        return TicketAnswer()


def _ticket_of(message: TicketStatus) -> tuple[str, str]:
    ticket, url = fields.ticket(message.ticket), fields.link(message.url)
    if not ticket:
        raise IncidentRefused("“ticket” must be a reference such as JIRA-123 or #45, or an address.")
    if tickets.is_address(ticket):
        return "", ticket
    return tickets.name_of(ticket), url or tickets.address_of("", ticket)


def carries(link: str, pattern: str, reference: str, url: str) -> bool:
    """True if `link` names it by address, else reference."""
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
    """A digest is remembered longer (1 h) than its signature is valid."""
    once = Count(key_of("tracker's message", f"{team.pk} {digest}"), Budget(1))
    minute = Count(key_of("tracker", team.pk), STATUSES_A_MINUTE)
    rows = limits.locked_rows([once, minute])
    limits.spend([once], lambda wait_s: Repeated("This message came before.", wait_s), rows)
    _spend_minute(minute, "messages", STATUSES_A_MINUTE.most, rows)


def _spend_minute(minute: Count, what: str, most: int, rows: dict[str, Spent] | None = None) -> None:
    sentence = f"More than {most} {what} came within a minute."
    limits.spend([minute], lambda wait_s: TooMuch(sentence, wait_s), rows)


def _set_state(action: ActionItem, incident: Incident, state: ActionState) -> bool:
    """False if already so; dropped items stay dropped."""
    if action.state in (state, ActionState.DROPPED) or action.revisions.count() >= MOST_REVISIONS:
        return False
    before, action.incident = texts_of(action), incident
    action_items.take_back_reminders(action)
    action.state, action.by_tracker, action.updated_by = state, True, None
    action.closed_at = timezone.now() if state == ActionState.DONE else None
    services.keep_revision(action, action.version, before, texts_of(action), None, by_tracker=True)
    action.version += 1
    action.save()
    return True

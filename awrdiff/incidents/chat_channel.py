"""Messages of a channel, taken onto an incident's timeline at a secret address."""

from __future__ import annotations

import hmac
import re
import unicodedata
from uuid import UUID, uuid4, uuid5

from django.db import transaction
from msgspec import Struct

from awrdiff.accounts import rate_limits
from awrdiff.accounts.access import AccessContext, NotFound
from awrdiff.accounts.errors import TooMuch
from awrdiff.accounts.models import Team, User
from awrdiff.accounts.rate_limits import EachMinute, key_of
from awrdiff.accounts.token_hashing import derived_token
from awrdiff.audit import services as audit
from awrdiff.incidents import field_validation
from awrdiff.incidents.field_validation import IncidentRefused
from awrdiff.incidents.models import Incident, TimelineEvent
from awrdiff.incidents.services import LONGEST_EVENT, MOST_EVENTS, locked_incident, renew
from awrdiff.processing.row_locks import lock_one
from awrdiff.processing.storable_values import one_line

MESSAGES_A_MINUTE = EachMinute(60)  # requests
MOST_AT_ONCE = 100
MOST_MESSAGES = MOST_EVENTS // 2  # of an incident: the rest is its people's
GONE = "This address does not exist, or was revoked."
LONGEST_AUTHOR = 60
MOST_MARKS = 3  # in a row: vowel signs of some scripts need as many
_JOINERS = "\u200c\u200d"  # parts of words in Persian and Hindi, and of emoji
_QUOTES = '"„‟′″‴‵‶‷❛❜❝❞❟❠〝〞〟〃ʹʺ˝ˮ`´'
_BLANK = "\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0"  # letters and signs without ink
_APOSTROPHES = re.compile("['’ʼ]+")


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


def receive_messages(incident: Incident, messages: list[ChannelMessage]) -> dict[str, int]:
    """Numbers `added` and `known` from before; all or none. Raises IncidentRefused, TooMuch, NotFound."""
    if not 1 <= len(messages) <= MOST_AT_ONCE:
        raise IncidentRefused(f"Send 1 to {MOST_AT_ONCE} messages at once.")
    events = {event.client_key: event for event in (_event_of(incident, message) for message in messages)}
    with transaction.atomic():
        locked = lock_one(Incident, incident.pk)
        if locked is None or locked.channel_nonce != incident.channel_nonce:
            raise NotFound(GONE)
        own = TimelineEvent.objects.filter(incident=incident)
        stored_keys = own.filter(client_key__in=list(events)).values_list("client_key", flat=True)
        for key in {*stored_keys, *map(UUID, locked.removed_messages or ())}:
            events.pop(key, None)
        if own.exclude(outside_author="").count() + len(events) > MOST_MESSAGES:
            raise IncidentRefused(f"An incident holds at most {MOST_MESSAGES} messages of a channel.")
        if own.count() + len(events) > MOST_EVENTS:
            raise IncidentRefused(f"An incident holds at most {MOST_EVENTS:,} events.")
        sentence = f"More than {MESSAGES_A_MINUTE.most} requests came within a minute."
        rate_limits.spend({key_of("channel", incident.pk): MESSAGES_A_MINUTE}, lambda wait_s: TooMuch(sentence, wait_s))
        if events:
            TimelineEvent.objects.bulk_create(events.values())
            renew(Incident.objects.filter(pk=incident.pk))
            audit.note_chore(incident.team_id, "channel wrote", "incident", [incident.pk])
    return {"added": len(events), "known": len(messages) - len(events)}


def remember_removed(incident: Incident, event: TimelineEvent) -> None:
    """Removed messages do not return. `incident`: locked."""
    if event.outside_author and event.client_key:
        incident.removed_messages = [*(incident.removed_messages or ()), str(event.client_key)][-MOST_MESSAGES:]
        incident.save(update_fields=["removed_messages"])


def _event_of(incident: Incident, message: ChannelMessage) -> TimelineEvent:
    at = field_validation.moment(message.at, incident.time_zone, "“at”")
    # Direction signs could mirror the author.
    visible_text = "".join(c for c in message.text if unicodedata.category(c) != "Cf" or c in _JOINERS)
    text, author = field_validation.prose(visible_text, LONGEST_EVENT, "“text”"), author_name(message.author)
    if not author:
        raise IncidentRefused("“author” is missing.")
    key = message.id or f"{at.isoformat()} {author} {text}"
    return TimelineEvent(
        incident=incident, at=at, text=text, outside_author=author, client_key=uuid5(incident.pk, f"channel {key}")
    )

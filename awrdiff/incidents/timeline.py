"""Typed timeline events: add, change with history, remove."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any
from uuid import UUID

from awrdiff.accounts.access import AccessContext, NotFound
from awrdiff.incidents import fields, inbound, revisions
from awrdiff.incidents.fields import IncidentRefused
from awrdiff.incidents.models import EventKind, Incident, TimelineEdit, TimelineEvent
from awrdiff.incidents.services import LONGEST_EVENT, MOST_EVENTS, locked_incident, note_change
from awrdiff.processing.rows import lock

BY_HAND = (EventKind.NOTE, EventKind.ACTION, EventKind.IMPACT)
MOST_EDITS = 100


@dataclass(frozen=True, slots=True)
class TypedEvent:
    at: str
    text: str
    kind: str = EventKind.NOTE.value

    def values(self, incident: Incident, now: TimelineEvent | None = None) -> dict[str, Any]:
        """`now`: the event that is changed."""
        kind = fields.choice(EventKind, self.kind, "The kind of event")
        if kind not in BY_HAND:
            raise IncidentRefused("Changes of the status are noted by themselves.")
        at = fields.moment(self.at, incident.time_zone, "The time of the event", now.at if now else None)
        return {"at": at, "text": fields.prose(self.text, LONGEST_EVENT, "The text"), "kind": kind}

    @classmethod
    def of(cls, event: TimelineEvent | TimelineEdit, zone_name: str) -> TypedEvent:
        """As its form shows it, or showed it before."""
        return cls(fields.clock_text(event.at, fields.zone_of(zone_name)), event.text, str(event.kind))


def add(
    access: AccessContext, incident: Incident, typed: TypedEvent, *, client_key: UUID | None = None
) -> TimelineEvent:
    """The same form sent twice makes one."""
    with locked_incident(access, incident) as locked:
        own = TimelineEvent.objects.filter(incident=locked)
        if client_key and (there := own.filter(client_key=client_key).first()):
            return there
        if own.count() >= MOST_EVENTS:
            raise IncidentRefused(f"An incident holds at most {MOST_EVENTS:,} events: remove one first.")
        values = typed.values(locked)
        note_change(access, locked)
        return TimelineEvent.objects.create(incident=locked, user=access.user, client_key=client_key, **values)


def change(access: AccessContext, event: TimelineEvent, version: int, typed: TypedEvent) -> TimelineEvent:
    """Merge with changes since `version`; old text is kept. Raises ChangedMeanwhile on conflict."""
    with locked_incident(access, event.incident) as incident:
        now = _locked_event(event)
        zone, typed_values = incident.time_zone, typed.values(incident, now)
        at = fields.clock_text(typed_values["at"], fields.zone_of(zone), now.at)
        clean = TypedEvent(at, typed_values["text"], str(typed_values["kind"]))
        here, then = TypedEvent.of(now, zone), [asdict(TypedEvent.of(edit, zone)) for edit in now.edits.all()]
        texts = revisions.put_event_together(now, version, asdict(clean), asdict(here), then)
        mine = {"at": typed.at} if texts["at"] != here.at else {}  # also its offset
        values = TypedEvent(**{**texts, **mine}).values(incident, now)
        if all(getattr(now, name) == value for name, value in values.items()):
            return now
        if now.edits.count() >= MOST_EDITS:
            raise IncidentRefused(f"This was changed {MOST_EDITS} times: add another event instead.")
        TimelineEdit.objects.create(event=now, at=now.at, text=now.text, kind=now.kind, edited_by=access.user)
        for name, value in values.items():
            setattr(now, name, value)
        now.version += 1
        now.save()
        note_change(access, incident)
        return now


def remove(access: AccessContext, event: TimelineEvent) -> None:
    """Removing twice is harmless. What the system noted stays."""
    with locked_incident(access, event.incident) as incident:
        if event.by_system:
            raise IncidentRefused("What was noted by itself stays on the timeline.")
        if TimelineEvent.objects.filter(incident=incident, pk=event.pk).delete()[0]:
            inbound.remember_removed(incident, event)
            note_change(access, incident)


def _locked_event(event: TimelineEvent) -> TimelineEvent:
    locked = lock(TimelineEvent, [event.pk])
    if not locked:
        raise NotFound("The event has been removed.")
    if locked[0].by_system:
        raise IncidentRefused("What was noted by itself stays as it is.")
    return locked[0]

"""Typed timeline events, and the times of impact and end that they suggest."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from msgspec import Meta, Struct

from awrdiff.accounts.access import AccessContext, existing
from awrdiff.accounts.display_names import shown_name
from awrdiff.accounts.models import User
from awrdiff.incidents import chat_channel, field_validation, services
from awrdiff.incidents.bad_hour_summary import WhatHappened
from awrdiff.incidents.field_validation import TIME_LABELS, IncidentRefused, clock_text, zone_of
from awrdiff.incidents.models import EventKind, Incident, Revision, Status, TimelineEdit, TimelineEvent
from awrdiff.incidents.services import LONGEST_EVENT, MOST_EVENTS, locked_incident, note_change
from awrdiff.processing.row_locks import lock_one

BY_HAND = (EventKind.NOTE, EventKind.ACTION, EventKind.IMPACT)
MOST_EDITS = 100


@dataclass(frozen=True, slots=True)
class TypedEvent:
    at: str
    text: str
    kind: str = EventKind.NOTE.value

    def values(self, incident: Incident, now: TimelineEvent | None = None) -> dict[str, Any]:
        """`now`: event to change."""
        kind = field_validation.choice(EventKind, self.kind, "The kind of event")
        if kind not in BY_HAND:
            raise IncidentRefused("Changes of the status are noted by themselves.")
        at = field_validation.moment(self.at, incident.time_zone, "The time of the event", now.at if now else None)
        return {"at": at, "text": field_validation.prose(self.text, LONGEST_EVENT, "The text"), "kind": kind}

    @classmethod
    def of(cls, event: TimelineEvent | TimelineEdit, zone_name: str) -> TypedEvent:
        return cls(
            field_validation.clock_text(event.at, field_validation.zone_of(zone_name)), event.text, str(event.kind)
        )


def add(
    access: AccessContext, incident: Incident, typed: TypedEvent, *, client_key: UUID | None = None
) -> TimelineEvent:
    """Idempotent by `client_key`."""
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
    """Merge with changes since `version`. Raises ChangedMeanwhile."""
    with locked_incident(access, event.incident) as incident:
        now = existing(lock_one(TimelineEvent, event.pk), "The event has been removed.")
        if now.by_system:
            raise IncidentRefused("What was noted by itself stays as it is.")
        zone, typed_values = incident.time_zone, typed.values(incident, now)
        at = field_validation.clock_text(typed_values["at"], field_validation.zone_of(zone), now.at)
        clean = TypedEvent(at, typed_values["text"], str(typed_values["kind"]))
        here, then = TypedEvent.of(now, zone), [asdict(TypedEvent.of(edit, zone)) for edit in now.edits.all()]
        texts = services.put_event_together(now, version, asdict(clean), asdict(here), then)
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
    """Idempotent. System events stay."""
    with locked_incident(access, event.incident) as incident:
        if event.by_system:
            raise IncidentRefused("What was noted by itself stays on the timeline.")
        if TimelineEvent.objects.filter(incident=incident, pk=event.pk).delete()[0]:
            chat_channel.remember_removed(incident, event)
            note_change(access, incident)


_BY_STATUS = {Status.MITIGATED: "mitigated_at", Status.RESOLVED: "resolved_at"}


class SuggestedTime(Struct):
    """`at`: form text in the incident's zone; `why`: source and author."""

    at: str
    why: str

    @property
    def text(self) -> str:
        return _text(self.at)


class SetTime(Struct):
    """`at` is null until set; `clock`: form text."""

    name: str
    label: str
    at: datetime | None
    clock: str
    by: Annotated[str, Meta(description="who set it")]
    suggested: list[SuggestedTime]

    @property
    def text(self) -> str:
        return _text(self.clock) or "not set"


def _text(clock: str) -> str:
    return clock.replace("T", " ").removesuffix(":00")


def times_of(incident: Incident, events: Sequence[TimelineEvent], happened: WhatHappened) -> list[SetTime]:
    """Four in order. `events`: chronological, with users."""
    suggested = list(_suggestions(incident, events, happened))
    authors = _authors(incident)
    zone = zone_of(incident.time_zone)
    return [
        SetTime(
            name,
            label,
            at := getattr(incident, name),
            clock_text(at, zone),
            shown_name(authors.get(name, incident.created_by)) if at is not None else "",
            [time for of, time in suggested if of == name and time.at != clock_text(at, zone)],
        )
        for name, label in TIME_LABELS.items()
    ]


def _authors(incident: Incident) -> dict[str, User | None]:
    if not any(getattr(incident, name) for name in TIME_LABELS):
        return {}
    rows = Revision.objects.filter(incident=incident, action=None).select_related("user").order_by("at", "pk")
    return {name: row.user for row in rows for name in row.changes if name in TIME_LABELS}


def _suggestions(
    incident: Incident, events: Sequence[TimelineEvent], happened: WhatHappened
) -> Iterator[tuple[str, SuggestedTime]]:
    if happened.begin:
        yield "impact_at", SuggestedTime(happened.begin, f"the report of the bad {happened.span} begins")
    impact = next((event for event in events if event.kind == EventKind.IMPACT), None)
    if impact is not None:
        yield "impact_at", _of_event(incident, impact)
        yield "detected_at", _of_event(incident, impact)
    done = [event for event in events if event.kind == EventKind.ACTION]
    if done:
        yield "mitigated_at", _of_event(incident, done[-1])
    for status, name in _BY_STATUS.items():
        changed = (event for event in events if event.kind == EventKind.STATUS and event.by_system)
        if event := next((each for each in changed if each.text.endswith(f"→ {status}")), None):
            yield name, _of_event(incident, event)
    if happened.after is not None and not happened.after.is_sick:
        yield "resolved_at", SuggestedTime(happened.after.begin, "the first report without trouble begins")


def _of_event(incident: Incident, event: TimelineEvent) -> SuggestedTime:
    author = shown_name(event.user) if event.user is not None else event.outside_text
    who = f", {author}" if author else ""
    return SuggestedTime(clock_text(event.at, zone_of(incident.time_zone)), f"“{event.text[:80]}”{who}")

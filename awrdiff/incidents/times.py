"""Impact, detection, mitigation and resolution times, set or suggested by reports and events."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Annotated

from msgspec import Meta, Struct

from awrdiff.accounts.models import User
from awrdiff.accounts.names import shown_name
from awrdiff.incidents.account import WhatHappened
from awrdiff.incidents.fields import TIME_LABELS, clock_text, zone_of
from awrdiff.incidents.models import EventKind, Incident, Revision, Status, TimelineEvent

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
    """The four in order. `events` in order of time, with users."""
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
    """Last author by name, else the incident's maker."""
    if not any(getattr(incident, name) for name in TIME_LABELS):
        return {}
    rows = Revision.objects.filter(incident=incident, action=None).select_related("user").order_by("at", "pk")
    return {name: row.user for row in rows for name in row.changes if name in TIME_LABELS}


def _suggestions(
    incident: Incident, events: Sequence[TimelineEvent], happened: WhatHappened
) -> Iterator[tuple[str, SuggestedTime]]:
    """The first of each kind that says it."""
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

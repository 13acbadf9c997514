"""Answers about incidents, their parts, and post-mortems."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from awrdiff.incidents.account import WhatHappened
from awrdiff.incidents.times import SetTime
from awrdiff.web.api.v1.kinds import Id, Page
from awrdiff.web.presenters.threads.attachments import AttachedFile


class IncidentGist(Struct):
    """The incident in short; "" if unknown."""

    headline: str
    judgement: str
    event: str
    statement: str
    load: str
    causes: list[str]


class ListedIncident(Struct):
    id: Id
    title: str
    url: Page
    severity: int
    status: str
    comparisons: int
    open_actions: int
    lead: str
    lead_shown: str
    tags: list[str]
    postmortem: str | None
    what_happened: IncidentGist


class Incidents(Struct):
    items: list[ListedIncident]
    next: str | None


class TimelineEntry(Struct):
    """`id` and `version` of typed entries, to change them by."""

    at: str
    anchor: str
    group: str
    kind: str
    text: str
    url: str
    by: str
    by_shown: str
    log: Annotated[bool, Meta(description="it tells what was clicked, not what happened")]
    files: list[AttachedFile]
    id: int | UnsetType = UNSET
    version: int | UnsetType = UNSET


class IncidentHour(Struct):
    place: int
    window: str
    is_incident: bool


class IncidentSource(Struct):
    """A comparison or report. `asked`: somebody has to choose the incident's hour."""

    title: str
    url: str
    hours: list[IncidentHour]
    suggested: bool
    asked: bool


class IncidentTicket(Struct):
    text: str
    url: str


class IncidentRole(Struct):
    id: int
    name: str
    name_shown: str
    role: str


class IncidentVerdict(Struct):
    id: int
    title: str
    state: str
    team: str
    why: str
    by: str
    by_shown: str
    role: str
    url: str


class ActionItem(Struct):
    """`version`: to change it by. `link` is the address, `ticket` what was typed. `by_tracker`: its state came from the
    ticket."""

    id: int
    text: str
    due: str
    state: str
    overdue: bool
    incident: str
    version: int
    owner: str
    owner_shown: str
    link: str
    ticket: str
    ticket_asked: str
    by_tracker: bool


class Incident(Struct):
    id: Id
    title: str
    severity: int
    status: str
    begins_at: str
    ends_at: str | None
    time_zone: str
    summary: str
    what_happened: WhatHappened
    times: list[SetTime]
    tags: list[str]
    ticket: IncidentTicket | None
    version: int
    url: Page
    roles: list[IncidentRole]
    comparisons: list[IncidentSource]
    reports: list[IncidentSource]
    timeline: list[TimelineEntry]
    actions: list[ActionItem]
    verdicts: list[IncidentVerdict]


class KeptEvidence(Struct):
    """Figures as stored and as now; each a label and a text."""

    id: int
    title: str
    place: str
    note: str
    by: str
    by_shown: str
    at: str
    url: str
    then: list[tuple[str, str]]
    now: list[tuple[str, str]] | None
    differs: bool
    gone: bool


class EvidenceList(Struct):
    items: list[KeptEvidence]
    next: None


class ChecklistLine(Struct):
    text: str
    ticked: bool
    by: str
    by_shown: str
    at: str


class PostmortemTable(Struct):
    title: str
    url: str | None
    note: str
    head: list[str]
    rows: list[list[str]]


class PostmortemSection(Struct):
    id: str
    title: str
    text: str
    number: int
    by_hand: bool
    behind: Annotated[bool, Meta(description="the incident gives another draft now")]
    checklist: list[ChecklistLine]
    tables: list[PostmortemTable]


class SecondReview(Struct):
    id: int
    reviewer: str
    reviewer_shown: str
    asked_by: str
    asked_by_shown: str
    answer: str
    at: str
    why: str
    holds: Annotated[bool | None, Meta(description="it says what they read; null before they answer")]
    version: int | None
    said: str


class Postmortem(Struct):
    incident: Id
    title: str
    version: int
    state: Literal["draft", "reviewed"]
    reviewed: str | None
    publishing: str
    digest: str
    second_reviews: list[SecondReview]
    sections: list[PostmortemSection]


class Actions(Struct):
    items: list[ActionItem]
    next: str | None

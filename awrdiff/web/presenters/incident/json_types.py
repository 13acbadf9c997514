"""Answers about incidents and post-mortems.

An attribute with another JSON name leaves that name to the page's text.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Annotated, Literal, TypeVar
from uuid import UUID

from msgspec import UNSET, Meta, Struct, UnsetType, field

from awrdiff.incidents.bad_hour_summary import WhatHappened
from awrdiff.incidents.timeline import SetTime
from awrdiff.web.presenters.threads.attachments import AttachedFile

Document = TypeVar("Document", bound=Struct)
Id = Annotated[UUID, Meta(description="its id")]
Page = Annotated[str, Meta(description="the path of its page, for people")]


def as_documents(kind: type[Document], lines: Iterable[Document]) -> list[Document]:
    """Without page-only fields."""
    return [kind(**{name: getattr(line, name) for name in kind.__struct_fields__}) for line in lines]


class IncidentGist(Struct):
    """The incident in short; "" if unknown."""

    headline: str
    judgement: str
    event: str
    statement: str
    load: str
    causes: list[str]


class ListedIncident(Struct, kw_only=True):
    id: Id
    title: str
    url: Page
    severity: int
    status: str
    comparisons: int
    open_actions: int
    lead_name: str = field(name="lead")
    lead: str = field(name="lead_shown")
    tags: list[str]
    postmortem: str | None
    what_happened: IncidentGist


class Incidents(Struct):
    items: list[ListedIncident]
    next: str | None


class TimelineEntry(Struct, kw_only=True):
    """`id` and `version` of typed entries, to change them by."""

    iso: str = field(name="at")
    anchor: str
    group: str
    kind: str
    text: str
    url: str
    by_name: str = field(name="by")
    by: str = field(name="by_shown")
    is_log: Annotated[bool, Meta(description="it tells what was clicked, not what happened")] = field(name="log")
    documents: list[AttachedFile] = field(name="files")
    id: int | UnsetType = UNSET
    version: int | UnsetType = UNSET


class IncidentHour(Struct):
    place: int
    window: str
    is_own: bool = field(name="is_incident")


class IncidentSource(Struct, kw_only=True):
    """A comparison or report. `is_open`: somebody has to choose the incident's hour."""

    title: str
    url: str
    hours: list[IncidentHour]
    is_suggested: bool = field(name="suggested")
    is_open: bool = field(name="asked")


class IncidentTicket(Struct):
    text: str
    url: str


class IncidentRole(Struct, kw_only=True):
    id: int
    sign_in: str = field(name="name")
    name: str = field(name="name_shown")
    role: str


class IncidentVerdict(Struct, kw_only=True):
    id: int
    title: str
    state: str
    team: str
    why: str
    by_name: str = field(name="by")
    by_shown: str
    role: str
    url: str


class ActionItem(Struct, kw_only=True):
    """`version`: to change it by. `link` is the address, `ticket` what was typed. `by_tracker`: its state came from the
    ticket."""

    id: int
    text: str
    due: str
    state: str
    overdue: bool
    incident: str
    version: int
    owner_name: str = field(name="owner")
    owner: str = field(name="owner_shown")
    address: str = field(name="link")
    link: str = field(name="ticket")
    request_text: str = field(name="ticket_asked")
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
    tags: list[str]
    times: list[SetTime]
    ticket: IncidentTicket | None
    version: int
    url: Page
    roles: list[IncidentRole]
    comparisons: list[IncidentSource]
    reports: list[IncidentSource]
    timeline: list[TimelineEntry]
    actions: list[ActionItem]
    verdicts: list[IncidentVerdict]


class KeptEvidence(Struct, kw_only=True):
    """Figures as stored and as now; each a label and a text."""

    id: int
    title: str
    place: str
    note: str
    by_name: str = field(name="by")
    by_shown: str
    at: str
    url: str
    then: Sequence[tuple[str, str]]
    now: Sequence[tuple[str, str]] | None
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

    @property
    def note(self) -> str:
        return f"{self.by_shown}, {self.at}" if self.at else ""


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
    tables: list[PostmortemTable]
    number: int
    by_hand: bool
    behind: Annotated[bool, Meta(description="the incident gives another draft now")]
    checklist: list[ChecklistLine]


class SecondReview(Struct, kw_only=True):
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
    text: str = field(name="said")


class Postmortem(Struct):
    incident: Id
    version: int
    title: str
    state: Literal["draft", "reviewed"]
    reviewed: str | None
    publishing: str
    digest: str
    second_reviews: list[SecondReview]
    sections: list[PostmortemSection]


class Actions(Struct):
    items: list[ActionItem]
    next: str | None

"""JSON request bodies. UNSET marks missing fields, which keep their value."""

from __future__ import annotations

from datetime import date, datetime
from typing import Annotated, Any, Literal, get_type_hints
from uuid import UUID

from msgspec import UNSET, Meta, Struct, UnsetType, defstruct

Version = Annotated[
    int, Meta(ge=0, le=999_999, description="that was read: what others saved since is put together with this, or 409")
]
VersionNumber = Annotated[int, Meta(ge=0, le=999_999, description="the number of the version that was read")]
Moment = Annotated[datetime, Meta(tz=True, description="with its offset, as `2026-11-22T14:05:00+01:00`")]
OneLine = Annotated[str, Meta(min_length=1, max_length=200, pattern=r"\S")]
Prose = Annotated[str, Meta(max_length=10_000, pattern=r"^[^\x00]*$")]
Text = Annotated[str, Meta(min_length=1, max_length=2_000, pattern=r"\S")]
Anchor = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=400,
        description="`<section>/<row>`, `<section>`, `finding:<rule>`; of an incident as its timeline has it",
    ),
]
PairNumber = Annotated[int, Meta(ge=0, le=999, description="0 is the first report against the second")]
Tags = list[Annotated[str, Meta(min_length=1, max_length=40, pattern=r"^[^,\x00]*$")]]
Person = Annotated[
    str, Meta(min_length=1, max_length=150, pattern=r"^[^\x00]*$", description="the name of somebody on the team")
]
Severity = Annotated[int, Meta(ge=1, le=4)]
Sentence = Annotated[str, Meta(min_length=1, max_length=500, pattern=r"\S")]
Comment = Annotated[str, Meta(min_length=1, max_length=10_000, pattern=r"\S")]
Why = Annotated[str, Meta(max_length=2_000)]
EventSort = Literal["note", "action", "impact"]
Ticket = Annotated[str, Meta(max_length=500, description="a reference such as JIRA-123, or an address")]
Zone = Annotated[str, Meta(max_length=100, description="an IANA name, such as Europe/Vienna; UTC")]


def _changed(name: str, new: type[Struct], **further: Any) -> type[Struct]:
    """Body with any of the fields of `new`, and the version that was read."""
    types = {**get_type_hints(new, include_extras=True), **further}
    fields: list[tuple[str, Any] | tuple[str, Any, Any]] = [("version", Version)]
    fields += ((field, kind | UnsetType, UNSET) for field, kind in types.items())
    return defstruct(name, fields, forbid_unknown_fields=True, module=__name__)


class NewIncident(Struct, forbid_unknown_fields=True):
    title: OneLine
    begins_at: Moment
    ends_at: Moment | None = None
    severity: Severity = 3
    time_zone: Zone = "UTC"
    summary: Prose = ""
    tags: Tags = []
    ticket: Ticket = ""
    impact_at: Moment | None = None
    detected_at: Moment | None = None
    mitigated_at: Moment | None = None
    resolved_at: Moment | None = None


ChangedIncident = _changed("ChangedIncident", NewIncident)


class NewStatus(Struct, forbid_unknown_fields=True):
    status: Literal["open", "mitigated", "resolved", "reviewed"]


class ThatComparison(Struct, forbid_unknown_fields=True):
    comparison: UUID


class ThatReport(Struct, forbid_unknown_fields=True):
    report: UUID


class NewEvent(Struct, forbid_unknown_fields=True):
    at: Moment
    text: Text
    kind: EventSort = "note"


ChangedEvent = _changed("ChangedEvent", NewEvent)


class NewEvidence(Struct, forbid_unknown_fields=True):
    comparison: UUID
    anchor: Anchor
    pair: PairNumber = 0


class Note(Struct, forbid_unknown_fields=True):
    note: Annotated[str, Meta(max_length=2_000)]
    was: Annotated[str, Meta(description="what it said when it was read")] = ""


class NewAction(Struct, forbid_unknown_fields=True):
    text: Sentence
    owner: Person | None = None
    due: date | None = None
    link: Ticket = ""


ChangedAction = _changed("ChangedAction", NewAction, state=Literal["open", "done", "dropped"])


class NewThread(Struct, forbid_unknown_fields=True):
    anchor: Anchor
    body: Comment
    pair: PairNumber = 0


class NewComment(Struct, forbid_unknown_fields=True):
    body: Comment
    names: Annotated[bool, Meta(description="names that a redacted link to it hides are meant")] = False


class ThreadState(Struct, forbid_unknown_fields=True):
    state: Annotated[
        Literal["resolved", "open", "guests", "team"],
        Meta(description="`resolved` or `open`; `guests` read it too, or the `team` alone"),
    ]


class NewVerdict(Struct, forbid_unknown_fields=True):
    anchor: Anchor
    state: Literal["confirmed", "rejected", "explained_by", "withdrawn"]
    why: Why = ""
    explained_by: Annotated[str, Meta(max_length=400, description="the anchor of the finding that explains it")] = ""
    role: Annotated[str, Meta(max_length=40, description="as what it is judged")] = ""
    pair: PairNumber = 0


class NewPin(Struct, forbid_unknown_fields=True):
    anchor: Anchor
    pair: PairNumber = 0


class Title(Struct, forbid_unknown_fields=True):
    title: Annotated[str, Meta(max_length=200)]


class NewLinkToRead(Struct, forbid_unknown_fields=True):
    """A link with pseudonyms has to be previewed on the incident's page."""

    days: Annotated[int, Meta(ge=1, le=3650, description="null: until it is revoked")] | None = 30
    password: Annotated[str, Meta(max_length=128, description="at least 9 characters, not easy to guess; or none")] = ""
    for_whom: Annotated[str, Meta(max_length=200)] = ""
    comment: Annotated[bool, Meta(description="whoever holds it may comment")] = False


class NewLink(NewLinkToRead, forbid_unknown_fields=True):
    redact: Annotated[bool, Meta(description="names are pseudonyms")] = False
    sql: Annotated[Literal["off", "shape"], Meta(description="with `redact`: what is left of statements")] = "off"
    tables: Annotated[Literal["declared", "all"], Meta(description="with `redact`: which tables")] = "declared"


class SectionText(Struct, forbid_unknown_fields=True):
    text: Annotated[str, Meta(max_length=20_000)]
    seen: VersionNumber


class Reviewed(Struct, forbid_unknown_fields=True):
    seen: VersionNumber


class Reopened(Struct, forbid_unknown_fields=True):
    reason: Sentence


class Reviewer(Struct, forbid_unknown_fields=True):
    person: Person


class ReviewAnswer(Struct, forbid_unknown_fields=True):
    answer: Literal["signed", "changes"]
    seen: Annotated[str, Meta(max_length=128, description="the digest of what was read")]
    why: Why = ""

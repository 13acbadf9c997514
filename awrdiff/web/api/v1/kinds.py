"""What is sent and answered, as it is described; what is sent is also read by it.

An answer may have more than is named here: whoever reads it leaves aside what they do not know.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal
from uuid import UUID

from msgspec import UNSET, Meta, Struct, UnsetType

from awrdiff.incidents.account import WhatHappened
from awrdiff.incidents.times import SetTime
from awrdiff.web.presenters.incident.given import Listed

State = Literal["pending", "running", "ready", "failed"]
Limit = Annotated[int, Meta(ge=1, le=200, description="1 to 200")]
Cursor = Annotated[str, Meta(pattern=r"^([0-9]{16}\.[0-9a-f]{32})?$", description="of `next`")]
NameCursor = Annotated[str, Meta(pattern="^([0-9a-f]{32})?$", description="of `next`")]
Number = Annotated[str, Meta(pattern="^([1-9][0-9]{0,17})?$", description="of `next`")]
Page = Annotated[str, Meta(description="the path of its page, for people")]
Id = Annotated[UUID, Meta(description="its id")]


class Problem(Struct):
    """Why it was not done (RFC 9457)."""

    type: str
    title: str
    status: int
    detail: Annotated[str, Meta(description="a sentence for people")]


class ListQuery(Struct, forbid_unknown_fields=True):
    limit: Limit = 50
    cursor: Cursor = ""


class DatabasesQuery(Struct, forbid_unknown_fields=True):
    limit: Limit = 50
    cursor: NameCursor = ""


class ReportsQuery(ListQuery, forbid_unknown_fields=True):
    database: Annotated[UUID, Meta(description="the id of a database")] | UnsetType = UNSET
    sha256: Annotated[str, Meta(pattern="^([0-9a-f]{64})?$", description="of a file's bytes")] = ""


class ComparisonsQuery(ListQuery, forbid_unknown_fields=True):
    report: Annotated[UUID, Meta(description="those that this report stands in")] | UnsetType = UNSET


class NewComparison(Struct, forbid_unknown_fields=True):
    reports: Annotated[list[UUID], Meta(min_length=1, max_length=1000, description="ids, first to last")]
    order: Annotated[Literal["given", "time"], Meta(description="`time`: by begin, once all are read")] = "given"
    title: Annotated[str, Meta(max_length=200)] = ""


class PairQuery(Struct, forbid_unknown_fields=True):
    pair: Annotated[
        int, Meta(ge=0, le=999, description="of several reports the first against which: 0 is the second of them")
    ] = 0


class BaselineQuery(Struct, forbid_unknown_fields=True):
    baseline: Annotated[
        str, Meta(max_length=200, pattern="^([0-9]+(,[0-9]+)*)?$", description="places of reports, as `0,1,2`")
    ] = ""
    second: Annotated[int, Meta(ge=0, le=999, description="the place of what is held against it")] | UnsetType = UNSET


class ViewQuery(BaselineQuery, forbid_unknown_fields=True):
    pair: Annotated[int, Meta(ge=0, le=999, description="as of a comparison, where no baseline is named")] = 0


class WholeQuery(BaselineQuery, forbid_unknown_fields=True):
    part: Annotated[Literal["", "summary"], Meta(description="`summary`: without the sections")] = ""


class TrendQuery(Struct, forbid_unknown_fields=True):
    section: Annotated[str, Meta(max_length=120)] = ""
    row: Annotated[str, Meta(max_length=64, description="the id of one row; without it all")] = ""


Moment = Annotated[str, Meta(max_length=40, description="of the database's own clock, as `2024-01-01T10:00`")]


_RANGE = "the latest; all of it. Not said: `week` of figures, `all` of a statement or an event"


class SpanQuery(Struct, forbid_unknown_fields=True, rename={"begin": "from", "end": "to"}):
    range: Annotated[Literal["", "day", "week", "month", "all"], Meta(description=_RANGE)] = ""
    begin: Moment = ""
    end: Moment = ""
    course: Annotated[str, Meta(max_length=200, description="of `courses`: one instance of several")] = ""


class FiguresQuery(SpanQuery, forbid_unknown_fields=True, rename={"begin": "from", "end": "to"}):
    metrics: Annotated[str, Meta(max_length=400, description="ids of reference/metrics.md, up to four, by commas")] = ""
    metric: Annotated[str, Meta(max_length=100, description="one of them")] = ""


class ThreadsQuery(Struct, forbid_unknown_fields=True):
    anchor: Annotated[str, Meta(max_length=400, description="those about one place")] = ""


class IncidentsQuery(ListQuery, forbid_unknown_fields=True):
    status: Literal["", "unresolved", "open", "mitigated", "resolved", "reviewed"] = ""
    severity: Annotated[int, Meta(ge=1, le=4)] | UnsetType = UNSET
    tag: Annotated[str, Meta(max_length=200, pattern="^[^\\x00]*$")] = ""


class ActionsQuery(Struct, forbid_unknown_fields=True):
    limit: Limit = 50
    cursor: Number = ""
    state: Annotated[Literal["", "open", "done", "dropped"], Meta(description="without it all")] = ""
    mine: Annotated[bool, Meta(description="one's own alone")] = False


class AuditQuery(Struct, forbid_unknown_fields=True):
    limit: Limit = 50
    cursor: Number = ""
    who: Annotated[str, Meta(max_length=50, pattern="^[^\\x00]*$")] = ""
    action: Annotated[str, Meta(max_length=50, pattern="^[^\\x00]*$")] = ""
    kind: Annotated[str, Meta(max_length=50, pattern="^[^\\x00]*$", description="of thing")] = ""
    thing: Annotated[str, Meta(max_length=50, pattern="^[^\\x00]*$", description="its id")] = ""


class Sent(Struct):
    id: Id
    state: State
    url: Annotated[Page | None, Meta(description="null for a token that may not read")]


class Refused(Struct):
    name: str
    error: str


class SentFiles(Struct):
    """Of an archive of several files."""

    reports: list[Sent]
    refused: list[Refused]
    left_out: list[Refused]


class ListedReport(Struct):
    id: Id
    name: str
    state: State
    error: str | None
    sha256: str
    url: Page | None
    created_at: str
    kind: Annotated[str | None, Meta(description="null until it is read, as all that follows")]
    release: str | None
    database: str | None
    dbid: str | None
    instance: str | None
    host: str | None
    begin: str | None
    end: str | None


class Report(Struct):
    id: Id
    name: str
    state: State
    error: str | None
    error_code: str | None
    sha256: str
    url: Page | None
    header: Annotated[dict[str, Any] | None, Meta(description="as `python -m parsers` prints it")]
    issues: list[dict[str, Any]]
    verdict: Any
    findings: Annotated[list[dict[str, Any]] | None, Meta(description="of the one report; null before it is read")]
    parts: list[dict[str, Any]]
    sections: list[dict[str, Any]]


class ListedComparison(Struct):
    id: Id
    title: str
    state: State
    error: str | None
    url: Page
    created_at: str
    reports: Annotated[list[UUID], Meta(description="first to last, LGWR traces after them")]


class MadeComparison(Struct):
    id: Id
    state: State
    url: Page


class Comparison(Struct):
    id: Id
    title: str
    state: State
    stage: Annotated[Any, Meta(description="how far it has come")]
    error: str | None
    error_code: str | None
    url: Page
    pair: int
    headers: Annotated[
        list[dict[str, Any]] | None,
        Meta(description="of both reports of the pair, of the instance or period compared; null until it is ready"),
    ]
    summary: Annotated[str | None, Meta(description="what changed, in a paragraph; null until it is ready")]
    findings: Annotated[
        list[dict[str, Any]] | None,
        Meta(description="as in the document of `manage.py compare`; null until it is ready"),
    ]
    warnings: Annotated[list[dict[str, Any]] | None, Meta(description="why the two are hardly comparable")]
    ranked: Annotated[dict[str, Any] | None, Meta(description="what got worse and better; as in that document")]
    reports: list[dict[str, Any]]
    traces: list[dict[str, Any]]


class Database(Struct):
    id: Annotated[UUID, Meta(description="opaque; stays as long as the name does")]
    name: str
    reports: int
    unread: Annotated[int, Meta(description="of the reports could not be read")]
    comparisons: int
    latest: Annotated[str, Meta(description="when the last of these was made")]
    url: Page


class Reports(Struct):
    items: list[ListedReport]
    next: str | None


class Comparisons(Struct):
    items: list[ListedComparison]
    next: str | None


class Databases(Struct):
    items: list[Database]
    next: str | None


Document = dict[str, Any]


class Section(Struct):
    id: str
    title: str
    columns: list[Document]
    rows: Annotated[list[Document], Meta(description="all of them")]


class Entity(Struct):
    """What is printed of one statement, event, object …; docs/entities.md has the kinds and their keys."""

    kind: str
    key: str
    sections: list[Document]


class Trend(Struct):
    section: str
    reports: list[Document]
    columns: list[Document]
    rows: Annotated[list[Document], Meta(description="values in the order of `reports`; null is not printed")]


class History(Struct):
    """Figures are in base units; null is not known, never 0."""

    database: Id
    course: str
    courses: list[Document]
    left_out: Annotated[bool, Meta(description="there are earlier reports, which were not read")]
    reports: Annotated[list[Document], Meta(description="in the order of time; `state` says whether it is listed")]


class Figures(Struct):
    """Figures are in base units; null is not printed, never 0."""

    database: Id
    course: str
    courses: list[Document]
    left_out: Annotated[bool, Meta(description="there are earlier reports, which were not read")]
    metrics: Annotated[list[Document], Meta(description="each with the steps of its level")]
    reports: Annotated[list[Document], Meta(description="in the order of time: values, and what is normal at the hour")]


class Whole(Struct):
    """docs/schemas has it: of a comparison, or of one against a baseline."""

    schema: str
    reports: list[Document]


class Threads(Struct):
    items: list[Document]
    next: None


class Thread(Struct):
    id: int
    said: list[Document]


class Verdicts(Struct):
    items: list[Listed]
    next: None


class ListedLink(Struct):
    id: Id
    shows: str
    live: bool
    redacted: bool
    expires_at: str | None


class Links(Struct):
    items: list[ListedLink]
    next: str | None


class ListedIncident(Struct):
    id: Id
    title: str
    url: Page
    severity: int
    status: str
    tags: list[str]


class Incidents(Struct):
    items: list[ListedIncident]
    next: str | None


class Incident(Struct):
    id: Id
    title: str
    status: str
    timeline: list[Document]
    comparisons: list[Document]
    what_happened: WhatHappened
    times: list[SetTime]


class Evidence(Struct):
    items: Annotated[list[Document], Meta(description="figures as they were, and as they are now")]
    next: None


class Postmortem(Struct):
    incident: Any
    state: Literal["draft", "reviewed"]
    sections: list[Document]


class Made(Struct):
    """`id` is that of the new row; an incident's is a UUID, those of what hangs on it are numbers."""

    id: UUID | int
    url: Page


class Actions(Struct):
    items: Annotated[list[Document], Meta(description="each with its incident, and the `version` to change it by")]
    next: str | None


class Pins(Struct):
    items: list[Document]
    next: None


class Pin(Struct):
    id: int
    anchor: str


class People(Struct):
    items: Annotated[list[Document], Meta(description="id, name, email and role of each")]
    next: None


class Audit(Struct):
    items: list[Document]
    next: str | None


class LinksOfOne(Struct):
    items: list[ListedLink]
    next: None


class MadeLink(Struct):
    id: Id
    url: Annotated[str, Meta(description="told now, and never again")]
    expires_at: str | None
    redacted: bool


class SavedSection(Struct):
    id: str
    text: str
    number: Annotated[int, Meta(description="of its version, for `seen`")]
    by_hand: bool


class TalkedOf(Struct):
    """The thread as it is now; `comment` is what was just written."""

    id: int
    comment: int | UnsetType = UNSET

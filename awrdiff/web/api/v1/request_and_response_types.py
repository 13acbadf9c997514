"""Requests and answers as described in OpenAPI. Answers may have further fields, which clients ignore."""

from __future__ import annotations

from typing import Annotated, Any, Literal
from uuid import UUID

from msgspec import UNSET, Meta, Struct, UnsetType, defstruct

from awrdiff.analysis.model.comparison import Warning_
from awrdiff.web.api.sharing import LinkDocument
from awrdiff.web.api.v1 import analysis_responses
from awrdiff.web.api.v1.analysis_responses import ComparedFigure, Finding, Ids, IsThere, Names, ReportSection, Section
from awrdiff.web.presenters.database.statement_and_event_history import EventReport, StatementReport
from awrdiff.web.presenters.incident.finding_verdicts import Listed
from awrdiff.web.presenters.incident.json_types import Id, Page
from awrdiff.web.presenters.page.audit import AuditRecord
from awrdiff.web.presenters.page.members_tokens_and_teams import Person
from awrdiff.web.presenters.page.pins import PinLine
from awrdiff.web.presenters.threads.list_lines_and_marks import ThreadLine

State = Literal["pending", "running", "ready", "failed"]
Limit = Annotated[int, Meta(ge=1, le=200, description="1 to 200")]
Cursor = Annotated[str, Meta(pattern=r"^([0-9]{16}\.[0-9a-f]{32})?$", description="of `next`")]
NameCursor = Annotated[str, Meta(pattern="^([0-9a-f]{32})?$", description="of `next`")]
Number = Annotated[str, Meta(pattern="^([1-9][0-9]{0,17})?$", description="of `next`")]


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


_Way = Annotated[int, Meta(ge=0, le=999, description="100: of two reports the other way round; else all is told")]


class WholeQuery(BaselineQuery, forbid_unknown_fields=True):
    part: Annotated[Literal["", "summary"], Meta(description="`summary`: without the sections")] = ""
    pair: _Way = 0


class TrendQuery(Struct, forbid_unknown_fields=True):
    section: Annotated[str, Meta(max_length=120)] = ""
    row: Annotated[str, Meta(max_length=64, description="the id of one row; without it all")] = ""
    pair: Annotated[int, Meta(ge=0, le=999, description="of the page that asks: every report is told")] = 0


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
    pair: Annotated[int, Meta(ge=0, le=999, description="of the page that asks: those of all are told")] = 0


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
    name: str
    stage: Annotated[str, Meta(description="how far reading has come")]
    error: str | None
    error_code: str | None
    renewal: Annotated[str | None, Meta(description="why it is, or should be, read again")]
    size: Annotated[int | None, Meta(description="in bytes; null of a copy without names")]
    sha256: str


class PlacedReport(Sent):
    aspect: Annotated[str, Meta(description="part of the report that is compared")]


class ReportLink(Struct):
    id: Id
    name: str
    url: Page | None


class StoredSection(Struct):
    id: str
    title: str
    known: bool
    rows: int


class Refused(Struct):
    name: str
    error: str


class SentFiles(Struct):
    """From an archive of several files."""

    reports: list[Sent]
    refused: list[Refused]
    left_out: list[Refused]


class ListedReport(Sent):
    created_at: str
    kind: Annotated[str | None, Meta(description="null until it is read, as all that follows")]
    release: str | None
    database: str | None
    dbid: str | None
    instance: str | None
    host: str | None
    begin: str | None
    end: str | None


class Report(Sent):
    said: Annotated[str | None, Meta(description="what the file turned out to be; null before it is read")]
    parts: Annotated[list[ReportLink], Meta(description="of a file of several reports")]
    header: analysis_responses.Header | None
    issues: list[analysis_responses.ReportIssue]
    verdict: str | None
    findings: Annotated[list[analysis_responses.SingleFinding] | None, Meta(description="null before it is read")]
    unchecked: list[analysis_responses.Unchecked] | None
    traces: list[ReportLink]
    sections: list[StoredSection]


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


class SectionSummary(Struct):
    id: str
    title: str
    family: str
    rows: int
    changed: int
    url: Page


class ComparisonState(Struct):
    id: Id
    title: str
    state: State
    stage: Annotated[str, Meta(description="how far it has come")]
    error: str | None
    error_code: str | None
    renewal: str | None
    url: Page
    reports: list[PlacedReport]
    traces: list[Sent]
    sections: Annotated[list[SectionSummary], Meta(description="once it is ready")] | UnsetType = UNSET


class Comparison(ComparisonState, kw_only=True):
    """`headers`, `summary`, `findings`, `warnings`, `ranked`: null until it is ready."""

    pair: int
    headers: list[analysis_responses.Header] | None
    summary: Annotated[str | None, Meta(description="what changed, in a paragraph")]
    findings: list[analysis_responses.JudgedFinding] | None
    warnings: Annotated[list[Warning_] | None, Meta(description="why the two are hardly comparable")]
    ranked: Annotated[analysis_responses.RankedChanges | None, Meta(description="what got worse and better")]


class Database(Struct):
    id: Annotated[UUID, Meta(description="opaque; stays as long as the name does")]
    name: str
    reports: int
    unread: Annotated[int, Meta(description="of the reports could not be read")]
    comparisons: int
    latest: Annotated[str, Meta(description="when the last of these was made")]
    url: Page


class TrendParameter(Struct):
    name: str
    before: str | None
    after: str | None


class TrendReport(Struct):
    place: int
    name: str
    begin: str | None
    end: str | None
    restarted: list[str]
    parameters: Annotated[list[TrendParameter], Meta(description="changed since the report before")]


class TrendRow(Struct):
    """Values in the order of `reports`; null is not printed."""

    id: str
    key: dict[str, str]
    unit: str | None
    values: dict[str, list[analysis_responses.Cell]]
    per_s: dict[str, list[float | None]]


class Trend(Struct):
    section: str
    title: str
    reports: list[TrendReport]
    by_time: Annotated[list[int], Meta(description="places in the order of time")]
    columns: list[analysis_responses.ReportColumn]
    rows: list[TrendRow]


class Course(Struct):
    id: str
    name: str


class History(Struct):
    """Figures in base units; null is unknown, never 0."""

    database: Id
    course: str
    courses: list[Course]
    left_out: Annotated[bool, Meta(description="there are earlier reports, which were not read")]


class StatementHistory(History):
    statement: str
    reports: list[StatementReport]


class EventHistory(History):
    event: str
    reports: list[EventReport]


class MetricStep(Struct):
    begin: str
    seen: str
    factor: float | None
    returns: bool


class Metric(Struct):
    id: str
    title: str
    unit: str
    better: str
    steps: Annotated[list[MetricStep], Meta(description="of its level")]


class NormalFigure(Struct):
    median: float
    deviation: float
    of: Annotated[int, Meta(description="reports that say so")]
    by: str


class MetricReport(Struct):
    """Values, and what is normal at the hour."""

    reports: list[UUID]
    begin: str
    end: str
    instances: Annotated[tuple[int, int], Meta(description="with a report, of how many")]
    values: dict[str, float | None]
    normal: dict[str, NormalFigure | None]


class MetricsHistory(History):
    """Figures in base units; null is not printed, never 0."""

    metrics: list[Metric]
    reports: Annotated[list[MetricReport], Meta(description="in the order of time")]


class Made(Struct):
    """`id`: of the new row; a UUID for an incident, a number for its parts."""

    id: UUID | int
    url: Page


class MadeEvidence(Made):
    title: str


class SavedSection(Struct):
    id: str
    text: str
    number: Annotated[int, Meta(description="of its version, for `seen`")]
    by_hand: bool


class ReportEntity(Struct):
    """One statement, event, object … in a report."""

    kind: str
    key: str
    sections: list[ReportSection]


class EntitySection(Section, kw_only=True):
    rows_left_out: int


class StatementSide(Struct):
    ids: list[str]
    listed_in: list[str]
    text: str | None
    text_is_cut: bool
    plan_hashes: list[str]
    sampled_waits_pct: dict[str, float]


class StatementFigure(ComparedFigure, kw_only=True):
    id: str
    unit: str | None
    better: str
    per_execution: ComparedFigure | None
    partial: IsThere
    printed_in: Names


class StatementDocument(Struct):
    pdb: str | None
    ids_added_up: bool
    modules: list[str]
    plsql: bool
    first: StatementSide | None
    second: StatementSide | None
    texts_differ: bool
    figures: list[StatementFigure]


class Entity(Struct):
    """The same entity in both reports."""

    kind: str
    key: str
    listed: IsThere
    sections: list[EntitySection]
    mentions: list[EntitySection]
    findings: list[Finding]
    cited_by: list[Finding]
    ids: Ids | UnsetType = UNSET
    statements: list[StatementDocument] | UnsetType = UNSET
    named_by: list[str] | UnsetType = UNSET


def _list_of(name: str, item: type[Struct], following: Any) -> type[Struct]:
    return defstruct(name, [("items", list[item]), ("next", following)], module=__name__)  # type: ignore[valid-type]


# Lists by pages, whose next is an address or null.
Reports = _list_of("Reports", ListedReport, str | None)
Comparisons = _list_of("Comparisons", ListedComparison, str | None)
Databases = _list_of("Databases", Database, str | None)
Links = _list_of("Links", LinkDocument, str | None)
Audit = _list_of("Audit", AuditRecord, str | None)
# Lists that are always whole.
Threads = _list_of("Threads", ThreadLine, None)
Verdicts = _list_of("Verdicts", Listed, None)
Pins = _list_of("Pins", PinLine, None)
People = _list_of("People", Person, None)
LinksOfOne = _list_of("LinksOfOne", LinkDocument, None)

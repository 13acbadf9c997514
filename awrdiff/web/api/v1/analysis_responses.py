"""Answers of /api/v1 with analysis results; docs/schemas describes them in files."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from awrdiff.analysis.model.ash_activity import SampledKind
from awrdiff.analysis.model.commit_latency import Cause as CommitCause
from awrdiff.analysis.model.commit_latency import CommitFigures, CommitSplit, Unsettled, WhatIf
from awrdiff.analysis.model.comparison import (
    Commonality,
    FoldedBecause,
    OracleCheck,
    RuleOutcome,
    Severity,
    Warning_,
)
from awrdiff.analysis.model.diagnosis import Cause, State, Trouble
from awrdiff.analysis.model.estimates_and_evidence import Estimate, Evidence
from awrdiff.analysis.model.lgwr_traces import CommitEvents
from awrdiff.analysis.model.ranked_changes import Setting, Subject, SubjectKind, Tone, View

Cell = Annotated[
    str | float | None, Meta(description="base units: s, bytes, counts, percent; null: not printed, 0: printed zero")
]
Moment = Annotated[str | None, Meta(description="ISO 8601, the database's own wall clock, without a zone")]
Coverage = Annotated[
    Literal["top", "nonzero", "all"],
    Meta(description="top: a row that is missing is unknown; nonzero: it was zero; all: it is not there"),
]
Bounds = Annotated[tuple[float, float] | None, Meta(description="active sessions, lowest and highest")]


class Figures(Struct):
    first: float | None
    second: float | None


class Counts(Struct):
    first: int | None
    second: int | None


class Ranges(Struct):
    first: Bounds
    second: Bounds


class IsThere(Struct):
    first: bool
    second: bool


class Names(Struct):
    first: str | None
    second: str | None


class Ids(Struct):
    first: list[str]
    second: list[str]


class Troubles(Struct):
    """Causes of trouble on either side, most sessions first."""

    first: list[Trouble]
    second: list[Trouble]


class HeaderDatabase(Struct):
    name: str | None
    dbid: str | None
    unique_name: str | None
    role: str | None
    edition: str | None
    rac: bool | None
    cdb: bool | None


class HeaderInstance(Struct):
    number: int | None
    name: str | None
    startup: Moment
    host: str | None


class HeaderHost(Struct):
    name: str | None
    platform: str | None
    cpus: int | None
    cores: int | None
    sockets: int | None
    memory_bytes: float | None


class Snapshot(Struct):
    id: int | None
    time: Moment
    sessions: int | None


class Snapshots(Struct):
    begin: Snapshot
    end: Snapshot
    elapsed_s: float | None
    db_time_s: float | None


class Header(Struct):
    """As `python -m parsers` prints it."""

    schema: str
    file: str
    kind: str
    format: str
    encoding: str
    release: str | None
    database: HeaderDatabase
    instances: list[HeaderInstance]
    host: HeaderHost
    snapshots: Snapshots
    source: Annotated[str, Meta(description="the form in which the report came")] = "file"
    partial: Annotated[bool, Meta(description="an excerpt")] = False


class ReportIssue(Struct):
    code: str
    section: str | None
    line: int | None
    text: str


class ReportColumn(Struct):
    id: str
    label: str
    unit: str | None


class ReportSection(Struct):
    """Rows by column id; `unit` if a row's label has its own."""

    id: str
    title: str
    known: Annotated[bool, Meta(description="false: no section declares this table")]
    coverage: Coverage
    notes: list[str]
    columns: list[ReportColumn]
    rows: list[dict[str, Cell]]


class ComparedColumn(ReportColumn):
    better: Literal["lower", "higher", "neither"]


class PlaceInBaseline(Struct):
    """Distribution of the figure in the baseline's reports, and Second's position; texts have `alike` only."""

    per_s: bool | UnsetType = UNSET
    median: Annotated[float | None, Meta(description="null: below what is printed")] | UnsetType = UNSET
    low: float | UnsetType | None = UNSET
    high: float | UnsetType | None = UNSET
    printed: int | UnsetType = UNSET
    of: int | UnsetType = UNSET
    place: Literal["above", "below", "inside"] | UnsetType | None = UNSET
    higher_than: int | UnsetType | None = UNSET
    z: Annotated[float | None, Meta(description="robust z-score, from five reports on")] | UnsetType = UNSET
    alike: Annotated[int, Meta(description="how many reports print the same text")] | UnsetType = UNSET


class ComparedFigure(Struct):
    first: Cell
    second: Cell
    diff: float | None
    pct: Annotated[float | None, Meta(description="null where first is 0 or missing, and of percentages")]
    significant: Annotated[bool, Meta(description="the printed intervals do not overlap")]
    first_per_s: float | UnsetType | None = UNSET
    second_per_s: float | UnsetType | None = UNSET
    pct_per_s: float | UnsetType | None = UNSET
    significant_per_s: bool | UnsetType = UNSET
    first_per_txn: float | UnsetType | None = UNSET
    second_per_txn: float | UnsetType | None = UNSET
    pct_per_txn: float | UnsetType | None = UNSET
    baseline: PlaceInBaseline | UnsetType | None = UNSET


class SectionRow(Struct):
    id: str
    key: dict[str, str]
    status: Literal["changed", "same", "only_first", "only_second"]
    minor: Annotated[bool, Meta(description="it changed by less than what counts")]
    weight: Annotated[float | None, Meta(description="in percent of DB time or as much as that; 1000 always counts")]
    idle: bool
    values: dict[str, ComparedFigure]
    unpriced: Annotated[bool, Meta(description="only if true: without a price in DB time")] = False
    unit: str | UnsetType = UNSET
    elsewhere: dict[str, str] | UnsetType = UNSET
    printed: Annotated[int, Meta(description="in how many reports of a baseline")] | UnsetType = UNSET


class ChosenPlaces(Struct):
    """Places of the baseline's reports, and of Second."""

    reports: list[int]
    second: int


class Section(Struct):
    id: str
    title: str
    known: bool
    family: str
    coverage: Coverage
    first_present: bool
    second_present: bool
    first_notes: list[str]
    second_notes: list[str]
    columns: list[ComparedColumn]
    rows: Annotated[list[SectionRow], Meta(description="all of them")]
    baseline: ChosenPlaces | UnsetType = UNSET


class Finding(Struct):
    rule: str
    severity: Severity
    title: str
    text: str
    sessions: Ranges | None
    subject: Subject | None
    tone: Tone
    explains: list[str]
    folded_into: Annotated[str | None, Meta(description="the rule whose finding it stands folded in")]
    folded_because: Annotated[FoldedBecause | None, Meta(description="why it need not be read first")]
    evidence: list[Evidence]


class PersonsVerdict(Struct):
    state: str
    by: str
    at: str
    why: str
    role: str
    explained_by: str
    signed: list[str]
    by_shown: str


class TeamVerdict(PersonsVerdict):
    """The latest verdict; `disputed` unless all who judged agree."""

    team: str
    others: list[PersonsVerdict]


class JudgedFinding(Finding):
    verdict: TeamVerdict | UnsetType = UNSET


class SingleFinding(Struct):
    rule: str
    severity: Severity
    title: str
    text: str
    sessions: Bounds
    subject: Subject | None
    explains: list[str]
    evidence: list[Evidence]


class Unchecked(Struct):
    rule: str
    by: Annotated[str, Meta(description="the table that is missing")]


class ConnectedSubject(Struct):
    kind: SubjectKind
    key: str
    said: str


class RankedMover(Struct):
    subject: Subject
    view: View
    sessions: Ranges
    change: float
    tone: Tone
    about: str
    how: str
    evidence: Evidence | None
    findings: Annotated[list[int], Meta(description="places among those of the comparison")]
    connected: list[ConnectedSubject]


class RankedChanges(Struct):
    """Worse (`change` > 0) and better, largest change of active sessions first."""

    db_time_per_s: Figures
    movers: list[RankedMover]
    settings: list[Setting]


class SlotEvent(Struct):
    event: str
    sessions: float


class Slot(Struct):
    number: int
    clock: str
    begin_s: float
    length_s: float
    sessions: float
    events: list[SlotEvent]


class ActivityOverTime(Struct):
    joined: bool
    first: list[Slot]
    second: list[Slot]


class SampledLine(Struct):
    key: str
    beside: str
    first: Bounds
    second: Bounds
    certain: bool
    section: str
    row_id: str


class SampledLines(Struct):
    kind: SampledKind
    rows: list[SampledLine]


class SampledReports(Struct):
    active_sessions: Ranges
    samples: Counts
    lists: list[SampledLines]


class AnswerDocument(Struct):
    state: State
    headline: str
    detail: str
    cause: Cause | None
    not_the_cause: list[str]
    findings: list[int]
    improvement: str
    troubles: Troubles


class AttributionPart(Struct):
    key: str
    wait_class: str | None
    first_per_s: float | None
    second_per_s: float | None
    diff_per_s: float | None
    by_count_per_s: float | None
    by_latency_per_s: float | None
    first_avg_s: float | None
    second_avg_s: float | None
    row_id: str | None


class AttributedTime(Struct):
    db_time_per_s: Figures
    parts: list[AttributionPart]
    residual_per_s: float | None
    covered: Figures


class CatalogueFigure(Struct):
    label: str
    unit: str
    derived: str
    rows: list[str]
    better: str


class CatalogueStage(Struct):
    label: str
    derived: str


class Catalogue(Struct):
    figures: dict[str, CatalogueFigure]
    stages: dict[str, CatalogueStage]


class Commits(Struct):
    """Times in seconds, sizes in bytes, shares of 1; null: the report lacks an input."""

    lead: str
    reports: list[CommitFigures]
    instances: list[list[CommitFigures]]
    change: dict[str, Estimate | None]
    split: CommitSplit
    causes: list[CommitCause]
    unsettled: list[Unsettled]
    what_if: WhatIf
    material: bool
    not_material: str
    events: CommitEvents | None
    catalogue: Catalogue


class PairDocument(Struct):
    """Everything of a pair."""

    warnings: list[Warning_]
    summary: str
    attribution: AttributedTime | None
    commit_latency: Commits
    findings: list[JudgedFinding]
    rules: list[RuleOutcome]
    ranked: RankedChanges | None
    activity: ActivityOverTime | None
    sampled: SampledReports | None
    commonality: Commonality | None
    answer: AnswerDocument
    oracle_check: OracleCheck | UnsetType = UNSET
    sections: Annotated[list[Section], Meta(description="without `part=summary`")] | UnsetType = UNSET


class OfSeveral(PairDocument, kw_only=True):
    first: int
    second: int


class WholeComparison(PairDocument, kw_only=True):
    schema: str
    awrdiff_version: str
    reports: list[Header]
    pairs: Annotated[list[OfSeveral], Meta(description="of more than two reports")] | UnsetType = UNSET


class UnlikeReport(Struct):
    report: int
    why: list[str]


class WholeBaseline(Struct):
    """`median` and what follows is left out of reports too large to be loaded at once."""

    schema: str
    awrdiff_version: str
    reports: list[Header]
    baseline: list[int]
    second: int
    unlike: list[UnlikeReport]
    summary: str
    median: str | UnsetType | None = UNSET
    warnings: list[Warning_] | UnsetType = UNSET
    attribution: AttributedTime | UnsetType | None = UNSET
    commit_latency: Commits | UnsetType = UNSET
    findings: list[JudgedFinding] | UnsetType = UNSET
    rules: list[RuleOutcome] | UnsetType = UNSET
    ranked: RankedChanges | UnsetType | None = UNSET
    activity: ActivityOverTime | UnsetType | None = UNSET
    sampled: SampledReports | UnsetType | None = UNSET
    commonality: Commonality | UnsetType | None = UNSET
    answer: AnswerDocument | UnsetType = UNSET
    sections: list[Section] | UnsetType = UNSET

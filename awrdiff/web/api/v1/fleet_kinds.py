"""Query and answer of the fleet: all databases by deviation from their normal."""

from __future__ import annotations

from typing import Annotated, Literal
from uuid import UUID

from msgspec import Meta, Struct

from awrdiff.analysis.normal.baseline import By
from awrdiff.web.api.v1.kinds import Page


class FleetQuery(Struct, forbid_unknown_fields=True):
    within: Annotated[Literal["24h", "7d"], Meta(description="the last hours, by each database's clock")] = "24h"
    since: Annotated[str, Meta(max_length=32, description="with `until` instead: moments without a zone")] = ""
    until: Annotated[str, Meta(max_length=32, description="at most 14 days later")] = ""
    tag: Annotated[str, Meta(max_length=40, pattern="^[^\\x00]*$")] = ""
    release: Annotated[str, Meta(max_length=40, pattern="^[^\\x00]*$")] = ""
    q: Annotated[str, Meta(max_length=200, pattern="^[^\\x00]*$", description="words of name, DBID or tags")] = ""
    page: Annotated[int, Meta(ge=1, le=99_999, description="of 30")] = 1


class FleetPart(Struct):
    kind: Literal["cpu", "event", "wait class", "statement", "phase"]
    name: str
    above: Annotated[float, Meta(description="active sessions above its own normal")]
    at_least: Annotated[bool, Meta(description="others do not list it: it may be more")]


class FleetWorst(Struct):
    report: UUID
    instance: Annotated[str | None, Meta(description="null of all together")]
    begin: str
    sessions: Annotated[float | None, Meta(description="active on average; null where its figures cannot be read")]
    normal: float
    above: float
    deviations: float
    of: Annotated[int, Meta(description="reports that say what is normal")]
    by: Annotated[By, Meta(description="of which hours these are: of the day, on days like it; around, on days before")]
    alarm: bool
    nearest: Annotated[UUID | None, Meta(description="the report nearest to their median; it may be deleted since")]
    parts: list[FleetPart]


class FleetHour(Struct):
    begin: str
    sessions: Annotated[float | None, Meta(description="null where the report prints no DB time")]
    normal: Annotated[float | None, Meta(description="null with fewer than five reports before")]
    deviation: float | None
    alarm: bool


class SilentInstance(Struct):
    instance: str
    since: Annotated[str, Meta(description="by the database's own clock")]


class FleetDatabase(Struct):
    id: UUID
    name: str
    dbid: str | None
    tags: list[str]
    release: str | None
    reports: Annotated[int, Meta(description="that began in this time")]
    alarms: int
    overdue: Annotated[bool, Meta(description="no report came for longer than usual")]
    silent: Annotated[list[SilentInstance], Meta(description="while others of the database have reports")]
    lacking: Annotated[str | None, Meta(description="why nothing could be told of it")]
    last_end: Annotated[str | None, Meta(description="of its latest window, by its own clock")]
    worst: FleetWorst | None
    hours: list[FleetHour]
    url: Page


class OverdueDatabase(Struct):
    id: UUID
    name: str
    since: Annotated[str | None, Meta(description="end of its latest window, by its own clock")]
    every_s: float | None
    instances: Annotated[list[SilentInstance], Meta(description="where it is these alone")]


class FailedReport(Struct):
    id: UUID
    name: str
    error: str


class Fleet(Struct):
    items: Annotated[list[FleetDatabase], Meta(description="what changed most first, alarms before all")]
    page: int
    pages: int
    databases: int
    judged: Annotated[int, Meta(description="of which it could be told")]
    not_judged: Annotated[dict[str, int], Meta(description="how many of the others, by what is lacking")]
    alarmed: int
    overdue: list[OverdueDatabase]
    failed: Annotated[list[FailedReport], Meta(description="the latest five that could not be read")]
    failed_count: int
    reading: Annotated[int, Meta(description="files that came and are not read yet")]

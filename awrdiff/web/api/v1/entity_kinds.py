"""Statements, events, objects … in reports; docs/entities.md has the kinds and their keys."""

from __future__ import annotations

from msgspec import UNSET, Struct, UnsetType

from awrdiff.web.api.v1.documents import ComparedFigure, Finding, Ids, IsThere, Names, ReportSection, Section


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

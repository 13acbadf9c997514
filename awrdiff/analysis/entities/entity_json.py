"""An entity with all its rows, as plain data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from awrdiff.analysis.entities.statement import JoinedFigure
from awrdiff.analysis.entities.two_report_entity import Entity, SectionRows, statements_naming
from awrdiff.analysis.export.comparison_json import delta_dict, section_parts
from awrdiff.analysis.export.json_encoding import published, whole
from awrdiff.analysis.report.sql_statements import Statement


def as_dict(subject: Entity) -> dict[str, Any]:
    document: dict[str, Any] = {
        "kind": subject.kind.id,
        "key": subject.name,
        "listed": {"first": subject.first, "second": subject.second},
        "sections": [_part(p) for p in subject.parts],
        "mentions": [_part(p) for p in subject.mentions],
        "findings": [published(f) for f in subject.findings],
        "cited_by": [published(f) for f in subject.cited],
    }
    if subject.ids is not None:
        document["ids"] = {"first": list(subject.ids.first), "second": list(subject.ids.second)}
        document["statements"] = [
            {
                "pdb": s.pdb or None,
                "ids_added_up": s.added,
                "modules": list(s.modules),
                "plsql": s.is_plsql,
                "first": _side(s.first),
                "second": _side(s.second),
                "texts_differ": s.texts_differ,
                "figures": [_figure(f) for f in s.figures],
            }
            for s in subject.statements
        ]
    if naming := statements_naming(subject):
        document["named_by"] = [ref.key for ref in naming]
    return document


def _part(part: SectionRows) -> dict[str, Any]:
    document: dict[str, Any] = whole(section_parts(part.section))
    return {**document, "rows_left_out": part.left_out}


def _side(side: Statement | None) -> dict[str, Any] | None:
    if side is None:
        return None
    return {
        "ids": list(side.all_ids),
        "listed_in": list(side.listed_in),
        "text": side.text or None,
        "text_is_cut": side.text_is_cut,
        "plan_hashes": list(side.plan_hashes),
        "sampled_waits_pct": dict(side.waits),
    }


def _figure(figure: JoinedFigure) -> Mapping[str, Any]:
    per = figure.per_execution
    alone = per.first is None and per.second is None
    return {
        "id": figure.column.id,
        "unit": figure.column.unit,
        "better": figure.column.better,
        **delta_dict(figure.total),
        "per_execution": None if alone else delta_dict(per),
        "partial": {"first": figure.partial[0], "second": figure.partial[1]},
        "printed_in": {"first": figure.first_from or None, "second": figure.second_from or None},
    }

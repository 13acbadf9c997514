"""The JSON Schemas in docs/schemas describe what is printed: all of it, and nothing that is not there."""

from __future__ import annotations

import json
import re
from collections.abc import Hashable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator, ValidationError
from referencing import Registry
from referencing.jsonschema import DRAFT202012

from awrdiff.analysis.baseline.report_vs_median import compare_with_median
from awrdiff.analysis.baseline.section_vs_median import BaselineSelection
from awrdiff.analysis.baseline.whole_report_comparison import baseline_reading
from awrdiff.analysis.commit_latency import commit_latency
from awrdiff.analysis.commit_latency.sla import slas_of_reports
from awrdiff.analysis.compare import compare_all
from awrdiff.analysis.export.baseline import baseline_parts
from awrdiff.analysis.export.comparison_json import as_dict_of_all
from awrdiff.analysis.export.json_encoding import whole
from awrdiff.analysis.export.single_report import as_dict as as_single
from awrdiff.analysis.model.lgwr_traces import split_traces
from awrdiff.analysis.oracle_compare import is_compare
from awrdiff.analysis.report.figures_by_name import Side
from awrdiff.analysis.report_scopes import ready_comparison
from awrdiff.analysis.single_report import assess_side
from fixtures.stories import series
from fixtures.writer import LAYOUT_19, write
from parsers import Report, parse_report
from tests.harness import corpus as real

ROOT = Path(__file__).resolve().parents[2]
CASES = sorted(p for p in (ROOT / "fixtures" / "cases").iterdir() if p.is_dir())


def closed(schema: Any) -> Any:
    """The schema as strict as it can be: what it does not describe is a mistake of the schema."""
    if isinstance(schema, list):
        return [closed(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    made = {name: closed(part) for name, part in schema.items()}
    if "properties" in schema and "type" in schema:
        made["additionalProperties"] = False
    return made


@cache
def validator(name: str) -> Draft202012Validator:
    """Schemas refer to each other by the names of their files."""
    files = {path.name: json.loads(path.read_text()) for path in (ROOT / "docs" / "schemas").iterdir()}
    for schema in files.values():
        Draft202012Validator.check_schema(schema)
    strict = {file: closed(schema) for file, schema in files.items()}
    resources = [(file, DRAFT202012.create_resource(schema)) for file, schema in strict.items()]
    return Draft202012Validator(strict[f"{name}.schema.json"], registry=Registry().with_resources(resources))


def printed(document: dict[str, Any]) -> Any:
    return json.loads(json.dumps(document, allow_nan=False))


@cache
def choices() -> set[str]:
    """Texts that a schema tells apart."""
    texts = "".join(path.read_text() for path in (ROOT / "docs" / "schemas").iterdir())
    return {text for listed in re.findall(r'"enum": (\[[^]]*\])', texts) for text in json.loads(listed) if text}


def shape(value: Any) -> Hashable:
    """All that a schema may tell apart."""
    if isinstance(value, dict):
        return tuple((name, shape(part)) for name, part in value.items())
    if isinstance(value, list):
        return min(len(value), 3), frozenset(map(shape, value))
    if isinstance(value, str):
        return value if value in choices() else "text"
    return type(value).__name__, isinstance(value, int | float) and value < 0


def distinct(value: Any) -> Any:
    """The document with the first of the objects of a list that are alike to a schema."""
    if isinstance(value, dict):
        return {name: distinct(part) for name, part in value.items()}
    if isinstance(value, list) and value and all(isinstance(part, dict) for part in value):
        firsts: dict[Hashable, Any] = {}
        for part in value:
            firsts.setdefault(shape(part), part)
        return [distinct(part) for part in firsts.values()]
    return value


def reports_of(folder: Path) -> list[Report]:
    files = [p for p in sorted(folder.iterdir()) if p.suffix in (".html", ".txt", ".trc")]
    return [parse_report(p.read_bytes(), name=p.name) for p in files]


def single_of(report: Report) -> Any:
    side = Side(report)
    latency = commit_latency((side,))
    return printed(as_single(side, assess_side(side, latency), latency, slas_of_reports(latency, 0.01)))


@pytest.mark.parametrize("case", CASES, ids=lambda p: p.name)
def test_a_case_is_as_the_schemas_say(case: Path):
    reports = reports_of(case)
    for report in reports:
        validator("report").validate(printed(report.as_dict()))
        validator("single").validate(single_of(report))
    alone, traces = split_traces(reports)
    if len(alone) > 1:
        validator("comparison").validate(printed(as_dict_of_all(compare_all(alone, traces))))


def test_a_baseline_is_as_the_schema_says():
    reports = [parse_report(write(series.monday(n), LAYOUT_19), name=f"monday-{n}.html") for n in (0, 1, series.ODD)]
    computed = compare_with_median(reports[:2], reports[2])
    document = printed(whole(baseline_parts(baseline_reading(reports, BaselineSelection((0, 1), 2), computed))))
    assert document["summary"] == computed.summary
    validator("baseline").validate(document)
    with pytest.raises(ValidationError, match="more"):
        validator("baseline").validate({**document, "more": 1})


def test_what_is_not_described_is_noticed():
    report = printed(reports_of(CASES[0])[0].as_dict())
    with pytest.raises(ValidationError, match="more"):
        validator("report").validate({**report, "more": 1})
    with pytest.raises(ValidationError, match="kind"):
        validator("report").validate({**report, "kind": "other"})
    with pytest.raises(ValidationError, match="sections"):
        validator("report").validate({k: v for k, v in report.items() if k != "sections"})


def test_one_of_many_objects_that_is_not_described_is_noticed():
    report = printed(reports_of(CASES[0])[0].as_dict())
    section = report["sections"][-1]
    columns = section["columns"]
    assert len(distinct(columns)) < len(columns)
    validator("report").validate(distinct(report))
    for wrong in ({**columns[-1], "more": 1}, {**columns[-1], "id": 1}):
        section["columns"] = [*columns, wrong]
        with pytest.raises(ValidationError, match=r"more|string"):
            validator("report").validate(distinct(report))


@pytest.mark.thorough
@pytest.mark.corpus
def test_real_reports_are_as_the_schemas_say(corpus: Path):
    reports = [real.read(p) for p in sorted(corpus.iterdir()) if p.suffix != ".tsv"]
    assert None not in reports
    for report in reports:
        validator("report").validate(distinct(printed(report.as_dict())))
        validator("single").validate(distinct(single_of(report)))
        if is_compare(report):
            check = validator("comparison")
            check.validate(distinct(printed(as_dict_of_all([ready_comparison(report)]))))
    by_kind: dict[str, list[Report]] = {}
    for report in reports:
        by_kind.setdefault(report.kind, []).append(report)
    for kind in ("awr", "awr_global", "statspack", "ash"):
        validator("comparison").validate(distinct(printed(as_dict_of_all(compare_all(by_kind[kind][:2])))))
    validator("comparison").validate(distinct(printed(as_dict_of_all(compare_all(by_kind["awr"][:3])))))

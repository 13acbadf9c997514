"""The JSON Schemas in docs/schemas describe what is printed: all of it, and nothing that is not there."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator, ValidationError

from awrdiff.analysis.aspects import ready_comparison
from awrdiff.analysis.compare import compare_all
from awrdiff.analysis.export.document import as_dict_of_all
from awrdiff.analysis.model.traces import split_traces
from awrdiff.analysis.oracle_compare import is_compare
from parsers import Report, parse_report

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


def validator(name: str) -> Draft202012Validator:
    schema = json.loads((ROOT / "docs" / "schemas" / f"{name}.schema.json").read_text())
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(closed(schema))


def printed(document: dict[str, Any]) -> Any:
    return json.loads(json.dumps(document, allow_nan=False))


def reports_of(folder: Path) -> list[Report]:
    files = [p for p in sorted(folder.iterdir()) if p.suffix in (".html", ".txt", ".trc")]
    return [parse_report(p.read_bytes(), name=p.name) for p in files]


@pytest.mark.parametrize("case", CASES, ids=lambda p: p.name)
def test_a_case_is_as_the_schemas_say(case: Path):
    reports = reports_of(case)
    for report in reports:
        validator("report").validate(printed(report.as_dict()))
    alone, traces = split_traces(reports)
    if len(alone) > 1:
        validator("comparison").validate(printed(as_dict_of_all(compare_all(alone, traces))))


def test_what_is_not_described_is_noticed():
    report = printed(reports_of(CASES[0])[0].as_dict())
    with pytest.raises(ValidationError, match="more"):
        validator("report").validate({**report, "more": 1})
    with pytest.raises(ValidationError, match="kind"):
        validator("report").validate({**report, "kind": "other"})
    with pytest.raises(ValidationError, match="sections"):
        validator("report").validate({k: v for k, v in report.items() if k != "sections"})


@pytest.mark.corpus
def test_real_reports_are_as_the_schemas_say(corpus: Path):
    reports = [parse_report(p.read_bytes(), name=p.name) for p in sorted(corpus.iterdir()) if p.suffix != ".tsv"]
    for report in reports:
        validator("report").validate(printed(report.as_dict()))
        if is_compare(report):
            check = validator("comparison")
            check.validate(printed(as_dict_of_all([ready_comparison(report)])))
    by_kind: dict[str, list[Report]] = {}
    for report in reports:
        by_kind.setdefault(report.kind, []).append(report)
    for kind in ("awr", "awr_global", "statspack", "ash"):
        validator("comparison").validate(printed(as_dict_of_all(compare_all(by_kind[kind][:2]))))
    validator("comparison").validate(printed(as_dict_of_all(compare_all(by_kind["awr"][:3]))))

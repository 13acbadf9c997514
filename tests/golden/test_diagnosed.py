"""The diagnosed cases: printed by the report writer, read, compared, and held against what an expert says of them."""

from __future__ import annotations

from functools import lru_cache

import pytest

from awrdiff.analysis.compare import compare_reports
from awrdiff.analysis.model.comparison import Comparison
from fixtures.diagnosed import CASES, Case
from fixtures.writer import Layout, Model, TextLayout, write
from parsers import parse_report
from parsers.model import Report

NAMES = {case.name: case for case in CASES}


def read(model: Model, layout: Layout | TextLayout, name: str) -> Report:
    return parse_report(write(model, layout), name=name)


@lru_cache(maxsize=256)
def compared(name: str) -> Comparison:
    case = NAMES[name]
    return compare_reports(read(case.first, case.layout, "first.html"), read(case.second, case.layout, "second.html"))


def page(comparison: Comparison) -> str:
    """Everything that is said of the two in words."""
    findings = [f"{f.title} {f.text}" for f in comparison.findings]
    causes = [f"{c.title} {c.text}" for c in comparison.commit_latency.causes]
    return "\n".join([comparison.summary, *findings, *causes])


@pytest.fixture(params=sorted(NAMES))
def case(request) -> Case:
    return NAMES[request.param]


def test_what_must_be_said_and_what_must_not(case):
    said = page(compared(case.name))
    assert [piece for piece in case.says if piece not in said] == [], said
    assert [piece for piece in case.never if piece in said] == [], said


def test_what_stands_first(case):
    if case.leads:
        assert [f.rule for f in compared(case.name).findings][:1] == [case.leads]


def test_what_becomes_of_the_rules(case):
    states = {r.rule: r.state for r in compared(case.name).rules}
    assert {rule: states.get(rule) for rule in case.rules} == dict(case.rules)


def test_the_writer_prints_what_the_parsers_read(case):
    for model in (case.first, case.second):
        report = read(model, case.layout, "case.html")
        assert report.issues == ()
        assert [s.id for s in report.sections if not s.known] == []


def test_names_tell_the_cases_apart():
    assert len(NAMES) == len(CASES)

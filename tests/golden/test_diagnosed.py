"""The diagnosed cases: printed by the report writer, read, compared, and held against what an expert says of them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from msgspec.structs import replace

from awrdiff.analysis.compare import compare_reports
from awrdiff.analysis.model.comparison import Comparison
from awrdiff.analysis.verdict.diagnosis import OF_ONE_HOUR
from awrdiff.analysis.verdict.rule_registry import RULES_OF_TWO
from fixtures.diagnosed import CASES
from fixtures.diagnosed.case import printed
from fixtures.writer import Layout, Model, TextLayout
from parsers import parse_report
from parsers.model import Report

NAMES = {case.name: case for case in CASES}


def read(model: Model | bytes, layout: Layout | TextLayout, name: str) -> Report:
    return parse_report(printed(model, layout), name=name)


@cache
def both(name: str) -> tuple[Report, Report]:
    """The reports of a case as they are read."""
    case = NAMES[name]
    return read(case.first, case.layout, "first.html"), read(case.second, case.layout, "second.html")


@cache
def compared(name: str) -> Comparison:
    return compare_reports(*both(name))


def page(comparison: Comparison) -> str:
    """Everything that is said of the two in words."""
    findings = [f"{f.title} {f.text}" for f in comparison.findings]
    causes = [f"{c.title} {c.text}" for c in comparison.commit_latency.causes]
    return "\n".join([comparison.summary, *findings, *causes])


def without_own_findings(comparison: Comparison) -> Comparison:
    """Without the findings that are about a sick hour by itself, which say what no finding of a change may."""
    findings = tuple(f for f in comparison.findings if not f.title.startswith(OF_ONE_HOUR))
    return replace(comparison, findings=findings)


def promised(*fields: str, cases: Mapping[str, Any] = NAMES) -> list[Any]:
    """Cases that say something of one of these."""
    return [cases[name] for name in sorted(cases) if any(getattr(cases[name], field) for field in fields)]


# Each test goes through all cases: by themselves they were thousands of tests that took longer to begin than to run.


def test_what_must_be_said_and_what_must_not():
    for case in promised("says", "never"):
        said, of_the_change = page(compared(case.name)), page(without_own_findings(compared(case.name)))
        assert [piece for piece in case.says if piece not in said] == [], (case.name, said)
        assert [piece for piece in case.never if piece in of_the_change] == [], (case.name, said)


def test_which_hour_is_sick_and_how_the_headline_begins():
    for case in promised("state", "opens"):
        found = compared(case.name).answer
        assert not case.state or found.state == case.state, (case.name, found)
        assert found.headline.startswith(case.opens), case.name


def test_the_headline_is_a_sentence_and_the_first():
    for name in NAMES:
        found = compared(name)
        assert found.answer.headline.endswith("."), name
        assert found.summary.startswith(found.answer.headline), name
        assert all(0 <= at < len(found.findings) for at in found.answer.findings), name


def test_what_stands_first():
    for case in promised("leads"):
        assert [f.rule for f in compared(case.name).findings][:1] == [case.leads], case.name


def test_how_bad_it_is():
    for case in promised("severities"):
        severities = {f.rule: f.severity for f in reversed(compared(case.name).findings)}
        assert {rule: severities.get(rule) for rule in case.severities} == dict(case.severities), case.name


def test_what_becomes_of_the_rules():
    for case in promised("rules"):
        states = {r.rule: r.state for r in compared(case.name).rules}
        assert {rule: states.get(rule) for rule in case.rules} == dict(case.rules), case.name


def test_the_figure_that_forbids_a_rule_is_named():
    for case in promised("by"):
        found = [r.by for r in compared(case.name).rules_in("forbidden") if case.rules.get(r.rule) == "forbidden"]
        assert [by for by in found if by.startswith(case.by)], (case.name, found)


def test_the_writer_prints_what_the_parsers_read():
    for name in NAMES:
        for report in both(name):
            assert report.issues == (), name
            assert [s.id for s in report.sections if not s.known] == [], name


def test_names_tell_the_cases_apart():
    assert len(NAMES) == len(CASES)


def states() -> dict[str, set[str]]:
    found: dict[str, set[str]] = {rule.id: set() for rule in RULES_OF_TWO}
    for name in NAMES:
        for outcome in compared(name).rules:
            found[outcome.rule].add(outcome.state)
    return found


ALWAYS_SAID = {"parameters"}  # that none changed is worth a line too


def test_every_rule_fires_in_a_case_and_is_quiet_in_another():
    found = states()
    assert [rule for rule, seen in found.items() if "fired" not in seen] == []
    assert [rule for rule, seen in found.items() if "quiet" not in seen and rule not in ALWAYS_SAID] == []


def test_what_a_case_says_of_rules_is_about_rules_there_are():
    assert {rule for case in CASES for rule in case.rules} <= {rule.id for rule in RULES_OF_TWO}

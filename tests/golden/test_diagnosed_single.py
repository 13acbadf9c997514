"""The diagnosed cases of one report: printed by the report writer, read, and held against what an expert says of it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from awrdiff.analysis.model.comparison import row_id
from awrdiff.analysis.model.estimates_and_evidence import Evidence
from awrdiff.analysis.model.single_report import Assessment, SingleFinding
from awrdiff.analysis.rows.align import keyed_rows
from awrdiff.analysis.single_report import assess
from awrdiff.analysis.verdict.rule_registry import RULES_OF_ONE
from fixtures.diagnosed import SINGLE_CASES
from fixtures.diagnosed.case import printed
from parsers import parse_report
from parsers.model import Report
from tests.golden.test_diagnosed import NAMES as PAIRS
from tests.golden.test_diagnosed import both, promised

NAMES = {case.name: case for case in SINGLE_CASES}
# What one report cannot know.
OF_TWO = re.compile(
    r"\b(First|Second|new(?! blocks)|newly|grew|rose|fell|increased|decreased|longer|less long|more often|any more|no longer"
    r"|became|changed|both|than before|used to)\b"
)


@cache
def report_of(name: str) -> Report:
    case = NAMES[name]
    return parse_report(printed(case.report, case.layout), name="report.html")


@cache
def assessed(name: str) -> Assessment:
    return assess(report_of(name))


def astray(report: Report, findings: Sequence[SingleFinding]) -> list[tuple[str, Evidence]]:
    """Evidence that names no row, or no column, of the report."""
    out = []
    for finding in findings:
        for evidence in finding.evidence:
            section = report.section(evidence.section)
            rows = {row_id(section.id, key) for key in keyed_rows(section, section.key)} if section else set()
            if section is None or evidence.row_id not in rows or evidence.column not in section.index:
                out.append((finding.rule, evidence))
    return out


def page(found: Assessment) -> str:
    return "\n".join([found.verdict, *(f"{f.title} {f.text}" for f in found.findings)])


def test_what_must_be_said_and_what_must_not():
    for case in promised("says", "never", cases=NAMES):
        said = page(assessed(case.name))
        assert [piece for piece in case.says if piece not in said] == [], (case.name, said)
        assert [piece for piece in case.never if piece in said] == [], (case.name, said)


def test_what_stands_first():
    for case in promised("leads", cases=NAMES):
        assert [f.rule for f in assessed(case.name).findings][:1] == [case.leads], case.name


def test_how_bad_it_is():
    for case in promised("severities", cases=NAMES):
        severities = {f.rule: f.severity for f in reversed(assessed(case.name).findings)}
        assert {rule: severities.get(rule) for rule in case.severities} == dict(case.severities), case.name


def test_what_becomes_of_the_rules():
    for case in promised("rules", cases=NAMES):
        states = {r.rule: r.state for r in assessed(case.name).rules}
        assert {rule: states.get(rule) for rule in case.rules} == dict(case.rules), case.name


def test_the_figure_that_forbids_a_rule_is_named():
    for case in promised("by", cases=NAMES):
        found = [r.by for r in assessed(case.name).rules_in("forbidden") if case.rules.get(r.rule) == "forbidden"]
        assert [by for by in found if by.startswith(case.by)], (case.name, found)


def test_one_report_is_not_said_to_have_changed():
    for name in NAMES:
        found = assessed(name)
        said = [found.verdict, *(f"{f.title} {f.text}" for f in found.findings if f.rule != "parameters-inside")]
        assert [text for text in said if OF_TWO.search(text) or "→" in text] == [], name


def test_the_verdict_is_at_most_four_sentences():
    for name in NAMES:
        verdict = assessed(name).verdict
        assert 1 <= len(re.findall(r"[.](?= [A-Z0-9]|$)", verdict)) <= 4, (name, verdict)


def test_every_finding_leads_to_rows_that_the_report_prints():
    for name in NAMES:
        found = assessed(name).findings
        assert [f.rule for f in found if not f.evidence] == [], name
        assert astray(report_of(name), found) == [], name


def test_findings_stand_by_size():
    """Of one severity, and no note stands before what alarms."""
    for name in NAMES:
        found = assessed(name).findings
        alarms = [f.severity != "note" for f in found]
        assert alarms == sorted(alarms, reverse=True), name
        for severity in ("critical", "warning", "note"):
            sizes = [f.sessions.middle for f in found if f.sessions and f.severity == severity]
            assert sizes == sorted(sizes, reverse=True), name


def test_what_is_not_printed_of_several_statements_is_said_once():
    found = [f.text for f in assessed("two statements that samples alone name").findings if f.rule == "sql-sampled"]
    lack = "How often it ran and how long it took is not printed."
    assert [lack in text for text in found] == [True, False]


def test_the_writer_prints_what_the_parsers_read():
    for name in NAMES:
        report = report_of(name)
        assert report.issues == (), name
        assert [s.id for s in report.sections if not s.known] == [], name


def test_names_tell_the_cases_apart():
    assert len(NAMES) == len(SINGLE_CASES)


def test_every_rule_fires_in_a_case_and_is_quiet_in_another():
    found: dict[str, set[str]] = {rule.id: set() for rule in RULES_OF_ONE}
    for name in NAMES:
        for outcome in assessed(name).rules:
            found[outcome.rule].add(outcome.state)
    assert [rule for rule, seen in found.items() if not {"fired", "quiet"} <= seen] == []


def test_what_a_case_says_of_rules_is_about_rules_there_are():
    assert {rule for case in SINGLE_CASES for rule in case.rules} <= {rule.id for rule in RULES_OF_ONE}


def test_each_side_of_a_pair_can_be_assessed():
    for case, report in ((name, report) for name in PAIRS for report in both(name)):
        found = assess(report)
        said = [found.verdict, *(f"{f.title} {f.text}" for f in found.findings if f.rule != "parameters-inside")]
        assert [text for text in said if OF_TWO.search(text)] == [], case

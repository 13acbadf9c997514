"""A reason is offered for as much time as its rows can hold."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import awrdiff.analysis
from awrdiff.analysis.compare import compare_reports
from awrdiff.analysis.model.comparison import Finding, Range, Sessions
from awrdiff.analysis.model.estimates_and_evidence import Evidence
from awrdiff.analysis.model.single_report import SingleFinding
from awrdiff.analysis.single_report import assess
from awrdiff.analysis.verdict.rule_result import Candidate, reasons_for, within_budget
from fixtures.diagnosed.hour import READS, hour
from fixtures.writer import Model, Row, write
from parsers import parse_report
from parsers.model import Report

ROW = Evidence("os_statistics", "OS_CPU_WAIT_TIME", "value", "a")
DIRECT = {"physical reads": 3_600_000.0, "physical reads direct": 2_880_000.0}


@pytest.mark.parametrize(
    ("most_s", "text"),
    [
        (None, "it"),
        (5_000.0, "it"),
        (4_999.0, "it, at most 2.5 of the 5 sessions"),
        (1_000.0, "it, at most 0.5 of the 5 sessions"),
        (999.0, None),
        (0.0, None),
    ],
)
def test_a_reason_is_held_against_what_it_is_offered_for(most_s, text):
    """Of 10,000 s, five sessions of 2,000 s."""
    found = reasons_for([Candidate("it", ROW, most_s)], 10_000.0, 2_000.0)
    assert [r.text for r in found] == ([text] if text else [])


def test_what_no_row_times_stands_last_and_says_so():
    """It can hold the time all the same, or is no reason."""
    untimed = [Candidate(f"paging {s:.0f}", ROW, s, is_timed=False) for s in (9_999.0, 4_000.0, 900.0)]
    found = reasons_for([*untimed, Candidate("queue", ROW, 1_500.0)], 10_000.0, 2_000.0)
    assert [r.text for r in found] == [
        "queue, at most 0.75 of the 5 sessions",
        "paging 9999 (no row says how long sessions waited for it)",
        "paging 4000, at most 2 of the 5 sessions",
    ]


@pytest.mark.parametrize(("usual_s", "text"), [(5_000.0, "it"), (200.0, "it, 0.1 of the 5 sessions as printed")])
def test_what_could_hold_all_of_it_says_what_it_usually_holds(usual_s, text):
    found = reasons_for([Candidate("it", ROW, 20_000.0, usual_s, "as printed")], 10_000.0, 2_000.0)
    assert [r.text for r in found] == [text]


def finding(rule: str, sessions: float | None, *explains: str) -> Finding:
    of = Sessions(Range(0.0, 0.0), Range(sessions, sessions)) if sessions is not None else None
    return Finding(rule, "note", "Title.", "Text.", sessions=of, explains=explains)


@pytest.mark.parametrize(
    ("sessions", "kept"),
    [(0.09, ("none", "small")), (0.1, ("none", "small", "large")), (None, ("none", "small", "large"))],
)
def test_a_finding_explains_what_is_at_most_ten_times_as_large(sessions, kept):
    """What has no size bounds nothing, and what no finding is about cannot be too large."""
    by = finding("backup", sessions, "none", "small", "large")
    assert within_budget([finding("small", 0.8), by, finding("large", 1.0)])[1].explains == kept


def test_of_several_findings_of_a_rule_one_that_is_small_enough_is_explained():
    found = within_budget([finding("large", 9.0), finding("large", 0.5), finding("backup", 0.1, "large")])
    assert found[2].explains == ("large",)


def test_one_report_keeps_to_the_budget_as_two_do():
    def of(rule: str, high: float, *explains: str) -> SingleFinding:
        return SingleFinding(rule, "note", "Title.", "Text.", sessions=Range(high, high), explains=explains)

    assert [f.explains for f in within_budget([of("large", 1.0), of("a", 0.09, "large"), of("b", 0.1, "large")])] == [
        (),
        (),
        ("large",),
    ]


def test_no_reason_goes_round_the_budget():
    """Reasons are made in rule_result.py alone, findings by the policies of severity, and what they explain is weighed with them."""
    made: dict[str, set[str]] = {}
    for path in Path(awrdiff.analysis.__path__[0]).rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                made.setdefault(node.func.id, set()).add("/".join(path.parts[-2:]))
            elif isinstance(node, ast.Attribute):
                made.setdefault(f".{node.attr}", set()).add("/".join(path.parts[-2:]))
    assert made["Reason"] == {"verdict/rule_result.py"}
    assert made[".claim"] == {"verdict/rule_result.py"}
    assert made["Finding"] == {"verdict/severity.py", "verdict/diagnosis.py"}  # of one report, weighed there already
    assert made["SingleFinding"] == {"verdict/severity.py"}
    assert made["within_budget"] == {"verdict/findings.py"}
    assert made["Outcome"] == made["within_budget"]


def test_only_limits_are_offered_without_seconds():
    """Whatever else may be a reason says how much it can hold: swap that is used up and caps of CPUs are waited at."""
    limits: set[str] = set()
    for path in Path(awrdiff.analysis.__path__[0]).rglob("*.py"):
        for function in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(function, ast.FunctionDef):
                continue
            for node in ast.walk(function):
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Candidate":
                    given = [*node.args[2:3], *(k.value for k in node.keywords if k.arg == "most_s")]
                    assert len(given) == 1, function.name
                    if isinstance(given[0], ast.Constant):
                        limits.add(f"{path.stem}.{function.name}")
    assert limits == {"memory._swap", "unaccounted_db_time.reasons_of"}


def lost(*, per_s: float, waits: tuple[int, float] | None = None, slow: bool = False, **host: float) -> Report:
    """An hour with 7,680 s that are neither wait nor CPU, and with direct reads, `per_s` requests of them."""
    row: Row = {"function": "Direct Reads", "read_bytes": 1e9, "read_requests_per_s": per_s, "waits": 0}
    sections: dict[str, list[Row]] = {"iostat_by_function": [row]}
    if slow and waits is not None:
        sections["wait_event_histogram"] = [
            {"event": "direct path read", "waits": waits[0], "idle": None, "pct_lt_1ms": 99.0, "pct_lt_16s": 1.0}
        ]
    of = {**READS, "direct path read": waits} if waits is not None else READS
    return read(hour(db_time=12_000.0, statistics=DIRECT, waits=of, sections=sections, host=host))


def read(model: Model) -> Report:
    return parse_report(write(model), name="a.html")


def text_of(report: Report) -> str:
    return next(f.text for f in assess(report).findings if f.rule == "unaccounted-time")


@pytest.mark.parametrize(
    ("report", "offers"),
    [
        (lost(per_s=0.15), False),  # 540 requests of 1 s
        (lost(per_s=0.15, waits=(540, 7.0)), False),
        (lost(per_s=0.15, waits=(10, 40.0)), True),  # 4 s each on average: 8 s are plausible
        (lost(per_s=0.15, waits=(540, 7.0), slow=True), True),  # their longest bucket ends at 16 s
        (lost(per_s=40.0), True),
    ],
)
def test_direct_reads_hold_their_requests_times_the_longest_that_one_took(report, offers):
    assert ("are direct" in text_of(report)) is offers


def test_the_kernel_is_no_reason_for_more_than_it_took():
    assert "SYS over USER" not in text_of(lost(per_s=0.1, SYS_TIME=60_000, USER_TIME=10_000))
    assert "at most 0.28 of the" in text_of(lost(per_s=0.1, SYS_TIME=100_000, USER_TIME=10_000))
    assert "(SYS over USER)." in text_of(lost(per_s=0.1, SYS_TIME=500_000, USER_TIME=10_000))


def test_the_reasons_of_an_hour_are_its_own():
    """Alone, beside a quiet hour and beside one with as many direct reads."""
    report = lost(per_s=40.0, OS_CPU_WAIT_TIME=300_000)
    others = [read(hour()), read(hour(statistics=DIRECT)), lost(per_s=400.0)]
    pairs = [compare_reports(other, report).findings for other in others]
    texts = [next(f.text for f in found if f.rule == "unaccounted-time") for found in pairs]
    reasons = {text.partition(" prints: ")[2] for text in (*texts, text_of(report))}
    assert len(reasons) == 1
    assert "are direct" in reasons.pop()

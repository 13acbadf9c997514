"""What statements took in one period of Oracle's compare report, of what it prints per execution."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from awrdiff.analysis.compare import compare_reports
from awrdiff.analysis.export.brief_summary import as_brief, nothing_found_text
from awrdiff.analysis.export.single_report import as_markdown
from awrdiff.analysis.model.comparison import RuleOutcome
from awrdiff.analysis.model.single_report import Assessment
from awrdiff.analysis.oracle_compare.period_reports import with_totals
from awrdiff.analysis.report.figures_by_name import Side
from awrdiff.analysis.report.sql_statements import captured_of, least_listed
from awrdiff.analysis.single_report import assess
from parsers.model import Section, Value
from tests.unit.analysis.builders import column, exact, near, report, section

COLUMNS = (
    column("sql_id", None),
    column("pct_total", "percent", "share"),
    column("elapsed_per_exec_s", "s", "average"),
    column("gets_per_exec", "count", "average"),
    column("executions"),
)
NOTE = "Captured SQL Elapsed Time as a % of DB time First: 95.32%, Second: 89.25%"


def listed(pct: float, each_s: float, runs: float) -> Section:
    row = ("7orders000001", near(pct, 0.05), near(each_s, 0.0005), near(0.0, 0.05), exact(runs))
    made = section("sql_by_elapsed_time", COLUMNS, [row], coverage="top")
    return replace(made, notes=(NOTE,))


def elapsed(of: Section) -> Value:
    found = of.number(of.records[0], "elapsed_time_s")
    assert found is not None
    return found


def test_a_total_is_as_narrow_as_share_and_executions_allow() -> None:
    by_share = with_totals(listed(29.1, 0.015, 124_882), "first", exact(6404.55))
    assert elapsed(by_share).number == pytest.approx(1863.7, abs=0.1)
    assert elapsed(by_share).half == pytest.approx(3.2, abs=0.1)
    by_runs = with_totals(listed(6.2, 27.0, 10), "first", exact(4350.0))
    assert elapsed(by_runs).number == pytest.approx(270.0)
    assert elapsed(by_runs).half == pytest.approx(0.005)


def test_the_share_stands_where_the_two_deny_each_other() -> None:
    assert elapsed(with_totals(listed(50.0, 0.001, 10), "first", exact(1000.0))).number == pytest.approx(500.0)


def test_gets_are_not_multiplied() -> None:
    """11.2.0.3 prints 0.0 of executions that computed for 200 ms."""
    assert "buffer_gets" not in with_totals(listed(29.1, 0.015, 124_882), "first", exact(6404.55)).index


@pytest.mark.parametrize(("period", "share"), [("first", 0.9532), ("second", 0.8925)])
def test_what_the_period_captured(period: str, share: float) -> None:
    found = report(with_totals(listed(29.1, 0.015, 124_882), period, exact(6404.55)))
    assert captured_of(found, exact(6404.55), ()).sql == pytest.approx(share)


def test_what_a_list_of_differences_leaves_out_may_be_long() -> None:
    made = with_totals(listed(29.1, 0.015, 124_882), "first", exact(6404.55))
    snapshots = section("compare_snapshots", (column("which", None),), [("1st",), ("2nd",)])
    assert least_listed(report(made)) is not None
    assert least_listed(report(made, snapshots)) is None


def test_no_rule_checked_is_not_nothing() -> None:
    bare = replace(report(), kind="lgwr_trace")
    assert "Nothing stands out" not in as_brief([compare_reports(bare, bare)])
    assert "No rule could be checked" in as_brief([compare_reports(bare, bare)])
    assert "Nothing stands out" not in as_markdown(Side(bare), assess(bare))


def test_a_rule_or_two_are_no_all_clear() -> None:
    assert nothing_found_text(1, is_whole=False).startswith("Too little to judge by: 1 rule was checked")
    assert nothing_found_text(30).startswith("Nothing stands out: 30 rules were checked")
    found = Assessment("", rules=(RuleOutcome("addm", "quiet"),), weighed=False)
    assert "Too little to judge by" in as_markdown(Side(report()), found)

"""Which statements ADDM advises to tune, and what it promises: an example of a finding is not one of them."""

from __future__ import annotations

import pytest

from awrdiff.analysis.report.figures_by_name import Side
from awrdiff.analysis.single_report import assess
from awrdiff.analysis.verdict.rules.addm import statements_named
from parsers.model import Column, Report
from tests.unit.analysis.builders import column, exact, loaded, near, pointed_at, report, section

TUNE, EXAMPLE = "SQL Tuning", "Application Analysis"
_COLUMNS = (
    *(Column(c, c) for c in ("finding", "type", "action", "analysis", "sql_id")),
    column("benefit_active_sessions"),
)


def advised(*rows: tuple[str, str, str, float]) -> Report:
    """Analysis, kind of advice, statement, benefit."""
    cells = [("Top SQL Statements", kind, f"tune {sql}", at, sql, near(n, 0.005)) for at, kind, sql, n in rows]
    base = loaded(cpu=3600.0, waits={})
    period = section("addm_period", (Column("analysis", "analysis"), column("db_time_s", "s")), [("1", exact(3600.0))])
    advice = section("addm_recommendations", _COLUMNS, cells, key=("finding", "type", "action", "analysis"))
    return report(*base.sections, period, advice)


def test_the_benefit_of_a_finding_is_not_that_of_its_example() -> None:
    side = Side(advised(("1", EXAMPLE, "literals", 0.9), ("1", TUNE, "report", 0.2), ("1", EXAMPLE, "report", 0.8)))
    assert statements_named(side) == [("report", 0.2)]


def test_what_one_of_several_analyses_promises_is_spread_over_all() -> None:
    side = Side(advised(("1", TUNE, "report", 0.4), ("2", TUNE, "report", 0.2), ("2", TUNE, "night", 0.5)))
    assert statements_named(side) == [("report", pytest.approx(0.3)), ("night", pytest.approx(0.25))]


def test_a_statement_that_advice_alone_names_is_told() -> None:
    night = advised(("1", TUNE, "night", 0.4))
    (found,) = [f for f in assess(night).findings if f.rule == "sql-sampled"]
    assert found.title == "A statement that is not in Top SQL takes much of DB time: night."
    assert "bout 0.4 active sessions, 40 % of DB time, as ADDM promises of tuning it." in found.text
    assert found.sessions is not None
    assert found.sessions.middle == pytest.approx(0.4)
    assert [pointed_at(night, e) for e in found.evidence] == [near(0.4, 0.005)]
    example = assess(advised(("1", EXAMPLE, "night", 0.4)))
    assert "sql-sampled" not in {f.rule for f in example.findings}


@pytest.mark.parametrize(("benefit", "told"), [(0.16, True), (0.15, True), (0.14, False)])
def test_from_which_share_of_db_time_on_it_is_told(benefit: float, told: bool) -> None:
    """Of 1 active session."""
    assert ("sql-sampled" in {f.rule for f in assess(advised(("1", TUNE, "night", benefit))).findings}) is told

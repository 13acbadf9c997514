"""Who commits: statements and modules of as many executions as there are commits."""

from __future__ import annotations

from awrdiff.analysis.commit_latency import commit_latency
from awrdiff.analysis.report.figures_by_name import Side
from tests.golden.commit_hours import alone
from tests.unit.analysis.test_commit_three_cases import committed, executed


def latency(text: str, runs: float, **more):
    reports, _ = alone(statistics={**committed(), **more}, more=[executed(text, runs)])
    return commit_latency([Side(r) for r in reports])


def test_it_names_the_statement_and_its_module():
    found = latency("UPDATE accounts SET b = :1", 10_100)
    (who,) = found.reports[0].committers
    assert (who.sql_id, who.module, round(who.per_commit, 2)) == ("0abcdefghijk1", "loader", 1.01)
    text = {c.rule: c.text for c in found.causes}["who-commits"]
    assert "0abcdefghijk1 (1.01 per commit) of module loader" in text


def test_a_block_that_commits_is_one_and_a_query_is_none():
    assert latency("begin pay(:1); end;", 9_000).reports[0].committers
    assert not latency("SELECT 1 FROM dual", 10_000).reports[0].committers
    assert not latency("UPDATE accounts SET b = :1", 12_000).reports[0].committers


def test_the_few_commits_of_a_quiet_hour_have_no_author():
    assert not latency("UPDATE accounts SET b = :1", 500, **{"user commits": 500}).reports[0].committers


def test_who_commits_stands_in_the_cause_that_they_are():
    few = {"user calls": 40_000, "redo size": 9e6, "redo writes": 30_000}
    text = {c.rule: c.text for c in latency("INSERT INTO t VALUES (:1)", 10_000, **few).causes}["frequent-commits"]
    assert "About as often as commits ran 0abcdefghijk1" in text

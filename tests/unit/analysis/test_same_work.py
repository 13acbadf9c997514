"""Whether two reports are of one database, and of the same work: what may be called a change."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from msgspec.structs import replace

from awrdiff.analysis.compare import compare_reports
from awrdiff.analysis.model.comparison import Commonality
from awrdiff.analysis.names.sql_text_normalisation import plain
from awrdiff.analysis.report.figures_by_name import Side
from awrdiff.analysis.report.same_database_check import different_databases
from awrdiff.analysis.report.sql_statements import Statement, StatementKey
from awrdiff.analysis.verdict import diagnosis
from awrdiff.analysis.verdict.same_workload_check import _Sql, commonality, is_oracles_own
from parsers.model import Column
from tests.golden.test_diagnosed import both, compared
from tests.unit.analysis.builders import column, loaded, near, section, statements
from tests.unit.analysis.commit_builders import committing


def header(dbid: str | None, name: str | None, *hosts: str) -> dict[str, object]:
    return {
        "database": {"dbid": dbid, "name": name},
        "host": {"name": hosts[0] if hosts else None},
        "instances": [{"host": h} for h in hosts[1:]],
    }


@pytest.mark.parametrize(
    ("first", "second", "different"),
    [
        (header("1", "PROD", "a"), header("1", "PROD", "b"), False),  # it moved
        (header("1", "PROD", "a"), header("1", "MASKED", "a"), False),
        (header("1", "PROD", "a"), header("2", "SALES", "a"), True),
        (header("1", "FREE", "a"), header("2", "FREE", "b"), True),  # each host has its own FREE
        (header("1", "FREE", "a"), header("2", "FREE", "A"), False),  # made anew
        (header("1", "FREE"), header("2", "FREE", "b"), False),  # no host is printed
        (header("1", "RAC", "a", "b"), header("2", "RAC", "c", "b"), False),
        (header(None, "PROD", "a"), header("2", "SALES", "b"), True),
        (header(None, "XXXX", "a"), header("2", "SALES", "b"), False),
        (header("1", "PROD", "a"), header("1", "****", "b"), False),
        (header(None, None), header("2", "SALES", "b"), False),
    ],
)
def test_two_databases_are_told_apart_by_id_and_name_or_host(first, second, different):
    assert different_databases(first, second) is different
    assert different_databases(second, first) is different


def test_the_sql_of_two_reports_is_looked_through_once(monkeypatch):
    """Also where commits matter, whose causes ask whether it is the same work."""
    looked: list[Side] = []
    read = _Sql.__init__

    def counted(self, side):
        looked.append(side)
        read(self, side)

    monkeypatch.setattr(_Sql, "__init__", counted)
    made = compare_reports(committing(lfs=(36_000, 360.0)), committing(lfs=(36_000, 720.0)))
    assert made.commit_latency.material
    assert len(looked) == 2


def severities(name: str) -> dict[str, str]:
    return {f.rule: f.severity for f in compared(name).findings}


def test_other_sql_leaves_nothing_but_notes():
    said = severities("an hour of other SQL is no worse than the hour before")
    assert {"load-against-db-time", "sql-entering"} <= set(said)
    assert set(said.values()) == {"note"}
    made = compared("an hour of other SQL is no worse than the hour before")
    assert made.commonality == Commonality("other", 0.0, 0.0)
    assert {f.tone for f in made.findings} == {"neutral"}


def test_a_fact_of_one_side_is_not_muted_by_other_sql():
    said = severities("row locks are what they are in an hour of other SQL")
    assert said["row-locks"] == "critical"
    assert said["load-against-db-time"] == "note"


def test_the_same_sql_is_found_by_its_text_without_schema_literals_and_comments():
    made = compared("the same SQL in another schema under other ids is the same work")
    assert made.commonality == Commonality("same", 1.0, 1.0)
    assert "critical" in {f.severity for f in made.findings}


def test_no_text_is_read_twice(monkeypatch):
    first, second = (Side(r) for r in both("an hour of other SQL is no worse than the hour before"))
    read: list[str] = []
    monkeypatch.setattr(
        "awrdiff.analysis.verdict.same_workload_check.plain", lambda text: read.append(text) or plain(text)
    )
    assert commonality(first, second).work == "other"
    texts = [s.text for side in (first, second) for s in side.statements.values()]
    assert sorted(read) == sorted(texts)


def test_one_common_statement_beside_sampled_ones_is_not_the_same_work():
    """A global report whose SQL tables capture 22.5 % of DB time, nearly all of it one query; samples name the rest."""
    columns = (Column("sql_id", "SQL ID"), Column("event", "Event"), column("pct_activity", "percent", "level"))

    def side(common, sampled, grown):
        rows = [(sql_id, "CPU + Wait for CPU", near(share, 0.005)) for sql_id, share in sampled.items()]
        samples = section("top_sql_with_top_events", columns, rows, key=("sql_id", "event"), coverage="top")
        listed = statements({"common": (common, 1)})
        return loaded(commits=36_000 * grown, reads=36_000_000 / grown, more=[listed, samples])

    made = compare_reports(side(20, {"one": 60.0, "two": 30.0}, 1), side(340, {"three": 70.0}, 3))
    assert made.commonality == Commonality("unknown", pytest.approx(0.015, abs=0.001), pytest.approx(0.245, abs=0.001))
    assert "other statements ran (1.5–24 % of captured SQL in common)" in made.summary


def test_a_clone_changes_and_never_alarms():
    made = compared("a clone that runs the same SQL became slower")
    assert made.commonality is not None
    assert made.commonality.work == "same"
    assert not made.unrelated
    said = severities("a clone that runs the same SQL became slower")
    assert said["load-against-db-time"] == "warning"
    assert "critical" not in said.values()


def test_facts_of_one_of_two_databases_warn_and_claims_are_notes():
    said = severities("another database with less work in more time")
    assert said["row-locks"] == "warning"
    assert said["load-against-db-time"] == "note"


def test_without_sql_nothing_is_known_and_nothing_muted():
    made = compare_reports(loaded(), loaded(waits={"db file sequential read": (100_000, 9_000.0)}))
    assert made.commonality == Commonality("unknown", None, None)
    assert "critical" in {f.severity for f in made.findings}
    assert made.commonality.text == ""


def test_an_instance_against_its_cluster_leads_and_alarms_nobody():
    one = loaded()
    whole = replace(loaded(waits={"db file sequential read": (100_000, 9_000.0)}), kind="awr_global")
    made = compare_reports(one, whole)
    assert made.summary.startswith("One instance against its cluster (")
    assert "of Second alone" in made.summary
    assert "critical" not in {f.severity for f in made.findings}
    assert "of First alone" in compare_reports(whole, one).summary
    said = severities("row locks of one instance stay what they are beside its cluster")
    assert said["row-locks"] == "warning"
    assert "critical" not in {*said.values(), *severities("one instance against its cluster").values()}


@pytest.mark.parametrize(
    ("text", "module", "own"),
    [
        ("select default$ from col$ where rowid = :1", "", True),
        ("SELECT /* OPT_DYN_SAMP */ count(*) from orders", "", True),
        ("insert into wrh$_sql_plan (snap_id) select :1 from orders", "", True),
        ("with m as (select inst_id from gv$sql_monitor) select * from m", "", True),
        ("select 1 from dual", "JDBC Thin Client", True),
        ("select max(begin_time) from (select begin_time from gv$sysmetric)", "", True),
        ("begin dbms_stats.gather_schema_stats(:1); end;", "", True),
        ("select t.text from orders t", "emagent_SQL_rac_database", True),
        ("begin dbms_output.put_line(:1); shop.close_orders; end;", "", False),
        ("insert into activity select sid from gv$session", "", False),
        ("select o.id from orders o where exists (select 1 from v$session)", "", False),
        ("DECLARE job BINARY_INTEGER := :job; BEGIN close_month; END;", "DBMS_SCHEDULER", False),
    ],
)
def test_what_oracle_runs_in_every_database(text, module, own):
    statement = Statement(StatementKey("0"), {}, (), text=text, module=module)
    assert is_oracles_own(statement) is own


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (Commonality("same", 0.87, 1.0), "Same workload (87–100 % of captured SQL in common)."),
        (
            Commonality("same", 0.94, 0.263),
            "Same workload (94 % of First's captured SQL in common, 26 % of Second's).",
        ),
        (Commonality("unknown", None, 0.0), "0 % of Second's captured SQL in common."),
        (Commonality("same", 1.0, None), "Same workload (100 % of First's captured SQL in common)."),
        (Commonality("other", 0.0, 0.0), "Other work (0 % of captured SQL in common)."),
    ],
)
def test_both_shares_are_printed(found, said):
    assert found.text == said


def test_windows_cut_around_the_same_runs_leave_one_note():
    found = compared("the same parallel query in windows cut around it").findings
    assert {f.severity for f in found} == {"note"}
    assert {f.folded_into for f in found if f.rule in ("cpu-time", "event-count", "read-latency")} == {
        "load-against-db-time"
    }
    assert [f.folded_into for f in found if f.rule == "load-against-db-time"] == [""]


def test_a_run_that_took_longer_keeps_its_severity():
    found = {f.rule: f for f in compared("a query that took twice as long in a window cut around it").findings}
    assert found["sql-slower"].severity != "note"
    assert found["load-against-db-time"].severity == "note"
    assert not found["load-against-db-time"].is_folded, "it says that the rates are those of the windows"


def test_row_locks_in_a_window_cut_around_the_same_run_are_no_note():
    assert severities("the same query in windows cut around it, and row locks beside it")["row-locks"] != "note"


@pytest.mark.parametrize(
    ("shares", "clauses"),
    [
        ((0.87, 1.0), ["same workload (87–100 % of captured SQL in common)"]),
        ((0.94, 0.26), ["same workload (94 % of First's captured SQL in common, 26 % of Second's)"]),
        ((0.7, 0.7), ["same workload (70 % of captured SQL in common)"]),
        ((0.7, 0.087), []),  # other SQL fills one of the two hours
        ((0.087, 0.7), []),
    ],
)
def test_the_work_is_excluded_as_a_cause_where_both_hours_are_made_of_it(shares, clauses):
    facts = SimpleNamespace(commonality=Commonality("same", *shares), work=dict)
    assert list(diagnosis._work(SimpleNamespace(facts=facts), None)) == clauses

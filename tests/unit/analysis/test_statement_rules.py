"""The statement that is the change: what is said of it, of which rows, and when it may not be said."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from awrdiff.analysis.compare import compare_reports
from awrdiff.analysis.model.comparison import Range, Sessions
from awrdiff.analysis.report.sql_statements import Statement, StatementKey
from awrdiff.analysis.rows.statement_matching import StatementPair
from awrdiff.analysis.verdict.statement_changes import StatementChange
from parsers.model import Column
from tests.unit.analysis.builders import column, exact, instead, loaded, near, section, statements, time_model

TEXT, PDB = Column("sql_text", "SQL Text"), Column("pdb_name", "PDB")


def compared(a, b):
    return compare_reports(a, b)


def sql(a, b):
    return {f.rule: f for f in compared(a, b).findings if f.rule.startswith("sql-")}


def states(a, b):
    return {r.rule: r for r in compared(a, b).rules}


def noted(listed, note):
    return replace(listed, notes=(note,))


def texts(rows):
    return section("sql_text", (Column("sql_id", "SQL Id"), TEXT), rows.items(), coverage="top")


OLD = statements({"old": (900, 10), "last": (20, 1)})
NEW = statements({"old": (900, 10), "last": (20, 1), "new": (600, 10), "tiny": (1, 1)})


def test_a_statement_that_enters():
    finding = sql(loaded(more=[OLD]), loaded(cpu=1600, more=[NEW]))["sql-entering"]
    assert finding.title == "A statement entered: new."
    assert "new: 0.17 active sessions, 97 % of the change and 29 % of Second's DB time." in finding.text
    assert "In none of First's SQL tables" in finding.text
    assert "10 executions; 60.0 s each" in finding.text
    assert (finding.subject.kind, finding.subject.key, finding.tone) == ("sql", "new", "worse")
    assert finding.sessions.second.low == pytest.approx(600 / 3600, rel=1e-4)


def test_a_list_that_ends_at_nothing_leaves_out_nothing():
    ended = statements({"old": (900, 10), "last": (0.01, 1)})
    text = sql(loaded(more=[ended]), loaded(cpu=1600, more=[NEW]))["sql-entering"].text
    assert "In none of First's SQL tables, hence next to nothing." in text


def test_a_list_that_ends_high_bounds_what_may_be_said():
    """The last that First lists took 900 s: what it leaves out may have taken as much."""
    first, second = statements({"old": (900, 10)}), statements({"new": (600, 10)})
    assert "sql-entering" not in sql(loaded(more=[first]), loaded(cpu=1600, more=[second]))


def test_what_lists_of_little_leave_out_may_have_run():
    """`Captured SQL account for 29.2 % of Total DB Time`: the list does not say that a statement is new."""
    few = noted(OLD, "Captured SQL account for 29.2% of Total DB Time (s): 1,500")
    finding = sql(loaded(more=[few]), loaded(cpu=1600, more=[NEW]))["sql-entering"]
    assert finding.title == "A statement stands out: new."
    assert (
        "In none of First's SQL tables; 71 % of its DB time is not captured: at most 0.29 active sessions."
        in finding.text
    )


def test_what_left_the_shared_pool_may_have_run():
    """A 15-minute hour of 11.2: an insert of 1 active session is in no list that captures 89.3 %; Statspack times it."""
    most = noted(OLD, "Captured SQL account for 70.0% of Total DB Time (s): 1,500")
    finding = sql(loaded(more=[most]), loaded(cpu=1600, more=[NEW]))["sql-entering"]
    assert finding.title == "A statement stands out: new."
    assert "In none of First's SQL tables; 30 % of its DB time is not captured: at most 0.12 active" in finding.text
    nearly = noted(OLD, "Captured SQL account for 97.0% of Total DB Time (s): 1,500")
    finding = sql(loaded(more=[nearly]), loaded(cpu=1600, more=[NEW]))["sql-entering"]
    assert finding.title == "A statement entered: new."
    assert "In none of First's SQL tables, hence under 0.0056 active sessions." in finding.text


def test_a_statement_of_another_table_did_not_enter():
    columns = (Column("sql_id", "SQL Id"), column("buffer_gets"), column("elapsed_time_s", "s"), column("executions"))
    gets = section("sql_by_gets", columns, [("new", exact(5), near(90, 0.5), exact(10))], coverage="top")
    a, b = loaded(more=[OLD, gets]), loaded(cpu=1600, more=[NEW])
    assert states(a, b)["sql-entering"].state == "forbidden"
    assert states(a, b)["sql-entering"].by == "sql_by_gets of First lists new"
    assert "9.00 s → 60.0 s each" in sql(a, b)["sql-slower"].text


def test_a_table_without_its_time_bounds_what_it_took():
    """The last that First lists by its time took 20 s."""
    columns = (Column("sql_id", "SQL Id"), column("buffer_gets"), column("executions"))
    gets = section("sql_by_gets", columns, [("new", exact(5), exact(10))], coverage="top")
    finding = sql(loaded(more=[OLD, gets]), loaded(cpu=1600, more=[NEW]))["sql-change"]
    assert finding.text.startswith("new: under 0.0056 → 0.17 active sessions, 97 % of the change")


def test_a_statement_that_left():
    finding = sql(loaded(cpu=1600, more=[NEW]), loaded(more=[OLD]))["sql-leaving"]
    assert (finding.title, finding.tone, finding.severity) == ("A statement left: new.", "better", "note")


def test_statements_of_two_databases_are_neither_better_nor_worse():
    theirs = statements({"their": (20, 100), "new": (600, 10)})
    finding = sql(loaded(more=[OLD]), loaded(cpu=1600, dbid="2", more=[theirs]))["sql-entering"]
    assert (finding.title, finding.tone) == ("A statement of Second alone: new.", "neutral")
    few = noted(OLD, "Captured SQL account for 29.2% of Total DB Time (s): 1,500")
    finding = sql(loaded(more=[few]), loaded(cpu=1600, dbid="2", more=[theirs]))["sql-entering"]
    assert finding.title == "A statement stands out: new."


def test_a_statement_under_another_id():
    first, second = texts({"a": "select 1 from t"}), texts({"b": "select 2 from t"})
    findings = sql(
        loaded(more=[statements({"a": (900, 10)}), first]), loaded(more=[statements({"b": (900, 10)}), second])
    )
    assert set(findings) == {"sql-new-id"}
    assert findings["sql-new-id"].text.startswith("select 2 from t: a in First is b in Second")


def test_slower_per_execution_needs_the_print_to_say_so():
    """1 ± 0.5 s against 2 ± 0.5 s may be the same."""

    def listed(seconds, half):
        columns = (Column("sql_id", "SQL Id"), column("elapsed_time_s", "s"), column("executions"))
        return loaded(
            more=[section("sql_by_elapsed_time", columns, [("q", near(seconds, half), exact(1))], coverage="top")]
        )

    assert "sql-slower" in sql(listed(300, 0.5), listed(600, 0.5))
    assert "sql-slower" not in sql(listed(300, 120), listed(600, 120))


def test_slower_cites_what_it_reads():
    a, b = loaded(more=[statements({"q": (300, 100)})]), loaded(more=[statements({"q": (600, 100)})])
    finding = sql(a, b)["sql-slower"]
    assert "3.00 s → 6.00 s each (+100 %)" in finding.text
    other = sql(a, loaded(more=[statements({"q": (900, 100)})]))["sql-slower"]
    assert "3.00 s → 9.00 s each (×3.00)" in other.text
    rows = {(s.id, r.row_id) for s in compared(a, b).sections for r in s.rows}
    assert {(e.section, e.row_id) for e in finding.evidence} <= rows


def sampled(*plans):
    """Of `q`, most active first."""
    columns = (Column("sql_id", "SQL Id"), Column("plan_hash", "Plan"), column("pct_event", "percent", "share"))
    rows = [("q", plan, exact(10.0 - n)) for n, plan in enumerate(plans)]
    return section("top_sql_with_top_events", columns, rows, key=("sql_id", "plan_hash"), coverage="top")


@pytest.mark.parametrize(
    ("first", "second", "said"),
    [
        (("11",), ("22",), "plan 11 → 22"),
        (("11", "33"), ("22", "44"), "plan 11 → 22"),
        (("11", "33"), ("22", "33"), ""),  # one of both
        (("11",), ("11",), ""),
        ((), ("22",), ""),
        (("11",), ("0",), ""),
    ],
)
def test_another_plan_is_told_where_the_two_have_none_in_common(first, second, said):
    a, b = (loaded(more=[statements({"q": (s, 100)}), sampled(*p)]) for s, p in ((300, first), (600, second)))
    text = sql(a, b)["sql-slower"].text
    assert said in text
    assert ("plan" in text) is bool(said)


@pytest.mark.parametrize(
    ("first", "second", "said"),
    [
        (50, 4_000, "0.5 → 40 gets per execution"),
        (4_000, 50, "40 → 0.5 gets per execution"),
        (4_000, 0, "40 → 0 gets per execution"),
        (0, 4_000, ""),  # no factor
        (20, 90, ""),  # less than one each
        (4_000, 4_400, ""),
    ],
)
def test_the_work_of_an_execution_is_told_where_it_moved(first, second, said):
    columns = (Column("sql_id", "SQL Id"), column("elapsed_time_s", "s"), column("executions"), column("buffer_gets"))
    a, b = (
        loaded(more=[section("sql_by_elapsed_time", columns, [("q", exact(s), exact(100), exact(n))], coverage="top")])
        for s, n in ((300, first), (600, second))
    )
    text = sql(a, b)["sql-slower"].text
    assert said in text
    assert ("gets" in text) is bool(said)


def test_tables_of_a_report_without_db_time_do_not_say_what_they_hold():
    """The load profile alone prints it."""
    columns = (Column("statistic", "Statistic"), column("per_second"))
    profile = section("load_profile", columns, [("DB Time(s)", near(0.4, 0.05))])
    first = instead(loaded(more=[OLD]), time_model(db_cpu=1000.0), profile)
    listed = statements({"new": (1500, 10), "old": (900, 10), "last": (20, 1)})
    text = sql(first, loaded(cpu=2500, more=[listed]))["sql-entering"].text
    assert "In none of First's SQL tables; what they capture is not printed: at most" in text


def reading(*, reads: float, each_s: float, waited: float | None = None, of_reads_s: float = 0.008):
    """A statement of 200,000 runs beside much else, with its reads and its own waits for them."""
    columns = [Column("sql_id", "SQL Id"), column("elapsed_time_s", "s"), column("executions")]
    cells = ["q", exact(200_000 * each_s), exact(200_000)]
    for name, each in (("physical_reads", reads), ("user_io_wait_time_s", waited)):
        if each is not None:
            columns.append(column(name))
            cells.append(exact(200_000 * each))
    listed = section("sql_by_elapsed_time", columns, [cells], coverage="top")
    waits = {"db file sequential read": (2_000_000, 2_000_000 * of_reads_s)}
    return loaded(waits=waits, cpu=100.0, more=[listed])


SLOW_STORAGE = {"reads": 0.6, "each_s": 0.009, "of_reads_s": 0.014}
FAST_STORAGE = {"reads": 0.6, "each_s": 0.0055, "of_reads_s": 0.008}


@pytest.mark.parametrize(
    ("first", "second", "is_the_storage"),
    [
        (FAST_STORAGE, SLOW_STORAGE, True),
        (SLOW_STORAGE, FAST_STORAGE, True),
        ({**FAST_STORAGE, "waited": 0.005}, {**SLOW_STORAGE, "waited": 0.0084}, True),
        # its own waits for I/O did not move
        ({**FAST_STORAGE, "waited": 0.005}, {**SLOW_STORAGE, "waited": 0.0051}, False),
        # it reads three times as much: a plan, or a cache that is cold
        ({**FAST_STORAGE, "reads": 0.2}, SLOW_STORAGE, False),
        # reads take what they did
        (FAST_STORAGE, {**SLOW_STORAGE, "of_reads_s": 0.008}, False),
    ],
)
def test_a_statement_whose_reads_take_longer_belongs_to_the_storage(first, second, is_the_storage):
    one = next(
        f
        for f in compare_reports(reading(**first), reading(**second)).findings
        if f.rule in ("sql-slower", "sql-faster")
    )
    assert ("Its reads take" in one.text) == is_the_storage
    assert (one.folded_into in ("event-latency", "event-count", "read-latency")) == is_the_storage


def test_a_statement_that_carries_the_change_is_read_beside_the_storage():
    first, second = ({**side, "of_reads_s": side["of_reads_s"] / 10} for side in (FAST_STORAGE, SLOW_STORAGE))
    second["of_reads_s"] = 0.008
    one = next(f for f in compare_reports(reading(**first), reading(**second)).findings if f.rule == "sql-slower")
    assert "Its reads take" in one.text
    assert not one.is_folded


def test_more_often_is_not_slower():
    findings = sql(loaded(more=[statements({"q": (300, 100)})]), loaded(more=[statements({"q": (900, 300)})]))
    assert set(findings) == {"sql-change"}
    assert "100 → 300 executions; 3.00 s → 3.00 s each (flat)" in findings["sql-change"].text


def test_a_block_is_not_counted_beside_its_sql():
    def listed(**rows):
        return loaded(cpu=2000, more=[statements(rows), texts({"q": "update t set x = 1", "p": "begin run; end;"})])

    findings = [
        f for f in compared(loaded(more=[OLD]), listed(q=(1500, 9), p=(1510, 1))).findings if f.rule == "sql-entering"
    ]
    assert [f.subject.key for f in findings] == ["q"]
    assert "It may run inside p" in findings[0].text
    alone = sql(loaded(more=[OLD]), listed(p=(1510, 1)))["sql-entering"]
    assert alone.subject.key == "p"
    assert "A PL/SQL block" in alone.text


def test_a_block_of_another_database_does_not_hold_it():
    columns = (Column("sql_id", "SQL Id"), PDB, column("elapsed_time_s", "s"), column("executions"))

    def listed(rows):
        by_time = section("sql_by_elapsed_time", columns, rows, key=("sql_id", "pdb_name"), coverage="top")
        return loaded(cpu=3000, more=[by_time, texts({"q": "update t set x = 1", "p": "begin run; end;"})])

    first = listed([("old", "SHOP", exact(900), exact(10))])
    second = listed([("q", "SHOP", exact(1500), exact(9)), ("p", "PAY", exact(1510), exact(1))])
    said = [f.subject.key for f in compared(first, second).findings if f.rule.startswith("sql-entering")]
    assert sorted(said) == ["p", "q"]


def test_windows_of_different_length_are_compared_by_rates():
    a = loaded(more=[statements({"q": (1000, 4000)})])
    b = loaded(elapsed=1800.0, more=[statements({"q": (1000, 4000)})])
    finding = sql(a, b)["sql-change"]
    assert "4,000 → 8,000 executions per hour" in finding.text
    assert "0.28 → 0.56 active sessions" in finding.text


def test_ids_of_statspack_and_awr_say_nothing_of_who_entered():
    hashed = section(
        "sql_by_elapsed_time",
        (Column("old_hash_value", "Hash"), column("elapsed_time_s", "s"), column("executions")),
        [("123", exact(900), exact(10))],
        coverage="top",
    )
    found = states(loaded(more=[hashed]), loaded(more=[OLD]))
    assert found["sql-entering"].state == found["sql-leaving"].state == "unknown"


def test_a_statement_of_statspack_and_awr_points_at_the_rows_of_both():
    columns = (Column("old_hash_value", "Hash"), column("elapsed_time_s", "s"), column("executions"))
    hashed = section("sql_by_elapsed_time", columns, [("123", exact(900), exact(10))], coverage="top")
    words = ("sql_text", (Column("old_hash_value", "Hash"), Column("sql_text", "Text")), [("123", "select 1 from t")])
    first = loaded(more=[hashed, section(*words)])
    comparison = compared(first, loaded(more=[statements({"a": (900, 10)}), texts({"a": "select 1 from t"})]))
    finding = next(f for f in comparison.findings if f.rule.startswith("sql-"))
    rows = {r.row_id: r.key for s in comparison.sections if s.id == "sql_by_elapsed_time" for r in s.rows}
    cited = [rows[e.row_id] for e in finding.evidence]
    assert {"old_hash_value": "123", "sql_id": ""} in cited
    assert {"old_hash_value": "", "sql_id": "a"} in cited


@pytest.mark.parametrize("side", [0, 1])
def test_a_report_without_the_list_is_named(side):
    reports = [loaded(more=[OLD]), loaded(more=[OLD])]
    reports[side] = loaded()
    assert states(*reports)["sql-entering"].by == f"SQL ordered by Elapsed Time of {('First', 'Second')[side]}"


def test_a_row_of_a_pluggable_database_is_pointed_at():
    def listed(rows):
        columns = (Column("sql_id", "SQL Id"), PDB, column("elapsed_time_s", "s"), column("executions"))
        return loaded(more=[section("sql_by_elapsed_time", columns, rows, key=("sql_id", "pdb_name"), coverage="top")])

    comparison = compared(
        listed([("old", "PAY", exact(100), exact(10))]), listed([("new", "PAY", exact(600), exact(10))])
    )
    rows = {r.row_id for s in comparison.sections if s.id == "sql_by_elapsed_time" for r in s.rows}
    finding = next(f for f in comparison.findings if f.rule == "sql-entering")
    assert {e.row_id for e in finding.evidence} <= rows
    assert "PDB PAY" in finding.text


def test_a_statement_of_a_report_whose_db_time_is_printed_as_0_has_no_share_of_a_change():
    statement = Statement(StatementKey("a"), {}, ())
    each = StatementChange(StatementPair(statement, None, "alone"), Sessions(Range(1.0, 1.0), None), 0.0, 0.0)
    assert each.of_change == 0.0


def worked(seconds: float, *, runs: float = 10, gets: float | None = None, rows: float | None = None):
    """One statement, with what it did."""
    names = [n for n, v in (("buffer_gets", gets), ("rows_processed", rows)) if v is not None]
    columns = (
        Column("sql_id", "SQL Id"),
        column("elapsed_time_s", "s"),
        column("executions"),
        *(column(n) for n in names),
    )
    figures = [exact(seconds), exact(runs), *(exact(v) for v in (gets, rows) if v is not None)]
    return loaded(more=[section("sql_by_elapsed_time", columns, [("q", *figures)], coverage="top")])


@pytest.mark.parametrize(
    ("first", "second", "title", "tone", "text"),
    [
        # ten times the rows in four times the time: it does more
        ({"rows": 100}, {"rows": 1_000}, "A statement does more per execution: q.", "neutral", ""),
        # rows flat, gets with the time
        (
            {"gets": 1_000, "rows": 100},
            {"gets": 4_200, "rows": 104},
            "A statement is slower per execution: q.",
            "worse",
            "With 4.2 × the gets for as many rows: the plan, the data or reads of undo.",
        ),
        # rows are not printed
        (
            {"gets": 1_000},
            {"gets": 4_200},
            "A statement is slower per execution: q.",
            "worse",
            "With 4.2 × the gets: the plan, the data or reads of undo.",
        ),
        # rows moved by less than half of the factor
        ({"rows": 100}, {"rows": 150}, "A statement is slower per execution: q.", "worse", ""),
        # gets are flat: neither plan nor data
        (
            {"gets": 1_000, "rows": 100},
            {"gets": 1_000, "rows": 100},
            "A statement is slower per execution: q.",
            "worse",
            "",
        ),
    ],
)
def test_slower_or_more_work(first, second, title, tone, text):
    finding = sql(worked(100, **first), worked(400, **second))["sql-slower"]
    assert (finding.title, finding.tone) == (title, tone)
    assert ("× the gets" in finding.text) is bool(text)
    assert text in finding.text


def test_faster_or_less_work():
    finding = sql(worked(400, rows=1_000), worked(100, rows=100))["sql-faster"]
    assert (finding.title, finding.tone) == ("A statement does less per execution: q.", "neutral")
    finding = sql(worked(400, rows=100), worked(100, rows=100))["sql-faster"]
    assert finding.title == "A statement is faster per execution: q."

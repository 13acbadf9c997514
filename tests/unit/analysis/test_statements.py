"""One statement joined over all tables of a report, and found again in another report."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from awrdiff.analysis.report.figures_by_name import Side
from awrdiff.analysis.report.sql_statements import (
    ELAPSED,
    Captured,
    StatementKey,
    captured_of,
    least_listed,
    statements_of,
    together,
)
from awrdiff.analysis.rows.statement_matching import StatementPair, pair_statements
from awrdiff.analysis.verdict.same_workload_check import commonality
from awrdiff.analysis.verdict.statement_changes import statement_changes, without_wrappers
from parsers.model import Column, Value
from tests.harness.cost import is_linear
from tests.unit.analysis.builders import column, exact, loaded, near, report, section

ID, HASH, PDB = Column("sql_id", "SQL Id"), Column("old_hash_value", "Hash"), Column("pdb_name", "PDB")
TEXT, MODULE = Column("sql_text", "SQL Text"), Column("sql_module", "Module")
PCT_CPU = Column("pct_cpu", "%CPU", "percent", measure="share")


def table(section_id, figures, rows, *, names=(ID,), more=()):
    """`figures`: ids of columns; each row: its names, then the figures, then what `more` names."""
    columns = (*names, *(column(f, "s" if f.endswith("_s") else "count") for f in figures), *more)
    return section(section_id, columns, rows, key=[n.id for n in names], coverage="top")


def elapsed(rows, **more):
    return table(ELAPSED, ("elapsed_time_s", "executions"), rows, **more)


def texts(rows):
    return section("sql_text", (ID, TEXT), rows, key=["sql_id"], coverage="top")


def by_id(found):
    return {k.sql_id: s for k, s in found.items()}


JOINED = report(
    elapsed([("a", near(100, 5.0), exact(10), "select a fr...", near(40, 0.5))], more=(TEXT, PCT_CPU)),
    table(
        "sql_by_gets", ("buffer_gets", "executions", "elapsed_time_s"), [("a", exact(900), exact(10), near(98, 0.05))]
    ),
    table("sql_by_executions", ("executions", "rows_processed"), [("b", exact(7_000), exact(8_000))]),
    table("sql_by_parse_calls", ("parse_calls",), [("a", exact(3)), ("b", exact(4))]),
    table("sql_by_version_count", ("version_count",), [("a", exact(55))]),
    texts([("a", "select a from t"), ("z", "select of no table")]),
)


def test_figures_come_from_every_table():
    a = by_id(statements_of(JOINED))["a"]
    values = {n: f.value.number for n, f in a.figures.items()}
    assert values == {
        "elapsed_time_s": 98,
        "cpu_time_s": 40,
        "executions": 10,
        "buffer_gets": 900,
        "parse_calls": 3,
        "version_count": 55,
    }
    assert a.listed_in == (ELAPSED, "sql_by_gets", "sql_by_parse_calls", "sql_by_version_count")


def test_the_narrowest_print_wins_and_says_where_it_stands():
    figure = by_id(statements_of(JOINED))["a"].figures["elapsed_time_s"]
    assert (figure.section, figure.value.half) == ("sql_by_gets", 0.05)
    assert figure.evidence().row_id is not None
    assert figure.evidence().key == "a"


@pytest.mark.parametrize(("captured", "gets"), [("-631.4", None), ("96.2", 900.0)])
def test_gets_of_which_less_than_nothing_was_captured_are_none(captured, gets):
    """A counter of Statspack ran over: no table's gets can be relied on."""
    gets_note = f"Captured SQL accounts for {captured}% of Total Buffer Gets"
    sections = tuple(replace(s, notes=(gets_note,)) if s.id == "sql_by_gets" else s for s in JOINED.sections)
    a = by_id(statements_of(replace(JOINED, sections=sections)))["a"]
    assert (a.value("buffer_gets") and a.value("buffer_gets").number) == gets
    assert a.executions == exact(10)


def test_a_share_of_coarse_seconds_keeps_both_uncertainties():
    cpu = by_id(statements_of(JOINED))["a"].figures["cpu_time_s"]
    assert cpu.column == "pct_cpu"
    assert cpu.value.half == pytest.approx(105 * 0.405 - 40)


def test_a_statement_of_any_table_is_listed_and_one_of_none_is_not():
    found = by_id(statements_of(JOINED))
    assert set(found) == {"a", "b"}
    assert found["b"].elapsed is None
    assert found["b"].value("rows_processed") == exact(8_000)


def test_the_whole_text_stands_for_the_cut_one():
    a = by_id(statements_of(JOINED))["a"]
    assert (a.text, a.text_is_cut) == ("select a from t", False)
    cut = by_id(statements_of(replace(JOINED, sections=JOINED.sections[:1])))["a"]
    assert (cut.text, cut.text_is_cut) == ("select a fr", True)


def test_per_execution_is_derived_from_totals_not_from_the_rounded_average():
    more = (Column("elapsed_per_exec_s", "Each", "s", measure="average"),)
    found = by_id(
        statements_of(report(elapsed([("a", near(7340.25, 0.005), exact(5_522_367), near(0.0, 0.005))], more=more)))
    )
    each = found["a"].per_execution("elapsed_time_s")
    assert each.number == pytest.approx(0.001329, abs=1e-6)
    assert each.half < 1e-8


def test_what_never_ended_has_no_time_per_execution():
    assert (
        by_id(statements_of(report(elapsed([("a", exact(9), exact(0))]))))["a"].per_execution("elapsed_time_s") is None
    )


def test_databases_tell_statements_apart_and_texts_belong_to_all():
    r = report(
        elapsed([("a", "SHOP", exact(9), exact(1)), ("a", "PAY", exact(4), exact(1))], names=(ID, PDB)),
        texts([("a", "select 1")]),
    )
    found = statements_of(r)
    assert list(found) == [StatementKey("a", "SHOP"), StatementKey("a", "PAY")]
    assert {s.text for s in found.values()} == {"select 1"}


def test_statspack_names_statements_by_hash_value():
    assert list(statements_of(report(elapsed([("123", exact(9), exact(1))], names=(HASH,))))) == [StatementKey("123")]


def test_samples_give_plans_and_events():
    columns = (ID, Column("plan_hash", "Plan"), Column("event", "Event"), column("pct_event", "percent", "share"))
    rows = [
        ("a", "77", "log file sync", exact(3.0)),
        ("a", "88", "row lock", exact(9.0)),
        ("c", "0", "CPU", exact(1.0)),
    ]
    sampled = section("top_sql_with_top_events", columns, rows, key=["sql_id", "plan_hash", "event"], coverage="top")
    found = by_id(statements_of(report(elapsed([("a", exact(9), exact(1))]), sampled)))
    assert found["a"].plan_hashes == ("88", "77")
    assert list(found["a"].waits) == ["row lock", "log file sync"]
    assert found["c"].plan_hashes == ()
    assert found["c"].listed_in == ("top_sql_with_top_events",)


@pytest.mark.parametrize(
    ("note", "sql"),
    [
        ("Captured SQL account for   22.2% of Total DB Time (s):         13,799", 0.222),
        ("Captured SQL accounts for  95.4% of Total DB Time", 0.954),
    ],
)
def test_what_the_lists_hold_is_read_from_their_notes(note, sql):
    r = report(
        replace(
            elapsed([("a", exact(9), exact(1))]),
            notes=("%Total", note, "Captured PL/SQL account for 0.8% of Total DB Time (s): 1"),
        )
    )
    captured = captured_of(r, exact(100), ())
    assert captured.sql == pytest.approx(sql)
    assert captured.plsql == pytest.approx(0.008)
    assert captured.is_printed


def test_what_no_note_says_is_added_up_without_counting_a_block_as_sql():
    rows = [("a", exact(20), exact(1), "select 1"), ("b", exact(50), exact(1), "begin run; end;")]
    listing = report(elapsed(rows, more=(TEXT,)))
    assert captured_of(listing, exact(100), statements_of(listing).values()) == Captured(0.2, 0.5)
    assert captured_of(report(), exact(100), ()).best is None


def test_the_last_of_the_list_bounds_what_it_leaves_out():
    assert least_listed(report(elapsed([("a", exact(9), exact(1)), ("b", exact(4), exact(1))]))) == Value(4, 0)


def pairs(first, second):
    return {p.sql_id: p for p in pair_statements(statements_of(first), statements_of(second))}


def listed(*rows, pdb=None):
    """A report of statements (id, seconds, text), texts in full."""
    names = (ID, PDB) if pdb else (ID,)
    rows_ = [(i, *((pdb,) if pdb else ()), exact(s), exact(10)) for i, s, _ in rows]
    return report(elapsed(rows_, names=names), texts([(i, t) for i, _, t in rows]))


def test_the_same_id_is_the_same_statement_also_in_another_database():
    found = pairs(listed(("a", 9, "x"), pdb="SHOP"), listed(("a", 7, "x"), pdb="SHOP2"))
    assert found["a"].how == "id"
    assert (found["a"].first.elapsed.number, found["a"].second.elapsed.number) == (9, 7)


def test_another_comment_and_another_literal_are_another_id_of_the_same_statement():
    found = pairs(
        listed(("a", 9, "select /* v1 */ x from t where y = 1")),
        listed(("b", 7, "select /* v2 */ x from t where y = 2")),
    )
    assert found["b"].how == "text"
    assert found["b"].first.key.sql_id == "a"


def test_texts_of_the_same_words_are_parsed():
    found = pairs(listed(("a", 9, "select x from t where (y = 1)")), listed(("b", 7, "select x from t where y = 1")))
    assert found["b"].how == "text"


def test_a_family_of_literals_is_one_statement():
    first = listed(*((f"a{n}", 5, f"select x from t where y = {n}") for n in range(3)))
    second = listed(
        *((f"b{n}", 4, f"select x from t where y = {n + 10}") for n in range(4)),
        ("a1", 2, "select x from t where y = 1"),
    )
    (pair,) = pairs(first, second).values()
    assert (pair.how, len(pair.first.ids), len(pair.second.ids)) == ("text", 3, 5)
    assert (pair.first.elapsed.number, pair.second.elapsed.number) == (15, 18)
    assert pair.second.executions.number == 50


def test_statements_of_one_text_in_two_databases_stay_apart():
    rows = [("a", "SHOP", exact(9), exact(1)), ("b", "PAY", exact(4), exact(1))]
    first = report(elapsed(rows, names=(ID, PDB)), texts([("a", "select 1 from t"), ("b", "select 2 from t")]))
    second = report(elapsed([("c", "PAY", exact(3), exact(1))], names=(ID, PDB)), texts([("c", "select 3 from t")]))
    found = pairs(first, second)
    assert found["c"].first.key.sql_id == "b"
    assert found["a"].second is None


LONG = "select customer_id, cust_first_name, cust_last_name, nls_language, nls_territory, credit_limit from customers where id = :1"


def cut(name, text):
    return report(elapsed([(name, exact(9), exact(10), text)], names=(HASH,), more=(TEXT,)))


def test_a_cut_text_is_found_by_its_beginning():
    found = pairs(cut("123", LONG[:90] + "..."), listed(("b", 7, LONG)))
    assert found["b"].first.key.sql_id == "123"


def test_a_statement_that_samples_alone_tell_of_is_found_by_its_text():
    """An ASH report times none; Statspack names statements by their hash value."""
    columns = (ID, Column("event", "Event"), column("pct_activity", "percent", "share"))
    rows = [("b", "log file sync", exact(30.0))]
    sampled = section("top_sql_with_top_events", columns, rows, key=["sql_id", "event"], coverage="top")
    found = pairs(cut("123", LONG[:90] + "..."), report(sampled, texts([("b", LONG)])))
    assert found["b"].first.key.sql_id == "123"


def test_a_short_beginning_tells_nothing():
    assert pairs(cut("123", LONG[:30] + "..."), listed(("b", 7, LONG)))["b"].first is None


def test_a_beginning_that_fits_two_tells_nothing():
    found = pairs(cut("123", LONG[:90] + "..."), listed(("b", 7, LONG), ("c", 7, LONG + " and x = 1")))
    assert {p.how for p in found.values()} == {"alone"}


def test_hints_tell_beginnings_apart():
    hinted = LONG.replace("select", "select /*+ use_nl */")
    found = pairs(cut("123", hinted[:90] + "..."), listed(("b", 7, LONG), ("c", 7, hinted + " and x = 1")))
    assert found["c"].first.key.sql_id == "123"


def test_together_leaves_out_what_one_of_them_does_not_print():
    found = list(statements_of(report(elapsed([("a", exact(9), exact(1)), ("b", exact(4), None)]))).values())
    both = together(found)
    assert set(both.figures) == {"elapsed_time_s"}
    assert both.elapsed == exact(13)
    assert both.ids == ("a", "b")


@pytest.mark.hostile
def test_texts_find_their_statements_in_time_that_grows_with_their_number():
    def listing(count):
        ids = [f"s{i}" for i in range(count)]
        return report(elapsed([(i, exact(9), exact(1)) for i in ids]), texts([(i, "select 1") for i in ids]))

    assert is_linear(listing, statements_of, 4_000)


SAME_BEGINNING = "select a_rather_long_list, of_columns_that, is_the_same_in, every_statement from t where n"


@pytest.mark.hostile
@pytest.mark.parametrize("cut", [False, True])
def test_texts_of_one_beginning_are_looked_for_in_time_that_grows_with_their_number(cut):
    def side(count, which):
        ids = [(f"{which}{i}", f"{SAME_BEGINNING} = {which}.c{i}{'...' * cut}") for i in range(count)]
        return Side(report(elapsed([(i, exact(9), exact(1)) for i, _ in ids]), texts(ids)))

    def listing(count):
        sides = side(count, "a"), side(count, "b")
        for each in sides:
            assert len(each.statements) == count
        return sides

    assert is_linear(listing, lambda sides: commonality(*sides), 2_000)


@pytest.mark.hostile
def test_statements_of_one_side_alone_are_weighed_in_time_that_grows_with_their_number():
    def side(count, which):
        listed = elapsed([(f"{which}{i}", exact(0.1), exact(1)) for i in range(count)])
        noted = replace(listed, notes=("Captured SQL account for 80.0% of Total DB Time (s): 100",))
        found = Side(replace(loaded(db_time=3600.0), sections=(*loaded(db_time=3600.0).sections, noted)))
        assert len(found.statements) == count
        assert found.captured_sql.best == 0.8
        return found

    def listing(count):
        first, second = side(count, "a"), side(count, "b")
        return first, second, [StatementPair(None, s, "alone") for s in second.statements.values()]

    assert is_linear(listing, lambda made: statement_changes(*made), 2_000)


@pytest.mark.hostile
def test_blocks_are_looked_for_in_time_that_grows_with_the_number_of_statements():
    hour = loaded(db_time=3600.0)
    tables = (elapsed([("a", exact(s), exact(1))]) for s in (10, 900))
    first, second = (Side(replace(hour, sections=(*hour.sections, table))) for table in tables)
    (before,), (after,) = first.statements.values(), second.statements.values()
    (change,) = statement_changes(first, second, [StatementPair(before, after, "id")])
    assert change.kind is not None
    assert is_linear(lambda count: [change] * count, lambda changes: list(without_wrappers(changes)), 400)

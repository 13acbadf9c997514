"""Rows compared column by column: their own units, columns that only one side prints, rows that only one side has."""

from __future__ import annotations

import math

import pytest

from awrdiff.analysis.model.comparison import row_id
from awrdiff.analysis.report.figures_by_name import Bases, Basis
from awrdiff.analysis.rows.align import align_rows, cell_text, common_key, keyed_rows, merged_order, nothing_in_common
from awrdiff.analysis.rows.deltas import (
    compare_cells,
    plan,
    row_values,
    significantly_apart,
    status_of,
    unit_factor,
)
from parsers.model import Column, Row, Value
from tests.unit.analysis.builders import column, exact, near, section

HOURS = Bases(Basis(exact(3600), 1000.0), Basis(exact(7200), 4000.0))
ONE_WINDOW = Bases(Basis(exact(3600), 1000.0), Basis(None, 4000.0))
OTHER_WINDOW = Bases(Basis(None, 1000.0), Basis(exact(7200), 4000.0))
TOTAL = column("total")
NAME = Column("name", "Name")
TEXT = Column("sql_text", "SQL Text", holds="sql_text")


VALUE = (NAME, column("value", "as_labelled", "level"))


def values(first: Row | None, second: Row | None, columns=VALUE):
    made = [section("s", columns, [r] if r else []) for r in (first, second)]
    return row_values(plan(*made, columns), first, second, HOURS)


def row(*cells, unit: str | None = None) -> Row:
    return Row(cells, unit)


@pytest.mark.parametrize(
    ("first", "second", "shown", "half"),
    [
        ("MB", "bytes", 2.0, 0.5 / 1024**2),
        ("bytes", "MB", 2.0 * 1024**4, 0.5 * 1024**2),
        ("GB", "MB", 2.0 * 1024, 0.5 / 1024),
        ("MB", "MB", 2.0 * 1024**2, 0.5),
        ("MB", "count", 2.0 * 1024**2, 0.5),
        ("count", "MB", 2.0 * 1024**2, 0.5),
        (None, "MB", 2.0 * 1024**2, 0.5),
    ],
)
def test_the_second_is_read_in_the_unit_of_the_first(first, second, shown, half):
    found = values(row("a", exact(1), unit=first), row("a", near(2 * 1024**2), unit=second))["value"]
    assert found.first == exact(1)
    assert found.second == (pytest.approx(shown), pytest.approx(half))
    assert found.diff == pytest.approx(shown - 1)


def test_a_share_is_no_size():
    columns = (NAME, column("share", "percent", "share"))
    found = values(row("a", exact(1), unit="MB"), row("a", exact(2), unit="bytes"), columns)["share"]
    assert (found.second, found.pct) == (exact(2), None)


@pytest.mark.parametrize("units", [("percent", "percent"), ("percent", None), (None, "percent"), ("count", "percent")])
def test_a_row_that_is_a_share_is_compared_in_points(units):
    found = values(row("a", exact(10), unit=units[0]), row("a", exact(15), unit=units[1]))["value"]
    assert (found.diff, found.pct) == (5, None)


@pytest.mark.parametrize("units", [("MB", "percent"), ("MB", None)])
def test_the_first_rows_own_unit_counts(units):
    found = values(row("a", exact(10), unit=units[0]), row("a", exact(15), unit=units[1]))["value"]
    assert (found.diff, found.pct) == (5, 50)


def test_a_row_that_only_one_side_has_keeps_its_figures():
    alone = row("a", exact(5), unit="MB")
    assert values(alone, None)["value"].first == exact(5)
    assert values(None, alone)["value"].second == exact(5)
    assert values(alone, None)["value"].second is values(None, alone)["value"].first is None


def test_status():
    changed, same = values(row("a", exact(1)), row("a", exact(2))), values(row("a", exact(1)), row("a", exact(1)))
    there = row("a", exact(1))
    assert status_of(there, there, changed) == "changed"
    assert status_of(there, there, same) == "same"
    assert status_of(there, None, changed) == "only_first"
    assert status_of(None, there, changed) == "only_second"


def test_rates_of_a_row_that_only_one_side_has():
    first = compare_cells(exact(3600), None, TOTAL, None, HOURS)
    assert (first.first_per_s, first.first_per_txn, first.second_per_s, first.second_per_txn) == (1, 3.6, None, None)
    second = compare_cells(None, exact(7200), TOTAL, None, HOURS)
    assert (second.first_per_s, second.first_per_txn, second.second_per_s, second.second_per_txn) == (
        None,
        None,
        1,
        1.8,
    )
    level = compare_cells(exact(3600), None, column("size", "bytes", "level"), None, HOURS)
    assert (level.first_per_s, level.first_per_txn) == (None, None)


@pytest.mark.parametrize(("bases", "rates"), [(ONE_WINDOW, (1, None)), (OTHER_WINDOW, (None, 2))])
def test_where_only_one_window_is_known_only_its_rate_is(bases, rates):
    found = compare_cells(exact(3600), exact(14400), TOTAL, None, bases)
    assert (found.first_per_s, found.second_per_s, found.pct_per_s) == (*rates, None)
    assert found.significant_per_s is False
    assert (found.first_per_txn, found.second_per_txn) == (3.6, 3.6)


def test_texts_cut_at_another_width_are_the_same():
    """Of two listings one prints 20 characters of a name, the other 30: plan() finds the narrower."""
    long, columns = "a module of very much more than that", (NAME, Column("module", "Module"))
    narrow, wide = ((NAME, Column("module", "Module", cut_at=w)) for w in (20, 30))
    first, second = section("s", narrow, [row("a", long[:20])]), section("s", wide, [row("a", long[:30])])
    plans = plan(first, second, columns)
    assert plans[1].cut_at == 20
    found = row_values(plans, first.records[0], second.records[0], HOURS)["module"]
    assert not found.significant
    assert [p.cut_at for p in plan(first, first, columns)] == [None, None]
    numbers = [section("s", (NAME, column("module", cut_at=w)), []) for w in (20, 30)]
    assert plan(*numbers, numbers[0].columns)[1].cut_at is None


def test_a_figure_that_only_one_side_prints_a_column_for():
    first, second = (NAME, column("waits")), (NAME, column("time_s", "s"))
    both = (NAME, column("waits"), column("time_s", "s"))
    made = (section("s", first, [row("a", exact(1))]), section("s", second, [row("a", exact(2))]))
    found = row_values(plan(*made, both), made[0].records[0], made[1].records[0], HOURS)
    assert (found["waits"].first, found["waits"].second) == (exact(1), None)
    assert (found["time_s"].first, found["time_s"].second) == (None, exact(2))


@pytest.mark.parametrize(
    ("source", "target", "factor"),
    [("MB", "KB", 1024), ("KB", "MB", 1 / 1024), ("TB", "GB", 1024), ("MB", "MB", 1), ("MB", None, 1), (None, "MB", 1)],
)
def test_units(source, target, factor):
    assert unit_factor(source, target) == factor


@pytest.mark.parametrize(
    ("a", "b", "apart"),
    [
        # intervals that touch: noise of binary fractions is no gap, whatever the size of the figures
        (Value(0.1, 0.05), Value(0.2, 0.05), False),
        (Value(1e15 + 0.25, 0.125), Value(1e15 + 0.5, 0.125), False),
        (Value(1e-9, 5e-10), Value(2e-9, 5e-10), False),
        (Value(1e-9, 5e-10), Value(2.1e-9, 5e-10), True),
        (Value(1e6, 0.5), Value(1e6 + 1.01, 0.5), True),
        (Value(5, 0), Value(5, 0), False),
    ],
)
def test_touching_intervals(a, b, apart):
    assert significantly_apart(a, b) is apart


@pytest.mark.parametrize(
    ("first", "second", "diff"),
    [
        (1.1, 1.15, 0.05),
        (1234.1, 1234.3, 0.2),
        (2**60, 2**60, 0.0),
        (3.0, 5.0, 2.0),
        (100.0, 200.0, 100.0),
        (0.3, 0.1, -0.2),
        (1e11 + 0.25, 1e11 + 0.75, 0.5),
    ],
)
def test_differences_are_written_as_they_would_be_by_hand(first, second, diff):
    assert compare_cells(exact(first), exact(second), column("size", "bytes", "level"), None, HOURS).diff == diff


@pytest.mark.parametrize(
    ("cell", "text"), [("as it is", "as it is"), (None, ""), (exact(7), "7"), (exact(0), "0"), (exact(1.5), "1.5")]
)
def test_a_cell_in_a_key(cell, text):
    assert cell_text(cell) == text


def test_an_id_of_text_that_is_no_unicode():
    assert len(row_id("s", ("broken \ud800",))) == 12
    assert row_id("s", ("a", "b")) != row_id("s", ("a\x1eb",))


def keyed(*keys: str, columns: tuple[str, ...] = ()):
    names = tuple(dict.fromkeys((*keys, *columns)))
    return section("s", [Column(n, n) for n in names], [row(*(f"{n} value" for n in names))], key=keys)


def test_what_rows_are_matched_by():
    assert common_key(None, None) == ()
    assert common_key(keyed("a"), None) == common_key(None, keyed("a")) == ("a",)
    assert common_key(keyed("a", "b"), keyed("a", columns=("b",))) == ("a",)
    assert common_key(keyed("a"), keyed("b")) == ()
    assert common_key(keyed("instance_number", "a"), keyed("a")) == ("instance_number", "a")


@pytest.mark.parametrize(
    ("first", "second", "nothing"),
    [
        (keyed("a"), keyed("b"), True),
        (keyed("a"), keyed("a"), False),
        (keyed("a"), keyed("b", columns=("a",)), True),
        (keyed("a", columns=("b",)), keyed("b"), False),
        (keyed(columns=("a",)), keyed("b"), False),
        (keyed("b"), keyed(columns=("a",)), False),
    ],
)
def test_rows_that_are_told_apart_by_different_things(first, second, nothing):
    assert nothing_in_common(first, second) is nothing
    pairs = [(p.first is not None, p.second is not None) for p in align_rows(first, second)]
    assert not nothing or pairs == [(True, False), (False, True)]


def test_a_figure_keeps_both_sides_whatever_it_is():
    for a, b, what in ((exact(2), exact(3), TOTAL), (exact(2), exact(3), VALUE[1]), ("x", "y", TEXT)):
        found = compare_cells(a, b, what, None, HOURS)
        assert (found.first, found.second) == (a, b)


def test_rates_change_in_percent_of_the_first():
    found = compare_cells(exact(7200), exact(21600), TOTAL, None, HOURS)
    assert (found.first_per_s, found.second_per_s, found.pct_per_s) == (2, 3, 50)


def test_the_clusters_row_has_no_instance_in_its_key():
    columns = (Column("instance_number", "I#"), NAME)
    both = section("s", columns, [row("*", "x"), row("1", "x"), row("1", "*")], key=("instance_number", "name"))
    assert list(keyed_rows(both, both.key)) == [("x",), ("1", "x"), ("1", "*")]
    assert list(keyed_rows(both, ("name",))) == [("x",), ("x", "#2"), ("*",)]


def test_repeats_are_numbered():
    made = section("s", (NAME,), [row("x"), row("y"), row("x"), row("x")])
    assert list(keyed_rows(made, ("name",))) == [("x",), ("y",), ("x", "#2"), ("x", "#3")]


@pytest.mark.parametrize(
    ("first", "second", "merged"),
    [
        ("abc", "abc", "abc"),
        ("ac", "abc", "abc"),
        ("bc", "abc", "abc"),
        ("abc", "xay", "xaybc"),
        ("", "ab", "ab"),
        ("ab", "xxab", "xab"),
        ("ab", "bxbx", "abx"),
    ],
)
def test_one_order_of_two(first, second, merged):
    assert "".join(merged_order(first, second)) == merged


def test_nothing_here_is_no_number():
    assert not math.isnan(compare_cells(exact(0), exact(0), TOTAL, None, HOURS).diff)

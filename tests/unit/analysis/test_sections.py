"""Whole sections: status, order, columns."""

from __future__ import annotations

import pytest

from awrdiff.analysis.report.figures_by_name import Bases, Basis
from awrdiff.analysis.rows.section_comparison import compare_section
from parsers.model import Column, Row
from tests.unit.analysis.builders import column, events, exact, near, parameters, section, statements

BASES = Bases(Basis(near(3600, 0.005), 100.0), Basis(near(3600, 0.005), 100.0))


def compare(a, b):
    return compare_section(a, b, BASES)


def names(result):
    return [" ".join(r.key.values()) for r in result.rows]


def test_status():
    a = events({"same": (1, 100), "moved": (1, 1), "gone": (1, 100)})
    b = events({"same": (1, 100), "moved": (2, 900), "new": (1, 100)})
    found = {r.key["event"]: r.status for r in compare(a, b).rows}
    assert found == {"same": "same", "moved": "changed", "gone": "only_first", "new": "only_second"}
    assert compare(a, b).changed == 3


def test_absent_figures_stay_absent():
    row = compare(events({}), events({"new": (5, 1)})).rows[0]
    assert row.values["waits"].first is None
    assert row.values["waits"].diff is None


def test_wait_events_by_change_of_time_idle_last():
    a = events({"a": (10, 10), "b": (10, 10), "rdbms ipc message": (1, 10), "unlisted idle": (1, -10)})
    b = events({"a": (10, 20), "b": (10, 500), "rdbms ipc message": (1, 9000), "unlisted idle": (1, -9000)})
    result = compare(a, b)
    assert names(result)[:2] == ["b", "a"]
    assert [r.idle for r in result.rows] == [False, False, True, True]


def test_a_row_of_one_side_weighs_its_whole_time():
    result = compare(events({"a": (10, 10)}), events({"a": (10, 20), "new": (10, 15)}))
    assert names(result) == ["new", "a"]


def test_parameters_differences_first_then_by_name():
    result = compare(parameters({"z": "1", "a": "1", "m": "1"}), parameters({"z": "2", "a": "1", "n": "1"}))
    assert names(result) == ["z", "m", "n", "a"]  # a value that changed, then what one side alone lists


def test_tables_read_downwards_keep_their_order():
    columns = (Column("metric", "M"), column("per_second", "per_s", "rate"))
    a = section("load_profile", columns, [("DB Time(s)", near(1)), ("Redo size", near(1)), ("Parses", near(1))])
    b = section(
        "load_profile", columns, [("DB Time(s)", near(2)), ("Redo size (bytes)", near(900)), ("Parses (SQL)", near(50))]
    )
    result = compare(a, b)
    assert names(result) == ["DB Time(s)", "Redo size", "Parses"]
    assert [r.status for r in result.rows] == ["same", "changed", "changed"]


def test_sql_by_its_own_figure():
    result = compare(statements({"a": (100, 1), "b": (100, 1)}), statements({"a": (110, 9999), "b": (900, 1)}))
    assert names(result) == ["b", "a"]


def test_columns_of_both_sides():
    a = section("x", (Column("k", "K"), column("one"), column("three")), [("r", exact(1), exact(3))])
    b = section(
        "x", (Column("k", "K"), column("one"), column("two"), column("three")), [("r", exact(1), exact(2), exact(3))]
    )
    result = compare(a, b)
    assert [c.id for c in result.columns] == ["k", "one", "two", "three"]
    assert result.rows[0].values["two"].first is None
    assert result.rows[0].status == "same"


def test_a_section_of_one_side():
    result = compare(None, events({"a": (1, 1)}))
    assert (result.first_present, result.second_present) == (False, True)
    assert [r.status for r in result.rows] == ["only_second"]
    with pytest.raises(ValueError, match="neither"):
        compare(None, None)


def test_units_that_rows_carry():
    columns = (Column("metric", "M"), column("begin", "as_labelled", "level"))
    a = section(
        "memory_statistics", columns, [Row(("% used", near(10, 0.05)), "percent"), Row(("Host Mem", near(1)), "MB")]
    )
    b = section(
        "memory_statistics", columns, [Row(("% used", near(20, 0.05)), "percent"), Row(("Host Mem", near(1)), "MB")]
    )
    row = compare(a, b).rows[0]
    assert row.unit == "percent"
    assert (row.values["begin"].diff, row.values["begin"].pct) == (10, None)

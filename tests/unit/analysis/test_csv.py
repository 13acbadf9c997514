"""The CSV export: every figure under the head that says what it is."""

from __future__ import annotations

import csv

import pytest
from msgspec.structs import replace

from awrdiff.analysis.export.csv import HEADER, as_csv
from awrdiff.analysis.model.comparison import ComparedRow, ComparedSection, Comparison, Delta
from parsers.model import Column, Value
from tests.web.compared import comparison

# No two figures are alike, so that none can stand in for another.
EACH = Delta(
    first=Value(11.0, 0.5),
    second=Value(12.0, 0.5),
    diff=13.0,
    pct=14.0,
    first_per_s=15.0,
    second_per_s=16.0,
    pct_per_s=17.0,
    first_per_txn=18.0,
    second_per_txn=19.0,
    pct_per_txn=20.0,
    significant=True,
)
COLUMNS = (Column("event", "Event"), Column("time_s", "Time (s)", "s", "lower", "total"), Column("note", "Note"))


def of(delta: Delta, **more: object) -> Comparison:
    row = ComparedRow(
        "0123", {"event": "log file sync"}, "changed", {"time_s": delta, "note": Delta(None, None)}, **more
    )
    section = ComparedSection("waits", "Waits", True, "time", "all", COLUMNS, ("event",), (row,))
    return replace(comparison(), sections=(section,))


def lines(*pairs: Comparison) -> list[dict[str, str]]:
    return list(csv.DictReader(as_csv(pairs).splitlines(keepends=True)))


def test_each_figure_stands_under_its_own_name():
    (line,) = lines(of(EACH))
    figures = {name: line[name] for name in EACH._fields if name in HEADER and name != "significant"}
    assert figures == {
        "first": "11",
        "second": "12",
        "diff": "13",
        "pct": "14",
        "first_per_s": "15",
        "second_per_s": "16",
        "pct_per_s": "17",
        "first_per_txn": "18",
        "second_per_txn": "19",
        "pct_per_txn": "20",
    }
    said = ("pair", "section", "row_id", "key", "column", "unit", "status", "significant")
    assert [line[n] for n in said] == ["1", "waits", "0123", "log file sync", "time_s", "s", "changed", "yes"]


def test_no_line_is_longer_or_shorter_than_the_head():
    cut = as_csv([of(EACH), of(EACH)]).splitlines()
    assert len(cut) == 3
    assert {len(row) for row in csv.reader(cut)} == {len(HEADER)}


def test_what_is_missing_is_empty_and_not_0():
    (line,) = lines(of(Delta(Value(0.0, 0.5), None)))
    assert (line["first"], line["second"], line["diff"], line["first_per_s"]) == ("0", "", "", "")
    assert line["significant"] == "no"


def test_a_figure_that_neither_side_prints_has_no_line():
    assert [line["column"] for line in lines(of(EACH))] == ["time_s"]
    assert lines(of(Delta(None, None))) == []


def test_pairs_are_numbered_from_one():
    assert [line["pair"] for line in lines(of(EACH), of(EACH))] == ["1", "2"]


@pytest.mark.parametrize(("unit", "shown"), [(None, "s"), ("ms", "s")])
def test_a_rows_own_unit_counts_only_where_the_column_says_so(unit, shown):
    assert lines(of(EACH, unit=unit))[0]["unit"] == shown


def test_a_rows_own_unit():
    made = of(EACH, unit="ms")
    labelled = replace(made.sections[0], columns=(COLUMNS[0], replace(COLUMNS[1], unit="as_labelled"), COLUMNS[2]))
    assert lines(replace(made, sections=(labelled,)))[0]["unit"] == "ms"

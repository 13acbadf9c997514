"""parsers.storage.report_serialisation: reports and sections go into bytes and come back the same, resolution included."""

from __future__ import annotations

from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from parsers.model import Column, Instance, Issue, Period, Row, Section, Snapshot, Value
from parsers.storage import compressed_blocks, report_serialisation
from tests.web.builders import small_report

numbers = st.floats(allow_nan=False, allow_infinity=False)
cells = st.one_of(st.none(), st.text(), st.builds(Value, numbers, numbers.map(abs)))
rows = st.builds(Row, st.tuples(cells, cells), st.one_of(st.none(), st.sampled_from(["s", "bytes"])), st.integers(0, 3))


def section_of(*records: Row) -> Section:
    columns = (Column("a", "A", "count", "lower", "total"), Column("b", "B", None, "neither", "text", "sql_text"))
    return Section("x", "X", False, "top", ("a",), columns, tuple(records), notes=("-> a note",), line=7)


@given(st.lists(rows, max_size=5))
def test_a_section_comes_back_as_it_was(records):
    section = section_of(*records)
    assert report_serialisation.unpack_section(report_serialisation.pack_section(section)) == section


def test_half_is_kept_and_exact_stays_exact():
    section = section_of(Row((Value(1.25, 0.005), Value(12.0, 0.0))))
    (row,) = report_serialisation.unpack_section(report_serialisation.pack_section(section)).records
    assert row.cells == (Value(1.25, 0.005), Value(12.0, 0.0))
    assert isinstance(row.cells[0], Value)


def test_missing_is_not_zero():
    section = section_of(Row((None, Value(0.0, 0.0))))
    (row,) = report_serialisation.unpack_section(report_serialisation.pack_section(section)).records
    assert row.cells == (None, Value(0.0, 0.0))


def test_a_report_comes_back_as_it_was():
    report = replace(
        small_report(),
        instances=(Instance(1, "a", datetime(2023, 1, 2, 3, 4, 5), "h"), Instance(2, None, None, None)),
        issues=(Issue("cut-off", "It ends in the middle.", "sql_text", 12, ours=False), Issue("x", "y", ours=True)),
    )
    sections = tuple(report_serialisation.unpack_section(report_serialisation.pack_section(s)) for s in report.sections)
    assert report_serialisation.unpack_report(report_serialisation.pack_head(report), sections) == report


def test_a_report_without_times_comes_back_too():
    report = replace(small_report(), period=Period(Snapshot(), Snapshot()), release=None)
    assert report_serialisation.unpack_report(report_serialisation.pack_head(report), report.sections) == report


def test_a_lone_surrogate_costs_neither_the_report_nor_its_page():
    assert compressed_blocks.unpack(compressed_blocks.pack(["\ud800 alone"])) == ["? alone"]


@pytest.mark.parametrize("text", ["\x00", "Ω ≤ 漢字", "</script>"])
def test_any_text_survives(text):
    assert compressed_blocks.unpack(compressed_blocks.pack([text])) == [text]

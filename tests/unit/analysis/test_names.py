"""Names that a text report cuts are matched to full ones, where exactly one fits."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from awrdiff.analysis.compare import compare_reports
from awrdiff.analysis.names.truncated_names import complete_names
from awrdiff.analysis.rows.align import anchor
from awrdiff.analysis.rows.section_comparison import compare_section
from parsers.model import Column, Row, Section, Value
from tests.unit.analysis.builders import NO_BASES, column, events, exact, near, report, section


def named(*rows: tuple[str, float], cut_at: int | None = None) -> Section:
    columns = (Column("event", "Event", cut_at=cut_at), column("waits"))
    return section("foreground_wait_events", columns, [(n, exact(w)) for n, w in rows])


def statuses(first: Section, second: Section) -> dict[str, str]:
    compared = compare_section(*complete_names(first, second), NO_BASES)
    return {" ".join(r.key.values()).strip(): r.status for r in compared.rows}


def test_a_cut_name_stands_for_the_one_that_fits():
    text = named(("log file switch (checkpoin", 5), ("log file sync", 2), cut_at=26)
    html = named(("log file switch (checkpoint incomplete)", 5), ("log file sync", 2))
    whole = {"log file switch (checkpoint incomplete)": "same", "log file sync": "same"}
    assert statuses(text, html) == whole
    assert statuses(html, text) == whole


def test_the_anchor_is_that_of_the_full_name():
    first, _ = complete_names(
        named(("control file sequential re", 5), cut_at=26), named(("control file sequential read", 5))
    )
    row = compare_section(first, None, NO_BASES).rows[0]
    assert row.row_id == anchor("foreground_wait_events", "control file sequential read")


def test_several_that_fit_stay_apart():
    text = named(("ASM map operation", 5), cut_at=17)
    html = named(("ASM map operation freelist", 5), ("ASM map operation hash table", 6))
    assert set(statuses(text, html).values()) == {"only_first", "only_second"}
    assert len(statuses(text, html)) == 3


def test_two_cut_alike_stay_apart():
    text = named(("ASM map operation", 5), ("ASM map operation", 6), cut_at=17)
    html = named(("ASM map operation freelist", 5), ("ASM map operation hash table", 6))
    assert "same" not in statuses(text, html).values()


def test_a_name_that_is_not_cut_is_no_beginning_of_another():
    assert statuses(named(("log file", 5), cut_at=26), named(("log file sync", 5))) == {
        "log file": "only_first",
        "log file sync": "only_second",
    }


def test_the_same_name_goes_before_a_longer_one():
    text = named(("cursor: pin S", 5), cut_at=13)
    html = named(("cursor: pin S", 5), ("cursor: pin S wait on X", 9))
    assert statuses(text, html) == {"cursor: pin S": "same", "cursor: pin S wait on X": "only_second"}


def test_behind_a_blank_there_is_one_place_less():
    assert statuses(named(("abcdefg", 5), cut_at=8), named(("abcdefghij", 5))) == {"abcdefghij": "same"}


def test_two_texts_of_one_width_match_as_printed():
    a, b = named(("control file sequential re", 5), cut_at=26), named(("control file sequential re", 5), cut_at=26)
    assert complete_names(a, b) == (a, b)


def test_two_texts_of_different_widths():
    narrow, wide = named(("control file sequ", 5), cut_at=17), named(("control file sequential re", 5), cut_at=26)
    assert statuses(narrow, wide) == {"control file sequential re": "same"}


def segments(*rows: tuple[str, str, str], cut: bool) -> Section:
    widths = (20, 10, 5) if cut else (None, None, None)
    ids = ("object_name", "subobject_name", "object_type")
    columns = [Column(i, i, cut_at=w) for i, w in zip(ids, widths, strict=True)]
    return section("segments_by_reads", columns, rows, key=ids)


def test_partitions_lose_their_beginning():
    text = segments(("WRH$_LATCH_MISSES_SU", "80142923_0", "INDEX"), cut=True)
    full = ("WRH$_LATCH_MISSES_SUMMARY_PK", "WRH$_LATCH__1380142923_0", "INDEX PARTITION")
    assert statuses(text, segments(full, cut=False)) == {" ".join(full): "same"}


def parameter(value: str, cut_at: int | None = None) -> Section:
    columns = (Column("parameter", "Name"), Column("begin_value", "Begin", cut_at=cut_at))
    return section("init_parameters", columns, [("audit_file_dest", value)])


@pytest.mark.parametrize(("printed", "status"), [("/u00/app/oracle", "same"), ("/u01/app/oracle", "changed")])
def test_a_cut_value_differs_where_what_is_printed_does(printed: str, status: str):
    first, second = parameter(printed, cut_at=15), parameter("/u00/app/oracle/admin/adump")
    assert statuses(first, second) == {"audit_file_dest": status}
    compared = compare_section(first, second, NO_BASES).rows[0]
    assert compared.values["begin_value"].first == printed  # what was not printed is not filled in


def advisory(*factors: tuple[float, float], half: float) -> Section:
    rows = [Row((Value(f, half), near(mb, 0.5))) for f, mb in factors]
    return section(
        "shared_pool_advisory", (column("size_factor", "ratio"), column("size_bytes", "bytes", "level")), rows
    )


def test_coarse_numbers_of_a_key():
    text = advisory((0.9, 100), (0.9, 104), (1.0, 112), half=0.05)
    html = advisory((0.88, 100), (0.91, 104), (1.0, 112), half=0.005)
    assert statuses(text, html) == {"0.88": "same", "0.91": "same", "1": "same"}
    assert statuses(html, text) == {"0.88": "same", "0.91": "same", "1": "same"}


def test_a_coarse_number_that_fits_several_stays_apart():
    text = advisory((1.0, 100), half=0.05)
    html = advisory((0.98, 99), (1.0, 100), half=0.005)
    assert statuses(text, html) == {"1.0": "only_first", "0.98": "only_second", "1": "only_second"}


def test_a_whole_comparison_uses_the_full_names():
    full = "log file switch (checkpoint incomplete)"
    text, html = report(events({full[:26]: (10, 5.0)})), report(events({full: (10, 5.0)}))
    cut = replace(text.sections[0], columns=(Column("event", "Event", cut_at=26), *text.sections[0].columns[1:]))
    c = compare_reports(replace(text, format="text", sections=(cut,)), html)
    assert [r.key["event"] for r in c.sections[0].rows] == [full]
    assert {w.code for w in c.warnings} == {"same-report"}

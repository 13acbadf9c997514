"""Nothing of a name stays in a redacted report, whatever column it stood in."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import datetime

import pytest
from msgspec import structs

from awrdiff.redaction.column_content_kinds import BY_ID, BY_SECTION, STAY, kind_of
from awrdiff.redaction.link_options import Redaction
from awrdiff.redaction.report import redact
from parsers.model import Column, Issue, Report, Row, Section
from parsers.sections.registry import REGISTRY
from parsers.storage.report_serialisation import dump_head, dump_section
from tests.unit.redaction.planted import Plants, planted_report, told
from tests.web.builders import small_report

RULE = Redaction(key="07" * 32)
START = datetime(2024, 1, 1, 10)
# Whoever adds a column here says that only Oracle names what stands in it.
STAYING = """
begin_public block_class buffer_cache cache call_type category cdb channel class command_type component
end_public enqueue enqueue_type_request_reason event event_class event_first event_second filetype function
function_file in_out last_operation latch latch_name limit metric mode mutex_type namespace
object_type operation parameter parameter_1 parameter_2 parameter_3 phase plans platform point pool
process_type rac region release resource restarted row_source session_type sga_regions statistic
statistic_name status summary type undo_block_states used_by wait_class wait_class_first wait_class_second
"""
TEXTS = [(s.id, c) for s in REGISTRY.by_id.values() for c in s.columns or () if c.column.unit is None]


@pytest.fixture(scope="module")
def planted() -> Report:
    return planted_report("qzvxwjkfpd.html", Plants(), figure=100.0, start=START)


def whole(report: Report) -> bytes:
    return json.dumps([dump_head(report), *map(dump_section, report.sections)], ensure_ascii=False).encode()


@pytest.mark.parametrize("sql", ["off", "shape"])
@pytest.mark.parametrize("undeclared", [False, True])
def test_nothing_that_was_planted_is_in_it(planted, sql, undeclared):
    made = redact(planted, replace(RULE, sql=sql, undeclared=undeclared), "report-1.html")
    assert told(whole(planted))
    assert told(whole(made)) == []
    assert told(json.dumps(made.as_dict()).encode()) == []


def test_what_a_file_lacks_is_told_without_the_heading_that_it_quotes(planted):
    codes = ("truncated", "table-cut", "overflow", "unreadable-time")
    quoted = [Issue(code, 'in or after "OLIVIA"', "olivia", 7) for code in codes]
    made = redact(structs.replace(planted, issues=(*quoted, *quoted)), RULE, "report-1.html")
    kept = ("truncated", "table-cut", "unreadable-time")
    assert [(i.code, i.section, i.line) for i in made.issues] == [(code, None, None) for code in kept]
    assert not any("olivia" in i.text.lower() for i in made.issues)
    assert "ends early" in made.issues[0].text


def test_every_text_column_of_every_section_says_what_it_holds():
    assert len(TEXTS) > 600
    assert [(section, c.id) for section, c in TEXTS if kind_of(section, c.id) is None] == []


def test_what_holds_something_by_its_declaration_does_not_stay():
    assert [(s, c.id) for s, c in TEXTS if c.column.holds and kind_of(s, c.id) in STAY] == []


def test_only_what_oracle_names_stays_as_it_is():
    assert {column for column, kind in BY_ID.items() if kind in STAY} == set(STAYING.split())
    assert {where for where, kind in BY_SECTION.items() if kind in STAY} == {
        ("sql_plan_statistics", "statistic"),
        ("sga_breakdown", "name"),
        ("compare_sga_breakdown", "name"),
        ("mutex_sleep_summary", "location"),
        ("latch_miss_sources", "where"),
    }


@pytest.mark.parametrize("label", ["Name", "Location", "Where"])
def test_a_table_whose_columns_are_read_by_their_labels_may_name_anything(label):
    """Disk groups have names, Exadata's alerts a location."""
    columns = (Column(label.lower(), label), Column("total_mb", "Total MB", "megabytes"))
    groups = Section("asm_diskgroups", "ASM Diskgroups", True, "all", (label.lower(),), columns, (Row(("ACME", None)),))
    made = redact(structs.replace(small_report(), sections=(groups,)), RULE, "a.html").section("asm_diskgroups")
    assert "acme" not in json.dumps(dump_section(made)).lower()
    assert len(made.columns) == 2


def test_figures_and_rows_stay(planted):
    made = redact(planted, RULE, "report-1.html")
    assert made.period == planted.period
    before, after = planted.section("foreground_wait_events"), made.section("foreground_wait_events")
    assert [r["waits"] for r in after.rows] == [r["waits"] for r in before.rows]
    assert [r["event"] for r in after.rows] == [r["event"] for r in before.rows]


def test_one_name_is_one_pseudonym_within_a_link_and_another_in_the_next():
    first, again = (redact(small_report(waits=w), RULE, "a.html") for w in (1.0, 2.0))
    other = redact(small_report(), Redaction.new(), "a.html")
    assert first.database.name == again.database.name != other.database.name
    assert first.host.name == first.instances[0].host == again.host.name != other.host.name
    assert first.database.name.removeprefix("db-") != "PAY"
    assert first.instances[0].name not in ("pay1", first.database.name)


def test_tables_that_nobody_declared_are_left_out_unless_they_are_wanted():
    unknown = Section(
        "sales_of_acme", "Sales of ACME", False, "all", ("who",), (Column("who", "Who"),), (Row(("Bob",)),)
    )
    report = structs.replace(small_report(), sections=(*small_report().sections, unknown))
    assert {s.id for s in redact(report, RULE, "a").sections} == {"foreground_wait_events", "init_parameters"}
    shown = redact(report, replace(RULE, undeclared=True), "a").sections[-1]
    assert shown.id.startswith("table_")
    assert not any(word in json.dumps(dump_section(shown)).lower() for word in ("acme", "sales", "bob", "who"))


def test_a_column_with_a_heading_nobody_knows_goes():
    declared = small_report().sections[0]
    wide = structs.replace(
        declared,
        columns=(*declared.columns, Column("acme", "ACME"), Column("small_reads", "Small Reads", "count")),
        records=tuple(Row((*r.cells, "x", None)) for r in declared.records),
    )
    made = redact(structs.replace(small_report(), sections=(wide,)), RULE, "a").sections[0]
    assert [c.id for c in made.columns] == [*(c.id for c in declared.columns), "small_reads"]


def test_rows_that_became_the_same_are_told_apart():
    columns = (Column("parameter", "Parameter Name"), Column("begin_value", "Begin value"))
    rows = tuple(Row((name, "8")) for name in ("cpu_count", "cpu_count"))
    made = redact(
        structs.replace(
            small_report(), sections=(Section("init_parameters", "p", True, "all", ("parameter",), columns, rows),)
        ),
        RULE,
        "a",
    )
    assert [r.ordinal for r in made.sections[0].records] == [0, 1]


def test_no_column_is_said_to_hold_two_things():
    from awrdiff.redaction import column_content_kinds

    said = " ".join(column_content_kinds._BY_KIND.values()).split()
    assert len(said) == len(set(said)) == len(BY_ID)


@pytest.mark.parametrize("rule", [Redaction.new(), Redaction.new(sql="shape"), Redaction.new(undeclared=True)])
def test_what_a_link_keeps_is_what_was_chosen(rule):
    assert Redaction.from_dict(rule.as_dict()) == rule
    assert Redaction.from_dict({"key": rule.key}) == Redaction(rule.key)  # nothing said: the least is shown

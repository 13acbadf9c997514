"""Oracle's own compare period report: both periods in one row, columns named by figure and side."""

from __future__ import annotations

from datetime import datetime

import pytest

from parsers import parse_report
from parsers.model import Report, Value
from parsers.sections.oracle_compare_periods import sided_column
from parsers.sections.registry import REGISTRY
from tests.unit.parsers.kind_pages import page, table

_TITLE = "WORKLOAD REPOSITORY COMPARE PERIOD REPORT"
_SIDES = ["1st", "2nd", "%Diff"]


def compare_report(*parts: str) -> bytes:
    return page(
        "AWR Compare Period Report for (1) DB: SHOP, Inst: SHOP1, Snaps: 40-41 (2) DB: SHOP, Inst: SHOP1, Snaps: 60-61",
        _TITLE,
        table(
            ["Snapshot Set", "DB Name", "DB Id", "Instance", "Inst num", "Release", "Cluster", "Host", "Std Block Size"],
            [["First (1st)", "SHOP", "77123", "SHOP1", "1", "11.2.0.3.0", "NO", "node-a", "8192"],
             ["Second (2nd)", "SHOP", "77123", "SHOP1", "1", "11.2.0.4.0", "NO", "node-b", "8192"]],
        ),
        table(
            ["Snapshot Set", "Begin Snap Id", "Begin Snap Time", "End Snap Id", "End Snap Time", "Avg Active Users",
             "Elapsed Time (min)", "DB time (min)"],
            [["1st", "40", "05-Mar-24 10:00:05 (Tue)", "41", "05-Mar-24 10:30:06 (Tue)", "2.0", "30.0", "60.0"],
             ["2nd", "60", "06-Mar-24 10:00:00 (Wed)", "61", "06-Mar-24 10:30:00 (Wed)", "4.0", "30.0", "120.0"],
             ["%Diff", "", "", "", "", "100.0", "0.0", "100.0"]],
        ),
        *parts,
    )  # fmt: skip


@pytest.fixture(scope="module")
def report() -> Report:
    return parse_report(
        compare_report(
            table(
                ["", "1st per sec", "2nd per sec", "%Diff", "1st per txn", "2nd per txn", "%Diff"],
                [["DB time:", "2.0", "4.0", "100.0", "0.1", "0.2", "100.0"],
                 ["Redo size:", "1,024.5", "2,049.0", "100.0", "10.5", "10.5", "0.0"]],
                caption="Load Profile",
            ),
            table(
                ["Event", "Wait Class", "Waits", "Time(s)", "Avg Time(ms)", "%DB time",
                 "Event", "Wait Class", "Waits", "Time(s)", "Avg Time(ms)", "%DB time"],
                [["CPU time", "", "", "1,800.00", "", "50.00", "log file sync", "Commit", "2,000", "8.00", "4.00", "0.11"],
                 ["log file sync", "Commit", "1,000", "2.00", "2.00", "0.06", "CPU time", "", "", "3,000.00", "", "41.67"],
                 ["enq: TX - contention", "Other", "4", "1.00", "250.00", "0.03", "- cursor: pin S", "Other", "3", "0.50", "166.67", "0.01"]],
                groups=(("1st", 6), ("2nd", 6)),
                heading="Top Timed Events",
            ),
            table(
                ["Event", "Wait Class", "1st", "2nd", "Diff", "1st", "2nd", "%Diff", "1st", "2nd", "%Diff"],
                [["log file sync", "Commit", "0.06", "0.11", "0.05", "0.56", "1.11", "98.21", "2.00", "4.00", "100.00"],
                 ["enq: TX - contention", "Other", "0.03", "", "-0.03", "0.00", "", "-100.00", "250.00", "", "-100.00"]],
                groups=(("", 2), ("% of DB time", 3), ("# Waits/sec (Elapsed Time)", 3), ("Avg Wait Time (ms)", 3)),
                heading="Wait Events",
            ),
            table(
                ["Statistic", *_SIDES, *_SIDES],
                [["redo size", "1,000,000", "2,000,000", "100.00", "555.50", "1,111.00", "100.00"]],
                groups=(("", 1), ("Value", 3), ("per Second (Elapsed Time)", 3)),
                heading="Key Instance Activity Stats",
            ),
            table(
                ["Category", "Summary", "Begin Value", "End Value", "%Diff", "Begin Value", "End Value", "%Diff",
                 "Begin Values", "End Values"],
                [["SQL", "Alloc (KB)", "10.00", "20.00", "100.00", "30.00", "30.00", "0.00", "200.00", "50.00"]],
                groups=(("", 2), ("1st", 3), ("2nd", 3), ("% Diff of", 2)),
                heading="Process Memory Summary",
            ),
            table(
                ["", "1st", "2nd", "Diff", "%Diff"],
                [["Number of CPUs:", "8", "16", "8", "100.0"], ["Physical Memory:", "7974.6M", "16G", "8409.4M", "105.4"]],
                heading=_TITLE,
                level="h1",
                caption="Host Configuration Comparison",
            ),
            table(
                ["", "PGA Aggr Target(M)", "PGA Mem Alloc(M)"],
                [["B1", "128", "100.0"], ["E1", "128", "110.0"], ["B2", "256", "100.0"], ["E2", "256", "200.0"]],
                heading="PGA Aggr Target Stats",
            ),
            table(
                ["Parameter Name", "Begin Snap Value", "End Snap Value", "Begin Snap Value", "End Snap Value"],
                [["cpu_count", "", "8", "", "16"]],
                groups=(("", 1), ("1st Period", 2), ("2nd Period", 2)),
                heading="init.ora Parameters",
            ),
            table(
                ["SQL Id", "1st", "1st Total", "2nd", "2nd Total", "Diff", "1st", "2nd", "1st/2nd/Both", "SQL Text"],
                [["7cw2n1pu4xh9s", "6.24", "6.24", "", "", "-6.24", "27", "", "1/ / 1", "select order_id..."]],
                groups=(("", 1), ("Elapsed Time % of DB time", 5), ("CPU Time (ms) per Exec", 2), ("#Plans", 1), ("", 1)),
                heading="Top SQL Comparison by Elapsed Time",
            ),
        )
    )  # fmt: skip


def row(report: Report, section_id: str, *key: str) -> dict[str, object]:
    section = report.section(section_id)
    assert section is not None, [s.id for s in report.sections]
    record = section.find(*key)
    assert record is not None, [section.key_of(r) for r in section.records]
    return dict(zip([c.id for c in section.columns], record.cells, strict=True))


def test_every_table_is_known_and_nothing_is_noted(report: Report) -> None:
    assert report.kind == "awr_compare"
    assert [s.id for s in report.sections if not s.known] == []
    assert report.issues == ()


def test_the_header_is_the_first_period_s(report: Report) -> None:
    assert (report.release, report.database.dbid, report.database.rac) == ("11.2.0.3.0", "77123", False)
    assert [(i.number, i.name, i.host) for i in report.instances] == [(1, "SHOP1", "node-a")]
    assert (report.period.begin.id, report.period.end.id) == (40, 41)
    assert report.period.begin.time == datetime(2024, 3, 5, 10, 0, 5)
    assert report.period.db_time_s == Value(3600, 3)


def test_the_second_period_s_facts_are_kept(report: Report) -> None:
    assert row(report, "compare_databases", "Second (2nd)")["release"] == "11.2.0.4.0"
    assert row(report, "compare_snapshots", "2nd")["begin_snap_id"] == Value(60, 0)


def test_the_differences_of_both_periods_are_percentages() -> None:
    found = row(parse_report(compare_report()), "compare_snapshots", "%Diff")
    assert (found["db_time_pct_diff"], found["db_time_s"]) == (Value(100.0, 0.05), None)


def test_columns_are_named_by_figure_and_side(report: Report) -> None:
    event = row(report, "compare_wait_events", "log file sync")
    assert event["pct_of_db_time_first"] == Value(0.06, 0.005)
    assert event["pct_of_db_time_diff"] == Value(0.05, 0.005)
    assert event["waits_per_s_elapsed_time_pct_diff"] == Value(98.21, 0.005)
    assert event["avg_wait_time_second_s"] == Value(0.004, 5e-6)
    assert row(report, "compare_wait_events", "enq: TX - contention")["avg_wait_time_second_s"] is None


def test_the_two_top_lists_are_one_row_an_event(report: Report) -> None:
    commit = row(report, "compare_top_timed_events", "log file sync")
    assert (commit["waits_first"], commit["waits_second"]) == (Value(1000, 0), Value(2000, 0))
    assert (commit["avg_wait_first_s"], commit["wait_class"]) == (Value(0.002, 5e-6), "Commit")
    assert row(report, "compare_top_timed_events", "enq: TX - contention")["waits_second"] is None
    assert row(report, "compare_top_timed_events", "cursor: pin S")["waits_second"] == Value(3, 0)


def test_rows_carry_the_unit_their_label_says(report: Report) -> None:
    sections = report.by_id
    assert [r.unit for r in sections["compare_load_profile"].records] == ["s", "bytes"]
    assert sections["compare_instance_activity"].records[0].unit == "bytes"
    memory = sections["compare_process_memory_summary"]
    assert memory.key == ("summary", "category")
    assert memory.records[0].unit == "KB"
    assert row(report, "compare_process_memory_summary", "Alloc (KB)", "SQL")["end_values_pct_diff"] == Value(50, 0.005)


def test_memory_is_in_binary_multiples(report: Report) -> None:
    assert row(report, "compare_host", "Number of CPUs")["second"] == Value(16, 0)
    assert row(report, "compare_host", "Physical Memory")["second"] == Value(16 * 2**30, 2**29)
    assert [r.unit for r in report.by_id["compare_host"].records] == ["count", "bytes"]


def test_a_table_printed_as_in_one_report_keeps_its_id(report: Report) -> None:
    assert row(report, "pga_aggregate_target", "E2")["allocated_bytes"] == Value(200 * 2**20, 0.05 * 2**20)


def test_parameters_and_sql(report: Report) -> None:
    assert row(report, "compare_init_parameters", "cpu_count")["end_value_second"] == "16"
    sql = row(report, "compare_sql_by_elapsed_time", "7cw2n1pu4xh9s")
    assert sql["elapsed_time_pct_of_db_time_total_first"] == Value(6.24, 0.005)
    assert (sql["cpu_time_per_exec_first_s"], sql["plans"]) == (Value(0.027, 0.0005), "1/ / 1")


def test_no_figure_of_two_periods_counts_as_a_total_of_one(report: Report) -> None:
    measures = {
        c.measure for s in report.sections if s.id.startswith("compare_") for c in s.columns if c.unit == "count"
    }
    assert "total" not in measures


@pytest.mark.parametrize(
    ("label", "group", "unit", "column", "read_as"),
    [
        ("Diff", "% of DB time", "count", "pct_of_db_time_diff", "percent"),
        ("Get Requests 1st", "Get Requests", "count", "get_requests_first", "count"),
        ("1st (M)", "", "bytes", "first_bytes", "bytes"),
        ("Pct Miss 2nd (2)", "Pct Miss", "count", "pct_miss_2_second", "percent"),
        (
            "#Executions/sec (DB time) 1st",
            "#Executions/sec (DB time)",
            "count",
            "executions_per_s_db_time_first",
            "per_s",
        ),
        ("Server KB Per Sec 2nd", "Server KB Per Sec", "count", "server_per_s_second_bytes", "bytes_per_s"),
        ("Wait Time (cs) Diff", "Wait Time (cs)", "count", "wait_time_diff_s", "s"),
        ("1st/2nd/Bo", "#Pl", "count", "plans", None),
        ("Event", "", "count", "event", None),
        ("", "", "count", "metric", None),
    ],
)
def test_sided_columns(label: str, group: str, unit: str, column: str, read_as: str | None) -> None:
    found = sided_column(label, group, unit).column
    assert (found.id, found.unit) == (column, read_as)


def test_a_report_of_one_period_is_not_taken_for_two() -> None:
    plain = [d.id for d in REGISTRY.by_id.values() if d.id.startswith("compare_") and "plain" in d.shapes]
    assert plain == ["compare_undo_segment_summary"]  # its rows are the periods

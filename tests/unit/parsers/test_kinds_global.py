"""Global (RAC) reports: two header rows, instances in the row keys, the cluster's own totals."""

from __future__ import annotations

from datetime import datetime

import pytest

from parsers import parse_report
from parsers.model import Report, Section, Value
from tests.unit.parsers.kind_pages import global_report, page, table


@pytest.fixture(scope="module")
def report() -> Report:
    return parse_report(global_report())


def section(report: Report, section_id: str) -> Section:
    found = report.section(section_id)
    assert found is not None, [s.id for s in report.sections]
    return found


def figure(report: Report, section_id: str, key: tuple[str, ...], column: str) -> Value | None:
    found = section(report, section_id)
    record = found.find(*key)
    assert record is not None, [found.key_of(r) for r in found.records]
    return found.number(record, column)


def test_every_table_is_known_and_nothing_is_noted(report: Report) -> None:
    assert report.kind == "awr_global"
    assert [s.id for s in report.sections if not s.known] == []
    assert report.issues == ()


def test_it_names_every_instance(report: Report) -> None:
    assert [(i.number, i.name, i.host) for i in report.instances] == [(1, "shop1", "node-a"), (2, "shop2", "node-b")]
    assert report.instances[1].startup == datetime(2024, 3, 1, 6, 10)
    assert (report.release, report.database.name, report.database.dbid) == ("12.2.0.1.0", "SHOP", "77123")
    assert report.database.rac is True


def test_the_period_is_the_cluster_s(report: Report) -> None:
    period = report.period
    assert (period.begin.id, period.end.id) == (40, 41)
    assert (period.begin.sessions, period.end.sessions) == (110, 125)
    assert period.begin.time == datetime(2024, 3, 5, 10, 0)
    assert period.db_time_s == Value(3001.25, 0.005)  # the sum over the instances, which has more digits
    assert period.elapsed_s is not None
    assert period.elapsed_s.number == pytest.approx(1200.1, abs=0.001)  # 20.00 minutes, narrowed by the redo size


def test_the_printed_minutes_stand_where_instances_were_up_for_different_times() -> None:
    period = parse_report(global_report(elapsed=("20.00", "12.00"))).period
    assert period.elapsed_s is not None
    assert (period.elapsed_s.number, round(period.elapsed_s.half, 6)) == (1200, 0.3)


def test_hosts_are_added_up_and_not_named(report: Report) -> None:
    host = report.host
    assert (host.name, host.platform, host.cpus, host.cores) == (None, "Linux x86 64-bit", 16, 8)
    assert host.memory_bytes is not None
    assert host.memory_bytes.number == 2 * 65_536 * 2**20


def test_the_instance_is_part_of_the_key(report: Report) -> None:
    events = section(report, "top_timed_events")
    assert events.key == ("instance_number", "event")
    assert events.coverage == "top"
    assert figure(report, "top_timed_events", ("*", "log file sync"), "waits") == Value(10_000, 0)
    assert figure(report, "top_timed_events", ("2", "log file sync"), "avg_wait_s") == Value(0.0045, 5e-6)
    assert figure(report, "top_timed_events", ("1", "log file sync"), "max_of_instance_averages_s") is None
    assert section(report, "init_parameters").find("undo_tablespace", "2") is not None


def test_sections_keyed_by_the_thing_alone_keep_their_ids(report: Report) -> None:
    assert figure(report, "foreground_wait_events", ("log file sync",), "total_wait_time_s") == Value(30, 0.005)
    assert figure(report, "sql_by_elapsed_time", ("7cw2n1pu4xh9s",), "elapsed_per_exec_s") == Value(2.41, 0.005)
    assert figure(report, "sql_by_elapsed_time", ("7cw2n1pu4xh9s",), "pct_db_time") == Value(4.02, 0.005)
    assert figure(report, "instance_activity", ("redo size",), "max_per_second") is not None
    assert section(report, "instance_activity").records[0].unit == "bytes"


def test_pivots_have_ids_of_their_own_and_units(report: Report) -> None:
    assert figure(report, "time_model_by_instance", ("Sum",), "background_time_s") == Value(50, 0.005)
    assert figure(report, "cache_sizes_by_instance", ("1",), "db_cache_end_bytes") == Value(2**30, 2**19)
    assert figure(report, "os_statistics_by_instance", ("2",), "end_memory_bytes") == Value(32_768 * 2**20, 2**19)
    assert figure(report, "os_statistics_by_instance", ("2",), "memory_bytes") == Value(65_536 * 2**20, 2**19)
    assert figure(report, "iostat_by_function", ("*", "LGWR"), "write_bytes_per_s") == Value(
        0.75 * 2**20, 0.005 * 2**20
    )
    transfers = ("1", "2", "data block")
    received = figure(report, "global_cache_transfers_by_instance", transfers, "cr_blocks_received")
    assert received == Value(500, 0)


def test_the_histogram_is_one_table_of_22_buckets(report: Report) -> None:
    histogram = section(report, "wait_event_histogram")
    assert len([c for c in histogram.columns if c.id.startswith("pct_")]) == 22
    row = next(histogram.rows)
    assert row["waits"] == Value(9_100_000, 50_000)
    assert row["pct_lt_2ms"] == Value(80.5, 0.05)
    assert row["pct_ge_1s"] == Value(0, 0)  # blank: exactly nothing


def test_to_12_1_times_are_milliseconds_and_memory_is_the_begin_value() -> None:
    older = parse_report(
        page(
            "AWR RAC Report for DB: SHOP, Snaps: 40-41",
            "WORKLOAD REPOSITORY REPORT (RAC)",
            table(
                ["I#", "Class", "Event", "Waits", "%Timeouts", "Total(s)", "Avg(ms)", "%DB time", "Avg", "Min"],
                [["*", "Commit", "log file sync", "10", "0.00", "0.03", "3.21", "1.00", "3.20", "2.00"]],
                groups=(("", 1), ("Wait", 2), ("Event", 2), ("Wait Time", 3), ("Summary Avg Wait Time (ms)", 2)),
                heading="Top Timed Foreground Events",
            ),
            table(
                ["I#", "Num CPUs", "Load Begin", "% Busy", "Memory (M)", "End Memory (M)"],
                [["1", "8", "1.0", "5.0", "1,024", ""]],
                heading="OS Statistics By Instance",
            ),
        )
    )
    assert figure(older, "top_timed_foreground_events", ("*", "log file sync"), "avg_wait_s") == Value(0.00321, 5e-6)
    average = figure(older, "top_timed_foreground_events", ("*", "log file sync"), "avg_of_instance_averages_s")
    assert average == Value(0.0032, 5e-6)
    assert figure(older, "os_statistics_by_instance", ("1",), "memory_bytes") == Value(2**30, 2**19)
    assert {i.code for i in older.issues} == {"no-database", "no-instances"}


@pytest.mark.parametrize(("unit", "size"), [("us", 1e-6), ("ms", 1e-3)])
def test_a_unit_in_the_group_alone_counts(unit: str, size: float) -> None:
    messaging = parse_report(
        page(
            "AWR RAC Report for DB: SHOP",
            "WORKLOAD REPOSITORY REPORT (RAC)",
            table(
                ["I#", "Sent", "GCS msgs", "Direct"],
                [["1", "250", "16", "66.76"]],
                groups=(("", 1), (f"Queue Time ({unit})", 1), (f"Process Time ({unit})", 1), ("% Messages Sent", 1)),
                heading="Global Messaging Statistics",
            ),
        )
    ).by_id["global_messaging_by_instance"]
    row = next(messaging.rows)
    assert row["sent_queue_time_s"] == pytest.approx(Value(250 * size, size / 2))
    assert row["gcs_process_time_s"] == pytest.approx(Value(16 * size, size / 2))
    assert row["pct_direct"] == Value(66.76, 0.005)


@pytest.mark.parametrize(("printed", "read_as"), [("0.28", Value(28, 0.5)), ("28.25", Value(28.25, 0.005))])
def test_a_fraction_headed_as_percentage_is_one(printed: str, read_as: Value) -> None:
    labels = ["Class", "Event", "Waits", "%Timeouts", "Total(s)", "Avg Wait", "%bg time"]
    rows = [["Other", "LGWR all worker groups", "50", "0.00", "72.92", "1.46s", printed],
            ["Other", "target log write size", "5", "0.00", "0.10", "20.00ms", "0.00"]]  # fmt: skip
    background = parse_report(
        page(
            "AWR RAC Report for DB: SHOP",
            "WORKLOAD REPOSITORY REPORT (RAC)",
            table(
                labels,
                rows,
                groups=(("Wait", 2), ("Event", 2), ("Wait Time", 3)),
                heading="Background Wait Events (Global)",
            ),
        )
    ).by_id["background_wait_events"]
    share = background.number(background.records[0], "pct_bg_time")
    assert share is not None
    assert (round(share.number, 6), round(share.half, 6)) == read_as


def test_a_table_of_one_instance_is_not_taken_for_the_pivot() -> None:
    single = parse_report(
        page(
            "AWR Report for DB: SHOP",
            "WORKLOAD REPOSITORY report for",
            table(["Statistic Name", "Time (s)"], [["DB time", "12.00"]], heading="Time Model Statistics"),
            table(
                ["", "Begin", "End"], [["Buffer Cache:", "1,024M", ""]], heading="Report Summary", caption="Cache Sizes"
            ),
        )
    )
    assert [s.id for s in single.sections] == ["time_model", "cache_sizes"]

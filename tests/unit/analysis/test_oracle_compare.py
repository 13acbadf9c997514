"""Oracle's compare report taken apart into two reports, and its differences checked."""

from __future__ import annotations

import random

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from awrdiff.analysis import report_scopes
from awrdiff.analysis.compare import compare_reports
from awrdiff.analysis.export.comparison_json import as_dict, dump_overview, load_overview
from awrdiff.analysis.export.markdown import as_markdown
from awrdiff.analysis.model.comparison import Comparison
from awrdiff.analysis.oracle_compare import check_of, is_compare, is_period, period_of
from awrdiff.analysis.oracle_compare.period_columns import figures_of
from awrdiff.analysis.report.figures_by_name import Side
from parsers import UnsupportedReport, parse_report
from parsers.model import Report, Row, Value
from tests.fuzz_cases import MUTATIONS
from tests.unit.analysis.builders import loaded, parameters, report
from tests.unit.analysis.oracle_page import oracle_page

PAGE = oracle_page()


@pytest.fixture(scope="module")
def oracle() -> Report:
    return parse_report(PAGE, name="compare.html")


@pytest.fixture(scope="module")
def first(oracle: Report) -> Report:
    return period_of(oracle, "first")


@pytest.fixture(scope="module")
def second(oracle: Report) -> Report:
    return period_of(oracle, "second")


@pytest.fixture(scope="module")
def ready(oracle: Report) -> Comparison:
    return report_scopes.ready_comparison(oracle)


def cells(period: Report, section_id: str, *key: str) -> dict[str, object]:
    section = period.by_id[section_id]
    record = section.find(*key)
    assert record is not None, [section.key_of(r) for r in section.records]
    return dict(zip([c.id for c in section.columns], record.cells, strict=True))


def test_the_page_is_read_without_a_complaint(oracle):
    assert oracle.kind == "awr_compare"
    assert oracle.issues == ()
    assert [s.id for s in oracle.sections if not s.known] == ["service_statistics_rac"]  # differences alone


def test_each_period_has_its_own_header(first, second):
    assert [r.release for r in (first, second)] == ["11.2.0.3.0", "11.2.0.4.0"]
    assert [r.instances[0].host for r in (first, second)] == ["node-a", "node-b"]
    assert [(r.host.cpus, r.host.memory_bytes.number) for r in (first, second)] == [(8, 8 * 2**30), (16, 16 * 2**30)]
    assert [(r.period.begin.id, r.period.end.id) for r in (first, second)] == [(40, 41), (60, 61)]
    assert [r.kind for r in (first, second)] == ["awr", "awr"]
    assert is_period(first)
    assert not is_period(loaded())
    assert second.name == "compare.html, second period"


def test_minutes_of_one_decimal_are_narrowed(first, second):
    """By the snapshots' clock and by totals over rates: 30.0 minutes are 1,801 and 1,800 seconds here."""
    elapsed = [r.period.elapsed_s for r in (first, second)]
    assert [round(e.number) for e in elapsed] == [1801, 1800]
    assert all(e.half < 1.1 for e in elapsed)
    assert first.period.db_time_s == Value(3600.5, 0.005)


def test_figures_stand_under_the_names_of_a_report_of_one_period(first, second):
    assert cells(first, "time_model", "DB CPU") == {
        "statistic": "DB CPU",
        "pct_db_time": Value(50.0, 0.005),
        "time_s": Value(1800.25, 0.005),
    }
    assert cells(second, "load_profile", "DB Time(s)")["per_second"] == Value(4.0, 0.05)
    activity = cells(second, "instance_activity", "redo size")
    assert (activity["total"], activity["per_second"]) == (Value(3600000, 0), Value(2000.0, 0.005))
    assert Side(second).statistic("user commits") == Value(36000, 0)
    assert cells(first, "segments_by_row_lock_waits", "APP", "ORDERS", "", "TABLE")["pct_total"] == Value(60.0, 0.005)
    assert cells(first, "pga_aggregate_target", "E")["allocated_bytes"] == Value(110 * 2**20, 0.05 * 2**20)
    assert cells(second, "pga_aggregate_target", "E")["allocated_bytes"] == Value(200 * 2**20, 0.05 * 2**20)
    assert [c.id for c in first.by_id["host_cpu"].columns] == ["load_begin", "pct_idle"]


def test_totals_are_totals_again_and_rates_are_not(first):
    columns = {s.id: {c.id: c.measure for c in s.columns} for s in first.sections}
    assert columns["instance_activity"]["total"] == "total"
    assert columns["time_model"]["time_s"] == "total"
    assert columns["wait_events"]["waits_per_s"] == "rate"


def test_only_the_top_events_have_a_count(first):
    assert cells(first, "wait_events", "log file sync")["waits"] == Value(1000, 0)
    assert cells(first, "wait_events", "latch free")["waits"] is None


def test_an_idle_class_is_idle(first):
    assert "invented timer" not in Side(first).foreground
    assert "latch free" in Side(first).foreground


def test_what_a_period_does_not_print_is_unknown(first, second):
    assert first.by_id["sql_by_elapsed_time"].find("7cw2n1pu4xh9s") is not None
    assert second.by_id["sql_by_elapsed_time"].find("7cw2n1pu4xh9s") is None
    assert second.by_id["wait_events"].find("latch free") is None
    assert {first.by_id[i].coverage for i in ("wait_events", "instance_activity", "sql_by_elapsed_time")} == {"top"}


def test_plans_are_told_apart_and_running_sums_left_out(first, second):
    statement = cells(first, "sql_by_elapsed_time", "7cw2n1pu4xh9s")
    assert (statement["plans"], statement["pct_total"]) == ("2", Value(6.24, 0.005))
    assert statement["executions"] == Value(300, 0)
    assert not [c.id for c in first.by_id["sql_by_elapsed_time"].columns if c.id.endswith("_total_2")]
    assert "elapsed_time_pct_of_db_time_total" not in first.by_id["sql_by_elapsed_time"].index
    assert cells(second, "sql_by_elapsed_time", "3gp9fr1tk7nya")["plans"] == "1"


def test_parameters_are_written_out(first, second):
    def values(period: Report) -> dict[str, tuple[object, object]]:
        return {r["parameter"]: (r["begin_value"], r["end_value"]) for r in period.by_id["init_parameters"].rows}  # type: ignore[misc]

    assert values(first) == {"cpu_count": ("8", None), "db_name": ("SHOP", None), "open_cursors": ("100", "200")}
    assert values(second) == {
        "cpu_count": ("16", None),
        "db_name": ("SHOP", None),
        "commit_wait": ("NOWAIT", None),
        "open_cursors": ("200", None),
    }


def test_figures_that_would_be_wrong_are_left_out(first):
    assert first.by_id["os_statistics"].find("TCP_SEND_SIZE_MAX") is None
    assert set(first.by_id["buffer_waits"].index) == {"class", "total_wait_time_s", "waits"}
    assert cells(first, "load_profile", "W/A MB processed")["per_second"] == Value(1.0, 0.05 / 2**20)


def test_io_by_function_is_rows(first, second):
    assert cells(second, "iostat_by_function", "TOTAL") == {
        "function": "TOTAL",
        "read_requests_per_s": Value(150.0, 0.005),
        "read_bytes_per_s": Value(20 * 2**20, 0.005 * 2**20),
        "write_requests_per_s": None,
        "write_bytes_per_s": None,
    }
    assert cells(first, "iostat_by_function", "LGWR")["write_requests_per_s"] == Value(30.0, 0.005)
    assert cells(first, "iostat_by_function", "Direct Reads")["read_bytes_per_s"] == Value(2.0**20, 0.005 * 2**20)
    assert not [s.id for s in first.sections if s.id.startswith("compare_iostat")]


def test_a_table_of_differences_alone_stays_in_oracles_report(first, oracle):
    assert first.section("service_statistics_rac") is None
    assert check_of(oracle).only_differences == ("Service Statistics (RAC)",)


def test_oracles_differences_are_checked(oracle):
    check = check_of(oracle)
    assert check.printed == check.agrees + check.from_zero + check.one_sided + check.disagree
    assert check.from_zero == 4  # redo writes are 0 in First, three times, and the size of a TCP buffer moved by 0
    assert check.one_sided == 5  # latch free four times, a statement once
    wrong, io = check.disagreements
    assert (io.section, io.row, io.column, io.oracle, io.ours) == (
        "iostat_by_function",
        "LGWR",
        "write_bytes_per_s",
        10.0,
        100.0,
    )
    assert (wrong.section, wrong.row, wrong.column, wrong.kind) == (
        "load_profile",
        "W/A MB processed",
        "per_transaction",
        "pct",
    )
    assert (wrong.first, wrong.second, wrong.oracle, wrong.ours) == (40.0, 30.0, 2.5, -25.0)
    assert "2 do not follow" in check.sentence


def test_a_disagreement_names_a_row_of_the_comparison(ready):
    for wrong, key in zip(ready.oracle_check.disagreements, ("W/A MB processed", "LGWR"), strict=True):
        section = next(s for s in ready.sections if s.id == wrong.section)
        row = next(r for r in section.rows if r.row_id == wrong.row_id)
        assert tuple(row.key.values()) == (key,)
        assert wrong.column in row.values


def test_ready_comparison(ready):
    assert [h["snapshots"]["begin"]["id"] for h in ready.headers] == [40, 60]
    assert [w.code for w in ready.warnings] == [
        "period-of-compare",
        "different-release",
        "different-host",
        "different-cpus",
        "oracle-check",
    ]
    rows = {r.key["event"]: r for r in next(s for s in ready.sections if s.id == "wait_events").rows}
    assert rows["log file sync"].values["total_wait_time_s"].pct == 300.0
    assert rows["latch free"].status == "only_first"
    assert rows["invented timer"].idle
    assert ready.attribution is not None
    assert ready.commit_latency.reports[0].lfs_waits.value == 1000


def test_the_check_is_published_and_kept(ready):
    assert load_overview(dump_overview(ready)).oracle_check == ready.oracle_check
    document = as_dict(ready)["oracle_check"]
    assert document["disagree"] == len(document["disagreements"]) == 2
    assert "oracle_check" not in as_dict(compare_reports(loaded(), loaded()))
    assert "Load Profile: W/A MB processed, per txn" in as_markdown([ready])


def test_one_period_against_another_report(first):
    warnings = compare_reports(first, loaded()).warnings
    text = next(w.text for w in warnings if w.code == "period-of-compare")
    assert text.startswith("The first report is a period")


def test_a_value_that_is_cut_is_no_change(first):
    """Oracle's compare report cuts long values; the other report prints them in full."""
    section = first.by_id["init_parameters"]
    long = "/u01/app/oracle/admin/shop/directory"
    cut = Row((*("long_path", long[:32]), None))
    columns = tuple(replace(c, cut_at=32) if c.id.endswith("value") else c for c in section.columns)
    mine = replace(first, sections=(replace(section, columns=columns, records=(cut,)),))
    other = replace(loaded(), sections=(parameters({"long_path": long}),))
    finding = next(f for f in compare_reports(mine, other).findings if f.rule == "parameters")
    assert finding.title == "No parameter changed."


def test_events_of_background_sessions_are_no_part_of_db_time(first):
    """The compare report lists them among all others; a report of one period lists them apart."""
    for background, counted in (({"latch free": (10, 1.0)}, False), (None, True)):
        parts = compare_reports(first, loaded(background=background)).attribution.parts
        assert ("latch free" in {p.key for p in parts}) == counted


def test_every_difference_has_its_figure(oracle):
    orphans = [
        (s.id, c.id)
        for s in oracle.sections
        if s.id.startswith("compare_") and s.id != "compare_snapshots"  # rows of the periods, and one of differences
        for c in s.columns
        if c.id.endswith("diff")
        and c.id not in {i for f in figures_of(s) for i in (f.first, f.second, *f.differences.values())}
    ]
    assert orphans == []


@settings(deadline=None, max_examples=50)
@given(seed=st.integers(0, 1_000_000), name=st.sampled_from(sorted(MUTATIONS)))
@example(seed=490551, name="huge_numbers")  # cpu_count of 50,000 digits
def test_a_damaged_report_is_refused_or_compared(seed: int, name: str) -> None:
    data = MUTATIONS[name](random.Random(seed), PAGE)
    try:
        found = parse_report(data)
    except UnsupportedReport:
        return
    if is_compare(found):
        report_scopes.ready_comparison(found)


def test_parts_of_reports(oracle):
    assert report_scopes.seen_as(oracle, "") is oracle
    for wrong in ("third", "instance:1", "instance:x"):
        with pytest.raises(LookupError):
            report_scopes.seen_as(oracle, wrong)
    with pytest.raises(LookupError):
        report_scopes.ready_comparison(report())
    assert [
        report_scopes.aspect_text(a, k) for a, k in (("", "awr_global"), ("", "awr_compare"), ("instance:2", ""))
    ] == [
        "cluster",
        "both periods",
        "instance 2",
    ]


def test_a_table_that_bears_another_ones_id_gets_one_of_its_own(oracle):
    """As damage leaves it: the second half of a table under a heading of its own."""
    stray = replace(parameters({"cpu_count": "8"}), id="wait_events")
    damaged = replace(oracle, sections=(stray, *oracle.sections))
    found = [s.id for s in period_of(damaged, "first").sections]
    assert len(found) == len(set(found))
    assert {"wait_events", "wait_events_2"} <= set(found)

"""Oracle's compare report as text: both periods' figures out of the columns, groups and pages of the listing."""

from __future__ import annotations

from datetime import datetime

import pytest

from parsers import parse_report
from parsers.files.split import split_reports
from parsers.model import Report, Value
from parsers.tables.rawtable import RawTable
from parsers.text.oracle_compare_report import read_compare
from tests.harness.cost import is_linear
from tests.unit.parsers.compare_listings import (
    PAIR,
    RELATIVE,
    SIDES,
    Group,
    chapter,
    compare_listing,
    every_layout,
    grid,
    load_profile,
    plain,
)

WAITS = [Group("% of DB time", SIDES), Group("# Waits/sec (Elapsed Time)", RELATIVE, 12), Group("Avg Wait Time (ms)")]
STATEMENTS = [
    Group("Elapsed Time % of DB time", ("1st", "1st Total", "2nd", "2nd Total", "Diff"), 10),
    Group("CPU Time (ms) per Exec", PAIR, 12),
    Group("#Plans", ("1st/2nd/Both",), 12),
]


def read(*chapters: str) -> Report:
    return parse_report(compare_listing(*chapters).encode())


def row(report: Report, section_id: str, *key: str) -> dict[str, object]:
    section = report.section(section_id)
    assert section is not None, [s.id for s in report.sections]
    record = section.find(*key)
    assert record is not None, [section.key_of(r) for r in section.records]
    return dict(zip([c.id for c in section.columns], record.cells, strict=True))


def table(*chapters: str, heading: str) -> RawTable:
    """The one table under `heading`."""
    (only,) = [t for t in read_compare(compare_listing(*chapters)).tables if t.heading == heading]
    return only


def test_the_head_is_read_and_nothing_is_noted() -> None:
    report = read()
    assert (report.kind, report.format, report.issues) == ("awr_compare", "text", ())
    assert [s.id for s in report.sections] == [
        "compare_databases", "compare_snapshots", "compare_host", "compare_cache_sizes", "compare_load_profile",
        "compare_instance_percentages", "compare_init_parameters",
    ]  # fmt: skip
    assert (report.release, report.database.name, report.database.dbid) == ("11.2.0.3.0", "SHOP", "77123")
    assert [(i.number, i.name, i.host) for i in report.instances] == [(1, "SHOP1", "node-a")]
    assert (report.period.begin.id, report.period.end.id) == (40, 41)
    assert report.period.begin.time == datetime(2024, 3, 5, 10, 0, 5)


def test_the_second_period_is_kept_and_named_by_the_pages() -> None:
    second = row(read(), "compare_databases", "Second (2nd)")
    assert (second["db_name"], second["host"], second["release"]) == ("SHOP", "node-b", "11.2.0.4.0")
    snapshots = row(read(), "compare_snapshots", "2nd")
    assert (snapshots["begin_snap_id"], snapshots["db_time_s"]) == (Value(60, 0), Value(7200, 3))


def test_differences_below_tildes_are_a_row() -> None:
    found = row(read(), "compare_snapshots", "%Diff")
    assert (found["avg_active_users_pct_diff"], found["elapsed_pct_diff"]) == (Value(100.0, 0.05), Value(0.0, 0.05))
    assert (found["begin_snap_id"], found["db_time_s"]) == (None, None)


def test_blocks_of_the_head_follow_each_other_without_a_blank_line() -> None:
    report = read()
    assert row(report, "compare_host", "%Idle Time")["diff"] == Value(-16.65, 0.005)
    assert row(report, "compare_host", "Physical Memory")["second"] == Value(16 * 2**30, 2**29)
    assert row(report, "compare_cache_sizes", "SGA Target")["second_bytes"] == Value(2**31, 2**20 * 0.05)
    assert row(report, "compare_cache_sizes", "Memory Target")["first_bytes"] is None


def test_the_load_profile_s_labels_stand_beside_its_tildes() -> None:
    report = read()
    redo = row(report, "compare_load_profile", "Redo size")
    assert (redo["per_second_second"], redo["per_transaction_pct_diff"]) == (Value(2049.0, 0.05), Value(0.0, 0.05))
    assert row(report, "compare_load_profile", "Transactions")["per_transaction_first"] is None
    assert row(report, "compare_instance_percentages", "Rows per Sort")["diff"] == Value(-23.7, 0.05)


def test_a_pluggable_database_of_19c() -> None:
    """The load profile has no heading, no column names the instance, and times carry their unit."""
    databases = plain(
        [("Snapshot Set", 12), ("DB Id", 11), ("Unique Name", 11), ("DB Role", 16), ("Edition", 7), ("Release", 11),
         ("Cluster", 7), ("CDB", 3), ("Host", 12), ("Std Block Size", 15)],
        [["First (1st)", "77123", "SHOPCDB", "PRIMARY", "EE", "19.0.0.0.0", "NO", "YES", "node-a", "8192"],
         ["Second (2nd)", "77123", "SHOPCDB", "PRIMARY", "EE", "19.0.0.0.0", "NO", "YES", "node-a", "8192"]],
    )  # fmt: skip
    events = chapter("Wait Classes", *grid([("Wait Class", 14)], [Group("% of DB time", SIDES), Group("Avg Wait Time")],
                     [["Commit", "33.7", "35.4", "1.7", "2.14ms", "980.50us", "-54.2"]]))  # fmt: skip
    text = compare_listing(events, databases=databases, load=load_profile(headed=False), note=" (PDB snapshots)")
    report = parse_report(text.encode())
    assert (report.kind, report.issues, [s.id for s in report.sections if not s.known]) == ("awr_compare", (), [])
    assert (report.database.name, report.database.role, report.database.cdb) == ("SHOP", "PRIMARY", True)
    assert [i.name for i in report.instances] == ["SHOP1"]
    assert row(report, "compare_load_profile", "DB time")["per_second_first"] == Value(2.0, 0.05)
    commit = row(report, "compare_wait_classes", "Commit")
    assert (commit["avg_wait_time_first_s"], commit["avg_wait_time_second_s"]) == (
        Value(0.00214, 5e-6),
        Value(0.0009805, 5e-9),
    )


def test_two_top_lists_side_by_side_with_a_ruler_from_the_first_column() -> None:
    names = ("Event", "Wait Class", "Waits", "Time(s)", "Avg Time(ms)", "%DB time")
    widths = (30, 13, 12, 12, 13, 11)

    def line(cells: tuple[str, ...]) -> str:
        return " ".join(c.ljust(w) if i < 2 else c.rjust(w) for i, (c, w) in enumerate(zip(cells, widths, strict=True)))

    def both(first: tuple[str, ...], second: tuple[str, ...]) -> str:
        return f"{line(first)}   {line(second)}".rstrip()

    whole = "-" * len(line(names))
    rules = tuple("-" * w for w in widths)
    text = chapter(
        "Top Timed Events",
        "1st".center(len(whole)) + "   " + "2nd".center(len(whole)),
        f"{whole}   {whole}",
        both(names, names),
        both(rules, rules),
        both((" CPU time", "", "N/A", "1,800.0", "N/A", "50.0"), (" log file sync", "Commit", "2,000", "8.0", "4.0", "0.1")),
        both((" log file sync", "Commit", "1,000", "2.0", "2.0", "0.1"), (" CPU time", "", "N/A", "3,000.0", "", "41.7")),
        both(("-cursor: pin S", "Concurrency", "4", "1.0", "250.0", "0.0"), ("-", "N/A", "N/A", "N/A", "", "N/A")),
        notes=['Events with a "-" did not make the Top list'],
    )  # fmt: skip
    section = read(text).by_id["compare_top_timed_events"]
    assert section.known
    assert section.notes == ('Events with a "-" did not make the Top list',)
    found = {section.key_of(r)[0]: r for r in section.records}
    assert list(found) == ["CPU time", "log file sync", "cursor: pin S"]
    assert section.number(found["log file sync"], "waits_second") == Value(2000, 0)
    assert section.number(found["CPU time"], "total_wait_time_second_s") == Value(3000, 0.05)
    assert section.number(found["cursor: pin S"], "waits_second") is None
    assert section.columns[0].cut_at == 29  # the mark takes a place


def test_a_page_that_breaks_a_table_goes_on_with_it() -> None:
    names = [("Event", 30), ("Wait Class", 14)]
    one = ["log file sync", "Commit", "1.5", "2.1", "0.6", "202.7", "284.3", "40.3", "0.5", "1.0", "100.0"]
    two = ["latch: object queue header ope", "Other", "0.0", "0.0", "-0.0", "0.0", "N/A", "-100.0", "0.2", "N/A", "N/A"]
    text = [chapter("Wait Events", *grid(names, WAITS, [r]), closed=at > 0) for at, r in enumerate((one, two))]
    report = read(*text)
    section = report.by_id["compare_wait_events"]
    assert len(section.records) == 2
    assert section.columns[0].cut_at == 30
    commit = row(report, "compare_wait_events", "log file sync")
    assert commit["avg_wait_time_second_s"] == Value(0.001, 5e-5)
    assert commit["pct_of_db_time_diff"] == Value(0.6, 0.05)
    cut = row(report, "compare_wait_events", "latch: object queue header ope")
    assert (cut["waits_per_s_elapsed_time_second"], cut["avg_wait_time_pct_diff"]) == (None, None)


def test_figures_too_wide_are_told() -> None:
    rows = [["Commit", "1.5", "#########", "-0.6", "1.0", "2.0", "100.0"]]
    report = read(chapter("Wait Classes", *grid([("Wait Class", 14)], [Group("% of DB time", SIDES), Group("Avg Wait Time (ms)")], rows)))  # fmt: skip
    assert [i.code for i in report.issues] == ["overflow"]
    assert row(report, "compare_wait_classes", "Commit")["pct_of_db_time_diff"] == Value(-0.6, 0.05)


def sql_page(*lines: str, closed: bool = True) -> str:
    head = grid([("SQL Id", 13)], STATEMENTS, [])
    return chapter("Top SQL Comparison by Elapsed Time", *head, *lines, closed=closed)


def sql_row(sql_id: str, *cells: str) -> str:
    return grid([("SQL Id", 13)], STATEMENTS, [[sql_id, *cells]])[-1]


def test_statements_stand_below_rows_that_begin_with_their_id() -> None:
    report = read(
        sql_page(
            sql_row("7cw2n1pu4xh9s", "6.24", "6.24", "N/A", "N/A", "-6.24", "27", "N/A", "1/  /   1"),
            "select a, b",
            " from orders where c = :1",
            "",
            sql_row("5kd0g9rw8vtn2", "1.0", "7.2", "2.0", "2.0", "1.0", "0", "1", ""),
            "update stock set n = n - 1 where item in (select item from",
            "------------ -------- -------",
            "lines 1 2 3)",
        )
    )
    first = row(report, "compare_sql_by_elapsed_time", "7cw2n1pu4xh9s")
    assert first["elapsed_time_pct_of_db_time_diff"] == Value(-6.24, 0.005)
    assert first["elapsed_time_pct_of_db_time_total_second"] is None
    assert (first["cpu_time_per_exec_first_s"], first["plans"]) == (Value(0.027, 0.0005), "1/ / 1")
    assert first["sql_text"] == "select a, b from orders where c = :1"
    second = row(report, "compare_sql_by_elapsed_time", "5kd0g9rw8vtn2")
    assert second["plans"] is None
    assert str(second["sql_text"]).endswith("lines 1 2 3)")


def test_a_statement_goes_on_over_the_page() -> None:
    whole = "select " + "x" * 232  # a line less one: the cut fell on a blank
    report = read(
        sql_page(sql_row("7cw2n1pu4xh9s", *["1.0"] * 5, "27", "28", ""), whole, closed=False),
        sql_page("from t", "", sql_row("5kd0g9rw8vtn2", *["2.0"] * 5, "0", "1", ""), "delete from t"),
    )
    section = report.by_id["compare_sql_by_elapsed_time"]
    assert [section.text(r, "sql_text") for r in section.records] == [f"{whole} from t", "delete from t"]


def test_names_on_a_line_of_their_own_over_their_figures() -> None:
    groups = [Group("Avg Reads / Sec"), Group("Reads", PAIR, 12)]
    page = chapter(
        "Top File Comparison by IO",
        *plain([("Tablespace", 30), ("Filename", 80)], [])[:2],
        *grid([], groups, []),
        f"{'STOCK':<30} /u01/stock_01.dbf",
        grid([], groups, [["1.5", "3.0", "100.0", "2,700", "5,400"]])[-1],
        f"{'UNDO':<30} /u01/undo_01.dbf",
        grid([], groups, [["0.1", "0.0", "-100.0", "180", "0"]])[-1],
    )
    report = read(page)
    found = row(report, "compare_files_by_io", "UNDO", "/u01/undo_01.dbf")
    assert (found["avg_reads_per_s_pct_diff"], found["reads_first"]) == (Value(-100.0, 0.05), Value(180, 0))
    assert row(report, "compare_files_by_io", "STOCK", "/u01/stock_01.dbf")["reads_second"] == Value(5400, 0)


def test_a_ruler_of_groups_too_far_to_the_right() -> None:
    groups = [Group("Enq Msgs"), Group("Enq Msgs/sec"), Group("%Spill Msgs", PAIR)]
    lines = grid([], groups, [["10", "20", "100.0", "0.1", "0.2", "100.0", "N/A", "N/A"]])
    page = chapter("Buffered Queues", *(" " * 83 + k for k in lines[:2]), *("   " + k for k in lines[2:4]),
                   "SHOP.ORDERS_QUEUE(77)", "   " + lines[4])  # fmt: skip
    found = row(read(page), "compare_buffered_queues", "SHOP.ORDERS_QUEUE(77)")
    assert (found["enq_msgs_second"], found["enq_msgs_per_s_first"]) == (Value(20, 0), Value(0.1, 0.05))
    assert found["pct_spill_msgs_second"] is None


def test_group_names_wider_than_their_columns_and_a_column_of_its_own() -> None:
    names = [("Service Name", 20)]
    groups = [Group("Physical Reads", SIDES, 8), Group("% of Captured Physical Reads", SIDES, 6), Group("", ("Total Dif",), 9)]  # fmt: skip
    page = chapter("Anything New", *grid(names, groups, [["shop", "1.0", "2.0", "1.0", "3.0", "4.0", "1.0", "2.0"]]))
    found = table(page, heading="Anything New")
    assert found.groups[1:] == ("Physical Reads",) * 3 + ("% of Captured Physical Reads",) * 3 + ("",)
    assert found.labels[-1] == "Total Diff"


def test_the_undo_rows_stand_beside_their_ruler() -> None:
    columns = [("Blocks (K)", 10), ("Transactions", 15), ("Len (s)", 8), ("Concurcy", 8), ("TR (mins)", 9), ("OOS", 5), ("eS/eR/eU", 15)]  # fmt: skip
    lines = plain(columns, [["31.8", "369,847", "939", "20", "19.6/29.7", "0/0", "0/0/0/0/0/0"]], " ")
    upper = plain([("Num Undo", 10), ("Number of", 15), ("Max Qry", 8), ("Max Tx", 8), ("Min/Max", 9), ("STO/", 5), ("uS/uR/uU/", 15)], [], " ")[0]  # fmt: skip
    page = chapter("Undo Segment Summary", upper, *lines[:2], "1st " + lines[2], "2nd " + lines[2])
    found = row(read(page), "compare_undo_segment_summary", "2nd")
    assert (found["undo_blocks"], found["transactions"]) == (Value(31_800, 50), Value(369_847, 0))
    assert found["undo_block_states"] == "0/0/0/0/0/0"


def test_a_category_printed_once_stands_for_its_rows() -> None:
    sides = ("Begin Value", "End Value", "%Diff")
    groups = [Group("1st", sides, 18), Group("2nd", sides, 18), Group("% Diff of", ("Begin Val", "End Value"), 9)]
    rows = [["SQL", "Alloc (KB)", "10.0", "20.0", "100.0", "30.0", "30.0", "0.0", "200.0", "50.0"],
            ["", "Num Procs", "29.0", "31.0", "6.9", "32.0", "33.0", "3.1", "10.3", "6.5"]]  # fmt: skip
    report = read(chapter("Process Memory Summary", *grid([("Category", 10), ("Summary", 20)], groups, rows)))
    found = row(report, "compare_process_memory_summary", "Num Procs", "SQL")
    assert (found["end_value_second"], found["begin_values_pct_diff"]) == (Value(33.0, 0.05), Value(10.3, 0.05))


def test_a_pool_without_a_name_keeps_none() -> None:
    sides = ("Begin Value", "End Value", "%Diff")
    groups = [Group("1st", sides, 16), Group("2nd", sides, 16), Group("%Diff of", ("Begin Values", "End Values"), 14)]
    rows = [["shared", "SQLA", "10", "20", "100.0", "30", "N/A", "N/A", "200.0", "N/A"],
            ["", "log_buffer", "9", "9", "0.0", "9", "9", "0.0", "0.0", "0.0"]]  # fmt: skip
    report = read(chapter("SGA Breakdown Difference", *grid([("Pool", 6), ("Name", 30)], groups, rows)))
    assert row(report, "compare_sga_breakdown", "", "log_buffer")["pool"] is None


def test_a_last_column_the_line_has_no_room_for_is_left_out() -> None:
    lines = grid(
        [], [Group("Common Queue Per Sec"), Group("Server Total KB")], [["1.0", "2.0", "100.0", "7", "9", "128.6"]]
    )
    found = row(
        read(chapter("Shared Servers Rates", *(line[: len(lines[1]) - 1] for line in lines))),
        "compare_shared_servers_rates",
    )
    assert (found["server_total_second_bytes"], found["server_total_pct_diff"]) == (Value(9216, 512), None)


def test_chapters_without_data_and_several_values_of_a_parameter() -> None:
    values = ("Begin Snap Value", "End Snap Value")
    rows = [["control_files", "", "/u01/one.ctl", "", ""], ["", "", "/u02/two.ctl", "", ""]]
    report = read(
        chapter("Streams Capture", " " * 18 + "No data exists for this section of the report."),
        chapter(
            "init.ora Multi-Valued Parameters",
            *grid([("Parameter Name", 30)], [Group("1st Period", values, 32), Group("2nd Period", values, 32)], rows),
        ),
    )
    section = report.by_id["compare_init_parameters_multi_valued"]
    assert [section.text(r, "parameter") for r in section.records] == ["control_files"] * 2
    assert "streams_capture" not in report.by_id


def test_every_layout_of_one_report() -> None:
    report = parse_report(every_layout())
    assert report.issues == ()
    assert {s.id: len(s.records) for s in report.sections[6:]} == {
        "compare_wait_events": 40, "compare_sql_by_gets": 1, "compare_tablespace_io": 1, "compare_buffered_queues": 1,
        "compare_init_parameters": 1,
    }  # fmt: skip


def test_a_report_cut_off_says_so() -> None:
    rows = [["Commit", "1.5", "2.1", "0.6"], ["User I/O", "1.0", "2.0", "1.0"]]
    page = chapter("Wait Classes", *grid([("Wait Class", 14)], [Group("% of DB time", SIDES)], rows))
    text = compare_listing(page)
    report = parse_report(text[: text.index("User I/O") + 20].encode())
    assert [i.code for i in report.issues] == ["truncated"]
    assert len(report.by_id["compare_wait_classes"].records) == 2


def test_what_sql_plus_prints_below_does_not_cut_it_off() -> None:
    assert parse_report(every_layout() + b"\nReport written to shop.txt\nSQL> exit\n").issues == ()


def test_two_of_them_in_one_file_are_two() -> None:
    both = every_layout() + b"Report written to shop.txt\nSQL> @awrddrpt\n" + compare_listing().encode()
    first, second = map(parse_report, split_reports(both))
    assert (len(first.sections), len(second.sections)) == (11, 7)
    assert [i.code for i in parse_report(both).issues] == ["several-reports"]


@pytest.mark.parametrize(
    ("old", "new"),
    [("  ", " \xa0"), ("\n", "\r\n"), ("Wait Classes   First", "\fWait Classes   First"), ("\n", "\n> ")],
)
def test_line_ends_form_feeds_and_quotes(old: str, new: str) -> None:
    page = chapter(
        "Wait Classes", *grid([("Wait Class", 14)], [Group("% of DB time", SIDES)], [["Commit", "1.5", "2.1", "0.6"]])
    )
    text = compare_listing(page)
    clean, other = parse_report(text.encode()), parse_report(text.replace(old, new).encode())
    assert [s.records for s in other.sections] == [s.records for s in clean.sections]


def test_a_listing_without_its_title_is_known_by_its_pages() -> None:
    text = every_layout().decode()
    report = parse_report(text[text.index("Wait Events   First") :].encode())
    assert report.kind == "awr_compare"
    assert len(report.by_id["compare_wait_events"].records) == 40
    assert [i.code for i in report.issues] == ["no-database", "no-snapshots"]


def test_a_column_of_the_snapshots_that_nobody_knows_is_told() -> None:
    report = parse_report(compare_listing().replace("End Snap Id", "End Snap No").encode())
    assert [i.code for i in report.issues] == ["unknown-column"]
    assert row(report, "compare_snapshots", "%Diff")["db_time_pct_diff"] == Value(100.0, 0.05)


@pytest.mark.hostile
def test_pages_are_looked_through_for_their_databases_once() -> None:
    """Tables of snapshots in a listing whose pages name no database."""
    snapshots = "Snapshot Set  Begin Snap\n------------ ----------\n1st                   1\n\n"
    listing = compare_listing().replace("DB/Inst:", "")
    assert is_linear(lambda tables: listing + snapshots * tables + "x y\n" * 20 * tables, read_compare, 2_000)

"""What the columns, pages and rows of a text report look like."""

from __future__ import annotations

import pytest

from parsers import parse_report
from parsers.model import Value
from parsers.text.awr_and_statspack_reader import read_text
from tests.unit.parsers.listings import END, EVENTS, HEAD, PAGE, chapter, listing, parsed, plain, section, table, tables

LATCHES = (
    "                                           Pct    Avg   Wait                 Pct",
    "                                    Get    Get   Slps   Time       NoWait NoWait",
    "Latch Name                     Requests   Miss  /Miss    (s)     Requests   Miss",
    "------------------------ -------------- ------ ------ ------ ------------ ------",
)


def test_rulers_give_columns_and_header_lines_are_joined() -> None:
    found = table(
        chapter(
            "Foreground Wait Events",
            "-> only idle ones are left out",
            "   of this list",
            "",
            *EVENTS,
            "db file sequential read         520,207     0      4,568       9      2.8   71.3",
            "log file sync                   182,738               94       1               ",
        )
    )
    assert found.labels == (
        "Event", "Waits", "%Time -outs", "Total Wait Time (s)", "Avg wait (ms)", "Waits /txn", "% DB time",
    )  # fmt: skip
    assert found.rows == [
        ["db file sequential read", "520,207", "0", "4,568", "9", "2.8", "71.3"],
        ["log file sync", "182,738", "", "94", "1", "", ""],
    ]
    assert found.notes == ("only idle ones are left out of this list",)
    assert found.widths == (26, 12, 5, 10, 7, 8, 6)


def test_the_same_section_as_from_html_with_absent_cells() -> None:
    found = section(
        "foreground_wait_events",
        chapter(
            "Foreground Wait Events", "", *EVENTS, "log file sync                   182,738               94       1"
        ),
    )
    (row,) = found.rows
    assert row["avg_wait_s"] == Value(0.001, 0.0005)
    assert row["total_wait_time_s"] == Value(94, 0.5)
    assert row["pct_timeouts"] is None
    assert next(c.cut_at for c in found.columns if c.id == "event") == 26
    assert next(c.cut_at for c in found.columns if c.id == "waits") is None


def test_report_is_text_and_complete() -> None:
    report = parsed()
    assert (report.format, report.kind, report.release) == ("text", "awr", "11.2.0.3.0")
    assert not report.issues


def test_cut_off_report_says_so() -> None:
    report = parse_report(HEAD.encode() + chapter("Latch Activity", "", *LATCHES, "a latch        3").encode())
    assert [i.code for i in report.issues] == ["truncated"]
    assert report.section("latch_activity") is not None


def test_pages_that_continue_a_table_are_joined() -> None:
    first = chapter(
        "Latch Activity",
        "-> a note",
        "",
        *LATCHES,
        "one                                   1    0.0             0            0    N/A",
        closed=False,
    )
    second = chapter(
        "Latch Activity",
        "-> a note",
        "",
        *LATCHES,
        "two                                   2    0.0             0            0    N/A",
    )
    found = table(first, "\f" + second)
    assert [r[0] for r in found.rows] == ["one", "two"]
    assert found.notes == ("a note",)


def test_tables_of_one_title_that_are_closed_stay_apart() -> None:
    plain_stats = chapter(
        "Instance Activity Stats", "",
        "Statistic                                     Total     per Second     per Trans",
        "-------------------------------- ------------------ -------------- -------------",
        "execute count                                 1,000           10.0           1.0",
    )  # fmt: skip
    absolute = chapter(
        "Instance Activity Stats", "",
        "Statistic                            Begin Value       End Value",
        "-------------------------------- --------------- ---------------",
        "logons current                                58              59",
    )  # fmt: skip
    per_hour = chapter(
        "Instance Activity Stats", "",
        "Statistic                                     Total  per Hour",
        "-------------------------------- ------------------ ---------",
        "log switches (derived)                           11     43.92",
    )  # fmt: skip
    report = parsed(plain_stats, absolute, per_hour)
    ids = [s.id for s in report.sections if s.id.startswith("instance_activity")]
    assert ids == ["instance_activity", "instance_activity_absolute", "instance_activity_thread"]


def test_group_rulers_name_the_columns_below() -> None:
    found = table(
        chapter(
            "Global Cache Transfer Stats",
            "",
            "                               CR                         Current",
            "                 ----------------------------- -----------------------------",
            "Inst Block         Blocks      %      %      %   Blocks      %      %      %",
            "  No Class       Received  Immed   Busy Congst Received  Immed   Busy Congst",
            "---- ----------- -------- ------ ------ ------ -------- ------ ------ ------",
            "   2 data block       148   96.6    3.4     .0      333   82.0   18.0     .0",
        )
    )
    assert found.labels[2:4] == ("CR Blocks Received", "CR % Immed")
    assert found.labels[6] == "Current Blocks Received"
    assert found.rows == [["2", "data block", "148", "96.6", "3.4", ".0", "333", "82.0", "18.0", ".0"]]


def test_dashed_group_names_inside_a_header_line() -> None:
    found = table(
        chapter(
            "IO Stat by Function - summary", "",
            "               ---------- Read --------- --------- Write -------- --- Wait ----",
            "                 Data  Requests    Data   Data  Requests    Data          Avg",
            "Function        Volume     /sec  Vol/sec Volume     /sec  Vol/sec  Count Tm(ms)",
            "--------------- ------ -------- -------- ------ -------- -------- ------ ------",
            "LGWR                4M      .3       .0M   807M   398.5       .9M   179K    0.0",
        )
    )  # fmt: skip
    assert found.labels[1:4] == ("Read Data Volume", "Read Requests /sec", "Read Data Vol/sec")
    assert found.labels[4] == "Write Data Volume"


FILES = (
    "Tablespace               Filename",
    "------------------------ ----------------------------------------------------",
    "                 Av       Av     Av                       Av     Buffer  Av Buf",
    "         Reads Reads/s  Rd(ms) Blks/Rd       Writes Writes/s      Waits  Wt(ms)",
    "-------------- ------- ------- ------- ------------ -------- ---------- -------",
)


def test_rows_over_two_lines() -> None:
    found = section(
        "file_io",
        chapter(
            "File IO Stats", "", *FILES,
            "USERS                    /data/users01.dbf",
            "           100       1     8.8     1.0           20        2          3     4.0",
            "",
            "                         /data/users02.dbf",
            "           200       2     9.8     1.0           40        4          6     5.0",
        ),
    )  # fmt: skip
    rows = plain(found)
    assert [(r["tablespace"], r["file"], r["reads"]) for r in rows] == [
        ("USERS", "/data/users01.dbf", 100),
        ("USERS", "/data/users02.dbf", 200),
    ]


ENQUEUES = (
    "Enqueue Type (Request Reason)",
    "------------------------------------------------------------------------------",
    "    Requests    Succ Gets Failed Gets       Waits  Wt Time (s) Av Wt Time(ms)",
    "------------ ------------ ----------- ----------- ------------ --------------",
)


def test_names_that_go_on_in_the_next_line() -> None:
    found = table(
        chapter(
            "Enqueue Activity", "", *ENQUEUES,
            "KO-Multiple Object Checkpoint (fast object checkpoint of very many objects at",
            "once)",
            "          10           10           0           2            1          1.17",
            "TM-DML",
            "           5            5           0           0            0            N/A",
        )
    )  # fmt: skip
    assert [r[0] for r in found.rows] == [
        "KO-Multiple Object Checkpoint (fast object checkpoint of very many objects at once)",
        "TM-DML",
    ]
    assert found.rows[1][1:] == ["5", "5", "0", "0", "0", "N/A"]


def test_last_lines_that_repeat_under_one_first_line() -> None:
    found = table(
        chapter(
            "Top PL/SQL Procedures", "",
            "PL/SQL Entry Subprogram                                           % Activity",
            "----------------------------------------------------------------- ----------",
            "PL/SQL Current Subprogram                                          % Current",
            "----------------------------------------------------------------- ----------",
            "APP.CLEAN                                                              22.26",
            "   SQL                                                                 21.58",
            "",
            "   APP.CLEAN                                                             .68",
            "APP.LOAD                                                                1.00",
            "   SQL                                                                  1.00",
        )
    )  # fmt: skip
    assert found.rows == [
        ["APP.CLEAN", "22.26", "SQL", "21.58"],
        ["APP.CLEAN", "22.26", "APP.CLEAN", ".68"],
        ["APP.LOAD", "1.00", "SQL", "1.00"],
    ]


def test_names_that_no_ruler_covers() -> None:
    found = section(
        "iostat_by_function_filetype",
        chapter(
            "IOStat by Function/Filetype summary", "",
            "  Reads:  Reqs    Data   Writes:  Reqs    Data    Waits:      Avg",
            "    Data per sec per sec    Data per sec per sec   Count     Time",
            " ------- ------- ------- ------- ------- ------- ------- ----------",
            "Buffer Cache Reads",
            "    2.8G   101.1   .801M      0M     0.0      0M  364.2K   113.82us",
            " Others",
            "    1.0G     1.1   .001M      0M     0.0      0M      12        N/A",
        ),
    )  # fmt: skip
    assert [(r["function_file"], r["waits"]) for r in plain(found)] == [("Buffer Cache Reads", 364200), ("Others", 12)]


SQL = (
    "        Elapsed                  Elapsed Time",
    "        Time (s)    Executions  per Exec (s)  %Total   %CPU    %IO    SQL Id",
    "---------------- -------------- ------------- ------ ------ ------ -------------",
)


def test_sql_text_follows_its_row_over_a_page_break() -> None:
    first = chapter(
        "SQL ordered by Elapsed Time", "-> Captured SQL account for   95.3% of Total DB Time (s):           6,405", "",
        *SQL,
        "         1,863.0        124,882          0.01   29.1    1.7   98.6 82ud5h0qcg0bf",
        "Module: Till",
        "select customer_id from customers where customer_id = :",
        closed=False,
    )  # fmt: skip
    second = chapter(
        "SQL ordered by Elapsed Time", "", *SQL,
        "1",
        "",
        "         1,350.7          7,086          0.19   21.1   91.8    6.7 g8rhybcumtwd6",
        "------ not a ruler ------",
        "-----------  -----------",
        "begin null; end;",
    )  # fmt: skip
    rows = plain(section("sql_by_elapsed_time", first, "\f" + second))
    assert [(r["sql_id"], r["executions"], r["sql_module"]) for r in rows] == [
        ("82ud5h0qcg0bf", 124882, "Till"),
        ("g8rhybcumtwd6", 7086, None),
    ]
    assert rows[0]["sql_text"] == "select customer_id from customers where customer_id = :1"
    assert str(rows[1]["sql_text"]).endswith("-----------begin null; end;")


def test_statements_with_figures_on_two_levels() -> None:
    found = table(
        chapter(
            "Top SQL with Top Row Sources", "",
            "                 SQL ID            Plan Hash           Executions     % Activity",
            "----------------------- -------------------- -------------------- --------------",
            "                                           % Row",
            "Row Source                                Source Top Event               % Event",
            "---------------------------------------- ------- ----------------------- -------",
            "          3ud9n47n27gvw           1201023085                   15          10.27",
            "SORT - GROUP BY                             5.82 CPU + Wait for CPU         5.82",
            "select a from",
            " b",
            "",
            "HASH JOIN                                   2.40 CPU + Wait for CPU         2.40",
            "",
            "          99ab244wnu712            326869183                   12           5.14",
            "SORT                                        4.79 CPU + Wait for CPU         4.79",
            "select b",
        )
    )  # fmt: skip
    assert [(r[0], r[4], r[5], r[-1]) for r in found.rows] == [
        ("3ud9n47n27gvw", "SORT - GROUP BY", "5.82", "select a from b"),
        ("3ud9n47n27gvw", "HASH JOIN", "2.40", "select a from b"),
        ("99ab244wnu712", "SORT", "4.79", "select b"),
    ]


PARAMETERS = (
    "                                                                End value",
    "Parameter Name                Begin value                       (if different)",
    "----------------------------- --------------------------------- --------------",
)


def test_long_values_go_on_below_themselves() -> None:
    found = table(
        chapter(
            "init.ora Parameters", "", *PARAMETERS,
            "audit_file_dest               /app/oracle/admin/shop/audit/very",
            "                              /long/adump",
            "processes                     300                               400",
            "undo_tablespace",
        )
    )  # fmt: skip
    assert found.rows == [
        ["audit_file_dest", "/app/oracle/admin/shop/audit/very/long/adump", ""],
        ["processes", "300", "400"],
        ["undo_tablespace", "", ""],
    ]


def test_values_of_multi_valued_parameters_are_rows() -> None:
    found = table(
        chapter(
            "init.ora Multi-Valued Parameters", "->'(NULL)' indicates a missing parameter value", "", *PARAMETERS,
            "control_files                 +DATA/shop/controlfile/current.26",
            "                              +FRA/shop/controlfile/current.333",
        )
    )  # fmt: skip
    assert [r[:2] for r in found.rows] == [
        ["control_files", "+DATA/shop/controlfile/current.26"],
        ["control_files", "+FRA/shop/controlfile/current.333"],
    ]


def test_rules_above_sums_are_no_rows() -> None:
    found = table(
        chapter(
            "SGA Memory Summary", "",
            "                                                      End Size (Bytes)",
            "SGA regions                     Begin Size (Bytes)      (if different)",
            "------------------------------ ------------------- -------------------",
            "Fixed Size                               2,235,208",
            "                               -------------------",
            "sum                                      2,235,208",
        )
    )  # fmt: skip
    assert [r[0] for r in found.rows] == ["Fixed Size", "sum"]


def test_a_table_without_data_is_none() -> None:
    nothing = chapter("Streams Capture", "", "                  No data exists for this section of the report.")
    assert tables(nothing, nothing) == []


def test_two_tables_and_a_warning_in_one_chapter() -> None:
    report = parsed(
        chapter(
            "PGA Aggr Target Stats", "",
            "PGA Cache Hit % W/A MB Processed Extra W/A MB Read/Written",
            "--------------- ---------------- -------------------------",
            "          100.0               73                         0",
            "",
            "Warning:  pga_aggregate_target was set too low for current workload, as this",
            "          value was exceeded during this interval.",
            "",
            "                                             %PGA  %Auto   %Man",
            "   PGA Aggr  Auto PGA   PGA Mem    W/A PGA    W/A    W/A    W/A   Global Mem",
            "  Target(M) Target(M)  Alloc(M)   Used(M)    Mem    Mem    Mem    Bound(K)",
            "- --------- --------- ---------- ---------- ------ ------ ------ ----------",
            "B       128         8      175.1        0.0     .0     .0     .0     26,214",
        )
    )  # fmt: skip
    summary, target = report.section("pga_aggregate_summary"), report.section("pga_aggregate_target")
    assert summary is not None
    assert target is not None
    assert len(summary.records) == len(target.records) == 1
    assert summary.notes[0].startswith("Warning: pga_aggregate_target was set too low")


def test_cut_names_of_closed_lists_are_completed_others_not() -> None:
    components = table(
        chapter(
            "Memory Dynamic Components", "",
            "                 Begin Snap     Current         Min         Max   Oper Last Op",
            "Component         Size (Mb)   Size (Mb)   Size (Mb)   Size (Mb)  Count Typ/Mod",
            "--------------- ----------- ----------- ----------- ----------- ------ -------",
            "DEFAULT 16K buf         .00         .00         .00         .00      0 STA/",
            "java pool              4.00        4.00        4.00        4.00      0 STA/",
        )
    )  # fmt: skip
    assert [r[0] for r in components.rows] == ["DEFAULT 16K buffer cache", "java pool"]
    events = table(
        chapter(
            "Foreground Wait Events",
            "",
            *EVENTS,
            "control file sequential re          356     0          0       0      0.0     .0",
        )
    )
    assert events.rows[0][0] == "control file sequential re"


def test_unknown_tables_are_kept_by_inspection() -> None:
    report = parsed(
        chapter("Brand New Stats", "", "Name       Count Pct", "---------- ----- -----", "one            1  50.0")
    )
    found = report.section("brand_new_stats")
    assert found is not None
    assert not found.known
    assert plain(found) == [{"name": "one", "count": 1, "pct": 50.0}]


def test_ordinary_numbers_in_odd_clothes() -> None:
    found = section(
        "sql_by_gets",
        chapter(
            "SQL ordered by Gets", "",
            "     Buffer                 Gets              Elapsed",
            "       Gets   Executions   per Exec   %Total   Time (s)  %CPU   %IO    SQL Id",
            "----------- ----------- ------------ ------ ---------- ----- ----- -------------",
            "3.51655E+08       7,086     49,626.7   96.0    1,350.7  91.8     0 g8rhybcumtwd6",
            "select 1 from dual",
            "",
            " 48,536,509         N/A 2.426825E+07   13.8      118.4  32.2       f0u8xjqh3zc3v",
            "select 2 from dual",
        ),
    )  # fmt: skip
    first, second = found.rows
    assert first["buffer_gets"] == Value(351655000, 500)
    assert (second["executions"], second["pct_io"]) == (None, None)


@pytest.mark.parametrize(
    "change",
    [
        lambda s: s.replace("\n", "\r\n"),
        lambda s: s.replace("\n", "\r"),
        lambda s: "\ufeff" + s,
        lambda s: "From: dba@example.org\nSubject: the report\n\n" + s,
        lambda s: s.replace("          520,207", "\t  520,207"),
        lambda s: "".join(line.rstrip() + "   \n" for line in s.split("\n")),
        lambda s: s + "\n123 rows selected.\n",
        lambda s: "".join(f"    {line}\n" for line in s.split("\n")),
        lambda s: "On Monday the DBA wrote:\n" + "".join(f"> {line}".rstrip() + "\n" for line in s.split("\n")),
    ],
)
def test_the_same_in_other_wrappings(change) -> None:  # type: ignore[no-untyped-def]
    lines = chapter(
        "Foreground Wait Events",
        "",
        *EVENTS,
        "db file sequential read         520,207     0      4,568       9      2.8   71.3",
    )
    report = parse_report(change(listing(lines)).encode())
    found = report.section("foreground_wait_events")
    assert found is not None
    assert plain(found)[0]["waits"] == 520207
    assert report.database.name == "SHOP"


def test_page_heads_of_sqlplus_are_dropped() -> None:
    head = "\nOUTPUT\n" + "-" * 80 + "\n"
    lines = chapter(
        "Foreground Wait Events", "", *EVENTS,
        "one                                   1     0          0       9      2.8   71.3" + head
        + "two                                   2     0          0       9      2.8   71.3",
    )  # fmt: skip
    found = table(head + lines)
    assert [r[0] for r in found.rows] == ["one", "two"]


def test_tags_in_the_sql_of_a_text_report_do_not_make_it_html() -> None:
    lines = chapter(
        "SQL ordered by Elapsed Time",
        "",
        *SQL,
        "         1,863.0        124,882          0.01   29.1    1.7   98.6 82ud5h0qcg0bf",
        "select '<html><table><tr><td>' from dual",
    )
    assert parsed(lines).format == "text"


def test_titles_that_fill_their_column() -> None:
    document = read_text(
        HEAD
        + f"Operating System Statistics - Detail{PAGE}\n\nSnap Time           Load    %busy\n--------------- -------- --------\n23-Apr 18:30:05      6.9      N/A\n"
        + END
    )
    assert document.tables[-1].heading == "Operating System Statistics - Detail"

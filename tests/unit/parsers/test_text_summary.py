"""The head of a text report: who, when, and the summary's blocks."""

from __future__ import annotations

import re
from datetime import datetime

import pytest

from parsers import UnsupportedReport, parse_report
from parsers.model import Value
from parsers.text.summary_blocks import read_pairs, split_heading
from tests.unit.parsers.listings import FOOT, HEAD, chapter, parsed, plain, section

BLOCKS = """Cache Sizes                       Begin        End
~~~~~~~~~~~                  ---------- ----------
               Buffer Cache:       728M       700M  Std Block Size:         8K
           Shared Pool Size:       260M       260M      Log Buffer:     9,508K

Load Profile              Per Second    Per Transaction   Per Exec   Per Call
~~~~~~~~~~~~         ---------------    --------------- ---------- ----------
      DB Time(s):                7.1                0.0       0.01       0.00
       Redo size:          393,267.0            1,931.8
    Transactions:              203.6

Instance Efficiency Percentages (Target 100%)
~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
            Buffer Nowait %:  100.00       Redo NoWait %:   99.97
            Buffer  Hit   %:   99.86    In-memory Sort %:     N/A
Parse CPU to Parse Elapsd %:  104.26     % Non-Parse CPU:   98.89

 Shared Pool Statistics        Begin    End
                              ------  ------
             Memory Usage %:   66.48   66.54

Top 5 Timed Foreground Events
~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
                                                           Avg
                                                          wait   % DB
Event                                 Waits     Time(s)   (ms)   time Wait Class
------------------------------ ------------ ----------- ------ ------ ----------
db file sequential read             520,207       4,568      9   71.3 User I/O
DB CPU                                            1,701          26.6
\fHost CPU (CPUs:    8 Cores:    4 Sockets:    2)
~~~~~~~~         Load Average
               Begin       End     %User   %System      %WIO     %Idle
           --------- --------- --------- --------- --------- ---------
                6.93      7.23      23.8       0.9      21.8      74.8

Instance CPU
~~~~~~~~~~~~
              % of total CPU for Instance:      24.8
              % of busy  CPU for Instance:      98.4
  %DB time waiting for CPU - Resource Mgr:       0.0

Memory Statistics
~~~~~~~~~~~~~~~~~                       Begin          End
                  Host Mem (MB):      7,974.6      7,974.6
    % Host Mem used for SGA+PGA:        15.08        15.11

"""
STATSPACK = """
STATSPACK report for

Database    DB Id    Instance     Inst Num  Startup Time   Release     RAC
~~~~~~~~ ----------- ------------ -------- --------------- ----------- ---
           123456789 shop1               1 01-Feb-20 08:00 11.2.0.3.0  NO

Host Name             Platform                CPUs Cores Sockets   Memory (G)
~~~~ ---------------- ---------------------- ----- ----- ------- ------------
     till             Linux x86 64-bit           8     4       2          7.8

Snapshot       Snap Id     Snap Time      Sessions Curs/Sess Comment
~~~~~~~~    ---------- ------------------ -------- --------- ------------------
Begin Snap:        548 03-Feb-20 10:00:00       57       1.6
  End Snap:        549 03-Feb-20 10:15:00       59       1.5 after the change
   Elapsed:      15.00 (mins) Av Act Sess:       7.1
   DB time:     106.55 (mins)      DB CPU:      28.35 (mins)

Top 5 Timed Events                                                    Avg %Total
~~~~~~~~~~~~~~~~~~                                                   wait   Call
Event                                            Waits    Time (s)   (ms)   Time
----------------------------------------- ------------ ----------- ------ ------
CPU time                                                     1,620          25.4
log file sync                                  182,275          94      1    1.5
          -------------------------------------------------------------
Host CPU  (CPUs: 8  Cores: 4  Sockets: 2)
~~~~~~~~              Load Average
                      Begin     End      User  System    Idle     WIO     WCPU
                    ------- -------   ------- ------- ------- ------- --------
                       5.98    7.09     23.83    0.89   74.75   21.86

Instance CPU
~~~~~~~~~~~~                                       % Time (seconds)
                                            -------- --------------
                     Host: Total time (s):                  7,001.7
                   % of time Host is Busy:      25.3

"""
ACTIVITY = """Instance Activity Stats  DB/Inst: SHOP/shop1  Snaps: 548-549

Statistic                                      Total     per Second    per Trans
--------------------------------- ------------------ -------------- ------------
execute count                                  9,000           10.0          1.0
          -------------------------------------------------------------
"""


@pytest.mark.parametrize("head", [HEAD, STATSPACK])
def test_decimal_commas_are_refused(head: str) -> None:
    with pytest.raises(UnsupportedReport, match="decimal commas"):
        parse_report(re.sub(r"\.(\d\d \(mins\))", r",\1", head + FOOT).encode())


def test_identity() -> None:
    report = parsed(BLOCKS)
    assert (report.database.name, report.database.dbid, report.database.rac) == ("SHOP", "123456789", False)
    assert (report.instances[0].name, report.instances[0].number) == ("shop1", 1)
    assert (report.host.name, report.host.cpus, report.host.cores) == ("till", 8, 4)
    assert report.host.memory_bytes == Value(15.5 * 2**30, 0.005 * 2**30)
    period = report.period
    assert (period.begin.id, period.end.id, period.end.sessions) == (100, 101, 60)
    assert period.begin.time == datetime(2020, 2, 3, 10, 0)
    assert period.elapsed_s is not None
    assert abs(period.elapsed_s.number - 3610) <= 1
    assert period.db_time_s == Value(30.05 * 60, 0.3)
    assert not report.issues


def test_blocks_without_rulers_and_with() -> None:
    report = parsed(BLOCKS)
    ids = {s.id for s in report.sections}
    assert ids >= {
        "cache_sizes", "load_profile", "instance_efficiency", "shared_pool_statistics", "top_timed_events", "host_cpu",
        "instance_cpu", "memory_statistics",
    }  # fmt: skip
    assert all(s.known for s in report.sections)


def test_a_second_label_beside_the_cache_sizes() -> None:
    rows = plain(section("cache_sizes", BLOCKS))
    assert {r["cache"]: r["begin_bytes"] for r in rows} == {
        "Buffer Cache": 728 * 2**20,
        "Std Block Size": 8192,
        "Shared Pool Size": 260 * 2**20,
        "Log Buffer": 9508 * 1024,
    }


def test_pairs() -> None:
    rows = plain(section("instance_efficiency", BLOCKS))
    assert [(r["metric"], r["pct"]) for r in rows] == [
        ("Buffer Nowait %", 100.0),
        ("Redo NoWait %", 99.97),
        ("Buffer Hit %", 99.86),
        ("In-memory Sort %", None),
        ("Parse CPU to Parse Elapsd %", 104.26),
        ("% Non-Parse CPU", 98.89),
    ]
    (cpu,) = plain(section("instance_cpu", BLOCKS))
    assert (cpu["pct_total_cpu"], cpu["pct_busy_cpu"]) == (24.8, 98.4)


def test_values_under_labels_without_ruler() -> None:
    rows = plain(section("memory_statistics", BLOCKS))
    assert [(r["metric"], r["begin"], r["end"]) for r in rows] == [
        ("Host Mem (MB)", 7974.6, 7974.6),
        ("% Host Mem used for SGA+PGA", 15.08, 15.11),
    ]


def test_cpus_in_the_heading() -> None:
    (row,) = plain(section("host_cpu", BLOCKS))
    assert (row["cpus"], row["cores"], row["sockets"]) == (8, 4, 2)
    assert (row["load_begin"], row["load_end"], row["pct_idle"]) == (6.93, 7.23, 74.8)


def test_statspack_head() -> None:
    report = parse_report((STATSPACK + ACTIVITY + "\nEnd of Report ( sp_548_549.lst )\n").encode())
    assert report.kind == "statspack"
    assert (report.database.name, report.release, report.host.name) == ("SHOP", "11.2.0.3.0", "till")
    assert (report.host.cpus, report.host.memory_bytes) == (8, Value(7.8 * 2**30, 0.05 * 2**30))
    assert (report.period.begin.id, report.period.end.id) == (548, 549)
    assert report.period.elapsed_s is not None
    assert abs(report.period.elapsed_s.number - 900) <= 1
    assert report.period.db_time_s == Value(106.55 * 60, 0.3)
    assert not report.issues
    top = report.section("top_timed_events")
    assert top is not None
    assert [(r["event"], r["avg_wait_s"], r["pct_call_time"]) for r in plain(top)] == [
        ("CPU time", None, 25.4),
        ("log file sync", 0.001, 1.5),
    ]
    assert {s.id for s in report.sections} >= {"host_cpu", "instance_cpu_time", "instance_activity"}


def test_statspack_host_with_wrapped_labels() -> None:
    wrapped = STATSPACK.replace(
        "Host Name             Platform                CPUs Cores Sockets   Memory (G)",
        "Host                             Name             Platform                CPUs\nCores Sockets   Memory (G)",
    )
    report = parse_report((wrapped + ACTIVITY).encode())
    assert (report.host.name, report.host.cpus, report.host.sockets) == ("till", 8, 2)


def test_statspack_of_8i() -> None:
    old = """
STATSPACK report for

DB Name         DB Id    Instance     Inst Num Release     OPS Host
------------ ----------- ------------ -------- ----------- --- ------------
SHOP          2345678901 shop                1 8.1.7.4.0   NO  till

                Snap Id     Snap Time      Sessions
                ------- ------------------ --------
 Begin Snap:         11 05-Mar-02 09:00:04       23
   End Snap:         12 05-Mar-02 10:00:04       25
    Elapsed:                  60.00 (mins)

Top 5 Wait Events
~~~~~~~~~~~~~~~~~                                             Wait     % Total
Event                                               Waits  Time (cs)   Wt Time
-------------------------------------------- ------------ ------------ -------
db file sequential read                            12,345       67,890   80.12
          -------------------------------------------------------------
Wait Events for DB: SHOP  Instance: shop  Snaps: 11 -12
-> cs - centisecond -  100th of a second

                                                                    Avg
                                                     Total Wait   wait  Waits
Event                               Waits   Timeouts  Time (cs)    (ms)   /txn
---------------------------- ------------ ---------- ----------- ------ ------
db file sequential read            12,345          0      67,890     55    1.2
          -------------------------------------------------------------
"""
    report = parse_report(old.encode())
    assert (report.kind, report.database.name, report.release) == ("statspack", "SHOP", "8.1.7.4.0")
    assert report.period.begin.id == 11
    top, waits = report.section("top_timed_events"), report.section("wait_events")
    assert top is not None
    assert waits is not None
    assert plain(top)[0]["total_wait_time_s"] == 678.9
    assert plain(waits)[0]["total_wait_time_s"] == 678.9
    assert plain(waits)[0]["avg_wait_s"] == 0.055


def test_headings_with_labels_in_their_line() -> None:
    assert split_heading("Load Profile              Per Second", "~~~~~~~~~~~~         -----") == (
        "Load Profile", "                          Per Second",
    )  # fmt: skip
    assert split_heading("Host CPU  (CPUs: 8  Cores: 8)", "~~~~~~~~") == ("Host CPU (CPUs: 8 Cores: 8)", "")
    assert split_heading("", "~~~~") == ("", "")


def test_pairs_whose_labels_have_colons() -> None:
    assert read_pairs(["Host: Total time (s):      7,001.7", "prose without figures: none", ""]) == [
        ["Host: Total time (s)", "7,001.7"]
    ]


def test_addm_prose_is_no_table_of_the_chapter_above() -> None:
    prose = "\n".join(
        [
            "          ADDM Report for Task 'ADDM:1_1_2'", "          ---------------------------------", "",
            "Finding 1: Top SQL Statements", "Impact is .33 active sessions, 29.93% of total activity.",
            "--------------------------------------------------------", "SQL statements were found.", "",
        ]
    )  # fmt: skip
    report = parsed(BLOCKS, chapter("New Stats", "", "Name  Count", "----- -----", "a         1"), prose)
    new, *addm = [s.id for s in report.sections if s.id == "new_stats" or s.id.startswith("addm_")]
    assert (new, len(report.section("new_stats").records), addm) == ("new_stats", 1, ["addm_period", "addm_findings"])


def test_awr_of_10_2() -> None:
    old = """
WORKLOAD REPOSITORY report for

DB Name         DB Id    Instance     Inst Num Release     RAC Host
------------ ----------- ------------ -------- ----------- --- ------------
SHOP           123456789 shop                1 10.2.0.4.0  NO  till

              Snap Id      Snap Time      Sessions Curs/Sess
            --------- ------------------- -------- ---------
Begin Snap:       100 03-Feb-10 10:00:00        50       1.5
  End Snap:       101 03-Feb-10 11:00:10        60       1.6
   Elapsed:               60.17 (mins)
   DB Time:               30.05 (mins)

Cache Sizes
~~~~~~~~~~~                       Begin        End
                             ---------- ----------
               Buffer Cache:     1,008M     1,008M  Std Block Size:         8K
           Shared Pool Size:       400M       400M      Log Buffer:    14,344K

Load Profile
~~~~~~~~~~~~                            Per Second       Per Transaction
                                   ---------------       ---------------
                  Redo size:             12,345.67              9,876.54
              Logical reads:              1,234.56                987.65

  % Blocks changed per Read:    5.83    Recursive Call %:    93.54
 Rollback per transaction %:    1.02       Rows per Sort:    98.05

Instance Efficiency Percentages (Target 100%)
~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
            Buffer Nowait %:  100.00       Redo NoWait %:  100.00

Top 5 Timed Events                                         Avg %Total
~~~~~~~~~~~~~~~~~~                                        wait   Call
Event                                 Waits    Time (s)   (ms)   Time Wait Class
------------------------------ ------------ ----------- ------ ------ ----------
CPU time                                          1,000          55.5
db file sequential read             123,456         617      5   34.2   User I/O
          -------------------------------------------------------------
Wait Events                        DB/Inst: SHOP/shop  Snaps: 100-101
-> s  - second

                                                                   Avg
                                             %Time  Total Wait    wait     Waits
Event                                 Waits  -outs    Time (s)    (ms)      /txn
---------------------------- -------------- ------ ----------- ------- ---------
db file sequential read             123,456     .0         617       5      12.3
          -------------------------------------------------------------

End of Report
"""
    report = parse_report(old.encode())
    assert (report.kind, report.release, report.database.name) == ("awr", "10.2.0.4.0", "SHOP")
    assert report.period.db_time_s == Value(30.05 * 60, 0.3)
    rows = {s.id: plain(s) for s in report.sections}
    assert rows["load_profile"][0]["per_second"] == 12345.67
    assert rows["cache_sizes"][0] == {"cache": "Buffer Cache", "begin_bytes": 1008 * 2**20, "end_bytes": 1008 * 2**20}
    assert [r["pct_call_time"] for r in rows["top_timed_events"]] == [55.5, 34.2]
    assert rows["wait_events"][0]["avg_wait_s"] == 0.005
    assert rows["load_profile_ratios"] == [
        {"metric": "% Blocks changed per Read", "value": 5.83, "unit": "percent"},
        {"metric": "Recursive Call %", "value": 93.54, "unit": "percent"},
        {"metric": "Rollback per transaction %", "value": 1.02, "unit": "percent"},
        {"metric": "Rows per Sort", "value": 98.05, "unit": "count"},
    ]
    assert all(s.known for s in report.sections)


def test_pluggable_database() -> None:
    pdb = """
WORKLOAD REPOSITORY PDB report (PDB snapshots)

DB Name         DB Id    Unique Name DB Role          Edition Release    RAC CDB
------------ ----------- ----------- ---------------- ------- ---------- --- ---
SHOP          1234567890 SHOP        PRIMARY          EE      19.0.0.0.0 NO  YES

Instance     Inst Num Startup Time    User Name    System Data Visible
------------ -------- --------------- ------------ --------------------
shop                1 01-Feb-23 15:30 TILL         NO

Container DB Id  Container Name       Open Time
--------------- --------------- ---------------
     2345678901 TILLPDB         01-Feb-23 15:31

              Snap Id      Snap Time      Sessions Curs/Sess
            --------- ------------------- -------- ---------
Begin Snap:      2668 04-Feb-23 19:00:39       104       3.7
  End Snap:      2669 04-Feb-23 20:00:54        92       3.6
   Elapsed:               60.25 (mins)
   DB Time:               66.24 (mins)

"""
    lines = chapter(
        "SQL ordered by Executions", "",
        "                                              Elapsed",
        " Executions   Rows Processed  Rows per Exec   Time (s)  %CPU   %IO    SQL Id",
        "------------ --------------- -------------- ---------- ----- ----- -------------",
        "     544,751         544,745            1.0        8.1  31.7     0 ftj9uawt4wwzb",
        "Module: till.exe", "PDB: TILLPDB", "select condition from cdef$ where rowid=:1",
    )  # fmt: skip
    report = parse_report((pdb + lines).encode())
    assert report.kind == "awr_pdb"
    assert (report.database.cdb, report.database.role, report.instances[0].name) == (True, "PRIMARY", "shop")
    sql = report.section("sql_by_executions")
    assert sql is not None
    assert plain(sql)[0]["pdb_name"] == "TILLPDB"
    assert report.section("pdb_information") is not None

"""The head of a text report: who, when, and the summary's blocks."""

from __future__ import annotations

from datetime import datetime

from parsers import parse_report
from parsers.model import Value
from parsers.text_summary import read_pairs, split_heading
from tests.unit.parsers.listings import chapter, parsed, plain, section

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


def test_addm_prose_is_no_table() -> None:
    prose = "\n".join(
        [
            "          ADDM Report for Task 'ADDM:1_1_2'", "          ---------------------------------", "",
            "Finding 1: Top SQL Statements", "Impact is .33 active sessions, 29.93% of total activity.",
            "--------------------------------------------------------", "SQL statements were found.", "",
        ]
    )  # fmt: skip
    report = parsed(BLOCKS, chapter("New Stats", "", "Name  Count", "----- -----", "a         1"), prose)
    assert report.sections[-1].id == "new_stats"

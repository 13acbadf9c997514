"""An invented compare period report, with what its two periods and Oracle's differences can look like."""

from __future__ import annotations

from tests.unit.parsers.kind_pages import table
from tests.unit.parsers.test_kinds_compare import compare_report

_SIDES = ["1st", "2nd", "%Diff"]


def oracle_page() -> bytes:
    return compare_report(host(), load(), time(), waits(), statements(), settings(), odd())


def host() -> str:
    return table(
        ["", "1st", "2nd", "Diff", "%Diff"],
        [["Number of CPUs:", "8", "16", "8", "100.0"], ["Physical Memory:", "8G", "16G", "8G", "100.0"],
         ["Load at Start Snapshot:", "1.25", "2.50", "1.25", "100.0"], ["%Idle Time:", "75.10", "50.05", "-25.05", "-33.4"]],
        caption="Host Configuration Comparison",
    )  # fmt: skip


def load() -> str:
    return table(
        ["", "1st per sec", "2nd per sec", "%Diff", "1st per txn", "2nd per txn", "%Diff"],
        [["DB time:", "2.0", "4.0", "100.0", "0.1", "0.2", "100.0"],
         ["W/A MB processed:", "1,048,576.0", "2,097,152.0", "100.0", "40.0", "30.0", "2.5"],
         ["Transactions:", "20.0", "20.0", "0.0", "", "", ""]],
        caption="Load Profile",
    ) + table(
        ["Statistic", *_SIDES, *_SIDES, *_SIDES],
        [["redo size", "1,800,600", "3,600,000", "99.93", "999.78", "2,000.00", "100.04", "50.00", "100.00", "100.00"],
         ["user commits", "36,000", "36,000", "0.00", "19.99", "20.00", "0.05", "1.00", "1.00", "0.00"],
         ["redo writes", "0", "30", "100.00", "0.00", "0.02", "100.00", "0.00", "0.00", "0.00"]],
        groups=(("", 1), ("Value", 3), ("per Second (Elapsed Time)", 3), ("per Trans", 3)),
        heading="Key Instance Activity Stats",
    ) + table(
        ["Statistic Name", *_SIDES],
        [["BUSY_TIME", "1,000", "2,000", "100.00"], ["TCP_SEND_SIZE_MAX", "0", "0", "0.00"]],
        groups=(("", 1), ("Value (centi-seconds)", 3)),
        heading="Operating System Statistics",
    )  # fmt: skip


def time() -> str:
    return table(
        ["Statistic Name", "1st", "2nd", "Diff", "1st", "2nd", "%Diff"],
        [["DB time", "100.00", "100.00", "0.00", "3,600.50", "7,200.25", "99.98"],
         ["DB CPU", "50.00", "41.67", "-8.33", "1,800.25", "3,000.00", "66.64"]],
        groups=(("", 1), ("% of DB time", 3), ("Time (seconds)", 3)),
        heading="Time Model Statistics",
    )  # fmt: skip


def waits() -> str:
    return table(
        ["Event", "Wait Class", "Waits", "Time(s)", "Avg Time(ms)", "%DB time",
         "Event", "Wait Class", "Waits", "Time(s)", "Avg Time(ms)", "%DB time"],
        [["CPU time", "", "", "1,800.25", "", "50.00", "log file sync", "Commit", "2,000", "8.00", "4.00", "0.11"],
         ["log file sync", "Commit", "1,000", "2.00", "2.00", "0.06", "CPU time", "", "", "3,000.00", "", "41.67"]],
        groups=(("1st", 6), ("2nd", 6)),
        heading="Top Timed Events",
    ) + table(
        ["Event", "Wait Class", "1st", "2nd", "Diff", *_SIDES, *_SIDES, *_SIDES],
        [["log file sync", "Commit", "0.06", "0.11", "0.05", "0.56", "1.11", "98.21", "2.00", "8.00", "300.00", "2.00", "4.00", "100.00"],
         ["latch free", "Other", "0.03", "", "-0.03", "0.01", "", "-100.00", "1.00", "", "-100.00", "250.00", "", "-100.00"],
         ["invented timer", "Idle", "55.50", "30.00", "-25.50", "1.00", "1.00", "0.00", "1,998.00", "2,160.00", "8.11", "1.00", "1.00", "0.00"]],
        groups=(("", 2), ("% of DB time", 3), ("# Waits/sec (Elapsed Time)", 3), ("Total Wait Time (sec)", 3), ("Avg Wait Time (ms)", 3)),
        heading="Wait Events",
    )  # fmt: skip


def statements() -> str:
    return table(
        ["SQL Id", "1st", "1st Total", "2nd", "2nd Total", "Diff", "1st", "2nd", "1st", "2nd", "1st/2nd/Both", "SQL Text"],
        [["7cw2n1pu4xh9s", "6.24", "6.24", "", "", "-6.24", "27", "", "300", "", "2/ /2", "select order_id..."],
         ["3gp9fr1tk7nya", "3.00", "9.24", "4.00", "4.00", "1.00", "12", "13", "10", "11", "1/ 1/ 1", "update stock set..."]],
        groups=(("", 1), ("Elapsed Time % of DB time", 5), ("CPU Time (ms) per Exec", 2), ("#Executions", 2), ("#Plans", 1), ("", 1)),
        heading="Top SQL Comparison by Elapsed Time",
    ) + table(
        ["Owner", "Tablespace", "Object Name", "Subobject Name", "Type", "1st", "1st Total", "2nd", "2nd Total", "Diff", *_SIDES],
        [["APP", "USERS", "ORDERS", "", "TABLE", "60.00", "60.00", "70.00", "70.00", "10.00", "600", "700", "16.67"]],
        groups=(("", 5), ("% of Captured Row Lock Waits", 5), ("Row Lock Waits", 3)),
        heading="Top Segments Comparison by Row Lock Waits",
    )  # fmt: skip


def settings() -> str:
    return table(
        ["Parameter Name", "Begin Snap Value", "End Snap Value", "Begin Snap Value", "End Snap Value"],
        [["cpu_count", "", "8", "", "16"], ["db_name", "", "SHOP", "", ""], ["commit_wait", "", "(DEFAULT)", "", "NOWAIT"],
         ["open_cursors", "100", "200", "", ""]],
        groups=(("", 1), ("1st Period", 2), ("2nd Period", 2)),
        heading="init.ora Parameters",
    ) + table(
        ["", "PGA Aggr Target(M)", "PGA Mem Alloc(M)"],
        [["B1", "128", "100.0"], ["E1", "128", "110.0"], ["B2", "256", "100.0"], ["E2", "256", "200.0"]],
        heading="PGA Aggr Target Stats",
    ) + table(
        ["1st", "2nd", "Diff", "1st", "2nd"],
        [["100.00", "100.00", "0.00", "1,801", "3,600"]],
        groups=(("PGA Cache Hit %", 3), ("W/A MB Processed", 2)),
        heading="PGA Aggregate Summary",
    )  # fmt: skip


def odd() -> str:
    """A table of differences without either side, and buffer waits, whose average 11.2 prints a hundredth of."""
    return table(
        ["Service Name", "Total Diff"],
        [["shop", "4.50"]],
        heading="Service Statistics (RAC)",
    ) + table(
        ["Category", "Summary", "Begin Value", "End Value", "%Diff", "Begin Value", "End Value", "%Diff",
         "Begin Values", "End Values"],
        [["SQL", "Alloc (KB)", "20.00", "26.00", "30.00", "40.00", "40.00", "0.00", "100.00", "53.85"]],
        groups=(("", 2), ("1st", 3), ("2nd", 3), ("% Diff of", 2)),
        heading="Process Memory Summary",
    ) + table(
        ["Class", "1st", "2nd", "1st", "2nd", "1st", "2nd", "%Diff"],
        [["data block", "27.44", "51.56", "3,275", "5,028", ".08", ".10", "25.00"]],
        groups=(("", 1), ("Total Wait Time (s)", 2), ("# Waits", 2), ("Avg Wait Time (ms)", 3)),
        heading="Buffer Wait Statistics",
    ) + "".join(
        table(
            _SIDES * 3,
            [figures],
            groups=(("Total Reads", 3), ("Direct Reads", 3), ("LGWR", 3)),
            heading=f"IOStat by Function - {what} per Second",
        )
        for what, figures in (
            ("Data Rate", ["10.00", "20.00", "100.00", "1.00", "2.00", "100.00", "0.50", "1.00", "10.00"]),
            ("Requests", ["100.00", "150.00", "50.00", "5.00", "5.00", "0.00", "30.00", "60.00", "100.00"]),
        )
    )  # fmt: skip

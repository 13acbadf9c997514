"""Small invented reports of other kinds, as pages of HTML in Oracle's layout."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

Groups = Sequence[tuple[str, int]]


def table(
    labels: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    heading: str = "",
    caption: str = "",
    groups: Groups = (),
    summary: str = "",
    notes: Sequence[str] = (),
    level: str = "h3",
) -> str:
    """A table with its heading, caption, notes and header rows."""
    above = f'<{level} class="awr">{escape(heading)}</{level}>\n' if heading else ""
    above += f"<p />{escape(caption)}<p />\n" if caption else ""
    above += "<ul>\n" + "".join(f'<li class="awr"> {escape(n)}</li>\n' for n in notes) + "</ul>\n" if notes else ""
    over = "".join(f'<th class="awrbg" colspan=" {span}">{escape(group)}</th>\n' for group, span in groups)
    head = f"<tr>{over}</tr>" if groups else ""
    head += "<tr>" + "".join(f'<th class="awrbg" scope="col">{escape(n) or "&#160;"}</th>' for n in labels) + "</tr>\n"
    body = "".join(
        "<tr>" + "".join(f"<td align=\"right\" class='awrc'>{escape(c) or '&#160;'}</td>" for c in row) + "</tr>\n"
        for row in rows
    )
    return f'{above}<table border="0" class="tdiff" summary="{escape(summary)}">{head}{body}</table><p />\n'


def page(title: str, heading: str, *parts: str) -> bytes:
    head = f'<html lang="en"><head><title>{escape(title)}</title>\n</head><body class="awr">\n<h1 class="awr">\n'
    return f"{head}{escape(heading)}\n</h1>\n{''.join(parts)}End of Report\n</body></html>\n".encode()


def wrapped(data: bytes, width: int, *, padded: bool, separators: bool) -> bytes:
    """`data` as SQL*Plus spools it at this line size."""
    out: list[str] = []
    for line in data.decode().split("\n"):
        parts = [line[at : at + width] for at in range(0, len(line), width)] or [""]
        out += [part.ljust(width) if padded else part.rstrip() for part in parts]
        if separators and len(parts) > 1:
            out.append(" " * width if padded else "")
    return "\n".join(out).encode()


_SUMMARY = (("Database", 8), ("Snapshot Ids", 2), ("Number of Instances", 2), ("Number of Hosts", 2))
_WAITS = (("", 1), ("Wait", 2), ("Event", 2), ("Wait Time", 3), ("Summary Avg Wait Time", 5))
_WAIT_LABELS = (
    "I#", "Class", "Event", "Waits", "%Timeouts", "Total(s)", "Avg Wait", "%DB time", "Avg", "Min", "Max", "Std Dev", "Cnt",
)  # fmt: skip
BUCKETS = (*(f"<{2**n}{unit}" for unit in ("us", "ms") for n in range(10)), "<1s", ">=1s")


def _cluster(elapsed: tuple[str, str]) -> str:
    """The database, and its two instances."""
    return "".join(
        (
            table(
                ["Id", "Name", "Unique Name", "Role", "Edition", "RAC", "CDB", "Block Size", "Begin", "End",
                 "In Report", "Total", "In Report", "Total", "DB time", "Elapsed time"],
                [["77123", "SHOP", "shop_a", "PRIMARY", "EE", "YES", "NO", "8192", "40", "41",
                  "2", "3", "2", "3", "50.02", "20.00"]],
                groups=(*_SUMMARY, ("Report Total (minutes)", 2)),
                caption="Database Summary",
                summary="Database Summary",
            ),
            table(
                ["I#", "Instance", "Host", "Startup", "Begin Snap Time", "End Snap Time", "Release", "Elapsed Time(min)",
                 "DB time(min)", "Up Time(hrs)", "Avg Active Sessions", "Platform"],
                [["1", "shop1", "node-a", "01-Mar-24 06:00", "05-Mar-24 10:00", "05-Mar-24 10:20", "12.2.0.1.0", elapsed[0],
                  "30.00", "100.33", "1.50", "Linux x86 64-bit"],
                 ["2", "shop2", "node-b", "01-Mar-24 06:10", "05-Mar-24 10:00", "05-Mar-24 10:20", "12.2.0.1.0", elapsed[1],
                  "20.02", "100.17", "1.00", "Linux x86 64-bit"]],
                caption="Database Instances Included In Report",
                summary="Database Instances Included In Report. . Listed in order of instance number, I#",
            ),
        )
    )  # fmt: skip


def _by_instance() -> str:
    """Cache sizes, host and time model: a row for each instance."""
    return "".join(
        (
            table(
                ["I#", "Begin", "End", "Begin", "End", "Log Buffer"],
                [["1", "4,096", "", "2,048", "1,024", "16"], ["2", "4,096", "", "2,048", "", "16"]],
                groups=(("", 1), ("Sga Target", 2), ("DB Cache", 2), ("", 1)),
                heading="Report Summary",
                caption="Cache Sizes",
            ),
            table(
                ["I#", "#CPUs", "#Cores", "#Sckts", "Begin", "End", "% Busy", "% Usr", "% Sys", "% WIO", "% Idl",
                 "Busy", "Idle", "Total", "MB", "#CPUs", "#Cores", "#Sckts", "Memory (M)"],
                [["1", "8", "4", "2", "1.5", "1.0", "25", "20", "5", "0", "75", "2,400", "7,200", "9,600", "65,536",
                  "", "", "", ""],
                 ["2", "8", "4", "2", "1.0", "0.5", "20", "15", "5", "0", "80", "1,920", "7,680", "9,600", "65,536",
                  "", "", "", "32,768"],
                 ["Sum", "", "", "", "", "", "", "", "", "", "", "4,320", "14,880", "19,200", "", "", "", "", ""]],
                groups=(("", 1), ("CPU", 3), ("Load", 2), ("% CPU", 5), ("Time (s)", 3), ("Memory", 1), ("End Values", 4)),
                heading="OS Statistics By Instance",
            ),
            table(
                ["I#", "DB time (s)", "DB CPU (s)", "bg time (s)"],
                [["1", "1,800.25", "900.00", "20.00"], ["2", "1,201.00", "600.00", "30.00"],
                 ["Sum", "3,001.25", "1,500.00", "50.00"], ["Avg", "1,500.63", "750.00", "25.00"]],
                heading="Time Model",
            ),
        )
    )  # fmt: skip


def _waits() -> str:
    """Events of the cluster and of each instance, and their histogram."""
    return "".join(
        (
            table(
                _WAIT_LABELS,
                [["*", "Commit", "log file sync", "10,000", "0.00", "30.00", "3.00ms", "1.00",
                  "3.50ms", "2.00ms", "5.00ms", "2.12ms", "2"],
                 ["*", "", "DB CPU", "", "", "1,500.00", "", "49.98", "", "", "", "", "2"],
                 ["1", "Commit", "log file sync", "6,000", "0.00", "12.00", "2.00ms", "0.67", "", "", "", "", ""],
                 ["2", "Commit", "log file sync", "4,000", "0.00", "18.00", "4.50ms", "1.50", "", "", "", "", ""]],
                groups=_WAITS,
                heading="Top Timed Events",
            ),
            table(
                _WAIT_LABELS[1:-1],
                [["Commit", "log file sync", "10,000", "0.00", "30.00", "3.00ms", "1.00", "3.25ms", "2.00ms", "4.50ms", "1.77ms"]],
                groups=(("Wait", 2), ("Event", 2), ("Wait Time", 3), ("Summary Avg Wait Time", 4)),
                heading="Foreground Wait Events (Global)",
            ),
            table(
                ["Event", "Waits", *BUCKETS],
                [["log file sync", "9.1M", *[""] * 11, "80.5", "19.5", *[""] * 9]],
                groups=(("", 2), ("% of Total Waits", 22)),
                heading="Wait Event Histogram (Global)",
            ),
        )
    )  # fmt: skip


def _work() -> str:
    """Statements and statistics."""
    return "".join(
        (
            table(
                ["SQL Id", "Elapsed (s)", "CPU (s)", "Execs", "Elapsed (s)", "CPU (s)", "DB time", "SQL Text"],
                [["7cw2n1pu4xh9s", "120.50", "100.25", "50", "2.41", "2.01", "4.02", "select order_id from orders where customer_id"
                  " = :1 and placed_on > :2 and state in ('open', 'paid')..."]],
                groups=(("", 1), ("Total", 3), ("Per Execution", 2), ("Percentage of Total", 1), ("", 1)),
                heading="SQL ordered by Elapsed Time (Global)",
            ),
            table(
                ["Statistic", "Total", "per Second", "per Trans", "Average", "Std Dev", "Min", "Max"],
                [["redo size", "1,200,100,000", "1,000,000.00", "60,050.00", "500,000.00", "1.00", "400,000.00", "600,000.00"]],
                groups=(("", 4), ("per Second", 4)),
                heading="System Statistics (Global)",
            ),
            table(
                ["I#", "Begin", "End", "Begin", "End"],
                [["1", "60", "70", "200", "210"], ["2", "50", "55", "150", "140"], ["Sum", "110", "125", "350", "350"]],
                groups=(("", 1), ("Sessions", 2), ("Open Cursors", 2)),
                heading="System Statistics (Absolute Values)",
            ),
        )
    )  # fmt: skip


def _shared() -> str:
    """I/O by function, and blocks sent between the instances."""
    return "".join(
        (
            table(
                ["I#", "Function Name", "Total", "IOs/s", "Reads/s", "Writes/s", "Total", "IO MB/s", "Read MB/s", "Write MB/s",
                 "Waits: Count", "Avg Time"],
                [["*", "LGWR", "2,400", "2.00", "0.50", "1.50", "1,200", "1.00", "0.25", "0.75", "1.2K", "1.50ms"],
                 ["1", "LGWR", "1,200", "1.00", "0.25", "0.75", "600", "0.50", "0.13", "0.38", "600", "1.00ms"]],
                groups=(("", 2), ("Requests", 4), ("MB", 4), ("", 2)),
                heading="IOStat by Function",
            ),
            table(
                ["Dest", "Src", "Class", "Received", "%Immed", "All", "Received", "%Immed", "All"],
                [["1", "2", "data block", "500", "99.00", "300", "700", "98.00", "450"]],
                groups=(("Instance#", 2), ("Block", 1), ("CR Blocks", 2), ("CR Avg Time (us)", 1), ("Current Blocks", 2),
                        ("Current Avg Time (us)", 1)),
                heading="Global Cache Transfer Statistics",
            ),
        )
    )  # fmt: skip


def _settings() -> str:
    """Parameters: of all instances, or of one."""
    return "".join(
        (
            table(
                ["Parameter Name", "I#", "Begin value", "End value (if different)"],
                [["cpu_count", "*", "8", ""], ["undo_tablespace", "1", "UNDO1", ""], ["undo_tablespace", "2", "UNDO2", ""]],
                heading="init.ora Parameters",
            ),
        )
    )  # fmt: skip


def global_report(*, elapsed: tuple[str, str] = ("20.00", "20.00")) -> bytes:
    """A global report of two instances as 12.2 prints it."""
    return page(
        "AWR RAC Report for DB: SHOP, Snaps: 40-41",
        "WORKLOAD REPOSITORY REPORT (RAC)",
        _cluster(elapsed),
        _by_instance(),
        _waits(),
        _work(),
        _shared(),
        _settings(),
    )

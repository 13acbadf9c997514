"""Wait events, wait classes and wait histograms."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from parsers.model import Cell, Section, Value
from parsers.sections.histogram import read_histogram
from parsers.sections.rac_by_instance import INSTANCE
from parsers.tables.issues import Notebook
from parsers.tables.rawtable import RawTable
from parsers.tables.section_builder import read_tables
from parsers.tables.section_declarations import (
    Declaration,
    Family,
    bytes_,
    count,
    number,
    percent,
    ratio,
    seconds,
    text,
)

LGWR = Family("time", text("time", "Time"), text("zone", "Zone"))

LGWR.section(
    "lgwr_trace_header",
    "LGWR trace",
    [
        text("release", "Release"),
        text("instance", "Instance name", holds="host"),
        text("node", "Node name", holds="host"),
        text("system", "System name"),
        text("thread", "Redo thread"),
        text("process", "Process"),
        text("process_id", "Unix process pid"),
        text("trace_file", "Trace file", holds="path"),
        text("machine", "Machine"),
        text("storage", "Storage"),
    ],
    key="-",
)
LGWR.section(
    "lgwr_slow_writes",
    "Log write warnings",
    [
        "time zone",
        # Oracle warns from 500 ms on: writes below it are not in the file.
        seconds("elapsed_s", "Elapsed (ms)", measure="level"),
        bytes_("size_bytes", "Size (KB)", measure="level"),
    ],
    key="time",
    coverage="top",
)
LGWR.section(
    "lgwr_slow_broadcasts",
    "Log write broadcast warnings",
    ["time zone", seconds("wait_s", "Wait (ms)", measure="level"), text("scn", "SCN")],
    key="time scn",
    coverage="top",
)
LGWR.section(
    "lgwr_switches",
    "Log file sync switches",
    [
        "time zone",
        text("mode", "Switching to"),
        seconds("scheduling_delay_s", "Scheduling delay (usec)", measure="level", better="neither"),
        number("redo_synch_writes_per_s", "per_s", "Redo synch writes per sec", measure="rate"),
        seconds("polling_interval_s", "Polling interval (usec)", measure="level", better="neither"),
    ],
    key="time",
)
LGWR.section(
    "lgwr_scalable",
    "Adaptive scalable log writer",
    [
        "time zone",
        text("mode", "Workers"),  # enabled: several log writers; disabled: one alone
        text("figures", "Figures"),
    ],
    key="time mode",
)
LGWR.section(
    "lgwr_mode_decisions",
    "Adaptive log file sync decisions",
    [
        text("time", "Time"),
        text("change", "Change"),
        text("figure", "Figure"),
        number("value", "value", "Value", measure="level"),
    ],
    key="time change figure",
)
LGWR.section(
    "lgwr_scheduling",
    "Log writer scheduling",
    [
        text("time", "Time"),
        text("process", "Process"),
        # Since the process began, as the kernel counts.
        seconds("cpu_s", "On CPU (ns)", measure="level", better="neither"),
        seconds("waited_s", "Waited for a CPU (ns)", measure="level", better="neither"),
        number("runs", "count", "Runs", measure="level"),
    ],
    key="time process",
)
LGWR.section(
    "lgwr_samples",
    "Log writer samples",
    [
        text("time", "Time"),
        text("process", "Process"),
        text("event", "Event"),
        # Of log file parallel write: log files, blocks, I/O requests.
        *(number(f"p{n}", "value", f"P{n}", measure="level") for n in (1, 2, 3)),
    ],
    key="time process",
)


TIME = Family("time")

TIME.section(
    "time_model",
    "Time Model Statistics",
    [
        text("statistic", "Statistic Name", "Statistic"),
        seconds("time_s", "Time (s)"),
        percent("pct_db_time", "% of DB Time", "% of Total DB Time", "% DB time"),
        percent("pct_total_cpu_time", "% of Total CPU Time"),
    ],
    titles=["Time Model System Stats"],
    coverage="nonzero",
)
TIME.section(
    "service_statistics",
    "Service Statistics",
    [
        text("service", "Service Name"),
        seconds("db_time_s", "DB Time (s)"),
        seconds("db_cpu_s", "DB CPU (s)"),
        count("physical_reads", "Physical Reads (K)"),
        count("logical_reads", "Logical Reads (K)"),
    ],
    coverage="top",
)
TIME.section(
    "service_wait_class_stats",
    "Service Wait Class Stats",
    [
        text("service", "Service Name"),
        count("user_io_waits", "User I/O Total Wts"),
        seconds("user_io_wait_time_s", "User I/O Wt Time"),
        count("concurrency_waits", "Concurcy Total Wts"),
        seconds("concurrency_wait_time_s", "Concurcy Wt Time"),
        count("administrative_waits", "Admin Total Wts"),
        seconds("administrative_wait_time_s", "Admin Wt Time"),
        count("network_waits", "Network Total Wts"),
        seconds("network_wait_time_s", "Network Wt Time"),
    ],
    coverage="top",
)
TIME.section(
    "top_process_types_by_wait_class",
    "Top Process Types by Wait Class",
    [
        text("process_type", "Process Type"),
        text("description", "Description"),
        text("wait_class", "Wait Class Type"),
        seconds("wait_time_s", "Wait Time (sec)"),
        percent("pct_total_cpu_time", "% of Total CPU Time"),
    ],
    key="process_type description wait_class",
    coverage="top",
)
TIME.section(
    "top_process_types_by_cpu",
    "Top Process Types by CPU Used",
    [text("process_type", "Process Type"), text("description", "Description"), seconds("cpu_time_s", "CPU Time (sec)")],
    key="process_type description",
    coverage="top",
)
TIME.section(
    "top_channel_waits",
    "Top 10 Channel Waits",
    [
        text("channel", "Channel"),
        "waits",
        seconds("total_wait_time_s", "Total Wait Time (s)"),
        seconds("avg_wait_s", "Avg Wait", measure="average"),
        "pct_total",
    ],
    coverage="top",
)


# To 12.1 the average wait is printed in milliseconds under "(ms)"; from 12.2 with a unit of its own. In a global (RAC)
# report I# `*` is the cluster, and the averages of the instances are summarized.
WAITS = Family(
    "time",
    text("event", "Event"),
    INSTANCE,
    text("wait_class", "Wait Class", "Class"),
    percent("pct_timeouts", "%Time -outs", "%Timeouts", "%Tim out"),
    seconds(
        "total_wait_time_s",
        "Total Wait Time (s)",
        "Total Wait Time (sec)",
        "Time(s)",
        "Time (s)",
        "Total(s)",
        "Tota Time",  # the text of 11.2.0.4 cuts the label
        "Total Wait Time (cs)",  # Statspack of 8i
        "Wait Time (cs)",
    ),
    seconds(
        "avg_wait_s",
        "Avg wait",
        "Avg wait (ms)",
        "Wait Avg(ms)",
        "Avg Wait (ms)",
        "Avg Wait Time",
        "Avg Wait",
        "Avg(ms)",
        measure="average",
        scale=1e-3,
    ),
    number("waits_per_txn", "per_txn", "Waits /txn", measure="average"),
    percent("pct_db_time", "% DB time", "%DB time"),
    percent("pct_bg_time", "% bg time", "%bg time"),
    *(
        seconds(f"{short}_of_instance_averages_s", label, measure="average", scale=1e-3)
        for short, label in (("avg", "Avg"), ("min", "Min"), ("max", "Max"), ("std_dev", "Std Dev"))
    ),
    count("instances", "Cnt", measure="level"),
    # Statspack: of CPU time and waits together, which is not quite DB time.
    percent("pct_call_time", "%Total Call Time", "% Total Call Time", "% Total Ela Time", "% Total Wt Time"),
    count("timeouts", "Timeouts"),
)
section = WAITS.section
_SUMMARY = (
    "avg_of_instance_averages_s min_of_instance_averages_s max_of_instance_averages_s std_dev_of_instance_averages_s "
    "instances"
)

section(
    "top_timed_events",
    "Top Timed Events",
    "event waits total_wait_time_s avg_wait_s pct_db_time pct_call_time wait_class instance_number pct_timeouts "
    + _SUMMARY,
    key="instance_number event",
    coverage="top",
    titles=[
        "Top 5 Timed Foreground Events",
        "Top 10 Foreground Events by Total Wait Time",
        "Top 5 Timed Events",
        "Top 5 Wait Events",
    ],
    summaries=["top 10 wait events by total wait time", "top 5 timed foreground events"],
    requires=["Event", "Waits"],
)
section(
    "top_timed_foreground_events",
    "Top Timed Foreground Events",
    f"instance_number wait_class event waits pct_timeouts total_wait_time_s avg_wait_s pct_db_time {_SUMMARY}",
    key="instance_number event",
    coverage="top",
)
section(
    "top_timed_background_events",
    "Top Timed Background Events",
    [
        "instance_number wait_class event waits pct_timeouts total_wait_time_s avg_wait_s",
        # Headed so, but of background time.
        percent("pct_bg_time", "%DB time", "%bg time"),
        _SUMMARY,
    ],
    key="instance_number event",
    coverage="top",
)
section(
    "wait_classes",
    "Wait Classes by Total Wait Time",
    [
        "wait_class waits total_wait_time_s avg_wait_s pct_db_time",
        ratio("avg_active_sessions", "Avg Active Sessions", unit="sessions"),
    ],
    summaries=["wait class statistics ordered by total wait time"],
    coverage="nonzero",
)
section(
    "foreground_wait_classes",
    "Foreground Wait Class",
    "wait_class waits pct_timeouts total_wait_time_s avg_wait_s pct_db_time",
    coverage="nonzero",
)
section(
    "foreground_wait_events",
    "Foreground Wait Events",
    "event waits pct_timeouts timeouts total_wait_time_s avg_wait_s waits_per_txn pct_db_time pct_call_time pdb_name "
    f"wait_class {_SUMMARY}",
    coverage="nonzero",
    key="event pdb_name",
    titles=["Foreground Wait Events (Global)"],
)


def read_background(declaration: Declaration, tables: Sequence[RawTable], notebook: Notebook) -> Section:
    """Global reports of 12.2 print background percentages as fractions: 0.28 for 28.25 %."""
    section = read_tables(declaration, tables, notebook)
    at = section.index.get("pct_bg_time")
    if at is None or not all("Class" in table.labels for table in tables):
        return section
    shares = [cell for cell in (r.cells[at] for r in section.records) if isinstance(cell, Value)]
    if max((s.number for s in shares), default=0) > _LARGEST_FRACTION:
        return section
    records = tuple(
        r._replace(cells=(*r.cells[:at], _as_percent(r.cells[at]), *r.cells[at + 1 :])) for r in section.records
    )
    return replace(section, records=records)


def _as_percent(cell: Cell) -> Cell:
    return Value(cell.number * 100, cell.half * 100) if isinstance(cell, Value) else cell


_LARGEST_FRACTION = 1.5  # of background time; a list of all events has one of more than 1.5 percent

section(
    "background_wait_events",
    "Background Wait Events",
    "event waits pct_timeouts timeouts total_wait_time_s avg_wait_s waits_per_txn pct_bg_time pct_call_time pdb_name "
    f"wait_class {_SUMMARY}",
    coverage="nonzero",
    key="event pdb_name",
    titles=["Background Wait Events (Global)"],
    reader=read_background,
)
section(
    "wait_events",
    "Wait Events (fg and bg)",  # Statspack; to 10.2 foreground and background were not told apart
    "event waits pct_timeouts timeouts total_wait_time_s avg_wait_s waits_per_txn pct_call_time",
    coverage="nonzero",
    titles=["Wait Events"],
    requires=["Waits", "Waits /txn"],
)
section(
    "wait_event_histogram",
    "Wait Event Histogram",
    ["event", count("waits", "Total Waits")],
    titles=["Wait Event Histogram*"],
    coverage="nonzero",
    reader=read_histogram,
)

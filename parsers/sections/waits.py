"""Wait events, wait classes and wait histograms."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from parsers.model import Cell, Section, Value
from parsers.sections.by_instance import INSTANCE
from parsers.sections.histogram import read_histogram
from parsers.tables.build import read_tables
from parsers.tables.declare import Declaration, Family, count, number, percent, ratio, seconds, text
from parsers.tables.notebook import Notebook
from parsers.tables.rawtable import RawTable

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
    """Global reports of 12.2 print a fraction as percentage of background time (0.28 for 28.25 %)."""
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

"""Wait events, wait classes and wait histograms."""

from __future__ import annotations

from parsers.declare import Family, count, number, percent, ratio, seconds, text
from parsers.sections.histogram import read_histogram

# To 12.1 the average wait is printed in milliseconds under "(ms)"; from 12.2 with a unit of its own.
WAITS = Family(
    "time",
    text("event", "Event"),
    text("wait_class", "Wait Class"),
    percent("pct_timeouts", "%Time -outs", "%Timeouts", "%Tim out"),
    seconds(
        "total_wait_time_s",
        "Total Wait Time (s)",
        "Total Wait Time (sec)",
        "Time(s)",
        "Time (s)",
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
        measure="average",
        scale=1e-3,
    ),
    number("waits_per_txn", "per_txn", "Waits /txn", measure="average"),
    percent("pct_db_time", "% DB time", "%DB time"),
    percent("pct_bg_time", "% bg time"),
    # Statspack: of CPU time and waits together, which is not quite DB time.
    percent("pct_call_time", "%Total Call Time", "% Total Call Time", "% Total Ela Time", "% Total Wt Time"),
    count("timeouts", "Timeouts"),
)
section = WAITS.section

section(
    "top_timed_events",
    "Top Timed Events",
    "event waits total_wait_time_s avg_wait_s pct_db_time pct_call_time wait_class",
    coverage="top",
    titles=[
        "Top 5 Timed Foreground Events",
        "Top 10 Foreground Events by Total Wait Time",
        "Top 5 Timed Events",
        "Top 5 Wait Events",
    ],
    summaries=["top 10 wait events by total wait time", "top 5 timed foreground events"],
    requires=["Event", "Waits"],
    forbids=["I#", "Class"],
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
    "event waits pct_timeouts timeouts total_wait_time_s avg_wait_s waits_per_txn pct_db_time pct_call_time pdb_name",
    coverage="nonzero",
    key="event pdb_name",
)
section(
    "background_wait_events",
    "Background Wait Events",
    "event waits pct_timeouts timeouts total_wait_time_s avg_wait_s waits_per_txn pct_bg_time pct_call_time pdb_name",
    coverage="nonzero",
    key="event pdb_name",
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

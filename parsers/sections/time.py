"""DB time by time model, service and process type."""

from __future__ import annotations

from parsers.tables.declare import Family, count, percent, seconds, text

TIME = Family("time")
section = TIME.section

section(
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
section(
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
section(
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
section(
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
section(
    "top_process_types_by_cpu",
    "Top Process Types by CPU Used",
    [text("process_type", "Process Type"), text("description", "Description"), seconds("cpu_time_s", "CPU Time (sec)")],
    key="process_type description",
    coverage="top",
)
section(
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

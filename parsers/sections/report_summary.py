"""Report summary: load profile, efficiency, CPU, memory, cache sizes."""

from __future__ import annotations

import re
from functools import lru_cache

from parsers.sections.special_table_readers import read_cache_sizes, read_load_profile, read_once, read_pairs
from parsers.tables.section_declarations import (
    Family,
    bytes_,
    count,
    number,
    per_s,
    percent,
    ratio,
    text,
    unit_in_label,
)

ACTIVITY = Family("activity")

# Text reports cut the names that end in `interconnect bytes`.
_BYTES = re.compile(r"\bbytes\b")
_OF_BYTES = (
    "cell physical IO ", "cell simulated physical IO ", "redo size", "redo wastage", "session uga", "session pga",
)  # fmt: skip
_KILOBYTES = re.compile(r"\bKB\b")
# The stages of a redo write, from 12.1 on: cumulative microseconds, although the name does not say so.
_STAGE = re.compile(r"redo write (?:gather|schedule|issue|finish|total) time$")
# Microseconds too: as centiseconds it would be thousands of sessions where it equals the user I/O wait time.
_MICROSECONDS = frozenset({"redo write broadcast ack time", "Effective IO time"})
# V$SYSSTAT keeps times in centiseconds unless the name says otherwise.
_OF_CENTISECONDS = ("parse time ", "CPU used ")
_CENTISECONDS = re.compile(r"(?<!real )\btime$|\btime \(")


@lru_cache(maxsize=8192)
def activity_unit(statistic: str) -> str:
    """The unit of a V$SYSSTAT statistic, by its name."""
    # The broadcast acknowledgements are in microseconds from 11.2 on (11.1: centiseconds).
    if "usec" in statistic or _STAGE.match(statistic) or statistic in _MICROSECONDS:
        return "us"
    # A pattern is tried where its word is: a report prints a thousand statistics, most of which count something.
    if "KB" in statistic and _KILOBYTES.search(statistic):
        return "KB"
    if statistic.startswith(_OF_BYTES) or statistic.endswith(("memory", "memory max")):
        return "bytes"
    if "bytes" in statistic and _BYTES.search(statistic):
        return "bytes"
    timed = statistic.startswith(_OF_CENTISECONDS) or ("time" in statistic and _CENTISECONDS.search(statistic))
    return "cs" if timed and not statistic.endswith("last non-idle time") else "count"


_STATISTIC = text("statistic", "Statistic", "Statistic Name")
_TOTAL = number("total", "as_labelled", "Total", measure="total", per_row=True)

ACTIVITY.section(
    "instance_activity",
    "Instance Activity Stats",
    [
        _STATISTIC,
        _TOTAL,
        number("per_second", "per_s", "per Second", measure="rate", per_row=True),
        number("per_transaction", "per_txn", "per Trans", measure="average", per_row=True),
        # A global report adds how the instances' rates differ.
        number("avg_per_second", "per_s", "Average", measure="rate", per_row=True),
        number("std_dev_per_second", "per_s", "Std Dev", measure="rate", per_row=True),
        number("min_per_second", "per_s", "Min", measure="rate", per_row=True),
        number("max_per_second", "per_s", "Max", measure="rate", per_row=True),
    ],
    titles=["System Statistics (Global)", "Key Instance Activity Stats", "Other Instance Activity Stats"],
    forbids=["Begin Value", "per Hour"],  # Statspack heads all three alike
    coverage="nonzero",
    row_unit=activity_unit,
    reader=read_once,
)
ACTIVITY.section(
    "instance_activity_absolute",
    "Instance Activity Stats - Absolute Values",
    [
        _STATISTIC,
        number("begin_value", "as_labelled", "Begin Value", measure="level", per_row=True),
        number("end_value", "as_labelled", "End Value", measure="level", per_row=True),
    ],
    titles=["Instance Activity Stats"],
    requires=["Begin Value"],
    row_unit=activity_unit,
)
ACTIVITY.section(
    "instance_activity_thread",
    "Instance Activity Stats - Thread Activity",
    [_STATISTIC, count("total", "Total"), number("per_hour", "per_hour", "per Hour", measure="rate")],
    titles=["Instance Activity Stats"],
    requires=["per Hour"],
)
ACTIVITY.section(
    "shared_servers_activity",
    "Shared Servers Activity",
    [
        count("avg_total_connections", "Avg Total Connections", measure="average"),
        count("avg_active_connections", "Avg Active Connections", measure="average"),
        count("avg_total_shared_servers", "Avg Total Shared Srvrs", measure="average"),
        count("avg_active_shared_servers", "Avg Active Shared Srvrs", measure="average"),
        count("avg_total_dispatchers", "Avg Total Dispatchers", measure="average"),
        count("avg_active_dispatchers", "Avg Active Dispatchers", measure="average"),
    ],
    key="-",
)
ACTIVITY.section(
    "shared_servers_rates",
    "Shared Servers Rates",
    [
        per_s("common_queue_per_s", "Common Queue Per Sec"),
        per_s("dispatcher_queue_per_s", "Disp Queue Per Sec"),
        per_s("server_messages_per_s", "Server Msgs/Sec"),
        number("server_bytes_per_s", "bytes_per_s", "Server KB/Sec", measure="rate", scale=1024),
        count("common_queue_total", "Common Queue Total"),
        count("dispatcher_queue_total", "Disp Queue Total"),
        count("server_messages_total", "Server Total Msgs"),
        number("server_total_bytes", "bytes", "Server Total(KB)", measure="total", scale=1024),
    ],
    key="-",
)
for _id, _title in (
    ("shared_servers_utilization", "Shared Servers Utilization"),
    ("shared_servers_dispatchers", "Shared Servers Dispatchers"),
    ("shared_servers_common_queue", "Shared Servers Common Queue"),
):
    ACTIVITY.section(_id, _title, None)


LOAD = Family("load")
section = LOAD.section


def load_unit(metric: str) -> str:
    """`Redo size` was printed without its unit to 11.2."""
    return "bytes" if metric.lower().startswith("redo size") else unit_in_label(metric)


section(
    "load_profile",
    "Load Profile",
    [
        text("metric", ""),
        number("per_second", "per_s", "Per Second", measure="rate", per_row=True),
        number("per_transaction", "per_txn", "Per Transaction", measure="average", per_row=True),
        number("per_exec", "per_exec", "Per Exec", measure="average", per_row=True),
        number("per_call", "per_call", "Per Call", measure="average", per_row=True),
    ],
    titles=["Global Cache Load Profile"],
    summaries=["displays load profile", "global cache load profile"],
    row_unit=load_unit,
    reader=read_load_profile,
)
section(
    "instance_efficiency",
    "Instance Efficiency Percentages",
    [text("metric", "Metric"), percent("pct", "%", better="higher")],
    titles=["Instance Efficiency Percentages*", "Instance Efficiency Indicators"],
    summaries=["instance efficiency percentages"],
    reader=read_pairs,
)
section(
    "top_addm_findings",
    "Top ADDM Findings by Average Active Sessions",
    [
        text("finding", "Finding Name"),
        ratio("task_avg_active_sessions", "Avg active sessions of the task", "Avg act", unit="sessions"),
        percent("pct_active_sessions", "Percent active sessions of finding", "Percen"),
        text("task_name", "Task Name"),
        text("begin_time", "Begin Snap Time"),
        text("end_time", "End Snap Time"),
    ],
    key="finding task_name",
    coverage="top",
    summaries=["top addm findings"],
)
section(
    "host_cpu",
    "Host CPU",
    [
        count("cpus", "CPUs", measure="level"),
        count("cores", "Cores", measure="level"),
        count("sockets", "Sockets", measure="level"),
        ratio("load_begin", "Load Average Begin", "Begin", "Load Begin", unit="load", measure="level"),
        ratio("load_end", "Load Average End", "End", "Average End", unit="load", measure="level"),
        percent("pct_user", "%User"),
        percent("pct_system", "%System"),
        percent("pct_wio", "%WIO"),
        percent("pct_wcpu", "%WCPU"),
        percent("pct_idle", "%Idle", better="higher"),
    ],
    titles=["Host CPU*"],
    summaries=["system load statistics"],
    requires=["%User"],
    key="-",
)
section(
    "instance_cpu",
    "Instance CPU",
    [
        percent("pct_total_cpu", "%Total CPU", "% of total CPU for Instance"),
        percent("pct_busy_cpu", "%Busy CPU", "% of busy CPU for Instance"),
        percent(
            "pct_db_time_waiting_for_cpu",
            "%DB time waiting for CPU (Resource Manager)",
            "%DB time waiting for CPU - Resource Mgr",
            better="lower",
        ),
    ],
    summaries=["cpu usage and wait statistics"],
    forbids=["Time (seconds)"],
    key="-",
)
section(
    "io_profile",
    "IO Profile",
    [
        text("metric", ""),
        per_s("read_write_per_second", "Read+Write Per Second", "Read+Write/Second"),
        per_s("read_per_second", "Read per Second", "Read/Second"),
        per_s("write_per_second", "Write Per Second", "Write/Second"),
    ],
    summaries=["displays io profile"],
    row_unit=unit_in_label,
)
section(
    "memory_statistics",
    "Memory Statistics",
    [
        text("metric", ""),
        number("begin", "as_labelled", "Begin", measure="level", per_row=True),
        number("end", "as_labelled", "End", measure="level", per_row=True),
    ],
    summaries=["displays memory statistics"],
    row_unit=unit_in_label,
)
section(
    "database_resource_limits",
    "Database Resource Limits",
    [text("resource", ""), count("begin", "Begin", measure="level"), count("end", "End", measure="level")],
    summaries=["database resource limits"],
    row_unit=lambda resource: "bytes" if "target" in resource.lower() else "count",
)
section(
    "cache_sizes",
    "Cache Sizes",
    [
        text("cache", "Cache"),
        bytes_("begin_bytes", "Begin", measure="level"),
        bytes_("end_bytes", "End", measure="level"),
    ],
    summaries=["cache sizes and other statistics"],
    reader=read_cache_sizes,
)
section(
    "shared_pool_statistics",
    "Shared Pool Statistics",
    [text("metric", ""), percent("begin_pct", "Begin"), percent("end_pct", "End")],
    summaries=["shared pool statistics"],
)

section(
    "operating_system_statistics_detail",
    "Operating System Statistics - Detail",
    [
        text("snap_time", "Snap Time", "Snapshot Day Time"),
        count("snap_id", "Snap Id", measure="level"),
        ratio("load", "Load", unit="load", measure="level"),
        percent("pct_busy", "%busy"),
        percent("pct_user", "%user"),
        percent("pct_sys", "%sys", "%System"),
        percent("pct_idle", "%idle"),
        percent("pct_iowait", "%iowait", "%WIO"),
        percent("pct_wcpu", "%WCPU"),
    ],
    titles=["OS Statistics - detail"],
)
_OS_UNITS = (("_TIME", "cs"), ("_BYTES", "bytes"), ("LOAD", "load"), ("_PERCENT", "percent"))


@lru_cache(maxsize=8192)
def os_unit(statistic: str) -> str:
    """`*_TIME` is in centiseconds, in every release."""
    if statistic.startswith("TCP_") or statistic in ("GLOBAL_RECEIVE_SIZE_MAX", "GLOBAL_SEND_SIZE_MAX"):
        return "bytes"
    return next((unit for end, unit in _OS_UNITS if statistic.endswith(end)), "count")


section(
    "os_statistics",
    "Operating System Statistics",
    [
        text("statistic", "Statistic"),
        number("value", "as_labelled", "Value", "Total", measure="level", per_row=True),
        number("end_value", "as_labelled", "End Value", measure="level", per_row=True),
    ],
    titles=["OS Statistics"],
    row_unit=os_unit,
)

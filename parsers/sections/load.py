"""Report summary: load profile, efficiency, CPU, memory, cache sizes."""

from __future__ import annotations

from functools import lru_cache

from parsers.sections.readers import read_cache_sizes, read_load_profile, read_pairs
from parsers.tables.declare import Family, bytes_, count, number, per_s, percent, ratio, text, unit_in_label

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
    """`*_TIME` is in centiseconds in every release; sizes are in bytes."""
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

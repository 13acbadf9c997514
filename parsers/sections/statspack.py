"""Tables of Statspack alone; its others are AWR's under other headings."""

from __future__ import annotations

from parsers.sections.report_summary import section as load_section
from parsers.sections.special_table_readers import read_pairs, read_process_memory
from parsers.tables.section_declarations import Family, bytes_, count, number, per_s, percent, seconds, text

STATSPACK = Family("memory")
IO = Family("io")

load_section(
    "instance_cpu_time",
    "Instance CPU",
    [text("metric", ""), percent("pct", "%"), seconds("time_s", "Time (seconds)")],
    requires=["Time (seconds)"],
)
load_section(
    "load_profile_ratios",
    "Load Profile Ratios",  # without a heading below the load profile, to 10.2
    [text("metric", "Metric"), number("value", "as_labelled", "Value", measure="average", per_row=True)],
    reader=read_pairs,
    row_unit=lambda metric: "percent" if "%" in metric else "count",
)
load_section(
    "sql_memory_statistics",
    "SQL Memory Statistics",
    [
        text("metric", ""),
        number("begin", "as_labelled", "Begin", measure="level", per_row=True),
        number("end", "as_labelled", "End", measure="level", per_row=True),
        percent("pct_diff", "% Diff"),
    ],
    requires=["% Diff"],
    row_unit=lambda metric: "KB" if "(KB)" in metric else "count",
)
STATSPACK.section(
    "top_process_memory",
    "Top Process Memory (by component)",
    [
        text("point", ""),
        text("process_id", "PId"),
        text("category", "Category"),
        bytes_("allocated_bytes", "Alloc (MB)"),
        bytes_("used_bytes", "Used (MB)"),
        bytes_("freeable_bytes", "Freeabl (MB)"),
        bytes_("max_allocated_bytes", "Max Alloc (MB)"),
        bytes_("historic_max_allocated_bytes", "Hist Max Alloc (MB)"),
    ],
    key="point process_id category",
    coverage="top",
    levels=True,
    reader=read_process_memory,
)
IO.section(
    "iostat_by_function_detail",
    "IO Stat by Function - detail",
    [
        text("function", "Function"),
        count("small_read_requests", "Small Read Reqs"),
        count("large_read_requests", "Large Read Reqs"),
        bytes_("small_read_bytes", "Small Data Read"),
        bytes_("large_read_bytes", "Large Data Read"),
        count("small_write_requests", "Small Write Reqs"),
        count("large_write_requests", "Large Write Reqs"),
        bytes_("small_write_bytes", "Small Data Writn"),
        bytes_("large_write_bytes", "Large Data Writn"),
    ],
)
IO.section(
    "iostat_by_function_filetype_detail",
    "IO Stats Function Detail",
    [
        text("function", "Function Name"),
        text("filetype", "FileType Name"),
        bytes_("small_read_bytes", "Small Read (MB)"),
        bytes_("small_write_bytes", "Small Write (MB)"),
        bytes_("large_read_bytes", "Large Read (MB)"),
        bytes_("large_write_bytes", "Large Write (MB)"),
        count("waits", "Waits"),
        seconds("wait_time_s", "Wait Time (ms)"),
    ],
    key="function filetype",
)
IO.section(
    "file_read_histogram",
    "File Read Histogram Stats",
    [
        text("tablespace", "Tablespace", holds="object"),
        text("file", "Filename", holds="path"),
        count("reads_lt_2ms", "0 - 2 ms"),
        count("reads_lt_4ms", "2 - 4 ms"),
        count("reads_lt_8ms", "4 - 8 ms"),
        count("reads_lt_16ms", "8 - 16 ms"),
        count("reads_lt_32ms", "16 - 32 ms"),
        count("reads_ge_32ms", "32+ ms"),
    ],
    key="tablespace file",
)
STATSPACK.section(
    "rule_sets",
    "Rule Sets",
    [
        text("rule_set", "Rule"),
        text("restarted", "*"),
        per_s("evaluations_per_s", "Eval/sec"),
        per_s("reloads_per_s", "Reloads/sec"),
        percent("pct_without_sql", "No-SQL Eval %"),
        percent("pct_sql", "SQL Eval %"),
    ],
)

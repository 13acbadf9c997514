"""Top SQL in each order, and statement texts."""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec.structs import replace

from parsers.model import Row, Section, Value
from parsers.tables.issues import Notebook
from parsers.tables.rawtable import RawTable
from parsers.tables.section_builder import read_tables
from parsers.tables.section_declarations import (
    ColumnSpec,
    Declaration,
    Family,
    bytes_,
    count,
    number,
    percent,
    seconds,
    text,
)

_PLAN_LINE = re.compile(r"\bPHV:\s*(\d{1,20})")
_LABEL = "Plan Hash Value"
SQL_REPORT = Family(
    "sql",
    text("sql_id", "SQL Id", "SQL ID", holds="sql_id"),
    text("plan_hash", "Plan Hash Value", "Plan Hash"),
)
section = SQL_REPORT.section


def read_with_plan(declaration: Declaration, tables: Sequence[RawTable], notebook: Notebook) -> Section:
    """A table per plan, under `Plan 1(PHV: 2586167546)`."""
    for table in tables:
        match = next((m for m in map(_PLAN_LINE.search, (table.above, table.heading, table.caption)) if m), None)
        if match and _LABEL not in table.labels:
            table.labels = (_LABEL, *table.labels)
            table.groups = ("", *table.groups)
            table.rows[:] = [[match[1], *row] for row in table.rows]
    section = read_tables(declaration, tables, notebook)
    return replace(section, records=tuple(map(_round_times, section.records)))


def _round_times(record: Row) -> Row:
    """Times are stored in microseconds, printed in whole milliseconds: not exact."""
    if record.unit != "ms":
        return record
    return record._replace(
        cells=tuple(c if not isinstance(c, Value) or c.half else Value(c.number, 0.5) for c in record.cells)
    )


section(
    "sql_summary",
    "SQL Summary",
    [
        "sql_id",
        seconds("elapsed_time_s", "Elapsed Time (ms)", "Elapsed Time (s)"),
        text("module", "Module", holds="program"),
        text("action", "Action", holds="program"),
        text("sql_text", "SQL Text", holds="sql_text"),
        text("container", "Container DB Id", "Container Name", "PDB Name", holds="database"),
    ],
    key="sql_id container",
)
section(
    "sql_plans",
    "Plans of the statement",
    [
        text("plan_number", "#"),
        "plan_hash",
        seconds("elapsed_time_s", "Total Elapsed Time(ms)", "Total Elapsed Time (ms)"),
        count("executions", "Executions"),
        count("first_snap_id", "1st Capture Snap ID", measure="level"),
        count("last_snap_id", "Last Capture Snap ID", measure="level"),
        text("container", "Container DB Id", "Container Name", "PDB Name", holds="database"),
    ],
    key="plan_hash container",
    titles=["SQL ID:*"],
    requires=["Plan Hash Value", "1st Capture Snap ID"],
)
section(
    "sql_plan_statistics",
    "Plan Statistics",
    [
        "plan_hash",
        text("statistic", "Stat Name"),
        number("total", "as_labelled", "Statement Total", measure="total", per_row=True),
        number("per_execution", "as_labelled", "Per Execution", measure="average", per_row=True),
        percent("pct_of_all", "% Snap Total"),
    ],
    key="statistic plan_hash",
    requires=["Stat Name"],
    row_unit=lambda statistic: "ms" if "(ms)" in statistic else "count",
    reader=read_with_plan,
)
section(
    "sql_execution_plan",
    "Execution Plan",
    [
        "plan_hash",
        text("step", "Id"),
        count("depth", "Depth", measure="level"),
        text("operation", "Operation"),
        text("object_name", "Name", holds="object"),
        count("estimated_rows", "Rows", "E-Rows", measure="level"),
        bytes_("estimated_bytes", "Bytes", "E-Bytes", measure="level", scale=1.0),
        bytes_("temp_bytes", "TempSpc", "E-Temp", measure="level", scale=1.0),
        text("cost", "Cost (%CPU)", "Cost"),
        text("time", "Time", "E-Time"),
        text("partition_start", "Pstart"),
        text("partition_stop", "Pstop"),
        text("table_queue", "TQ"),
        text("in_out", "IN-OUT"),
        text("distribution", "PQ Distrib"),
        text("instance", "Inst"),
    ],
    key="plan_hash step",
    requires=["Id", "Operation"],
    reader=read_with_plan,
)


SQL = Family(
    "sql",
    text("sql_id", "SQL Id", "SQL ID", holds="sql_id"),
    text("old_hash_value", "Old Hash Value", "Hash Value", holds="sql_id"),  # Statspack
    text("sql_module", "SQL Module", holds="program"),
    text("sql_text", "SQL Text", holds="sql_text"),
    percent("pct_total", "%Total", "% Total"),
    percent("pct_cpu", "%CPU"),
    percent("pct_io", "%IO"),
    # The second label of these is that of a global (RAC) report, which prints all of them in each of its orders.
    seconds("elapsed_time_s", "Elapsed Time (s)", "Elapsed Time(s)", "Total Elapsed (s)", "Elapsd Time (s)"),
    seconds("cpu_time_s", "CPU Time (s)", "CPU Time(s)", "Total CPU (s)"),
    seconds("user_io_wait_time_s", "User I/O Time (s)", "Total IOWait (s)"),
    seconds("cluster_wait_time_s", "Cluster Wait Time (s)", "Total Cluster (s)"),
    count("buffer_gets", "Buffer Gets", "Total Gets"),
    count("physical_reads", "Physical Reads", "Total Reads", "Physical Rds", "Disk Reads"),
    count("parse_calls", "Parse Calls"),
    count("unoptimized_read_requests", "UnOptimized Read Reqs", "Total UnOptimized"),
    count("physical_read_requests", "Physical Read Reqs", "Total Requests"),
    count("rows_processed", "Rows Processed", "Total Rows"),
    count("executions", "Executions", "Execs", "Total Execs"),
    seconds(
        "elapsed_per_exec_s",
        "Elapsed Time per Exec (s)",
        "Elap per Exec (s)",
        "Per Execution Elapsed (s)",
        measure="average",
    ),
    seconds("cpu_per_exec_s", "CPU per Exec (s)", "Per Execution CPU (s)", measure="average"),
    seconds("user_io_per_exec_s", "UIO per Exec (s)", "Per Execution IOWait (s)", measure="average"),
    seconds("cluster_per_exec_s", "Per Execution Cluster (s)", measure="average"),
    count("gets_per_exec", "Gets per Exec", "Per Execution Gets", measure="average"),
    count("reads_per_exec", "Reads per Exec", "Per Execution Reads", "Rds per Exec", measure="average"),
    count(
        "unoptimized_requests_per_exec",
        "UnOptimized Reqs per Exec",
        "UnOptimized Reqs per Exe",  # text
        "Per Execution UnOptimized",
        measure="average",
    ),
    count("requests_per_exec", "Per Execution Requests", measure="average"),
    count("rows_per_exec", "Rows per Exec", "Per Execution Rows", measure="average"),
    percent("pct_db_time", "% Total DB Time", "DB time", "Percentage of Total DB time"),
    *(
        percent(f"pct_total_{what}", f"Percentage of Total {label}", *((label,) if label != "Execs" else ()))
        for what, label in (
            ("db_cpu", "DB CPU"),
            ("user_io", "IO Wait"),
            ("gets", "Gets"),
            ("reads", "Reads"),
            ("cluster", "Cluster"),
            ("executions", "Execs"),
            ("unoptimized", "UnOptimized"),
            ("requests", "Requests"),
        )
    ),
)
_CLUSTER = (
    "elapsed_time_s cpu_time_s user_io_wait_time_s cluster_wait_time_s buffer_gets physical_reads "
    "unoptimized_read_requests physical_read_requests rows_processed executions "
    "elapsed_per_exec_s cpu_per_exec_s user_io_per_exec_s cluster_per_exec_s gets_per_exec reads_per_exec "
    "unoptimized_requests_per_exec requests_per_exec rows_per_exec pct_db_time pct_total_db_cpu pct_total_user_io "
    "pct_total_gets pct_total_reads pct_total_cluster pct_total_executions pct_total_unoptimized pct_total_requests"
)
_TAIL = "sql_id old_hash_value sql_module pdb_name sql_text"


def _order(section_id: str, title: str, *columns: str | ColumnSpec, titles: Sequence[str] = ()) -> None:
    own = {word for part in columns for word in (part.split() if isinstance(part, str) else [part.id])}
    cluster = [word for word in _CLUSTER.split() if word not in own]
    SQL.section(
        section_id,
        title,
        [*columns, *cluster, _TAIL],
        key="sql_id old_hash_value pdb_name",
        coverage="top",
        titles=[f"{title} (Global)", *titles],
    )


_order(
    "sql_by_elapsed_time",
    "SQL ordered by Elapsed Time",
    "elapsed_time_s cpu_time_s executions elapsed_per_exec_s pct_total pct_db_time pct_cpu pct_io",
)
_order(
    "sql_by_cpu_time",
    "SQL ordered by CPU Time",
    "cpu_time_s executions cpu_per_exec_s pct_total pct_db_time elapsed_time_s pct_cpu pct_io",
    titles=["SQL ordered by CPU"],
)
_order(
    "sql_by_user_io_wait_time",
    "SQL ordered by User I/O Wait Time",
    "user_io_wait_time_s",
    "executions",
    "user_io_per_exec_s",
    "pct_total elapsed_time_s pct_cpu pct_io",
    titles=["SQL ordered by User I/O Time (Global)"],
)
_order(
    "sql_by_gets",
    "SQL ordered by Gets",
    "buffer_gets",
    "executions",
    "gets_per_exec",
    "pct_total cpu_time_s elapsed_time_s pct_cpu pct_io",
)
_order(
    "sql_by_reads",
    "SQL ordered by Reads",
    "physical_reads",
    "executions",
    "reads_per_exec",
    "pct_total cpu_time_s elapsed_time_s pct_cpu pct_io",
)
_order(
    "sql_by_unoptimized_reads",
    "SQL ordered by Physical Reads (UnOptimized)",
    "unoptimized_read_requests",
    "physical_read_requests",
    "executions",
    "unoptimized_requests_per_exec",
    percent("pct_optimized", "%Opt"),
    "pct_total",
    titles=["SQL ordered by UnOptimized Read Requests (Global)"],
)
_order(
    "sql_by_executions",
    "SQL ordered by Executions",
    "executions",
    "rows_processed",
    "rows_per_exec",
    "cpu_per_exec_s elapsed_per_exec_s elapsed_time_s pct_cpu pct_io",
)
_order(
    "sql_by_parse_calls",
    "SQL ordered by Parse Calls",
    "parse_calls executions",
    percent("pct_total_parses", "% Total Parses"),
)
_order(
    "sql_by_sharable_memory",
    "SQL ordered by Sharable Memory",
    bytes_("sharable_memory_bytes", "Sharable Mem (b)", "End Sharable Memory (KB)", measure="level"),
    bytes_("max_sharable_memory_bytes", "Max Sharable Memory (KB)", measure="level"),
    "parse_calls executions pct_total",
)
_order(
    "sql_by_version_count",
    "SQL ordered by Version Count",
    count("version_count", "Version Count", "End Version Count", measure="level"),
    count("max_version_count", "Max Version Count", measure="level"),
    count("delta_version_count", "Delta Version Count"),
    "executions",
)
_order(
    "sql_by_cluster_wait_time",
    "SQL ordered by Cluster Wait Time",
    "cluster_wait_time_s",
    percent("pct_cluster", "%Clu", "%Ela"),
    "pct_total elapsed_time_s cpu_time_s executions pct_cpu pct_io",
)
_order(
    "sql_by_offload_eligible_bytes",
    "SQL ordered by Offload Eligible Bytes",
    bytes_("offload_eligible_bytes", "Offload Elig (GB)"),
    bytes_("interconnect_bytes", "Inter connect(GB)"),
    bytes_("uncompressed_bytes", "Uncompress (GB)"),
    percent("pct_returned_by_smart_scan", "%Ret SS"),
    "executions",
    percent("pct_cell_efficiency", "%Cell Eff", better="higher"),
    "pct_total",
)
SQL.section(
    "sql_text",
    "Complete List of SQL Text",
    "sql_id sql_text",
    coverage="top",
    titles=["Full SQL Text"],
    requires=["SQL Text"],
)
_ACTIVITY = percent("pct_activity", "% Activity")
_PLAN = text("plan_hash", "Plan Hash", "Planhash", "PlanHash")
_EXECUTIONS = count("sampled_executions", "Executions", "Sampled # of Executions")
_EVENT = text("event", "Event", "Top Event")
_PCT_EVENT = percent("pct_event", "% Event")
_SOURCE = text("row_source", "Row Source", "Top Row Source")
_PCT_SOURCE = percent("pct_row_source", "% Row Source", "% RwSrc")
SQL.section(
    "top_sql_with_top_events",
    "Top SQL with Top Events",
    ["sql_id", _PLAN, _EXECUTIONS, _ACTIVITY, _EVENT, _PCT_EVENT, _SOURCE, _PCT_SOURCE, "sql_text pdb_name"],
    key="sql_id plan_hash event",
    coverage="top",
    titles=["Top SQL Statements"],  # of ASH reports to 11.1
)
SQL.section(
    "top_sql_with_top_row_sources",
    "Top SQL with Top Row Sources",
    ["sql_id", _PLAN, _EXECUTIONS, _ACTIVITY, _SOURCE, _PCT_SOURCE, _EVENT, _PCT_EVENT, "sql_text pdb_name"],
    key="sql_id plan_hash row_source",
    coverage="top",
)

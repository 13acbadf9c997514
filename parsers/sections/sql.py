"""Top SQL in each of its orders, and the statements' texts."""

from __future__ import annotations

from parsers.declare import Family, bytes_, count, percent, seconds, text

SQL = Family(
    "sql",
    text("sql_id", "SQL Id", "SQL ID", holds="sql_id"),
    text("old_hash_value", "Old Hash Value", "Hash Value", holds="sql_id"),  # Statspack
    text("sql_module", "SQL Module", holds="program"),
    text("sql_text", "SQL Text", holds="sql_text"),
    percent("pct_total", "%Total", "% Total"),
    percent("pct_cpu", "%CPU"),
    percent("pct_io", "%IO"),
    seconds("elapsed_per_exec_s", "Elapsed Time per Exec (s)", "Elap per Exec (s)", measure="average"),
    seconds("cpu_per_exec_s", "CPU per Exec (s)", measure="average"),
    percent("pct_db_time", "% Total DB Time"),
    seconds("elapsed_time_s", "Elapsed Time (s)", "Elapsed Time(s)", "Elapsd Time (s)"),
    count("buffer_gets", "Buffer Gets"),
    count("physical_reads", "Physical Reads", "Physical Rds", "Disk Reads"),
    count("parse_calls", "Parse Calls"),
)
_TAIL = "sql_id old_hash_value sql_module pdb_name sql_text"


def _order(section_id: str, title: str, *columns: object, **options: object) -> None:
    SQL.section(section_id, title, [*columns, _TAIL], key="sql_id old_hash_value pdb_name", coverage="top", **options)  # type: ignore[arg-type, list-item]


_order(
    "sql_by_elapsed_time",
    "SQL ordered by Elapsed Time",
    "elapsed_time_s cpu_time_s executions elapsed_per_exec_s pct_total pct_db_time pct_cpu pct_io physical_reads",
)
_order(
    "sql_by_cpu_time",
    "SQL ordered by CPU Time",
    "cpu_time_s executions cpu_per_exec_s pct_total pct_db_time elapsed_time_s pct_cpu pct_io buffer_gets",
    titles=["SQL ordered by CPU"],
)
_order(
    "sql_by_user_io_wait_time",
    "SQL ordered by User I/O Wait Time",
    seconds("user_io_wait_time_s", "User I/O Time (s)"),
    "executions",
    seconds("user_io_per_exec_s", "UIO per Exec (s)", measure="average"),
    "pct_total elapsed_time_s pct_cpu pct_io",
)
_order(
    "sql_by_gets",
    "SQL ordered by Gets",
    "buffer_gets executions",
    count("gets_per_exec", "Gets per Exec", measure="average"),
    "pct_total cpu_time_s elapsed_time_s pct_cpu pct_io",
)
_order(
    "sql_by_reads",
    "SQL ordered by Reads",
    "physical_reads executions",
    count("reads_per_exec", "Reads per Exec", "Rds per Exec", measure="average"),
    "pct_total cpu_time_s elapsed_time_s pct_cpu pct_io",
)
_order(
    "sql_by_unoptimized_reads",
    "SQL ordered by Physical Reads (UnOptimized)",
    count("unoptimized_read_requests", "UnOptimized Read Reqs"),
    count("physical_read_requests", "Physical Read Reqs"),
    "executions",
    count("unoptimized_requests_per_exec", "UnOptimized Reqs per Exec", "UnOptimized Reqs per Exe", measure="average"),
    percent("pct_optimized", "%Opt"),
    "pct_total",
)
_order(
    "sql_by_executions",
    "SQL ordered by Executions",
    "executions",
    count("rows_processed", "Rows Processed"),
    count("rows_per_exec", "Rows per Exec", measure="average"),
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
    seconds("cluster_wait_time_s", "Cluster Wait Time (s)"),
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
)
SQL.section(
    "top_sql_with_top_row_sources",
    "Top SQL with Top Row Sources",
    ["sql_id", _PLAN, _EXECUTIONS, _ACTIVITY, _SOURCE, _PCT_SOURCE, _EVENT, _PCT_EVENT, "sql_text pdb_name"],
    key="sql_id plan_hash row_source",
    coverage="top",
)

"""All metrics. Ids are stored and linked: never renamed."""

from __future__ import annotations

from functools import partial
from typing import Final

from awrdiff.analysis.metrics import formulas
from awrdiff.analysis.metrics.declaration_helpers import (
    ACTIVITY,
    Metric,
    PrintedCell,
    accumulated,
    average_wait,
    background_event,
    cell,
    cost,
    counter,
    efficiency,
    event,
    of_commits,
    of_group,
    printed,
    timed,
    wait_class,
)
from awrdiff.analysis.metrics.formulas import SUM
from awrdiff.analysis.report.figures_by_name import BACKGROUND, FOREGROUND
from awrdiff.analysis.report.rac_instance_rows import TIME_MODEL

_LFS = cell(FOREGROUND, "avg_wait_s", "log file sync")
_LFPW = cell(BACKGROUND, "avg_wait_s", "log file parallel write")
_statistic = partial(cell, ACTIVITY, "total")
_os_statistic = partial(cell, "os_statistics", "value")
_host_cpu = partial(cell, "host_cpu")
_instance_cpu = partial(cell, "instance_cpu")
_memory_statistic = partial(cell, "memory_statistics", "end")
_cache_workload = partial(cell, "global_cache_workload", "value")


def _cache(*rows: str) -> tuple[PrintedCell, PrintedCell]:
    """Some releases leave an unchanged end blank."""
    return cell("cache_sizes", "end_bytes", *rows), cell("cache_sizes", "begin_bytes", *rows)


def _sql_area(column: str) -> PrintedCell:
    return cell("library_cache", column, "SQL AREA")


# What was asked for, per second.
_LOAD = of_group(
    "load",
    Metric(
        "transactions",
        "Transactions: commits and rollbacks",
        (_statistic("user commits"), _statistic("user rollbacks"), cell("load_profile", "per_second", "Transactions")),
        "per_s",
        "neither",
        "as_printed",
        formulas.transactions,
    ),
    counter("user_commits", "User commits", "user commits"),
    counter("user_rollbacks", "User rollbacks", "user rollbacks", load=("Rollbacks",)),
    counter("transaction_rollbacks", "Transaction rollbacks", "transaction rollbacks"),
    counter("user_calls", "User calls", "user calls", load=("User calls",)),
    counter("recursive_calls", "Recursive calls", "recursive calls"),
    counter("executions", "Executions", "execute count", load=("Executes (SQL)", "Executes")),
    cost("parses", "Parses", "parse count (total)", load=("Parses (SQL)", "Parses")),
    cost("hard_parses", "Hard parses", "parse count (hard)", load=("Hard parses (SQL)", "Hard parses")),
    cost("failed_parses", "Failed parses", "parse count (failures)"),
    counter("logons", "Logons", "logons cumulative", load=("Logons",)),
    counter("cursors_opened", "Cursors opened", "opened cursors cumulative"),
    counter("cursor_cache_hits", "Session cursor cache hits", "session cursor cache hits"),
    counter("roundtrips", "SQL*Net round trips", "SQL*Net roundtrips to/from client"),
    counter("net_sent", "Sent to clients", "bytes sent via SQL*Net to client", unit="bytes_per_s"),
    counter("net_received", "Received from clients", "bytes received via SQL*Net from client", unit="bytes_per_s"),
    counter("logical_reads", "Logical reads", "session logical reads", load=("Logical read (blocks)", "Logical reads")),
    counter("consistent_gets", "Consistent gets", "consistent gets"),
    counter("block_gets", "Current block gets", "db block gets"),
    counter("block_changes", "Block changes", "db block changes", load=("Block changes",)),
    cost("cr_blocks_created", "CR blocks created", "CR blocks created"),
    cost(
        "undo_applied",
        "Undo records applied for consistent reads",
        "data blocks consistent reads - undo records applied",
    ),
    counter("rollback_applied", "Undo records applied by rollbacks", "rollback changes - undo records applied"),
    counter("undo_written", "Undo written", "undo change vector size", unit="bytes_per_s"),
    counter("rows_by_rowid", "Rows fetched by rowid", "table fetch by rowid"),
    cost("chained_rows", "Fetches of continued rows", "table fetch continued row"),
    counter("long_table_scans", "Scans of long tables", "table scans (long tables)"),
    counter("scanned_rows", "Rows scanned", "table scan rows gotten"),
    counter("scanned_blocks", "Blocks scanned", "table scan blocks gotten"),
    counter("index_full_scans", "Index fast full scans", "index fast full scans (full)"),
    counter("leaf_splits", "Leaf node splits", "leaf node splits"),
    counter("sorts_in_memory", "Sorts in memory", "sorts (memory)"),
    cost("sorts_on_disk", "Sorts on disk", "sorts (disk)"),
    counter("sorted_rows", "Rows sorted", "sorts (rows)"),
    cost("work_areas_onepass", "One-pass work areas", "workarea executions - onepass"),
    cost("work_areas_multipass", "Multi-pass work areas", "workarea executions - multipass"),
    counter("parallel_queries", "Parallel queries", "queries parallelized"),
    counter("lob_reads", "LOB reads", "lob reads"),
    counter("lob_writes", "LOB writes", "lob writes"),
    counter("enqueue_requests", "Enqueue requests", "enqueue requests"),
    cost("enqueue_waits", "Enqueue waits", "enqueue waits"),
    cost("deadlocks", "Deadlocks", "enqueue deadlocks"),
)
# Where time went, in active sessions.
_TIME = of_group(
    "time",
    Metric(
        "db_time",
        "DB time",
        (cell(TIME_MODEL, "time_s", "DB time"),),
        "sessions",
        "lower",
        "per_second",
        lambda sources: sources.side.db_time,
    ),
    Metric(
        "db_cpu",
        "DB CPU",
        (cell(TIME_MODEL, "time_s", "DB CPU"), cell("top_timed_events", "total_wait_time_s", "DB CPU", "CPU time")),
        "sessions",
        "lower",
        "per_second",
        lambda sources: sources.side.db_cpu,
    ),
    timed("sql_execution", "SQL execution", "sql execute elapsed time"),
    timed("parsing", "Parsing", "parse time elapsed"),
    timed("hard_parsing", "Hard parsing", "hard parse elapsed time"),
    timed("hard_parsing_sharing", "Hard parsing: sharing criteria", "hard parse (sharing criteria) elapsed time"),
    timed("hard_parsing_bind", "Hard parsing: bind mismatch", "hard parse (bind mismatch) elapsed time"),
    timed("failed_parsing", "Failed parsing", "failed parse elapsed time"),
    timed("plsql_execution", "PL/SQL execution", "PL/SQL execution elapsed time"),
    timed("plsql_compilation", "PL/SQL compilation", "PL/SQL compilation elapsed time"),
    timed("connecting", "Connection management", "connection management call elapsed time"),
    timed("sequence_loading", "Sequence loading", "sequence load elapsed time"),
    timed("repeated_binding", "Repeated binds", "repeated bind elapsed time"),
    timed("background_time", "Background time", "background elapsed time"),
    timed("background_cpu", "Background CPU", "background cpu time"),
)
_WAITS = of_group(
    "waits",
    wait_class("waits_user_io", "User I/O"),
    wait_class("waits_system_io", "System I/O"),
    wait_class("waits_commit", "Commit"),
    wait_class("waits_concurrency", "Concurrency"),
    wait_class("waits_application", "Application"),
    wait_class("waits_configuration", "Configuration"),
    wait_class("waits_network", "Network"),
    wait_class("waits_cluster", "Cluster"),
    wait_class("waits_administrative", "Administrative"),
    wait_class("waits_scheduler", "Scheduler"),
    wait_class("waits_other", "Other"),
)
_EVENTS = of_group(
    "events",
    event("event_sequential_read", "db file sequential read"),
    event("event_scattered_read", "db file scattered read"),
    event("event_direct_read", "direct path read"),
    event("event_direct_read_temp", "direct path read temp"),
    event("event_direct_write_temp", "direct path write temp"),
    event("event_read_by_other", "read by other session"),
    event("event_cell_single_block", "cell single block physical read"),
    event("event_cell_smart_scan", "cell smart table scan"),
    event("event_log_file_sync", "log file sync"),
    event("event_log_switch_completion", "log file switch completion"),
    event("event_log_switch_checkpoint", "log file switch (checkpoint incomplete)"),
    event("event_log_switch_archiving", "log file switch (archiving needed)"),
    event("event_log_buffer_space", "log buffer space"),
    event("event_free_buffers", "free buffer waits"),
    event("event_write_complete", "write complete waits"),
    event("event_buffer_busy", "buffer busy waits"),
    event("event_gc_buffer_busy", "gc buffer busy acquire"),
    event("event_row_lock", "enq: TX - row lock contention"),
    event("event_index_contention", "enq: TX - index contention"),
    event("event_itl", "enq: TX - allocate ITL entry"),
    event("event_table_lock", "enq: TM - contention"),
    event("event_high_water_mark", "enq: HW - contention"),
    event("event_library_cache_lock", "library cache lock"),
    event("event_library_cache_mutex", "library cache: mutex X"),
    event("event_cursor_pin_s", "cursor: pin S wait on X"),
    event("event_shared_pool_latch", "latch: shared pool"),
    event("event_cache_chains_latch", "latch: cache buffers chains"),
    event("event_row_cache", "row cache lock"),
    event("event_cpu_quantum", "resmgr:cpu quantum"),
    event("event_more_data", "SQL*Net more data to client"),
    event("event_db_link", "SQL*Net message from dblink"),
    background_event("background_redo_write", "log file parallel write"),
    background_event("background_data_write", "db file parallel write"),
    background_event("background_control_write", "control file parallel write"),
    average_wait("average_sequential_read", "db file sequential read"),
    average_wait("average_scattered_read", "db file scattered read"),
    average_wait("average_direct_read", "direct path read"),
    average_wait("average_cell_single_block", "cell single block physical read"),
    average_wait("average_row_lock", "enq: TX - row lock contention"),
    average_wait("average_data_write", "db file parallel write", background=True),
)
# Commits and redo.
_COMMITS = of_group(
    "commits",
    of_commits("commit_wait", "Average log file sync", "s", "lower", "lfs_avg_s", _LFS),
    of_commits("redo_write", "Average log file parallel write", "s", "lower", "lfpw_avg_s", _LFPW),
    of_commits("commit_overhead", "Commit wait beyond the redo write", "s", "lower", "naive_overhead_s", _LFS, _LFPW),
    of_commits("group_commit", "Commit waits per redo write", "ratio", "neither", "group_commit", _LFS, _LFPW),
    Metric(
        "calls_per_commit",
        "User calls per user commit",
        (_statistic("user calls"), _statistic("user commits")),
        "ratio",
        "neither",
        "as_printed",
        formulas.calls_per_commit,
    ),
    of_commits(
        "redo_per_write",
        "Redo per redo write",
        "bytes",
        "neither",
        "redo_per_write_bytes",
        _statistic("redo size"),
        _statistic("redo writes"),
    ),
    counter("redo", "Redo", "redo size", unit="bytes_per_s", load=("Redo size (bytes)", "Redo size")),
    counter("redo_writes", "Redo writes", "redo writes"),
    counter("redo_entries", "Redo entries", "redo entries"),
    counter("redo_synch_writes", "Redo synch writes", "redo synch writes"),
    cost("redo_space_requests", "Waits for room in the redo logs", "redo log space requests"),
    cost("redo_allocation_retries", "Retries for room in the log buffer", "redo buffer allocation retries"),
    printed(
        "log_switches",
        "Log switches",
        "per_hour",
        "lower",
        cell("instance_activity_thread", "per_hour", "log switches (derived)"),
    ),
)
# Reads and writes.
_IO = of_group(
    "io",
    cost("physical_reads", "Physical reads", "physical reads", load=("Physical read (blocks)", "Physical reads")),
    counter("direct_reads", "Direct reads", "physical reads direct"),
    cost("temp_reads", "Reads from temporary space", "physical reads direct temporary tablespace"),
    counter(
        "physical_writes", "Physical writes", "physical writes", load=("Physical write (blocks)", "Physical writes")
    ),
    counter("direct_writes", "Direct writes", "physical writes direct"),
    cost("temp_writes", "Writes to temporary space", "physical writes direct temporary tablespace"),
    counter("read_requests", "Read requests", "physical read total IO requests"),
    counter("write_requests", "Write requests", "physical write total IO requests"),
    counter("read_bytes", "Read", "physical read total bytes", unit="bytes_per_s"),
    counter("write_bytes", "Written", "physical write total bytes", unit="bytes_per_s"),
    counter("checkpoints", "Checkpoints", "DBWR checkpoints"),
    counter("checkpoint_writes", "Buffers written by checkpoints", "DBWR checkpoint buffers written"),
)
# Memory: caches, and how often they helped.
_MEMORY = of_group(
    "memory",
    printed("sga", "SGA in use", "bytes", "neither", _memory_statistic("SGA use (MB)")),
    printed("pga", "PGA in use", "bytes", "neither", _memory_statistic("PGA use (MB)")),
    printed(
        "memory_of_host",
        "Host memory used by SGA and PGA",
        "percent",
        "neither",
        _memory_statistic("% Host Mem used for SGA+PGA"),
    ),
    printed("buffer_cache", "Buffer cache", "bytes", "neither", *_cache("Buffer Cache")),
    printed("shared_pool", "Shared pool", "bytes", "neither", *_cache("Shared Pool Size", "Shared Pool")),
    printed(
        "shared_pool_used",
        "Shared pool used",
        "percent",
        "neither",
        cell("shared_pool_statistics", "end_pct", "Memory Usage %"),
    ),
    printed("pga_cache_hit", "PGA cache hit", "percent", "higher", cell("pga_aggregate_summary", "pct_cache_hit")),
    efficiency("buffer_hit", "Buffer Hit"),
    efficiency("buffer_nowait", "Buffer Nowait"),
    efficiency("library_hit", "Library Hit"),
    efficiency("soft_parse", "Soft Parse"),
    efficiency("execute_to_parse", "Execute to Parse"),
    efficiency("latch_hit", "Latch Hit"),
    counter("free_buffers_requested", "Free buffers requested", "free buffer requested"),
    cost("dirty_buffers_inspected", "Dirty buffers inspected", "dirty buffers inspected"),
    cost("sql_evicted", "SQL evicted", "sql area evicted"),
    printed("sql_area_misses", "Misses in the SQL area", "percent", "lower", _sql_area("pct_miss")),
    accumulated("sql_area_reloads", "Reloads of the SQL area", "per_s", "lower", _sql_area("reloads")),
    accumulated(
        "sql_area_invalidations", "Invalidations in the SQL area", "per_s", "lower", _sql_area("invalidations")
    ),
)
# The machine, and who was on it.
_HOST = of_group(
    "host",
    Metric(
        "host_busy",
        "Host CPU busy",
        (_os_statistic("BUSY_TIME"), _host_cpu("pct_idle")),
        "percent",
        "lower",
        "as_printed",
        formulas.host_busy,
    ),
    printed("host_user", "Host CPU: user", "percent", "neither", _host_cpu("pct_user")),
    printed("host_system", "Host CPU: system", "percent", "lower", _host_cpu("pct_system")),
    printed("host_io_wait", "Host CPU: waiting for I/O", "percent", "lower", _host_cpu("pct_wio")),
    printed(
        "load_average",
        "Load average at the end",
        "load",
        "lower",
        _host_cpu("load_end"),
        cell("os_statistics", "end_value", "LOAD"),
    ),
    printed("instance_cpu", "Host CPU used by the instance", "percent", "neither", _instance_cpu("pct_total_cpu")),
    printed(
        "instance_cpu_of_busy", "Busy CPU used by the instance", "percent", "neither", _instance_cpu("pct_busy_cpu")
    ),
    accumulated(
        "cpu_queue", "Waiting for a CPU, by the host's count", "sessions", "lower", _os_statistic("OS_CPU_WAIT_TIME")
    ),
    accumulated(
        "resource_manager",
        "Held back by the resource manager",
        "sessions",
        "lower",
        _os_statistic("RSRC_MGR_CPU_WAIT_TIME"),
    ),
    accumulated("paged_in", "Paged in", "bytes_per_s", "lower", _os_statistic("VM_IN_BYTES")),
    accumulated("paged_out", "Paged out", "bytes_per_s", "lower", _os_statistic("VM_OUT_BYTES")),
    printed(
        "free_memory",
        "Free memory at the end",
        "bytes",
        "higher",
        cell("os_statistics", "end_value", "FREE_MEMORY_BYTES"),
    ),
    Metric(
        "sessions",
        "Sessions at the end",
        (cell("snapshot_information", "sessions", "End Snap"),),
        "count",
        "neither",
        "as_printed",
        formulas.sessions_at_end,
    ),
    printed(
        "logons_current",
        "Logons at the end",
        "count",
        "neither",
        cell("instance_activity_absolute", "end_value", "logons current"),
        cell("system_statistics_absolute_by_instance", "sessions_end", SUM),
    ),
    printed(
        "cursors_open",
        "Cursors open at the end",
        "count",
        "neither",
        cell("instance_activity_absolute", "end_value", "opened cursors current"),
        cell("system_statistics_absolute_by_instance", "open_cursors_end", SUM),
    ),
)
# The cluster.
_CLUSTER = of_group(
    "cluster",
    counter("gc_cr_received", "CR blocks received", "gc cr blocks received"),
    counter("gc_current_received", "Current blocks received", "gc current blocks received"),
    counter("gc_cr_served", "CR blocks served", "gc cr blocks served"),
    counter("gc_current_served", "Current blocks served", "gc current blocks served"),
    counter("gcs_messages", "GCS messages sent", "gcs messages sent"),
    counter("ges_messages", "GES messages sent", "ges messages sent"),
    printed(
        "gc_cr_receive",
        "Average receive time of a CR block",
        "s",
        "lower",
        _cache_workload("Avg global cache cr block receive time (ms)", "Avg global cache cr block receive time (us)"),
    ),
    printed(
        "gc_current_receive",
        "Average receive time of a current block",
        "s",
        "lower",
        _cache_workload(
            "Avg global cache current block receive time (ms)", "Avg global cache current block receive time (us)"
        ),
    ),
    printed(
        "gc_remote",
        "Buffer access through the interconnect",
        "percent",
        "lower",
        cell("global_cache_efficiency", "pct", "Buffer access - remote cache %"),
    ),
)
METRICS: Final[tuple[Metric, ...]] = (
    *_LOAD,
    *_TIME,
    *_WAITS,
    *_EVENTS,
    *_COMMITS,
    *_IO,
    *_MEMORY,
    *_HOST,
    *_CLUSTER,
)
BY_ID: Final = {m.id: m for m in METRICS}

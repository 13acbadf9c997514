"""Buffer pools, PGA, shared pool, SGA and their advisories."""

from __future__ import annotations

from parsers.sections.rac_by_instance import INSTANCE
from parsers.sections.special_table_readers import read_filled_down
from parsers.tables.section_declarations import Family, bytes_, count, number, percent, ratio, seconds, text

LATCHES = Family(
    "latches",
    text("latch", "Latch Name", "Latch"),
    count("get_requests", "Get Requests"),
    percent("pct_miss", "Pct Miss", better="lower"),
    count("sleeps", "Sleeps", better="lower"),
)

LATCHES.section(
    "enqueue_activity",
    "Enqueue Activity",
    [
        text("enqueue", "Enqueue Type (Request Reason)"),
        count("requests", "Requests"),
        count("succeeded_gets", "Succ Gets"),
        count("failed_gets", "Failed Gets", better="lower"),
        count("waits", "Waits", better="lower"),
        seconds("wait_time_s", "Wt Time (s)"),
        seconds("avg_wait_s", "Av Wt Time(ms)", measure="average", scale=1e-3),
    ],
    coverage="nonzero",
)
LATCHES.section(
    "latch_activity",
    "Latch Activity",
    [
        "latch get_requests",
        percent("pct_get_miss", "Pct Get Miss", better="lower"),
        ratio("sleeps_per_miss", "Avg Slps /Miss", better="lower"),
        seconds("wait_time_s", "Wait Time (s)"),
        count("nowait_requests", "NoWait Requests"),
        percent("pct_nowait_miss", "Pct NoWait Miss", better="lower"),
        "pdb_name",
    ],
    key="latch pdb_name",
)
LATCHES.section(
    "latch_sleep_breakdown",
    "Latch Sleep Breakdown",
    [
        "latch get_requests",
        count("misses", "Misses", better="lower"),
        "sleeps",
        count("spin_gets", "Spin Gets"),
        "pdb_name",
    ],
    key="latch pdb_name",
    coverage="nonzero",
)
LATCHES.section(
    "latch_miss_sources",
    "Latch Miss Sources",
    [
        "latch",
        text("where", "Where"),
        count("nowait_misses", "NoWait Misses", better="lower"),
        "sleeps",
        count("waiter_sleeps", "Waiter Sleeps", better="lower"),
        "pdb_name",
    ],
    key="latch where pdb_name",
    coverage="nonzero",
)
LATCHES.section(
    "mutex_sleep_summary",
    "Mutex Sleep Summary",
    [
        text("mutex_type", "Mutex Type"),
        text("location", "Location"),
        "sleeps",
        seconds("wait_time_s", "Wait Time (ms)", "Wait Time (s)"),
    ],
    key="mutex_type location",
    titles=["Mutex Sleep"],
    coverage="nonzero",
)
LATCHES.section("parent_latch_statistics", "Parent Latch Statistics", None)
LATCHES.section("child_latch_statistics", "Child Latch Statistics", None)
LATCHES.section(
    "dictionary_cache",
    "Dictionary Cache Stats",
    [
        text("cache", "Cache"),
        "get_requests pct_miss",
        count("scan_requests", "Scan Reqs"),
        percent("pct_scan_miss", "Pct Miss (2)", better="lower"),
        count("modification_requests", "Mod Reqs"),
        count("final_usage", "Final Usage", measure="level"),
    ],
    coverage="nonzero",
)
LATCHES.section(
    "library_cache",
    "Library Cache Activity",
    [
        text("namespace", "Namespace"),
        "get_requests pct_miss",
        count("pin_requests", "Pin Requests"),
        percent("pct_pin_miss", "Pct Miss (2)", better="lower"),
        count("reloads", "Reloads", better="lower"),
        count("invalidations", "Invali- dations", better="lower"),
        # In one table with the others in a global report.
        count("ges_lock_requests", "GES Lock Requests"),
        count("ges_pin_requests", "GES Pin Requests"),
        count("ges_pin_releases", "GES Pin Releases"),
        count("ges_invalidation_requests", "GES Inval Requests"),
        count("ges_invalidations", "GES Invali- dations"),
    ],
    requires=["Get Requests"],
    coverage="nonzero",
)


MEMORY = Family(
    "memory",
    ratio(
        "size_factor",
        "Size Factor",
        "Size Factr",
        "SP Size Factr",
        "SP Size Factor",
        "SGA Size Factor",
        "PGA Size Factor",
    ),
)
section = MEMORY.section

section(
    "buffer_pool_statistics",
    "Buffer Pool Statistics",
    [
        text("pool", "P"),
        count("buffers", "Number of Buffers", "Buffers", measure="level"),
        percent("pct_hit", "Pool Hit%", better="higher"),
        count("buffer_gets", "Buffer Gets"),
        count("physical_reads", "Physical Reads"),
        count("physical_writes", "Physical Writes"),
        count("free_buffer_waits", "Free Buff Wait", "Free Buffer Waits", better="lower"),
        count("write_complete_waits", "Writ Comp Wait", better="lower"),
        count("buffer_busy_waits", "Buffer Busy Waits", better="lower"),
    ],
)
section(
    "buffer_pool_advisory",
    "Buffer Pool Advisory",
    [
        text("pool", "P"),
        bytes_("size_bytes", "Size for Est (M)"),
        "size_factor",
        count("buffers", "Buffers for Estimate", "Buffers (thousands)"),
        ratio("physical_read_factor", "Est Phys Read Factor", "Est Phys Read Factr"),
        count("estimated_physical_reads", "Estimated Physical Reads", "Estimated Phys Reads (thousands)"),
        number("estimated_physical_read_time", "time", "Est Phys Read Time", measure="level"),
        percent("pct_db_time_for_reads", "Est %DBtime for Rds"),
    ],
    key="pool size_factor",
    levels=True,
)
section(
    "buffer_cache_advisory",
    "Buffer Cache Advisory",
    [
        text("pool", "Pool Name"),
        text("status", "ON"),
        text("block_size_kb", "Block Size (KB)"),
        "size_factor",
        bytes_("begin_size_bytes", "Size for Est (MB) Beg Snap"),
        bytes_("end_size_bytes", "Size for Est (MB) End Snap"),
        ratio("physical_read_factor", "Est Physical Read Factor"),
        count("estimated_physical_reads", "Estimated Physical Reads (thousands)"),
    ],
    key="pool block_size_kb size_factor",
    levels=True,
)
section(
    "pga_aggregate_summary",
    "PGA Aggr Summary",
    [
        percent("pct_cache_hit", "PGA Cache Hit %", better="higher"),
        bytes_("workarea_processed_bytes", "W/A MB Processed"),
        bytes_("workarea_extra_bytes", "Extra W/A MB Read/Written", better="lower"),
    ],
    titles=["PGA Aggr Target Stats"],
    requires=["PGA Cache Hit %"],
    key="-",
)
section(
    "pga_aggregate_target",
    "PGA Aggr Target Stats",
    [
        text("point", ""),
        bytes_("aggregate_target_bytes", "PGA Aggr Target(M)"),
        bytes_("auto_target_bytes", "Auto PGA Target(M)"),
        bytes_("allocated_bytes", "PGA Mem Alloc(M)"),
        bytes_("workarea_used_bytes", "W/A PGA Used(M)"),
        percent("pct_workarea", "%PGA W/A Mem"),
        percent("pct_auto_workarea", "%Auto W/A Mem"),
        percent("pct_manual_workarea", "%Man W/A Mem"),
        bytes_("global_memory_bound_bytes", "Global Mem Bound(K)"),
    ],
    forbids=["PGA Cache Hit %"],
    levels=True,
)
section(
    "pga_histogram",
    "PGA Aggr Target Histogram",
    [
        text("low_optimal", "Low Optimal"),
        text("high_optimal", "High Optimal"),
        count("executions", "Total Execs"),
        count("optimal_executions", "Optimal Execs"),
        count("one_pass_executions", "1-Pass Execs", better="lower"),
        count("multi_pass_executions", "M-Pass Execs", better="lower"),
    ],
    key="low_optimal high_optimal",
    coverage="nonzero",
)
section(
    "pga_memory_advisory",
    "PGA Memory Advisory",
    [
        bytes_("target_bytes", "PGA Target Est (MB)", "PGA Aggr Target Est (MB)"),
        "size_factor",
        bytes_("workarea_processed_bytes", "W/A MB Processed"),
        bytes_("workarea_extra_bytes", "Estd Extra W/A MB Read/ Written to Disk"),
        percent("pct_cache_hit", "Estd PGA Cache Hit %", "Estd P Cache Hit %"),
        count("overallocations", "Estd PGA Overalloc Count", "Estd PGA Overallo Count"),
        number("estimated_time", "time", "Estd Time", measure="level"),
        seconds("estimated_process_time_s", "Estd Time to Process Bytes (s)", measure="level"),
    ],
    key="size_factor",
    levels=True,
)
section("pga_target_advisory", "PGA Target Advisory", None, key="pga_size_factor")
section(
    "shared_pool_advisory",
    "Shared Pool Advisory",
    [
        bytes_("size_bytes", "Shared Pool Size(M)"),
        "size_factor",
        bytes_("library_cache_bytes", "Est LC Size (M)", "End Snap Lib Cache Size Mb"),
        count("library_cache_objects", "Est LC Mem Obj", "Est LC Mem Obj (K)"),
        seconds("time_saved_s", "Est LC Time Saved (s)", "Total Time Saved Secs"),
        ratio("time_saved_factor", "Est LC Time Saved Factr"),
        percent("pct_time_gained", "Factor Time Gained Perc"),
        seconds("load_time_s", "Est LC Load Time (s)"),
        ratio("load_time_factor", "Est LC Load Time Factr"),
        count("object_hits", "Est LC Mem Obj Hits (K)", "Est LC Mem Obj Hits"),
        bytes_("begin_size_bytes", "Beg Snap Pool Size Mb"),
        bytes_("end_size_bytes", "End Snap Pool Size Mb"),
    ],
    key="size_factor",
    levels=True,
)
section(
    "sga_target_advisory",
    "SGA Target Advisory",
    [
        bytes_("size_bytes", "SGA Target Size (M)"),
        text("status", "Advice Status"),
        "size_factor",
        bytes_("begin_size_bytes", "Beg Snap SGA Target Size(M)"),
        bytes_("end_size_bytes", "End Snap SGA Target Size(M)"),
        seconds("estimated_db_time_s", "Est DB Time (s)"),
        ratio("db_time_factor", "Est DB Time Factor"),
        count("estimated_physical_reads", "Est Physical Reads", "Est Physical Reads (thousands)"),
    ],
    key="size_factor",
    levels=True,
)
section("streams_pool_advisory", "Streams Pool Advisory", None, key="size_factor")
section("java_pool_advisory", "Java Pool Advisory", None, key="jp_size_factr")
section("memory_target_advisory", "Memory Target Advisory", None)
section(
    "memory_dynamic_components",
    "Memory Dynamic Components",
    [
        text("component", "Component", "Cache"),
        bytes_("begin_bytes", "Begin Snap Size (Mb)", "Begin Snap Size (M)"),
        bytes_("current_bytes", "Current Size (Mb)"),
        bytes_("end_bytes", "End Snap Size (M)"),
        bytes_("min_bytes", "Min Size (Mb)"),
        bytes_("max_bytes", "Max Size (Mb)"),
        count("operations", "Oper Count", "Op Count"),
        text("last_operation", "Last Op Typ/Mod", "Last Op Type/Mode"),
        text("last_operation_time", "Last Op Time"),
    ],
    levels=True,
)
section("memory_resize_operations_summary", "Memory Resize Operations Summary", None)
section("memory_resize_operations", "Memory Resize Ops", None)
section(
    "process_memory_summary",
    "Process Memory Summary",
    [
        "pdb_name",
        INSTANCE,
        text("point", ""),
        text("category", "Category"),
        bytes_("allocated_bytes", "Alloc (MB)"),
        bytes_("used_bytes", "Used (MB)"),
        bytes_("freeable_bytes", "Freeabl (MB)"),
        bytes_("avg_allocated_bytes", "Avg Alloc (MB)", measure="average"),
        bytes_("std_dev_allocated_bytes", "Std Dev Alloc (MB)", measure="average"),
        bytes_("max_allocated_bytes", "Max Alloc (MB)"),
        bytes_("historic_max_allocated_bytes", "Hist Max Alloc (MB)"),
        count("processes", "Num Proc", "Num Procs or Allocs"),
        count("allocations", "Num Alloc"),
    ],
    key="pdb_name instance_number point category",
    titles=["Process Memory Summary Stats"],
    requires=["Alloc (MB)"],
    levels=True,
    reader=read_filled_down,
)
section(
    "sga_memory_summary",
    "SGA Memory Summary",
    [
        text("region", "SGA regions"),
        bytes_("begin_bytes", "Begin Size (Bytes)"),
        bytes_("end_bytes", "End Size (Bytes) (if different)"),
    ],
    levels=True,
)
section(
    "sga_breakdown",
    "SGA breakdown difference",
    [
        text("pool", "Pool"),
        text("name", "Name"),
        bytes_("begin_bytes", "Begin MB"),
        bytes_("end_bytes", "End MB"),
        percent("pct_diff", "% Diff"),
    ],
    key="pool name",
    titles=["SGA breakdown difference by Pool and Name"],
    coverage="top",
    levels=True,
)
section(
    "resource_limits",
    "Resource Limit Stats",
    [
        text("resource", "Resource Name"),
        count("current", "Current Utilization"),
        count("maximum", "Maximum Utilization"),
        text("initial_allocation", "Initial Allocation"),
        text("limit", "Limit"),
    ],
    coverage="top",
    levels=True,
)

"""Single-period names for sections and columns of Oracle's compare report.

Only equal meanings are renamed; cache sizes, undo (other intervals) and process memory keep their ids.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct, field

from awrdiff.analysis.oracle_compare.period_columns import PREFIX
from parsers.model import Column
from parsers.sections.registry import REGISTRY


class Names(Struct, frozen=True):
    """`columns`: to ids in `section_id`; `left_out`: figures with other meaning."""

    section_id: str
    columns: Mapping[str, str] = field(default_factory=dict)
    left_out: frozenset[str] = frozenset()
    not_in_key: frozenset[str] = frozenset()


_KEYS = {
    "statistic_name": "statistic",
    "service_name": "service",
    "latch_name": "latch",
    "sga_regions": "region",
    "filename": "file",
    "enqueue_type_request_reason": "enqueue",
}
_FIGURES = {
    "pct_of_db_time": "pct_db_time",
    "wait_time_pct_of_db_time": "pct_db_time",
    "avg_wait_time_s": "avg_wait_s",
    "waits_per_s_elapsed_time": "waits_per_s",
    "per_s_elapsed_time": "per_second",
    "per_trans": "per_transaction",
    "time_per_trans_s": "time_per_transaction_s",
    "begin_value_bytes": "begin_bytes",
    "end_value_bytes": "end_bytes",
    "": "value",
}
_STATEMENTS = {
    "elapsed_time_per_exec_s": "elapsed_per_exec_s",
    "exec_time_per_exec_s": "elapsed_per_exec_s",
    "cpu_time_per_exec_s": "cpu_per_exec_s",
    "io_time_per_exec_s": "user_io_per_exec_s",
    "cluster_wait_time_per_exec_s": "cluster_per_exec_s",
    "physical_reads_per_exec": "reads_per_exec",
    "rows_processed_per_exec": "rows_per_exec",
}
_FILES = {
    "avg_reads_per_s": "reads_per_s",
    "avg_writes_per_s": "writes_per_s",
    "avg_read_time_s": "avg_read_s",
    "avg_blocks_read": "blocks_per_read",
    "avg_buf_wait_time_s": "avg_buffer_wait_s",
}
# What the list is ordered by, as a share; of I/O time it is one of DB time, not of all I/O time as in one report.
_SHARES = {
    "elapsed_time": {"elapsed_time_pct_of_db_time": "pct_total"},
    "cpu_time": {"cpu_time_pct_of_db_cpu": "pct_total"},
    "user_io_wait_time": {"io_time_pct_of_db_time": "pct_db_time"},
    "gets": {"pct_total_gets": "pct_total"},
    "reads": {"pct_total_physical_reads": "pct_total"},
    "unoptimized_reads": {
        "pct_total_unoptimized_read_requests": "pct_total",
        "total_read_requests": "physical_read_requests",
        "read_requests_per_exec": "requests_per_exec",
        "pct_optimized_reads": "pct_optimized",
    },
    "executions": {},
    "parse_calls": {"parses": "parse_calls"},
    "sharable_memory": {
        "pct_total_sharable_memory": "pct_total",
        "sharable_memory_used_bytes": "sharable_memory_bytes",
        "sharable_memory_max_bytes": "max_sharable_memory_bytes",
    },
    "version_count": {},
    "cluster_wait_time": {},
}
_SEGMENTS = {
    # the section's id and its figure in a report of one period, by the order in a compare report
    "logical_reads": ("logical_reads", "logical_reads"),
    "physical_reads": ("physical_reads", "physical_reads"),
    "physical_read_requests": ("physical_read_requests", "read_requests"),
    "unoptimized_read_requests": ("unoptimized_reads", "unoptimized_requests"),
    "optimized_read_requests": ("optimized_reads", "optimized_requests"),
    "direct_physical_reads": ("direct_physical_reads", "direct_reads"),
    "physical_writes": ("physical_writes", "physical_writes"),
    "physical_write_requests": ("physical_write_requests", "write_requests"),
    "direct_physical_writes": ("direct_physical_writes", "direct_writes"),
    "table_scans": ("table_scans", "table_scans"),
    "db_block_changes": ("db_block_changes", "db_block_changes"),
    "row_lock_waits": ("row_lock_waits", "row_lock_waits"),
    "itl_waits": ("itl_waits", "itl_waits"),
    "buffer_busy_waits": ("buffer_busy_waits", "buffer_busy_waits"),
    "global_cache_buffer_busy": ("gc_buffer_busy", "gc_buffer_busy"),
    "cr_blocks_received": ("cr_blocks_received", "cr_blocks_received"),
    "current_blocks_received": ("current_blocks_received", "current_blocks_received"),
}
_PLAIN: dict[str, Mapping[str, str]] = {
    "load_profile": {},
    "top_timed_events": {},
    "time_model": {},
    "os_statistics": {},
    "wait_classes": {},
    "wait_events": {},  # foreground and background together, as in Statspack
    "service_statistics": {},
    "tablespace_io": _FILES,
    "pga_aggregate_summary": {
        "pga_cache_hit_pct": "pct_cache_hit",
        "read_written_workarea_bytes": "workarea_extra_bytes",
    },
    "enqueue_activity": {"successful_gets": "succeeded_gets"},
    "latch_sleep_breakdown": {},
    "instance_activity": {"value": "total"},
    "dictionary_cache": {"pct_miss_2": "pct_scan_miss", "mod_reqs": "modification_requests"},
    "library_cache": {"pct_miss_2": "pct_pin_miss"},
    "sga_memory_summary": {},
    "sga_breakdown": {},
    "buffered_queues": {},
    "shared_servers_activity": {},
    "shared_servers_rates": {
        "server_per_s_bytes": "server_bytes_per_s",
        "server_per_s_bytes_per_s": "server_bytes_per_s",
        "server_total_messages": "server_messages_total",
    },
    "init_parameters": {},
    "init_parameters_multi_valued": {},
}


# A report of one period gives the share of what these lists captured, others that of the instance.
_OF_CAPTURED = frozenset(
    f"segments_by_{i}"
    for i in ("db_block_changes", "row_lock_waits", "itl_waits", "buffer_busy_waits", "gc_buffer_busy")
)


def _segment_share(section_id: str, figure: str) -> str | None:
    captured = section_id in _OF_CAPTURED
    if figure.startswith("pct_of_total"):
        return "pct_of_instance" if captured else "pct_total"
    if figure.startswith("pct_of_captured") and not figure.endswith("_total"):
        return "pct_total" if captured else "pct_captured"
    return None


def _declared_names() -> dict[str, Names]:
    names_by_id = {i: Names(i, columns) for i, columns in _PLAIN.items()}
    names_by_id["files_by_io"] = Names("file_io", _FILES)
    # 11.2 takes the hundredths of a second for thousandths: average and share are a hundredth of what they are.
    names_by_id["buffer_waits"] = Names(
        "buffer_waits", left_out=frozenset({"avg_wait_time_s", "avg_wait_s", "wait_time_pct_of_db_time"})
    )
    for order, shares in _SHARES.items():
        names_by_id[f"sql_by_{order}"] = Names(f"sql_by_{order}", {**_STATEMENTS, **shares})
    for order, (name, figure) in _SEGMENTS.items():
        section_id = f"segments_by_{name}"
        total = next((c.id for c in REGISTRY.by_id[section_id].columns or () if c.column.measure == "total"), figure)
        columns = {"type": "object_type", figure: total}
        names_by_id[f"segments_by_{order}"] = Names(section_id, columns, not_in_key=frozenset({"tablespace"}))
    return {PREFIX + i: names for i, names in names_by_id.items()}


_NAMES = _declared_names()


def names_of(section_id: str) -> Names:
    """A section's single-period names, or its own."""
    return _NAMES.get(section_id) or Names(section_id)


def column_id(names: Names, figure: str) -> str:
    share = _segment_share(names.section_id, figure) if names.section_id.startswith("segments_") else None
    return names.columns.get(figure) or share or _FIGURES.get(figure) or _KEYS.get(figure) or figure


def title_of(names: Names, printed: str) -> str:
    declaration = REGISTRY.by_id.get(names.section_id)
    return declaration.title if declaration is not None and not names.section_id.startswith(PREFIX) else printed


def declared_columns(names: Names) -> dict[str, Column]:
    """Single-period columns of the section, by id."""
    declaration = REGISTRY.by_id.get(names.section_id)
    specs = declaration.columns if declaration is not None and not names.section_id.startswith(PREFIX) else None
    return {spec.id: spec.column for spec in specs or ()}

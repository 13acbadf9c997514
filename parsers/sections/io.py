"""I/O by function, file type, tablespace and file; recovery and checkpoints."""

from __future__ import annotations

from parsers.sections.rac_by_instance import INSTANCE
from parsers.tables.column_inference import slug
from parsers.tables.section_declarations import (
    ColumnSpec,
    Family,
    bytes_,
    count,
    number,
    per_s,
    percent,
    ratio,
    seconds,
    text,
)

EXADATA = Family("exadata")

# Title, and the columns that identify a row where the leading text columns do not.
_TITLES = (
    "Exadata Storage Server Model",
    "Exadata Storage Server Version",
    "Exadata Storage Information",
    "Exadata Griddisks",
    "Exadata Celldisks",
    "ASM Diskgroups",
    "Exadata Alerts Summary",
    "Exadata Alerts Detail",
    *(f"Exadata {what} - {who}" for what in (
        "OS IO Statistics", "OS IO Latency", "OS CPU Statistics", "Cell Server IOPS Statistics",
        "Cell Server IO MB/s Statistics", "Cell Server IO Latency",
    ) for who in ("Outlier Cells", "Outlier Disks", "Top Cells", "Top Disks")),
    "Exadata Cell Server IOPS - Top Disks",
    "Exadata Cell Server IO MB/s - Top Disks",
    "Smart IO",
    "Passthru Reasons",
    "Write Offload",
    "Flash Log",
    "Redo Write Histogram",
    "Flash Cache Configuration",
    "Flash Cache Space Usage",
    "Flash Cache User Reads",
    "Flash Cache User Reads Per Second",
    "Flash Cache User Reads Efficiency",
    "Columnar Cache Efficiency",
    "Flash Cache User Writes",
    "Flash Cache User Writes - Large Writes",
    "Flash Cache Internal Reads",
    "Flash Cache Internal Writes",
    "Columnar Cache Population",
    "Columnar Cache Population - Current",
    "Flash Cache Scan Population",
    "Top IO Reasons by Requests",
    "Top IO Reasons by MB",
    "Top Databases by IO Requests",
    "Top Databases By Requests - Details",
    "Top Databases by IO Throughput",
    "Top Databases by IO Requests per Cell",
    "Top Databases by IO Requests per Cell - Details",
    "Top Databases by IO Throughput per Cell",
    "Cancelled IOs - Cells",
)  # fmt: skip

for _title in _TITLES:
    _id = slug(_title)
    EXADATA.section(_id if _id.startswith(("exadata", "asm")) else f"exadata_{_id}", _title, None)

# The parts of "Performance Summary", told apart by their captions or, where they have none, by their columns.
for _title in (
    "I/O Summary",
    "Cache Savings",
    "Disk Activity",
    "Single Block Reads",
    "Database Small IO Summary",
    "Flash Cache Scan Summary",
    "Temp IO and Large Writes Summary",
):
    EXADATA.section(f"exadata_{slug(_title)}", _title, None)
EXADATA.section(
    "exadata_small_reads_distribution",
    "Small Reads Distribution",
    None,
    summaries=["performance summary single block reads"],
    requires=["Small Reads Distribution"],
)
EXADATA.section(
    "exadata_large_writes",
    "Large Writes",
    None,
    summaries=["direct path read/write to temp"],
    requires=["Temp Spill"],
)


# "Data" columns are in megabytes where they carry no suffix (`4.53108`), else binary multiples (`4G`, `.046M`).
_MB = 2.0**20
IO = Family(
    "io",
    INSTANCE,  # * in a global report: the cluster
    bytes_("read_bytes", "Reads: Data", "Read Data Volume", scale=_MB),
    per_s("read_requests_per_s", "Reads Reqs per sec", "Reqs per sec", "Reads/s", "Read Requests /sec"),
    number(
        "read_bytes_per_s",
        "bytes_per_s",
        "Reads Data per sec",
        "Data per sec",
        "Read MB/s",
        "Read Data Vol/sec",
        measure="rate",
        scale=_MB,
    ),
    bytes_("write_bytes", "Writes: Data", "Write Data Volume", scale=_MB),
    per_s("write_requests_per_s", "Writes Reqs per sec", "Reqs per sec (2)", "Writes/s", "Write Requests /sec"),
    number(
        "write_bytes_per_s",
        "bytes_per_s",
        "Writes Data per sec",
        "Data per sec (2)",
        "Write MB/s",
        "Write Data Vol/sec",
        measure="rate",
        scale=_MB,
    ),
    count("requests", "Requests Total"),
    per_s("requests_per_s", "IOs/s"),
    bytes_("bytes", "MB Total"),
    number("bytes_per_s", "bytes_per_s", "IO MB/s", measure="rate", scale=_MB),
    count("waits", "Waits: Count", "Waits", "Count"),
    seconds("avg_wait_s", "Avg Tm(ms)", "Avg Time", measure="average", scale=1e-3),
    text("tablespace", "Tablespace", holds="object"),
    count("reads", "Reads"),
    per_s("reads_per_s", "Av Reads/s", "Av Rds/s"),
    seconds("avg_read_s", "Av Rd(ms)", measure="average", scale=1e-3),
    ratio("blocks_per_read", "Av Blks/Rd"),
    per_s("single_block_reads_per_s", "1-bk Rds/s"),
    seconds("avg_single_block_read_s", "Av 1-bk Rd(ms)", measure="average", scale=1e-3),
    percent("pct_optimized_reads", "% Opt Reads"),
    count("writes", "Writes"),
    per_s("writes_per_s", "Av Writes/s", "Writes avg/s"),
    seconds("avg_write_s", "Av Writes(ms)", measure="average", scale=1e-3),
    count("buffer_waits", "Buffer Waits"),
    seconds("avg_buffer_wait_s", "Av Buf Wt(ms)", measure="average", scale=1e-3),
)
section = IO.section
_DATA = "read_bytes read_requests_per_s read_bytes_per_s write_bytes write_requests_per_s write_bytes_per_s"
_ALL_DATA = f"instance_number {_DATA} requests requests_per_s bytes bytes_per_s"
_FILE = (
    "reads reads_per_s avg_read_s blocks_per_read single_block_reads_per_s avg_single_block_read_s pct_optimized_reads "
    "writes writes_per_s avg_write_s buffer_waits avg_buffer_wait_s pdb_name"
)

section(
    "iostat_by_function",
    "IOStat by Function summary",
    [text("function", "Function Name", "Function"), _ALL_DATA, "waits avg_wait_s"],
    key="instance_number function",
    titles=["IOStat by Function", "IO Stat by Function - summary"],
)
section(
    "iostat_by_filetype",
    "IOStat by Filetype summary",
    [
        text("filetype", "Filetype Name"),
        _ALL_DATA,
        seconds("avg_small_read_s", "Small Read", measure="average", scale=1e-3),
        seconds("avg_large_read_s", "Large Read", measure="average", scale=1e-3),
    ],
    key="instance_number filetype",
    titles=["IOStat by File Type"],
)
section(
    "iostat_by_function_filetype",
    "IOStat by Function/Filetype summary",
    [text("function_file", "Function/File Name"), _DATA, "waits avg_wait_s"],
)
section("tablespace_io", "Tablespace IO Stats", ["tablespace", _FILE], key="tablespace pdb_name")
section(
    "file_io",
    "File IO Stats",
    [
        "tablespace",
        text("file", "Filename", holds="path"),
        _FILE,
        seconds("max_read_bucket_s", "Mx Rd Bkt", measure="level", scale=1e-3),
    ],
    key="tablespace file pdb_name",
)
section("checkpoint_activity", "Checkpoint Activity", None)


def _blocks(column_id: str, stem: str) -> ColumnSpec:
    """11.1 prints "Redo Blks", later releases "RedoBlks"."""
    return count(column_id, f"{stem} Redo Blks", f"{stem} RedoBlks", f"{stem} Redo Blocks", measure="level")


section(
    "instance_recovery",
    "Instance Recovery Stats",
    [
        text("point", ""),
        seconds("target_mttr_s", "Targt MTTR (s)", "Target MTTR(s)", measure="level"),
        seconds("estimated_mttr_s", "Estd MTTR (s)", "Estimated MTTR(s)", measure="level"),
        count("recovery_estimated_ios", "Recovery Estd IOs", "Recovery Estimated IOs", measure="level"),
        _blocks("actual_redo_blocks", "Actual"),
        _blocks("target_redo_blocks", "Target"),
        count(
            "log_size_redo_blocks",
            "Log File Size Redo Blks",
            "Log Sz RedoBlks",
            "Log File Size Redo Blocks",
            measure="level",
        ),
        count(
            "log_checkpoint_timeout_redo_blocks",
            "Log Ckpt Timeout Redo Blks",
            "Log Ckpt Timeout RedoBlks",
            "Log Ckpt Timeout Redo Blocks",
            measure="level",
        ),
        count(
            "log_checkpoint_interval_redo_blocks",
            "Log Ckpt Interval Redo Blks",
            "Log Ckpt Interval RedoBlks",
            "Log Ckpt Interval Redo Blocks",
            measure="level",
        ),
        bytes_("optimal_log_size_bytes", "Opt Log Sz(M)", "Optimal Log File Size (Mb)", measure="level"),
        seconds(
            "estimated_rac_available_time_s",
            "Estd RAC Avail Time",
            "Estimated Cluster Available Time (s)",
            measure="level",
        ),
    ],
)
section("mttr_advisory", "MTTR Advisory", None, key="size_for_est_s")
section(
    "buffer_waits",
    "Buffer Wait Statistics",
    [
        text("class", "Class"),
        count("waits", "Waits", better="lower"),
        seconds("total_wait_time_s", "Total Wait Time (s)"),
        seconds("avg_wait_s", "Avg Time (ms)", measure="average"),
    ],
    coverage="nonzero",
)
section(
    "undo_segment_summary",
    "Undo Segment Summary",
    [
        text("undo_tablespace_number", "Undo TS#"),
        count("undo_blocks", "Num Undo Blocks (K)"),
        count("transactions", "Number of Transactions"),
        seconds("max_query_length_s", "Max Qry Len (s)", measure="level"),
        count("max_transaction_concurrency", "Max Tx Concurcy", "Max Tx Concy", measure="level"),
        text("tuned_retention_min_max_minutes", "Min/Max TR (mins)"),
        text("snapshot_too_old_out_of_space", "STO/ OOS"),
        text("undo_block_states", "uS/uR/uU/ eS/eR/eU"),
    ],
    requires=["Undo TS#"],
)
section(
    "undo_segment_stats",
    "Undo Segment Stats",
    [
        text("end_time", "End Time"),
        count("undo_blocks", "Num Undo Blocks"),
        count("transactions", "Number of Transactions"),
        seconds("max_query_length_s", "Max Qry Len (s)", measure="level"),
        count("max_transaction_concurrency", "Max Tx Concy", "Max Tx Concurcy", measure="level"),
        seconds("tuned_retention_s", "Tun Ret (mins)", measure="level"),
        text("snapshot_too_old_out_of_space", "STO/ OOS"),
        text("undo_block_states", "uS/uR/uU/ eS/eR/eU"),
    ],
)
section(
    "undo_tablespace_stats",
    "Undo Tablespace Stats",
    [
        text("statistic", "Statistic"),
        number("begin_value", "as_labelled", "Begin Value", measure="level", per_row=True),
        number("end_value", "as_labelled", "End Value", measure="level", per_row=True),
    ],
)

"""Exadata storage servers; columns vary with the cell software, so they are read by label."""

from __future__ import annotations

from parsers.tables.declare import Family
from parsers.tables.infer import slug

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

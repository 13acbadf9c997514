"""Top segments in each of their orders."""

from __future__ import annotations

from parsers.tables.section_declarations import Family, count, percent, text

SEGMENTS = Family(
    "segments",
    text("owner", "Owner", holds="user"),
    text("tablespace", "Tablespace Name", "Tablespace", holds="object"),
    text("object_name", "Object Name", holds="object"),
    text("subobject_name", "Subobject Name", holds="object"),
    text("object_type", "Obj. Type"),
    text("object_number", "Obj#"),
    text("data_object_number", "Dataobj#"),
    percent("pct_total", "%Total", "% of Capture", "Pct Total"),
)

# Section id ending, title ending, column id, column label, what it counts: fewer of a wait is better.
_ORDERS = (
    ("logical_reads", "Logical Reads", "logical_reads", "Logical Reads", False),
    ("physical_reads", "Physical Reads", "physical_reads", "Physical Reads", False),
    ("physical_read_requests", "Physical Read Requests", "physical_read_requests", "Phys Read Requests", False),
    ("unoptimized_reads", "UnOptimized Reads", "unoptimized_reads", "UnOptimized Reads", False),
    ("optimized_reads", "Optimized Reads", "optimized_reads", "Optimized Reads", False),
    ("direct_physical_reads", "Direct Physical Reads", "direct_reads", "Direct Reads", False),
    ("physical_writes", "Physical Writes", "physical_writes", "Physical Writes", False),
    ("physical_write_requests", "Physical Write Requests", "physical_write_requests", "Phys Write Requests", False),
    ("direct_physical_writes", "Direct Physical Writes", "direct_writes", "Direct Writes", False),
    ("table_scans", "Table Scans", "table_scans", "Table Scans", False),
    ("db_block_changes", "DB Blocks Changes", "db_block_changes", "DB Block Changes", False),
    ("row_lock_waits", "Row Lock Waits", "row_lock_waits", "Row Lock Waits", True),
    ("itl_waits", "ITL Waits", "itl_waits", "ITL Waits", True),
    ("buffer_busy_waits", "Buffer Busy Waits", "buffer_busy_waits", "Buffer Busy Waits", True),
    ("gc_buffer_busy", "Global Cache Buffer Busy", "gc_buffer_busy", "GC Buffer Busy", True),
    ("gc_remote_grants", "Global Cache Remote Grants", "gc_remote_grants", "GC Remote Grants", False),
    ("cr_blocks_received", "CR Blocks Received", "cr_blocks_received", "CR Blocks Received", False),
    ("current_blocks_received", "Current Blocks Received", "current_blocks_received", "Current Blocks Received", False),
)

for _id, _title, _column, _label, _wait in _ORDERS:
    SEGMENTS.section(
        f"segments_by_{_id}",
        f"Segments by {_title}",
        [
            "owner tablespace object_name subobject_name object_type object_number data_object_number",
            count(_column, _label, better="lower" if _wait else "neither"),
            "pct_total pdb_name",
        ],
        key="owner object_name subobject_name object_type pdb_name",
        coverage="top",
    )

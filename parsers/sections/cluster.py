"""More tables of a global (RAC) report: memory and I/O by instance, and segments."""

from __future__ import annotations

from parsers.sections.by_instance import INSTANCE
from parsers.tables.declare import Family, bytes_, count, number, per_s, percent, text

CLUSTER = Family("rac", INSTANCE)
section = CLUSTER.section
_MB = 2.0**20

# The columns are the functions and file types that did any I/O, or the counts per operation a release knows.
section(
    "dynamic_remastering_by_instance",
    "Dynamic Remastering Statistics",
    None,
    titles=["Dynamic Remastering Statistics - per Remaster Ops"],
    key="i_no",
    shape="instances",
)
for _id, _title in (
    ("iostat_by_function_per_second_by_instance", "IOStat by Function (per Second)"),
    ("iostat_by_filetype_per_second_by_instance", "IOStat by File Type (per Second)"),
):
    section(_id, _title, None, key="i_no", shape="instances")
section(
    "system_statistics_absolute_by_instance",
    "System Statistics (Absolute Values)",
    [
        "instance_number",
        *(
            count(f"{column_id}_{end.lower()}", f"{label} {end}", measure="level")
            for column_id, label in (
                ("sessions", "Sessions"),
                ("open_cursors", "Open Cursors"),
                ("session_cached_cursors", "Session Cached Cursors"),
            )
            for end in ("Begin", "End")
        ),
    ],
    requires=["I#"],
)
section(
    "pga_aggregate_target_by_instance",
    "PGA Aggregate Target Statistics",
    [
        "instance_number",
        *(
            bytes_(f"{column_id}_{end.lower()}_bytes", f"{label} {end}", measure="level", scale=_MB)
            for column_id, label in (
                ("aggregate_target", "PGA Aggr Target"),
                ("auto_target", "Auto PGA Target"),
                ("allocated", "PGA Mem Alloc"),
                ("auto_workareas", "Auto Workareas"),
                ("manual_workareas", "Manual Workarea"),
                ("global_memory_bound", "Global Mem Bound"),
            )
            for end in ("Begin", "End")
        ),
    ],
    requires=["I#"],
)
# 12.1 prints begin and end side by side; from 12.2 on they are rows, as in the report of one instance.
section(
    "process_memory_by_instance",
    "Process Memory Summary",
    [
        "instance_number",
        text("category", "Category"),
        *(
            spec
            for end in ("Begin", "End")
            for spec in (
                *(
                    bytes_(f"{column_id}_{end.lower()}_bytes", f"{label} {end}", measure="level", scale=_MB)
                    for column_id, label in (
                        ("allocated", "Allocated"),
                        ("used", "Used"),
                        ("avg_allocated", "Avg Alloc"),
                        ("std_dev_allocated", "Std Dev"),
                        ("max_allocated", "Max Alloc"),
                        ("historic_max_allocated", "Hist Max"),
                    )
                ),
                count(f"processes_{end.lower()}", f"Num Procs {end}", measure="level"),
                count(f"allocations_{end.lower()}", f"Num Allocs {end}", measure="level"),
            )
        ),
    ],
    key="instance_number category",
    requires=["I#", "Allocated Begin"],
)
section(
    "io_profile_global",
    "IO Profile (Global)",
    [
        text("metric", "Statistic"),
        per_s("read_write_per_second", "Read+Write/s"),
        per_s("read_per_second", "Reads/s"),
        per_s("write_per_second", "Writes/s"),
    ],
)
section(
    "segment_statistics",
    "Segment Statistics (Global)",
    [
        "statistic",
        text("owner", "Owner", holds="user"),
        text("tablespace", "Tablespace Name", holds="object"),
        text("object_name", "Object Name", holds="object"),
        text("subobject_name", "Subobject Name", holds="object"),
        text("object_type", "Obj. Type"),
        text("object_number", "Obj#"),
        text("data_object_number", "Dataobj#"),
        number("value", "count", "Value", measure="total"),
        "pct_total",
        percent("pct_captured", "%Capture"),
    ],
    key="statistic owner object_name subobject_name object_type",
    coverage="top",
)

"""Real Application Clusters: global cache, enqueues, messaging, interconnect."""

from __future__ import annotations

from parsers.sections.rac_by_instance import INSTANCE
from parsers.sections.special_table_readers import read_lost_time, read_pairs
from parsers.tables.section_declarations import Family, bytes_, count, number, per_s, percent, seconds, text

CLUSTER = Family("rac", INSTANCE)
_MB = 2.0**20

# The columns are the functions and file types that did any I/O, or the counts per operation a release knows.
CLUSTER.section(
    "dynamic_remastering_by_instance",
    "Dynamic Remastering Statistics",
    None,
    titles=["Dynamic Remastering Statistics - per Remaster Ops"],
    key="i_no",
    shape="instances",
)
for _pair_id, _pair_title in (
    ("iostat_by_function_per_second_by_instance", "IOStat by Function (per Second)"),
    ("iostat_by_filetype_per_second_by_instance", "IOStat by File Type (per Second)"),
):
    CLUSTER.section(_pair_id, _pair_title, None, key="i_no", shape="instances")
CLUSTER.section(
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
CLUSTER.section(
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
CLUSTER.section(
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
CLUSTER.section(
    "io_profile_global",
    "IO Profile (Global)",
    [
        text("metric", "Statistic"),
        per_s("read_write_per_second", "Read+Write/s"),
        per_s("read_per_second", "Reads/s"),
        per_s("write_per_second", "Writes/s"),
    ],
)
CLUSTER.section(
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


RAC = Family(
    "rac",
    text("statistic", "Statistic", "Name"),
    text("instance_number", "Inst No", "Src Inst#", "Src Inst", "Target Instance"),
    text("block_class", "Block Class"),
    number("per_transaction", "per_txn", "per Trans", "Per Transaction", measure="average"),
)
section = RAC.section

section(
    "rac_instances",
    "RAC Statistics",
    [
        text("metric", ""),
        count("begin", "Begin", measure="level"),
        count("end", "End", measure="level"),
        text("remark", "(2)"),
    ],
    titles=[""],
    summaries=["information about rac instances"],
    requires=["Begin", "End", ""],
    forbids=["Snap Id", "Per Second", "(3)", "Interface"],
)
section(
    "global_cache_efficiency",
    "Global Cache Efficiency Percentages",
    [text("metric", "Metric"), percent("pct", "%")],
    titles=["Global Cache Efficiency Percentages*"],
    summaries=["global cache efficiency percentages"],
    reader=read_pairs,
)
_VALUE = number("value", "as_labelled", "Value", measure="average", per_row=True)


def time_unit(metric: str) -> str:
    if "(ms)" in metric:
        return "ms"
    if "(us)" in metric:
        return "us"
    return "percent" if "%" in metric else "count"


section(
    "global_cache_workload",
    "Global Cache and Enqueue Services - Workload Characteristics",
    [text("metric", "Metric"), _VALUE],
    summaries=["workload characteristics for global cache"],
    reader=read_pairs,
    row_unit=time_unit,
)
section(
    "global_cache_messaging",
    "Global Cache and Enqueue Services - Messaging Statistics",
    [text("metric", "Metric"), _VALUE],
    summaries=["messaging statistics for global cache"],
    reader=read_pairs,
    row_unit=time_unit,
)
section(
    "cluster_interconnect",
    "Cluster Interconnect",
    [
        text("interface", "Interface", holds="address"),
        text("begin_ip_address", "IP Address", "Begin IP Address", holds="address"),
        text("begin_public", "Begin Pub", "Pub"),
        text("begin_source", "Source", "Begin Source"),
        text("end_ip_address", "IP", "End IP", holds="address"),
        text("end_public", "End Pub"),
        text("end_source", "Src", "End Src"),
    ],
    key="interface begin_ip_address",
)
# A global report adds how the instances' rates differ.
_SPREAD = (("avg", "Average"), ("std_dev", "Std Dev"), ("min", "Min"), ("max", "Max"))
for _id, _title in (
    ("global_enqueue_statistics", "Global Enqueue Statistics"),
    ("global_messaging_statistics", "Global Messaging Statistics"),
):
    section(
        _id,
        _title,
        [
            "statistic total per_second per_transaction",
            *(per_s(f"{short}_per_second", label) for short, label in _SPREAD),
        ],
        titles=[f"{_title} (Global)"],
        coverage="nonzero",
    )
section(
    "global_cr_served",
    "Global CR Served Stats",
    "statistic total",
    titles=["Global CR Server Statistics"],
)
section(
    "global_current_served",
    "Global CURRENT Served Stats",
    [
        "statistic total",
        *(percent(f"pct_lt_{t}", f"% <{t}") for t in ("100us", "1ms", "10ms", "100ms", "1s", "10s")),
    ],
    titles=["Global Current Server Statistics"],
)


def _transfers(group: str, short: str) -> list[object]:
    return [
        count(f"{short}_blocks_received", f"{group} Blocks Received"),
        percent(f"{short}_pct_immediate", f"{group} % Immed"),
        percent(f"{short}_pct_busy", f"{group} % Busy", better="lower"),
        percent(f"{short}_pct_congested", f"{group} % Congst", better="lower"),
    ]


def _times(group: str, short: str, *kinds: tuple[str, str]) -> list[object]:
    return [
        seconds(
            f"{short}_avg_{kind}_s",
            f"{group} Avg Time (ms) {label}",
            f"{group} Avg Time (us) {label}",
            measure="average",
        )
        for kind, label in kinds
    ]


_ALL = (("time", "All"), ("immediate", "Immed"), ("busy", "Busy"), ("congested", "Congst"))
_HOPS = (("immediate", "Immed"), ("2hop", "2hop"), ("3hop", "3hop"))
_KEY = "instance_number block_class"

section(
    "global_cache_transfers",
    "Global Cache Transfer Stats",
    [_KEY, *_transfers("CR", "cr"), *_transfers("Current", "current")],  # type: ignore[list-item]
    key=_KEY,
    titles=["Global Cache Transfer Statistics"],
    requires=["Inst No"],
    coverage="nonzero",
)
section(
    "global_cache_transfer_times",
    "Global Cache Transfer Times (ms)",
    [_KEY, *_times("CR", "cr", *_ALL), *_times("Current", "current", *_ALL)],  # type: ignore[list-item]
    key=_KEY,
    titles=["Global Cache Transfer Times (us)"],
    coverage="nonzero",
)
section(
    "global_cache_transfers_immediate",
    "Global Cache Transfer (Immediate)",
    [
        _KEY,
        count("blocks_lost", "Blocks Lost", better="lower"),
        count("cr_immediate_blocks_received", "CR Immed Blks Received"),
        percent("cr_pct_2hop", "CR % 2hop"),
        percent("cr_pct_3hop", "CR % 3hop"),
        count("current_immediate_blocks_received", "Current Immed Blks Received"),
        percent("current_pct_2hop", "Current % 2hop"),
        percent("current_pct_3hop", "Current % 3hop"),
    ],
    key=_KEY,
    requires=["Blocks Lost"],
    coverage="nonzero",
)
section(
    "global_cache_times_immediate",
    "Global Cache Times (Immediate)",
    [
        _KEY,
        seconds("lost_time_s", "Lost Time", "Lost Time (us)", scale=1e-3),
        *_times("CR", "cr", *_HOPS),  # type: ignore[list-item]
        *_times("Current", "current", *_HOPS),  # type: ignore[list-item]
    ],
    key=_KEY,
    reader=read_lost_time,
    coverage="nonzero",
)
# Ping latencies are printed in milliseconds to 12.1, in microseconds from 12.2 on, without saying so.
for _id, _title, _scale in (
    ("interconnect_ping_latency", "Interconnect Ping Latency Stats", 1e-3),
    ("interconnect_ping_latency_us", "Interconnect Ping Latency Statistics", 1e-6),
):
    section(
        _id,
        _title,
        [
            "instance_number",
            *(
                spec
                for size, label in (("500b", "500B"), ("8k", "8K"))
                for spec in (
                    count(f"pings_{size}", f"{label} Ping Count", f"{label} Pin Count"),
                    seconds(f"avg_latency_{size}_s", f"Avg Latency {label} msg", measure="average", scale=_scale),
                    seconds(f"std_dev_latency_{size}_s", f"Stddev {label} msg", measure="average", scale=_scale),
                )
            ),
        ],
    )
section(
    "interconnect_throughput",
    "Interconnect Throughput by Client",
    [
        text("used_by", "Used By"),
        number("send_bytes_per_s", "bytes_per_s", "Send Mbytes/sec", measure="rate", scale=2**20),
        number("receive_bytes_per_s", "bytes_per_s", "Receive Mbytes/sec", measure="rate", scale=2**20),
    ],
)
section("interconnect_devices", "Interconnect Device Statistics", None, key="device_name ip_address")
section("dynamic_remastering", "Dynamic Remastering Statistics", None, titles=["Dynamic Remastering Stats"])
section(
    "dictionary_cache_rac",
    "Dictionary Cache Stats (RAC)",
    [
        text("cache", "Cache"),
        count("ges_requests", "GES Requests"),
        count("ges_conflicts", "GES Conflicts", better="lower"),
        count("ges_releases", "GES Releases"),
    ],
    coverage="nonzero",
)
section(
    "library_cache_rac",
    "Library Cache Activity (RAC)",
    [
        text("namespace", "Namespace"),
        count("ges_lock_requests", "GES Lock Requests"),
        count("ges_pin_requests", "GES Pin Requests"),
        count("ges_pin_releases", "GES Pin Releases"),
        count("ges_invalidation_requests", "GES Inval Requests"),
        count("ges_invalidations", "GES Invali- dations"),
    ],
    coverage="nonzero",
)

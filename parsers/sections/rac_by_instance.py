"""Tables of a global (RAC) report with a row per instance and the cluster's below.

`I#`: instance number, or `Sum`, `Avg`, `Std`, `Min`, `Max`.
"""

from __future__ import annotations

from collections.abc import Sequence

from parsers.model import Section
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
    ratio,
    seconds,
    text,
)

INSTANCE = text("instance_number", "I#")
BY_INSTANCE = Family("rac", INSTANCE)
_MB = 2.0**20


def _section(section_id: str, title: str, *columns: str | ColumnSpec, **options: object) -> None:
    options = {"key": "instance_number", "requires": ["I#"], **options}
    BY_INSTANCE.section(section_id, title, ["instance_number", *columns], **options)  # type: ignore[arg-type]


def _counts(**labels: str) -> list[ColumnSpec]:
    return [count(column_id, *label.split("|")) for column_id, label in labels.items()]


def _times(*, scale: float | None = None, **labels: str) -> list[ColumnSpec]:
    return [seconds(f"{i}_s", *label.split("|"), measure="average", scale=scale) for i, label in labels.items()]


def _shares(**labels: str) -> list[ColumnSpec]:
    return [percent(f"pct_{column_id}", *label.split("|")) for column_id, label in labels.items()]


def _begin_end(column_id: str, label: str) -> list[ColumnSpec]:
    return [
        bytes_(f"{column_id}_{end.lower()}_bytes", f"{label} {end}", measure="level", scale=_MB)
        for end in ("Begin", "End")
    ]


BY_INSTANCE.section(
    "database_summary",
    "Database Summary",
    [
        text("dbid", "Id"),
        text("db_name", "Name", holds="database"),
        text("unique_name", "Unique Name", holds="database"),
        text("role", "Role"),
        text("edition", "Edition"),
        text("rac", "RAC"),
        text("cdb", "CDB"),
        bytes_("block_size_bytes", "Block Size", measure="level", scale=1.0),
        count("begin_snap_id", "Begin", measure="level"),
        count("end_snap_id", "End", measure="level"),
        count("instances_in_report", "Number of Instances In Report", measure="level"),
        count("instances", "Number of Instances Total", measure="level"),
        count("hosts_in_report", "Number of Hosts In Report", measure="level"),
        count("hosts", "Number of Hosts Total", measure="level"),
        seconds("db_time_s", "DB time", scale=60.0),
        seconds("elapsed_s", "Elapsed time", scale=60.0, better="neither"),
    ],
)
_section(
    "instances_in_report",
    "Database Instances Included In Report",
    text("instance", "Instance", holds="host"),
    text("host", "Host", holds="host"),
    text("startup_time", "Startup"),
    text("begin_snap_time", "Begin Snap Time"),
    text("end_snap_time", "End Snap Time"),
    text("release", "Release"),
    seconds("elapsed_s", "Elapsed Time(min)", scale=60.0, better="neither"),
    seconds("db_time_s", "DB time(min)", scale=60.0),
    seconds("up_time_s", "Up Time(hrs)", scale=3600.0, measure="level", better="neither"),
    ratio("avg_active_sessions", "Avg Active Sessions", unit="sessions"),
    text("platform", "Platform"),
)
_section(
    "cache_sizes_by_instance",
    "Cache Sizes",
    *_begin_end("memory_target", "Memory Target"),
    *_begin_end("sga_target", "Sga Target"),
    *_begin_end("db_cache", "DB Cache"),
    *_begin_end("shared_pool", "Shared Pool"),
    *_begin_end("large_pool", "Large Pool"),
    *_begin_end("java_pool", "Java Pool"),
    *_begin_end("streams_pool", "Streams Pool"),
    *_begin_end("pga_target", "PGA Target"),
    bytes_("log_buffer_bytes", "Log Buffer", measure="level", scale=_MB),
)


def read_os_statistics(declaration: Declaration, tables: Sequence[RawTable], notebook: Notebook) -> Section:
    """12.2 heads the begin "MB", the end "Memory (M)", which in 12.1 is the begin."""
    for table in tables:
        if "MB" in table.labels:
            table.labels = tuple(f"End Values {n}" if n == "Memory (M)" else n for n in table.labels)
    return read_tables(declaration, tables, notebook)


_section(
    "os_statistics_by_instance",
    "OS Statistics By Instance",
    *(
        count(column_id, *labels.split("|"), measure="level")
        for column_id, labels in (
            ("cpus", "CPU #CPUs|Num CPUs|#CPUs"),
            ("cores", "CPU #Cores|CPU Cores|#Cores"),
            ("sockets", "CPU #Sckts|CPU Sckts|#Sckts"),
            ("end_cpus", "End Values #CPUs|End CPUs"),
            ("end_cores", "End Values #Cores|End Cores"),
            ("end_sockets", "End Values #Sckts|End Sckts"),
        )
    ),
    ratio("load_begin", "Begin", "Load Begin", unit="load", measure="level"),
    ratio("load_end", "End", "Load End", unit="load", measure="level"),
    *_shares(busy="% Busy", user="% Usr", system="% Sys", wio="% WIO", idle="% Idl"),
    seconds("busy_time_s", "Busy", "Busy Time (s)"),
    seconds("idle_time_s", "Idle", "Idle Time (s)", better="neither"),
    seconds("total_time_s", "Total", "Total Time (s)", better="neither"),
    bytes_("memory_bytes", "MB", "Memory (M)", measure="level", scale=_MB),
    bytes_("end_memory_bytes", "End Values Memory (M)", "End Memory (M)", measure="level", scale=_MB),
    reader=read_os_statistics,
)
_MODEL = {
    "db_cpu": "DB CPU",
    "sql_exec": "SQL Exec Ela",
    "parse": "Parse Ela",
    "hard_parse": "Hard Parse Ela|Hard Parse",
    "plsql": "PL/SQL Ela",
    "java": "Java Ela",
}


def _with_suffixes(labels: str, *suffixes: str) -> list[str]:
    return [label + suffix for label in labels.split("|") for suffix in suffixes]


_section(
    "time_model_by_instance",
    "Time Model",
    seconds("db_time_s", "DB time (s)"),
    *(seconds(f"{i}_s", *_with_suffixes(label, " (s)")) for i, label in _MODEL.items()),
    seconds("background_time_s", "bg time (s)"),
    seconds("background_cpu_s", "bg CPU (s)"),
)
_section(
    "time_model_pct_by_instance",
    "Time Model - % of DB time",
    percent("pct_of_all_db_time", "% Total DB time"),
    *(percent(f"pct_{i}", *_with_suffixes(label, "", " %DB time")) for i, label in _MODEL.items()),
    percent("pct_of_all_background_time", "% Total bg time"),
    percent("pct_background_cpu", "bg CPU", "bg CPU %bg time"),
)
_CLASSES = {
    "user_io": "User I/O", "system_io": "Sys I/O", "other": "Other", "application": "Applic", "commit": "Commit",
    "network": "Network", "concurrency": "Concurcy", "configuration": "Config", "cluster": "Cluster",
    "administrative": "Admin", "scheduler": "Scheduler", "db_cpu": "DB CPU",
}  # fmt: skip
BY_INSTANCE.section(
    "foreground_wait_classes_pct",
    "Foreground Wait Classes - % of Total DB time",
    [text("scope", ""), *(percent(f"pct_{i}", label) for i, label in _CLASSES.items())],
)
_section(
    "foreground_wait_classes_by_instance",
    "Foreground Wait Classes",
    *(seconds(f"{i}_s", f"{label}(s)", f"{label} (s)") for i, label in _CLASSES.items()),
    seconds("db_time_s", "DB time", "DB time (s)", scale=1.0),
)
_section(
    "foreground_wait_classes_pct_by_instance",
    "Foreground Wait Classes - % of DB time",
    *(percent(f"pct_{i}", label) for i, label in _CLASSES.items()),
    percent("pct_of_all_db_time", "% Total DB time"),
)
_STATISTICS = {
    "logical_reads": "Logical Reads", "physical_reads": "Physical Reads", "physical_writes": "Physical Writes",
    "redo": "Redo Size (k)", "block_changes": "Block Changes", "user_calls": "User Calls", "executions": "Execs",
    "parses": "Parses", "logons": "Logons", "transactions": "Txns",
}  # fmt: skip
for _id, _title, _end, _unit, _bytes in (
    ("", "", "", "count", "bytes"),
    ("_per_second", " - Per Second", "/s", "per_s", "bytes_per_s"),
    ("_per_transaction", " - Per Transaction", "/tx", "per_txn", "bytes_per_txn"),
):
    _section(
        f"system_statistics{_id}_by_instance",
        f"System Statistics{_title}",
        *(
            number(
                f"{i}_bytes" if i == "redo" else i,
                _bytes if i == "redo" else _unit,
                label + _end,
                measure={"": "total", "/s": "rate"}.get(_end, "average"),  # type: ignore[arg-type]
                scale=1024 if i == "redo" else None,
            )
            for i, label in _STATISTICS.items()
        ),
    )
# Labels that one group alone prints stand without it; where two groups print them, the group's name leads.
_MESSAGING = {
    "gc_current_received": "Blocks Received {} GC Current|GC Current|Blocks Received GC Current",
    "gc_cr_received": "Blocks Received {} GC CR|GC CR|Blocks Received GC CR",
    "gc_current_served": "Blocks Served {} GC Current|Blocks Served GC Current",
    "gc_cr_served": "Blocks Served {} GC CR|Blocks Served GC CR",
    "gcs_messages_received": "GCS Received",
    "ges_messages_received": "GES Received",
    "gcs_messages_sent": "GCS Sent",
    "ges_messages_sent": "GES Sent",
    "messages_sent_direct": "Sent Direct",
    "messages_sent_indirect": "Sent Indir",
    "gc_blocks_lost": "Lost|Lost/s|Lost/Tx",
    "gc_cr_failures": "Failure|Fail/s|Fail/Tx",
}
for _id, _title, _per, _unit in (
    ("global_messages_by_instance", "SysStat and Global Messaging - RAC", "", "count"),
    ("global_messages_per_second_by_instance", "SysStat and Global Messaging (per Sec)- RAC", "per Second", "per_s"),
    ("global_messages_per_transaction_by_instance", "SysStat and Global Messaging (per Tx)- RAC", "per Tx", "per_txn"),
):
    _measure = {"count": "total", "per_s": "rate"}.get(_unit, "average")
    _section(
        _id,
        _title,
        *(
            number(i, _unit, *labels.replace("{}", _per).split("|"), measure=_measure)  # type: ignore[arg-type]
            for i, labels in _MESSAGING.items()
        ),
        *(
            number(f"{i}_cpu_s", "s" if not _per else _unit, label, measure=_measure)  # type: ignore[arg-type]
            for i, label in (("gc", "GC"), ("ipc", "IPC"))
        ),
    )
_section(
    "global_cache_efficiency_by_instance",
    "Global Cache Efficiency Percentages",
    *_shares(local="Local %", remote="Remote %", disk="Disk %", locality="Locality %"),
)
_section(
    "global_latency_by_instance",
    "Global Latency Characteristics",
    *(
        seconds(f"{i}_s", *_with_suffixes(labels, " (us)", " (ms)"), measure="average")
        for i, labels in (
            ("enqueue_get_time", "GE Get Time"),
            ("cr_receive_time", "CR Blocks Receive Time"),
            ("cr_build_time", "Build Time|CR Blocks Build Time"),
            ("cr_send_time", "CR Blocks Send Time"),
            ("cr_flush_time", "CR Blocks Flush Time"),
            ("current_receive_time", "CU Blocks Receive Time"),
            ("current_pin_time", "Pin Time|CU Blocks Pin Time"),
            ("current_send_time", "CU Blocks Send Time"),
            ("current_flush_time", "CU Blocks Flush Time"),
        )
    ),
    *_shares(log_flush_cr_served="Log Flush CR Srvd %", log_flush_current_served="Log Flush CU Srvd %"),
    titles=["Global Cache and Enqueue Workload Characteristics"],
)  # fmt: skip


def read_messaging(declaration: Declaration, tables: Sequence[RawTable], notebook: Notebook) -> Section:
    """Microseconds in 12.2, milliseconds in 12.1, by column group."""
    for table in tables:
        if any("(us)" in group for group in table.groups):
            table.labels = tuple(
                f"{label} (us)" if "Time" in group else label
                for label, group in zip(table.labels, table.groups, strict=True)
            )
    return read_tables(declaration, tables, notebook)


_section(
    "global_messaging_by_instance",
    "Global Messaging Statistics",
    *_times(
        scale=1e-3,
        sent_queue_time="Sent|Sent (us)",
        ksxp_queue_time="on ksxp|on ksxp (us)",
        received_queue_time="Received|Received (us)",
        gcs_process_time="GCS msgs|GCS msgs (us)",
        ges_process_time="GES msgs|GES msgs (us)",
    ),
    *_shares(direct="Direct", indirect="Indirect", flow_controlled="Flow Ctrl"),
    titles=["Global Cache and Enqueue Messaging Statistics"],
    reader=read_messaging,
)
_section(
    "global_cr_served_by_instance",
    "Global CR Server Statistics",
    *_counts(
        cr_requests="CR", current_requests="CU", data_requests="Data", undo_requests="Undo", transaction_requests="TX",
        current_results="Current", private_results="Private", zero_results="Zero", disk_read_results="Dsk Rd",
        fail_results="Fail", down_converts="Down Conv", fairness_clears="Clears", free_gc_elements="Elems",
        light_works="Works", flushes="Flushes|Total", flushes_queued="Queued", flush_queue_full="QFull",
        builds="Builds", errors="Errors",
    ),
    count("flush_max_time", "MaxTm", measure="level"),
    titles=["CR Blocks Served Statistics"],
)  # fmt: skip
_LIMITS = ("100us", "1ms", "10ms", "100ms", "1s", "10s")


def _limit_columns(what: str, at: int) -> list[ColumnSpec]:
    end = "" if at == 1 else f" ({at})"
    return [percent(f"pct_{what}_lt_{limit}", f"% <{limit}{end}") for limit in _LIMITS]


_section(
    "global_current_served_by_instance",
    "Global Current Server Statistics",
    *(
        spec
        for at, what in enumerate(("pins", "flushes", "writes"), 1)
        for spec in (count(what, what.capitalize()), *_limit_columns(what, at))
    ),
    titles=["Current Blocks Served Statistics"],
)
_PEERS = [text("destination", "Dest"), text("source", "Src"), text("block_class", "Class")]
_KINDS = {"immediate": "Immed", "busy": "Busy", "congested": "Cngst"}


def _averages(group: str, short: str, **labels: str) -> list[ColumnSpec]:
    return [
        seconds(
            f"{short}_avg_{i}_s", f"{group} Avg Time (ms) {label}", f"{group} Avg Time (us) {label}", measure="average"
        )
        for i, label in labels.items()
    ]


BY_INSTANCE.section(
    "global_cache_transfers_by_instance",
    "Global Cache Transfer Statistics",
    [
        *_PEERS,
        *(
            spec
            for group, short in (("CR", "cr"), ("Current", "current"))
            for spec in (
                count(f"{short}_blocks_received", f"{group} Blocks Received"),
                *(percent(f"{short}_pct_{i}", f"{group} Blocks %{label}") for i, label in _KINDS.items()),
                *_averages(group, short, time="All", **_KINDS),
            )
        ),
    ],
    key="destination source block_class",
    titles=["Global Cache Transfer Stats"],
    requires=["Dest", "Src"],
    coverage="nonzero",
)
BY_INSTANCE.section(
    "global_cache_transfers_immediate_by_instance",
    "Global Cache Transfer (Immediate)",
    [
        *_PEERS,
        count("blocks_lost", "Count", better="lower"),
        seconds("lost_time_s", "Time(us)", "Time(ms)"),
        *(
            spec
            for group, short in (("CR", "cr"), ("Current", "current"))
            for spec in (
                count(f"{short}_immediate_blocks_received", f"Immediate {group} Blocks Received"),
                percent(f"{short}_pct_2hop", f"Immediate {group} Blocks %2-hop"),
                percent(f"{short}_pct_3hop", f"Immediate {group} Blocks %3-hop"),
                *_averages(f"Immed {group}", short, immediate="Total", immediate_2hop="2-hop", immediate_3hop="3-hop"),
            )
        ),
    ],
    key="destination source block_class",
    requires=["Dest", "Src"],
    coverage="nonzero",
)
_section(
    "cluster_interconnect_by_instance",
    "Cluster Interconnect",
    text("interface", "NAME", holds="address"),
    *(
        text(f"{i}_{j}", f"{end} {label}", holds="address")
        for i, end in (("begin", "Begin"), ("end", "End (if different from Begin)"))
        for j, label in (("ip_address", "IP Address"), ("public", "Pub"), ("source", "Source"))
    ),
    key="instance_number interface begin_ip_address",
)
# Sizes are in the groups; 12.1 prints milliseconds, 12.2 microseconds, and standard deviations always milliseconds.
BY_INSTANCE.section(
    "ping_statistics",
    "Ping Statistics",
    [
        text("source", "Src"),
        text("target", "Target"),
        *(
            spec
            for size, label in (("500b", "500 bytes"), ("8k", "8 Kbytes"))
            for spec in (
                count(f"pings_{size}", f"{label} Ping Count"),
                seconds(f"ping_time_{size}_s", f"{label} Ping Time(s)"),
                seconds(f"avg_time_{size}_s", f"{label} Avg Time(us)", f"{label} Avg Time(ms)", measure="average"),
                seconds(f"std_dev_time_{size}_s", f"{label} Std Dev", measure="average", scale=1e-3),
            )
        ),
    ],
    key="source target",
)
_CLIENTS = ("Total", "Cache", "IPQ", "DLM", "PNG", "Misc")
_section(
    "interconnect_clients_by_instance",
    "Interconnect Client Statistics",
    *(
        bytes_(f"{way.lower()}_{client.lower()}_bytes", f"{way} (MB) {client}")
        for way in ("Sent", "Received")
        for client in _CLIENTS
    ),
)
_section(
    "interconnect_clients_per_second_by_instance",
    "Interconnect Client Statistics (per Second)",
    *(
        number(
            f"{way.lower()}_{client.lower()}_bytes_per_s",
            "bytes_per_s",
            f"{way} (MB/s) {client}",
            measure="rate",
            scale=_MB,
        )
        for way in ("Sent", "Received")
        for client in _CLIENTS
    ),
)
_DEVICE = ("Packets", "Errors", "Packets Dropped", "Buffer Ovrrun")
for _id, _title, _unit, _bytes in (
    ("interconnect_devices_by_instance", "Interconnect Device Statistics", "count", "bytes"),
    (
        "interconnect_devices_per_second_by_instance",
        "Interconnect Device Statistics (per Second)",
        "per_s",
        "bytes_per_s",
    ),
):
    _measure = "total" if _unit == "count" else "rate"
    _section(
        _id,
        _title,
        text("interface", "NAME", holds="address"),
        text("ip_address", "IP Address", holds="address"),
        text("ip_mask", "IP Mask", holds="address"),
        *(
            number(f"{way.lower()}_bytes", _bytes, f"{way} MBytes", measure=_measure, scale=_MB)  # type: ignore[arg-type]
            for way in ("Sent", "Received")
        ),
        *(
            number(f"{way.lower()}_{what.lower().replace(' ', '_')}", _unit, f"{way} {what}", measure=_measure)  # type: ignore[arg-type]
            for way in ("Sent", "Received")
            for what in _DEVICE
        ),
        number("carrier_lost", _unit, "Carrier Lost", measure=_measure),  # type: ignore[arg-type]
        number("frame_errors", _unit, "Frame Errors", measure=_measure),  # type: ignore[arg-type]
        key="instance_number interface ip_address",
    )

"""Advanced Queuing, Streams, replication and rules."""

from __future__ import annotations

from parsers.tables.section_declarations import Family, seconds, text

STREAMS = Family("other")
section = STREAMS.section

section(
    "queue_cpu_io_usage",
    "Streams CPU/IO Usage",
    [
        text("session_type", "Session Type"),
        text("first_logon", "First Logon"),
        # 11.1 prints microseconds here without saying so.
        seconds("cpu_time_s", "CPU time(s)", "CPU Time", scale=1e-6),
        seconds("user_io_time_s", "User IO Wait time(s)", "User I/O Time", scale=1e-6),
        seconds("system_io_time_s", "SYS IO Wait time(s)", "Sys I/O Time", scale=1e-6),
    ],
    key="session_type first_logon",
    titles=["Advanced Queue CPU/IO Usage"],
)
for _id, _title, _key in (
    ("rule_set", "Rule Set", ""),
    ("persistent_queues", "Persistent Queues", ""),
    ("persistent_queues_rate", "Persistent Queues Rate", ""),
    ("persistent_queue_subscribers", "Persistent Queue Subscribers", ""),
    ("persistent_subscribers", "Persistent Subscribers", ""),
    ("buffered_queues", "Buffered Queues", ""),
    ("buffered_subscribers", "Buffered Subscribers", ""),
    ("buffered_queue_subscribers", "Buffered Queue Subscribers", ""),
    ("streams_capture", "Streams Capture", ""),
    ("streams_capture_rate", "Streams Capture Rate", ""),
    ("streams_apply", "Streams Apply", ""),
    ("streams_apply_rate", "Streams Apply Rate", ""),
    ("replication_system_resource_usage", "Replication System Resource Usage", ""),
    ("replication_sga_usage", "Replication SGA Usage", ""),
):
    section(_id, _title, None, key=_key)

"""ASH report: header tables, and lists missing from an AWR report's ASH part."""

from __future__ import annotations

from parsers.tables.declare import Family, count, percent, ratio, text

ASH_REPORT = Family(
    "time",
    text("event", "Event"),
    percent("pct_event", "% Event"),
    percent("pct_activity", "% Activity"),
    ratio("avg_active_sessions", "Avg Active Sessions", "Avg Active", unit="sessions"),
    text("service", "Service"),
    text("user", "User", holds="user"),
    text("program", "Program", holds="program"),
    text("object", "Object Name (Type)", holds="object"),
    text("tablespace", "Tablespace", holds="object"),
)
section = ASH_REPORT.section

section(
    "ash_configuration",
    "CPU and memory",
    [
        count("cpus", "CPUs", measure="level"),
        text("sga_size", "SGA Size"),
        text("buffer_cache", "Buffer Cache"),
        text("shared_pool", "Shared Pool"),
        text("ash_buffer_size", "ASH Buffer Size"),
        text("in_memory_area", "In-memory Area"),
    ],
    key="-",
    titles=[""],
    requires=["ASH Buffer Size"],
)
section(
    "ash_period",
    "Analysis period",
    [text("metric", ""), text("value", "Sample Time"), text("data_source", "Data Source")],
    titles=[""],
    requires=["Sample Time", "Data Source"],
)
for _id, _title in (
    ("top_user_events", "Top User Events"),
    ("top_background_events", "Top Background Events"),
    ("top_cluster_events", "Top Cluster Events"),
):
    section(
        _id,
        _title,
        ["event", text("event_class", "Event Class"), "pct_event pct_activity avg_active_sessions"],
        coverage="top",
    )
section(
    "top_service_module",
    "Top Service/Module",
    [
        "service",
        text("module", "Module", holds="program"),
        "pct_activity",
        text("action", "Action", holds="program"),
        percent("pct_action", "% Action"),
    ],
    key="service module action",
    coverage="top",
)
section(
    "top_client_ids",
    "Top Client IDs",
    [text("client_id", "Client ID", holds="user"), "pct_activity avg_active_sessions user program service"],
    key="client_id user program service",
    coverage="top",
)
section(
    "top_sql_command_types",
    "Top SQL Command Types",
    [
        text("command_type", "SQL Command Type"),
        count("distinct_sql_ids", "Distinct SQLIDs", measure="level"),
        "pct_activity avg_active_sessions",
    ],
    coverage="top",
)
section(
    "top_phases_of_execution",
    "Top Phases of Execution",
    [text("phase", "Phase of Execution"), "pct_activity avg_active_sessions"],
    coverage="top",
)
section(
    "top_remote_instances",
    "Top Remote Instances",
    [text("remote_instance", "Remote Instance", "Inst#"), "event pct_activity pct_event avg_active_sessions"],
    key="remote_instance event",
    coverage="top",
)
section(
    "top_call_types",
    "Top Call Types",
    [
        text("call_type", "Call Type"),
        count("samples", "Count", measure="level"),
        "pct_activity avg_active_sessions",
    ],
    coverage="top",
)
section(
    "top_db_files",
    "Top DB Files",
    [
        text("file_id", "File ID"),
        "pct_activity event pct_event",
        text("file", "File Name", holds="path"),
        "tablespace",
    ],
    key="file_id event",
    coverage="top",
)
section(
    "top_latches",
    "Top Latches",
    [
        text("latch", "Latch"),
        percent("pct_latch", "% Latch"),
        text("blocking_session", "Blocking Sid(Inst)", "Blocking Sid (Inst)", "Blocking Sid"),
        "pct_activity",
        count("max_sampled_wait", "Max Sampled Wait secs", measure="level"),
        count("sampled_waits", "# Waits Sampled", "# Sampled Waits", measure="level"),
    ],
    key="latch blocking_session",
    coverage="top",
)

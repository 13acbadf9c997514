"""Active Session History part of an AWR report (12.1 and later)."""

from __future__ import annotations

from parsers.tables.section_declarations import Family, count, percent, ratio, text

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

ASH_REPORT.section(
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
ASH_REPORT.section(
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
    ASH_REPORT.section(
        _id,
        _title,
        ["event", text("event_class", "Event Class"), "pct_event pct_activity avg_active_sessions"],
        coverage="top",
    )
ASH_REPORT.section(
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
ASH_REPORT.section(
    "top_client_ids",
    "Top Client IDs",
    [text("client_id", "Client ID", holds="user"), "pct_activity avg_active_sessions user program service"],
    key="client_id user program service",
    coverage="top",
)
ASH_REPORT.section(
    "top_sql_command_types",
    "Top SQL Command Types",
    [
        text("command_type", "SQL Command Type"),
        count("distinct_sql_ids", "Distinct SQLIDs", measure="level"),
        "pct_activity avg_active_sessions",
    ],
    coverage="top",
)
ASH_REPORT.section(
    "top_phases_of_execution",
    "Top Phases of Execution",
    [text("phase", "Phase of Execution"), "pct_activity avg_active_sessions"],
    coverage="top",
)
ASH_REPORT.section(
    "top_remote_instances",
    "Top Remote Instances",
    [text("remote_instance", "Remote Instance", "Inst#"), "event pct_activity pct_event avg_active_sessions"],
    key="remote_instance event",
    coverage="top",
)
ASH_REPORT.section(
    "top_call_types",
    "Top Call Types",
    [
        text("call_type", "Call Type"),
        count("samples", "Count", measure="level"),
        "pct_activity avg_active_sessions",
    ],
    coverage="top",
)
ASH_REPORT.section(
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
ASH_REPORT.section(
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


ASH = Family(
    "time",
    text("event", "Event"),
    percent("pct_event", "% Event"),
    percent("pct_activity", "% Activity"),
    text("user", "User", holds="user"),
    text("program", "Program", holds="program"),
    text("samples_active", "# Samples Active"),
    count("transactions", "XIDs"),
)
section = ASH.section

section(
    "top_events",
    "Top Events",
    [
        "event",
        text("event_class", "Event Class"),
        text("session_type", "Session Type"),
        "pct_activity",
        ratio("avg_active_sessions", "Avg Active Sessions", unit="sessions"),
    ],
    key="event session_type",
    coverage="top",
)
section(
    "top_event_parameters",
    "Top Event P1/P2/P3 Values",
    [
        "event pct_event",
        text("values", "P1, P2, P3 Values", "P1 Value, P2 Value, P3 Value"),
        "pct_activity",
        text("parameter_1", "Parameter 1"),
        text("parameter_2", "Parameter 2"),
        text("parameter_3", "Parameter 3"),
    ],
    key="event values",
    coverage="top",
)
section(
    "top_sessions",
    "Top Sessions",
    [text("session", "Sid, Serial#"), "pct_activity event pct_event user program samples_active transactions pdb_name"],
    key="session event",
    coverage="top",
)
section(
    "top_blocking_sessions",
    "Top Blocking Sessions",
    [
        text("blocking_session", "Blocking Sid (Inst)", "Blocking Sid"),
        "pct_activity",
        text("event", "Event Caused"),
        "pct_event user program samples_active transactions pdb_name",
    ],
    key="blocking_session event",
    coverage="top",
)
section(
    "top_db_objects",
    "Top DB Objects",
    [
        text("object_id", "Object ID"),
        "pct_activity event pct_event",
        text("object", "Object Name (Type)", holds="object"),
        text("tablespace", "Tablespace", holds="object"),
        "pdb_name",
    ],
    key="object_id object event",
    coverage="top",
)
section(
    "top_plsql_procedures",
    "Top PL/SQL Procedures",
    [
        text("entry_subprogram", "PL/SQL Entry Subprogram", holds="object"),
        "pct_activity",
        text("current_subprogram", "PL/SQL Current Subprogram", holds="object"),
        percent("pct_current", "% Current"),
        "pdb_name",
    ],
    key="entry_subprogram current_subprogram pdb_name",
    coverage="top",
)
section(
    "activity_over_time",
    "Activity Over Time",
    [
        text("slot", "Slot Time (Duration)"),
        count("slot_samples", "Slot Count", measure="level"),
        "event",
        count("event_samples", "Event Count", measure="level"),
        "pct_event",
    ],
    key="slot event",
    coverage="top",
)

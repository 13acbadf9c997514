"""Active Session History part of an AWR report (12.1 and later)."""

from __future__ import annotations

from parsers.tables.declare import Family, count, percent, ratio, text

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

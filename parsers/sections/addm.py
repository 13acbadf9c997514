"""ADDM findings and recommendations, of an ADDM report or its quotes in an AWR report.

Row keys include the analysis, numbered by time: AWR reports over several snapshots quote several. Findings below ADDM's
threshold are not printed.
"""

from __future__ import annotations

from parsers.tables.section_declarations import Family, count, number, percent, ratio, seconds, text

ADDM = Family(
    "summary",
    text("analysis", "Analysis"),
    text("finding", "Finding"),
    text("number", "Number"),
)
section = ADDM.section

section(
    "addm_period",
    "ADDM Analyses",
    [
        "analysis",
        text("task", "Task Name"),
        text("begin_snap_id", "Begin Snap Id"),
        text("end_snap_id", "End Snap Id"),
        text("begin_time", "Begin Time"),
        text("end_time", "End Time"),
        text("db_name", "DB Name", holds="database"),
        text("dbid", "DB Id"),
        text("release", "Release"),
        text("instance", "Instance", holds="host"),
        text("instance_number", "Inst Num"),
        text("host", "Host Name", holds="host"),
        text("target", "Target"),
        seconds("db_time_s", "DB Time (s)"),
        ratio("avg_active_sessions", "Avg Active Sessions", unit="sessions", better="lower"),
        count("findings", "Findings", measure="level"),
    ],
    key="analysis",
)
section(
    "addm_findings",
    "ADDM Findings",
    [
        "analysis finding number",
        ratio("impact_active_sessions", "Impact (active sessions)", unit="sessions", better="lower"),
        seconds("impact_s", "Impact (s)"),  # to 10.2
        percent("pct_activity", "% Activity", better="lower"),
        count("recommendations", "Recommendations", measure="level"),
        text("description", "Description", holds="object"),
        text("symptoms", "Symptoms", holds="object"),
    ],
    key="finding analysis",
    coverage="top",
)
section(
    "addm_recommendations",
    "ADDM Recommendations",
    [
        "analysis finding number",
        text("type", "Type"),
        ratio("benefit_active_sessions", "Benefit (active sessions)", unit="sessions"),
        seconds("benefit_s", "Benefit (s)", better="neither"),  # to 10.2
        percent("pct_benefit", "% Benefit"),
        text("sql_id", "SQL Id", holds="sql_id"),
        text("action", "Action", holds="object"),
        text("other_actions", "Other Actions", holds="object"),
        text("rationale", "Rationale", holds="object"),
        text("related_objects", "Related Objects", holds="sql_text"),
    ],
    key="finding type action analysis",
    coverage="top",
)
section(
    "addm_instances",
    "ADDM Instances",
    [
        "analysis finding",
        text("instance_number", "Number"),
        text("instance", "Name", holds="host"),
        text("host", "Host Name", holds="host"),
        ratio("avg_active_sessions", "Active Sessions", unit="sessions", better="lower"),
        percent("pct_activity", "Percent of Activity"),
        percent("pct_impact", "Percent Impact"),
    ],
    key="instance_number finding analysis",
)
section(
    "addm_containers",
    "ADDM Containers",
    [
        "analysis finding",
        text("list", "List"),
        text("dbid", "DBID"),
        text("container", "Container Name", holds="database"),
        count("allocated_cpus", "Allocated CPUs", measure="level"),
        # What the figure is the list's title says: active sessions, KB of redo a second …
        number("value", "as_labelled", "Value", measure="average", per_row=True),
        number("value_per_cpu", "as_labelled", "Value per Allocated CPU", measure="average", per_row=True),
        percent("pct_total", "Percent of Total"),
    ],
    key="list container finding analysis",
    coverage="top",
    row_unit=lambda title: "kb_per_s" if "KB/sec" in title else "sessions",
)
section(
    "addm_information",
    "ADDM Information",
    ["analysis", text("heading", "Heading"), text("information", "Information", holds="object")],
    key="information analysis",
)

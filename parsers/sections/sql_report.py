"""AWR SQL report: one statement's summary, plans, statistics and text."""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec.structs import replace

from parsers.model import Row, Section, Value
from parsers.tables.build import read_tables
from parsers.tables.declare import Declaration, Family, bytes_, count, number, percent, seconds, text
from parsers.tables.notebook import Notebook
from parsers.tables.rawtable import RawTable

_PLAN = re.compile(r"\bPHV:\s*(\d{1,20})")
_LABEL = "Plan Hash Value"
SQL_REPORT = Family(
    "sql",
    text("sql_id", "SQL Id", "SQL ID", holds="sql_id"),
    text("plan_hash", "Plan Hash Value", "Plan Hash"),
)
section = SQL_REPORT.section


def read_with_plan(declaration: Declaration, tables: Sequence[RawTable], notebook: Notebook) -> Section:
    """A table per plan, in a chapter named `Plan 1(PHV: 2586167546)`."""
    for table in tables:
        match = next((m for m in map(_PLAN.search, (table.above, table.heading, table.caption)) if m), None)
        if match and _LABEL not in table.labels:
            table.labels = (_LABEL, *table.labels)
            table.groups = ("", *table.groups)
            table.rows[:] = [[match[1], *row] for row in table.rows]
    section = read_tables(declaration, tables, notebook)
    return replace(section, records=tuple(map(_round_times, section.records)))


def _round_times(record: Row) -> Row:
    """Times, stored in microseconds, are printed in whole milliseconds: not exact, unlike counts."""
    if record.unit != "ms":
        return record
    return record._replace(
        cells=tuple(c if not isinstance(c, Value) or c.half else Value(c.number, 0.5) for c in record.cells)
    )


section(
    "sql_summary",
    "SQL Summary",
    [
        "sql_id",
        seconds("elapsed_time_s", "Elapsed Time (ms)", "Elapsed Time (s)"),
        text("module", "Module", holds="program"),
        text("action", "Action", holds="program"),
        text("sql_text", "SQL Text", holds="sql_text"),
        text("container", "Container DB Id", "Container Name", "PDB Name", holds="database"),
    ],
    key="sql_id container",
)
section(
    "sql_plans",
    "Plans of the statement",
    [
        text("plan_number", "#"),
        "plan_hash",
        seconds("elapsed_time_s", "Total Elapsed Time(ms)", "Total Elapsed Time (ms)"),
        count("executions", "Executions"),
        count("first_snap_id", "1st Capture Snap ID", measure="level"),
        count("last_snap_id", "Last Capture Snap ID", measure="level"),
        text("container", "Container DB Id", "Container Name", "PDB Name", holds="database"),
    ],
    key="plan_hash container",
    titles=["SQL ID:*"],
    requires=["Plan Hash Value", "1st Capture Snap ID"],
)
section(
    "sql_plan_statistics",
    "Plan Statistics",
    [
        "plan_hash",
        text("statistic", "Stat Name"),
        number("total", "as_labelled", "Statement Total", measure="total", per_row=True),
        number("per_execution", "as_labelled", "Per Execution", measure="average", per_row=True),
        percent("pct_of_all", "% Snap Total"),
    ],
    key="statistic plan_hash",
    requires=["Stat Name"],
    row_unit=lambda statistic: "ms" if "(ms)" in statistic else "count",
    reader=read_with_plan,
)
section(
    "sql_execution_plan",
    "Execution Plan",
    [
        "plan_hash",
        text("step", "Id"),
        count("depth", "Depth", measure="level"),
        text("operation", "Operation"),
        text("object_name", "Name", holds="object"),
        count("estimated_rows", "Rows", "E-Rows", measure="level"),
        bytes_("estimated_bytes", "Bytes", "E-Bytes", measure="level", scale=1.0),
        bytes_("temp_bytes", "TempSpc", "E-Temp", measure="level", scale=1.0),
        text("cost", "Cost (%CPU)", "Cost"),
        text("time", "Time", "E-Time"),
        text("partition_start", "Pstart"),
        text("partition_stop", "Pstop"),
        text("table_queue", "TQ"),
        text("in_out", "IN-OUT"),
        text("distribution", "PQ Distrib"),
        text("instance", "Inst"),
    ],
    key="plan_hash step",
    requires=["Id", "Operation"],
    reader=read_with_plan,
)

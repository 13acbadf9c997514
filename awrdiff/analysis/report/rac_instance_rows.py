"""Rows per instance of a global (RAC) report, as tables of a single-instance report."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from parsers.model import Column, Row, Section, Value

TIME_MODEL = "time_model"
_SECONDS = Column("time_s", "Time (s)", "s", "lower", "total")
_TOTAL = Column("total", "Total", "count", "neither", "total")
_VALUE = Column("value", "Value", "as_labelled", "neither", "level")
_STATISTIC = Column("statistic", "Statistic")

# Columns of one row per instance, and what a report of one instance calls the row that it prints instead.
_TIME_MODEL = {
    "db_time_s": "DB time",
    "db_cpu_s": "DB CPU",
    "sql_exec_s": "sql execute elapsed time",
    "parse_s": "parse time elapsed",
    "hard_parse_s": "hard parse elapsed time",
    "plsql_s": "PL/SQL execution elapsed time",
    "java_s": "Java execution elapsed time",
    "background_time_s": "background elapsed time",
    "background_cpu_s": "background cpu time",
}
_ACTIVITY = {
    "logical_reads": "session logical reads",
    "physical_reads": "physical reads",
    "physical_writes": "physical writes",
    "redo_bytes": "redo size",
    "block_changes": "db block changes",
    "user_calls": "user calls",
    "executions": "execute count",
    "parses": "parse count (total)",
    "logons": "logons cumulative",
}
_HOST = {"cpus": "NUM_CPUS", "cores": "NUM_CPU_CORES", "sockets": "NUM_CPU_SOCKETS"}
_HOST_TIMES = {"busy_time_s": "BUSY_TIME", "idle_time_s": "IDLE_TIME"}  # a report of one instance prints centiseconds


class InstanceTable(NamedTuple):
    """Section whose columns become another's rows: names and factors."""

    section_id: str
    title: str
    column: Column
    names: Mapping[str, str]
    factor: float = 1.0


ROWS_OF_COLUMNS = {
    "time_model_by_instance": InstanceTable(TIME_MODEL, "Time Model Statistics", _SECONDS, _TIME_MODEL),
    "system_statistics_by_instance": InstanceTable("instance_activity", "Instance Activity Stats", _TOTAL, _ACTIVITY),
    "os_statistics_by_instance": InstanceTable(
        "os_statistics", "Operating System Statistics", _VALUE, _HOST_TIMES, 100.0
    ),
}


def section_of_instance(own: Section, record: Row, turn: InstanceTable) -> Section:
    """Columns of one row of `own` as rows."""
    rows = []
    for column_id, name in turn.names.items():
        value = own.number(record, column_id)
        if value is not None:
            rows.append(Row((name, Value(value.number * turn.factor, value.half * turn.factor))))
    if turn.names is _HOST_TIMES:
        rows.extend(Row((n, v)) for c, n in _HOST.items() if (v := own.number(record, c)) is not None)
    return Section(
        id=turn.section_id,
        title=turn.title,
        known=True,
        coverage="top",  # what else there is, the global report does not print per instance
        key=("statistic",),
        columns=(_STATISTIC, turn.column),
        records=tuple(rows),
        line=own.line,
    )

"""Small parsed reports built by hand."""

from __future__ import annotations

from datetime import datetime, timedelta

from parsers.model import Column, Database, Host, Instance, Period, Report, Row, Section, Snapshot, Value

WAIT_COLUMNS = (
    Column("event", "Event"),
    Column("waits", "Waits", "count", "lower", "total"),
    Column("total_wait_time_s", "Total Wait Time (s)", "s", "lower", "total"),
    Column("avg_wait_s", "Avg wait", "s", "lower", "average"),
)


def wait_section(*rows: tuple[str, float, float], section_id: str = "foreground_wait_events") -> Section:
    """Rows of event, waits and total seconds."""
    records = [
        Row((event, Value(waits, 0.0), Value(total, 0.5), Value(total / waits if waits else 0.0, 0.0005)))
        for event, waits, total in rows
    ]
    return Section(section_id, "Foreground Wait Events", True, "nonzero", ("event",), WAIT_COLUMNS, tuple(records))


def text_section(section_id: str, *rows: tuple[str, str]) -> Section:
    columns = (Column("parameter", "Parameter Name"), Column("begin_value", "Begin value"))
    return Section(section_id, "init.ora Parameters", True, "all", ("parameter",), columns, tuple(Row(r) for r in rows))


def small_report(
    name: str = "a.html",
    *,
    begin: str = "2024-01-01T10:00:00",
    waits: float = 100.0,
    extra_rows: int = 0,
    event: str = "log file sync",
) -> Report:
    start = datetime.fromisoformat(begin)
    rows = [(event, waits, waits / 100), ("db file sequential read", 5000.0, 12.0)]
    rows += [(f"event {i}", 10.0 + i * waits / 100, 1.0) for i in range(extra_rows)]
    return Report(
        kind="awr",
        format="html",
        encoding="utf-8",
        release="19.24.0.0.0",
        database=Database(name="PAY", dbid="1234567890", rac=False, cdb=False),
        instances=(Instance(1, "pay1", datetime(2023, 12, 1, 8, 0), "db01"),),
        host=Host("db01", "Linux x86 64-bit", 8, 8, 1, Value(67_108_864_000.0, 524_288.0)),
        period=Period(
            begin=Snapshot(100, start, 50),
            end=Snapshot(101, start + timedelta(hours=1), 52),
            elapsed_s=Value(3600.0, 0.3),
            db_time_s=Value(1200.0, 0.3),
        ),
        sections=(wait_section(*rows), text_section("init_parameters", ("cpu_count", "8"), ("processes", "300"))),
        name=name,
    )

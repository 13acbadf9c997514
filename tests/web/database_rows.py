"""Reports of a database as rows, with metrics and no file: what its page is drawn from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from awrdiff.accounts.access import AccessContext
from awrdiff.analysis.metrics.binary_storage import dump_largest, pack_figures
from awrdiff.analysis.metrics.single_report_metrics import METRICS_VERSION
from awrdiff.analysis.metrics.top_events_and_statements import LargestEvent, LargestStatement
from awrdiff.databases.models import Database
from awrdiff.processing.models import State
from awrdiff.reports.models import Report, ReportMetrics
from parsers.model import Value
from parsers.storage.compressed_blocks import pack

MONDAY = datetime(2024, 1, 1)
HOUR = timedelta(hours=1)


def database_named(access: AccessContext, name: str = "PAY") -> Database:
    return Database.objects.create(team=access.team, name=name, dbid="7")


def statement(sql_id: str, sessions: float, per_execution: float = 0.01, plans: Sequence[str] = ()) -> LargestStatement:
    one = [Value(n, 0.0) for n in (sessions, 100.0, per_execution, per_execution / 2, 50.0, 2.0, 1.0)]
    return LargestStatement(sql_id, "", *one, tuple(plans))


def event(name: str, sessions: float, average: float = 0.001) -> LargestEvent:
    return LargestEvent(name, "User I/O", Value(sessions, 0.0), Value(sessions / average, 0.0), Value(average, 0.0))


def hour(
    access: AccessContext,
    database: Database,
    number: int,
    figures: Mapping[str, float] | None = None,
    *,
    events: Sequence[LargestEvent] = (),
    statements: Sequence[LargestStatement] = (),
    hours: int = 1,
    era: str = "e1",
    **columns: object,
) -> Report:
    """That of so many hours after Monday; `figures` None: its metrics are not made."""
    begin = MONDAY + number * HOUR
    values = {"kind": "awr", "instance_number": 1, "instance_name": "pay1", "release": "19.21.0.0.0", **columns}
    report = Report.objects.create(
        team=access.team,
        uploaded_by=access.user,
        database=database,
        name=f"{number}.html",
        size=1,
        sha256=f"{number:064x}",
        state=State.READY,
        db_name=database.name,
        dbid=database.dbid,
        begin_at=begin.isoformat(),
        end_at=(begin + hours * HOUR).isoformat(),
        metrics_version=METRICS_VERSION if figures is not None else None,
        **values,
    )
    if figures is not None:
        packed = pack_figures({name: Value(n, 0.0) for name, n in figures.items()})
        largest = pack(dump_largest(events, statements))
        ReportMetrics.objects.create(report=report, era=era, figures=packed, largest=largest)
    return report


def busy(sessions: float) -> dict[str, float]:
    return {"db_time": sessions, "db_cpu": sessions * 0.5, "waits_user_io": sessions * 0.4}

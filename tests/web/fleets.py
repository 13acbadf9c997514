"""Built fleets as rows, without files: reports with their metrics, of databases that they belong to."""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from datetime import datetime, timedelta

from django.utils import timezone

from awrdiff.accounts.access import AccessContext
from awrdiff.analysis.metrics.binary_storage import dump_largest, pack_figures
from awrdiff.analysis.metrics.single_report_metrics import METRICS_VERSION
from awrdiff.analysis.metrics.top_events_and_statements import LargestEvent, LargestStatement
from awrdiff.databases.models import Database
from awrdiff.fleet import deviation_measurement
from awrdiff.fleet.models import Standing
from awrdiff.processing.models import State
from awrdiff.reports.models import Report, ReportMetrics
from fixtures.fleet.figures import figures_of, half_of
from fixtures.fleet.hours import BEGIN, ELAPSED_S, FleetDatabase, Hour, Planted, hours_of, plant
from parsers import PARSER_VERSION
from parsers.model import Value
from parsers.storage.compressed_blocks import pack

LATER = 80  # the day of that report


def store_fleet(
    access: AccessContext, fleet: Iterable[tuple[FleetDatabase, list[Hour]]], *, late: timedelta = timedelta(0)
) -> list[Database]:
    """Each hour came when it was over, and `late` after. The databases are to be measured."""
    made = []
    for one, hours in fleet:
        database = Database.objects.create(team=access.team, dbid=str(one.dbid), name=one.name)
        reports = [_report(access, database, hour) for hour in hours]
        Report.objects.bulk_create(reports, batch_size=200)
        for report, hour in zip(reports, hours, strict=True):
            report.created_at = report.placed_at = _utc(hour.begin + timedelta(hours=1) + late)
        Report.objects.bulk_update(reports, ["created_at", "placed_at"], batch_size=200)
        pairs = zip(reports, hours, strict=True)
        ReportMetrics.objects.bulk_create([metrics_row(report, hour) for report, hour in pairs], batch_size=200)
        deviation_measurement.reports_moved([database.pk], reports[0].begin_at)
        made.append(database)
    return made


def old_and_new(one: FleetDatabase, days: int) -> tuple[FleetDatabase, list[Hour]]:
    """The first days, in whose second an hour is far beyond what is normal, and a report of long after."""
    hours = list(hours_of(plant(one, Planted("load step", 40, 41, 5.0)), 24 * LATER + 1))
    return one, [hour for hour in hours if hour.begin < BEGIN + timedelta(days=days) or hour is hours[-1]]


def measure_all() -> None:
    while found := list(Standing.objects.exclude(due_from="").values_list("pk", flat=True)):
        for pk in found:
            while deviation_measurement.measure(pk):
                pass


def _report(access: AccessContext, database: Database, hour: Hour) -> Report:
    begin, end = hour.begin, hour.begin + timedelta(hours=1)
    return Report(
        team=access.team,
        uploaded_by=access.user,
        name=f"{database.name}-{begin:%Y%m%d%H}.html",
        size=10,
        sha256=uuid.uuid4().hex * 2,
        file="",
        state=State.READY,
        parser_version=PARSER_VERSION,
        kind="awr",
        format="html",
        release="19.24.0.0.0",
        database=database,
        placed_at=timezone.now(),
        metrics_version=METRICS_VERSION,
        db_name=database.name,
        dbid=database.dbid,
        instance_name=database.name.lower(),
        instance_number=1,
        begin_at=begin.isoformat(),
        end_at=end.isoformat(),
        elapsed_s=ELAPSED_S,
        db_time_s=hour.db_time_s,
    )


def metrics_row(report: Report, hour: Hour) -> ReportMetrics:
    figures = {name: Value(number, half_of(name)) for name, number in figures_of(hour).items()}
    waits = (
        ("db file sequential read", "User I/O", hour.read_s),
        ("log file sync", "Commit", hour.commit_s),
        ("log file switch completion", "Configuration", hour.switch_s),
    )
    events = [LargestEvent(name, of, Value(took / ELAPSED_S, 0.0), None, None) for name, of, took in waits]
    statement = Value(hour.statement_s / ELAPSED_S, 0.0)
    statements = [LargestStatement("0lines0000001", "", statement, *[None] * 6, ())]
    largest = pack(dump_largest(events, statements))
    return ReportMetrics(report=report, era="built", figures=pack_figures(figures), largest=largest)


def _utc(moment: datetime) -> datetime:
    return moment.replace(tzinfo=timezone.now().tzinfo)

"""The page of a database with a thousand reports, the figures over time, and the history of a statement."""

from __future__ import annotations

import os
import statistics
from collections.abc import Iterator
from functools import partial

os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"

import django

django.setup()

from django.conf import settings  # noqa: E402 - Django first
from django.core.management import call_command  # noqa: E402
from django.db import connection, transaction  # noqa: E402
from django.test import Client  # noqa: E402
from django.test.utils import CaptureQueriesContext, setup_test_environment  # noqa: E402

from awrdiff.accounts.access import local_member  # noqa: E402
from awrdiff.analysis.metrics.single_report_metrics import METRICS_VERSION  # noqa: E402
from awrdiff.databases import report_assignment  # noqa: E402
from awrdiff.databases.models import Database  # noqa: E402
from awrdiff.processing.models import State  # noqa: E402
from awrdiff.reports.metrics import keep, metrics_row  # noqa: E402
from awrdiff.reports.models import Report  # noqa: E402
from awrdiff.reports.tasks import header_columns  # noqa: E402
from bench.line import cpu_seconds, line  # noqa: E402
from fixtures.fleet.hours import Planted, fleet, hours_of, plant  # noqa: E402
from fixtures.fleet.reports import report_of  # noqa: E402
from parsers import PARSER_VERSION, parse_report  # noqa: E402

REPORTS, TURNS = 1_000, 7
MOST_MS = 500
FOUR = "metric=db_time&metric=db_cpu&metric=redo&metric=commit_wait"
PAGES = {
    "page of a database, its latest week": "",
    "page of a database, all of it": "?range=all",
    "one figure, its latest week": "metrics/",
    "one figure over all time": "metrics/?range=all",
    "four figures, its latest week": f"metrics/?{FOUR}",
    "four figures over all time": f"metrics/?range=all&{FOUR}",
    "history of a statement": "statements/0lines0000001/",
    "history of an event": "events/db%20file%20sequential%20read/",
}


def run() -> Iterator[str]:
    setup_test_environment()
    settings.MIDDLEWARE = [one for one in settings.MIDDLEWARE if "FlatPages" not in one]  # it is the tests' own
    call_command("migrate", verbosity=0)
    address = f"/databases/{_filled().uid}/"
    client = Client()
    for name, path in PAGES.items():
        client.get(address + path)
        took = [cpu_seconds(partial(client.get, address + path)) for _ in range(TURNS)]
        with CaptureQueriesContext(connection) as queries:
            client.get(address + path)
        label = f"{name}, {REPORTS} reports: processor time"
        yield line(label, statistics.median(took) * 1000, "ms", baseline=MOST_MS)
        yield line(f"{label}, the least of {TURNS} turns", min(took) * 1000, "ms")
        yield line(f"{name}, {REPORTS} reports: SQL queries", len(queries), "count")


def _filled() -> Database:
    access = local_member()
    database = plant(fleet(1, 3)[0], Planted("plan change", REPORTS - 60, 2**31, 8.0))
    with transaction.atomic():
        for number, hour in zip(range(REPORTS), hours_of(database, 2 * REPORTS), strict=False):
            parsed = parse_report(report_of(database, hour), name=f"{number}.html")
            report = Report.objects.create(
                team=access.team,
                name=parsed.name,
                size=1,
                sha256=f"{number:064x}",
                state=State.READY,
                parser_version=PARSER_VERSION,
                metrics_version=METRICS_VERSION,
                **header_columns(parsed),
            )
            keep(report, metrics_row(report, parsed))
    report_assignment.take_over()
    return Database.objects.get()

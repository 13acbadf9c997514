"""python -m bench.store_costs DATABASES DAYS PID: what reports cost in the PostgreSQL of the settings, as JSON.

PID is PostgreSQL's. Reports of about 100 sections are sent and read, at first into an empty store. PostgreSQL then
multiplies them to hourly ones of so many days, each with a file, and more are read; then the store is backed up and
thinned out. Times are processor time of web server, worker and PostgreSQL together.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections import defaultdict
from collections.abc import Callable
from functools import partial
from pathlib import Path

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "awrdiff.settings")

import django

django.setup()

from django.conf import settings  # noqa: E402 - Django first
from django.core.files.storage import default_storage  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.db import connection  # noqa: E402
from django.utils import timezone  # noqa: E402

from awrdiff.accounts.access import local_member  # noqa: E402
from awrdiff.fleet import deviation_measurement, thinning  # noqa: E402
from awrdiff.fleet.models import Departure, Thinning  # noqa: E402
from awrdiff.reports import tasks  # noqa: E402
from awrdiff.reports.models import Report, ReportMetrics, ReportSection  # noqa: E402
from awrdiff.reports.received_files import receive_chunks  # noqa: E402
from awrdiff.reports.services import store_upload  # noqa: E402
from bench.many_sections import with_sections  # noqa: E402
from bench.measured import cpu_ms  # noqa: E402
from bench.sizing import STEPS, WHOLE_DAYS, WORST  # noqa: E402
from bench.worker_rate import cpu_s  # noqa: E402
from fixtures.fleet.hours import fleet, hours_of  # noqa: E402
from fixtures.fleet.reports import report_of  # noqa: E402

GROWING = (Report, ReportSection, ReportMetrics, Departure)
HOURS = 3  # read in each of both stores, after one that warms up
_KEY = "md5({key}::text || n)::uuid"
_SHIFTED = {
    **dict.fromkeys(
        ("begin_at", "end_at"),
        "to_char({column}::timestamp - n * interval '{hours} hours', 'YYYY-MM-DD\"T\"HH24:MI:SS')",
    ),
    **dict.fromkeys(("created_at", "placed_at"), "{column} - n * interval '{hours} hours'"),
    "sha256": "md5(sha256 || n) || md5(n || sha256)",
    "file": "replace(file, '.gzip', '-' || n || '.gzip')",
}


def grow(copies: int) -> None:
    """Each report so many times more, before the first that there is, its files as links."""
    files = list(Report.objects.values_list("file", flat=True))
    for model in GROWING:
        key = "id" if model is Report else "report_id"
        columns = [str(f.column) for f in model._meta.concrete_fields if f.column == key or not f.primary_key]
        made = {**_SHIFTED, key: _KEY}
        values = [made.get(name, '"{column}"').format(column=name, key=key, hours=HOURS + 1) for name in columns]
        table = model._meta.db_table
        with connection.cursor() as cursor:
            names, numbers = ", ".join(f'"{column}"' for column in columns), f"generate_series(1, {copies}) n"
            cursor.execute(f"INSERT INTO {table} ({names}) SELECT {', '.join(values)} FROM {table}, {numbers}")  # noqa: S608
    for path in map(default_storage.path, files):
        for number in range(1, copies + 1):
            os.link(path, path.replace(".gzip", f"-{number}.gzip"))


class Store:
    """Of `fleet` databases, `server` the process of PostgreSQL."""

    def __init__(self, databases: int, server: int) -> None:
        self.server, self.hour = server, 0
        self.files = [
            [with_sections(report_of(one, hour)) for hour in hours_of(one, 2 * HOURS + 1)]
            for one in fleet(databases, 3)
        ]

    def cpu_ms(self, work: Callable[[], object]) -> float:
        before = cpu_s(self.server)
        return cpu_ms(work) + 1000 * (cpu_s(self.server) - before)

    def read(self, hours: int) -> dict[str, float]:
        """The next hours of all databases: milliseconds of one report, by what is done."""
        took: defaultdict[str, float] = defaultdict(float)
        for hour in range(self.hour, self.hour + hours):
            for number, of_database in enumerate(self.files):
                name, data = f"{number}-{hour}.html", of_database[hour]
                pks: list[str] = []
                took[STEPS[0]] += self.cpu_ms(partial(self._send, name, data, pks))
                took[STEPS[1]] += self.cpu_ms(partial(tasks.read_report, *pks))
            for standing in deviation_measurement.due():
                took[STEPS[2]] += self.cpu_ms(partial(self._measure, standing.pk))
        self.hour += hours
        return {name: value / hours / len(self.files) for name, value in took.items()}

    def _send(self, name: str, data: bytes, pks: list[str]) -> None:
        pks.append(str(store_upload(local_member(), receive_chunks([data], name), name).pk))

    def _measure(self, database: int) -> None:
        while deviation_measurement.measure(database):
            pass


def _bytes(*relations: str) -> int:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {' + '.join(relations)}")
        return int(cursor.fetchone()[0])


def _thinned(store: Store) -> float:
    """Milliseconds of one report that is removed."""
    before, now = Report.objects.count(), timezone.now()
    rule = Thinning.objects.create(team=local_member().team, after_days=WHOLE_DAYS, hours=WORST, next_at=now)

    def run() -> None:
        while Thinning.objects.filter(pk=rule.pk, next_at=now).exists():
            thinning.thin_out()

    took = store.cpu_ms(run)
    return took / (before - Report.objects.count())


def main(databases: int, days: int, server: int) -> dict[str, float]:
    store = Store(databases, server)
    store.read(1)
    costs = {f"{step} of few, ms": value for step, value in store.read(HOURS).items()}
    grow(24 * days // (HOURS + 1) - 1)
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")
    reports = Report.objects.count()
    costs |= {"reports": reports, "report, bytes": len(store.files[0][0])}
    sizes = [default_storage.size(name) for name in Report.objects.values_list("file", flat=True)[:100]]
    costs["file, bytes"] = sum(sizes) / len(sizes)
    costs["database, bytes"] = _bytes("pg_database_size(current_database())") / reports
    costs["of it indexes, bytes"] = _bytes(*(f"pg_indexes_size('{one._meta.db_table}')" for one in GROWING)) / reports
    costs |= {f"{step} of many, ms": value for step, value in store.read(HOURS).items()}
    path, began = Path(settings.VAR) / "backup.tar.gz", time.perf_counter()
    took = store.cpu_ms(partial(call_command, "backup", str(path), verbosity=0))
    costs["backup of 1,000 reports, processor time, s"] = took / reports
    costs["backup of 1,000 reports, by the clock, s"] = 1000 * (time.perf_counter() - began) / reports
    costs["backup, bytes"] = path.stat().st_size / reports
    costs["thinning out, ms"] = _thinned(store)
    return costs


if __name__ == "__main__":
    print(json.dumps(main(*map(int, sys.argv[1:]))))

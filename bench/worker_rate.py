"""Reports per second that one Celery worker with so many slots reads, of those that wait in a database."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import psycopg

from fixtures.fleet.hours import fleet, hours_of
from fixtures.fleet.reports import report_of
from fixtures.writer import big
from tests.harness import prepared
from tests.harness.server import ROOT, descendants, until
from tests.harness.services import Postgres

SIZES = {"small": 300, "1 MB": 100}  # how many of each
_WARM_UP = 20  # read before the clock is looked at
_TICK_S = 1 / os.sysconf("SC_CLK_TCK")
_READ = "SELECT count(*) FROM reports_report WHERE state = 'ready' AND NOT is_demo"
_WORKER = ("-m", "celery", "-A", "awrdiff.celery_app", "worker", "--loglevel", "ERROR", "--without-gossip")


class Durable(Postgres):
    """As it is delivered: what is committed is written through."""

    @property
    def _options(self) -> str:
        return f"-p {self.port} -k {self.folder} -c listen_addresses=127.0.0.1"

    def pid(self) -> int:
        return int((self.data / "postmaster.pid").read_text().split()[0])


@dataclass(frozen=True, slots=True)
class Rate:
    """`cpu_s`, `database_cpu_s`: processor time of one report, of the worker's processes and of PostgreSQL's."""

    per_s: float
    cpu_s: float
    database_cpu_s: float


@dataclass(frozen=True, slots=True)
class Place:
    """A folder and a database; `count` tells how many of its reports are read, `server` is PostgreSQL's process."""

    env: dict[str, str]
    count: Callable[[], int]
    server: int | None


def reports(count: int, size: str) -> Iterator[bytes]:
    """Hours of ten databases; of 1 MB the same again and again but for a comment."""
    if size != "small":
        data = big(1)
        return (data + b"<!-- %d -->" % number for number in range(count))
    databases = fleet(10, 3)
    hours = -(-count // len(databases))
    made = (report_of(one, hour) for one in databases for hour in islice(hours_of(one, 2 * hours), hours))
    return islice(made, count)


@contextmanager
def place(database: str, workers: int) -> Iterator[Place]:
    """One that is up to date, empty, and gone afterwards."""
    var = Path(tempfile.mkdtemp(prefix="awrdiff-bench-"))
    server = Durable() if database == "PostgreSQL" else None
    kept = prepared.without_settings(os.environ)
    env = {**kept, "AWRDIFF_VAR": str(var), "AWRDIFF_LOCAL_USER": "True", "AWRDIFF_WORKERS": str(workers)}
    env |= {"CELERY_SKIP_CHECKS": "True", "PYTHONWARNINGS": "ignore", "AWRDIFF_SECRET_KEY": "k" * 50}
    try:
        if server is not None:
            server.start()
            env["DATABASE_URL"] = server.migrated_database()
        else:
            prepared.manage(env, "migrate", "--verbosity", "0")
        with _asked(env.get("DATABASE_URL"), var) as count:
            yield Place(env, count, server.pid() if server else None)
    finally:
        if server is not None:
            server.close()
        shutil.rmtree(var, ignore_errors=True)


@contextmanager
def _asked(url: str | None, var: Path) -> Iterator[Callable[[], int]]:
    """Over one connection, so that asking costs little."""
    opened = psycopg.connect(url, autocommit=True) if url else sqlite3.connect(var / "awrdiff.sqlite3", timeout=30)
    with closing(opened) as connection:
        yield lambda: int((connection.execute(_READ).fetchone() or (0,))[0])


def rate(database: str, size: str, workers: int) -> Rate:
    with place(database, workers) as at:
        folder = Path(at.env["AWRDIFF_VAR"]) / "import"
        folder.mkdir()
        for number, data in enumerate(reports(SIZES[size], size)):
            (folder / f"{number:05}.html").write_bytes(data)
        prepared.manage({**at.env, "AWRDIFF_PASSWORD": "Odd, and long enough: 47"}, "add_user", "a", "--team", "A")
        prepared.manage(at.env, "import_reports", str(folder))
        started = [_start(at, *_WORKER, "--concurrency", str(workers + 1)), _start(at, "manage.py", "sweep")]
        try:
            until(lambda: at.count() >= _WARM_UP, 120, again_s=0.2)
            before, began = at.count(), time.perf_counter()
            spent, of_database = cpu_s(started[0].pid), cpu_s(at.server)
            until(lambda: at.count() >= SIZES[size], 600, again_s=0.2)
            read, took = SIZES[size] - before, time.perf_counter() - began
            spent, of_database = cpu_s(started[0].pid) - spent, cpu_s(at.server) - of_database
        finally:
            for one in started:
                one.terminate()
            for one in started:
                one.wait(timeout=60)
    return Rate(read / took, spent / read, of_database / read)


def _start(at: Place, *command: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, *command], cwd=ROOT, env=at.env, stdout=subprocess.DEVNULL)


def cpu_s(pid: int | None) -> float:
    """Of a process, those below it, and those of them that have ended."""
    if pid is None:
        return 0.0
    ticks = 0
    for one in (pid, *descendants(pid)):
        try:
            fields = Path(f"/proc/{one}/stat").read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        ticks += sum(map(int, fields[11:15]))  # user and system time, its own and of children it has waited for
    return ticks * _TICK_S

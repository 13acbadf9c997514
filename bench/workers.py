"""How reading spreads over workers: tables of docs/reference/speed.md, measured here and simulated beyond.

Numbers of workers that this machine has no cores for are left out, and counted. What one report costs is measured in
one process (report_costs.py) and is what the simulation (simulated_workers.py) goes by.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator

from bench.simulated_workers import Costs, Machines, Part, simulate
from bench.worker_rate import SIZES, Rate, place, rate
from tests.harness import tools
from tests.harness.server import ROOT

ASKED = (1, 2, 4)
SIMULATED = (1, 2, 4, 8, 16, 32)
ALONE = 40  # reports, of whose costs it is the mean


def run() -> Iterator[str]:
    cores = len(os.sched_getaffinity(0))
    asked = [n for n in ASKED if n <= cores]
    databases = ["SQLite", "PostgreSQL"][: 1 + (tools.postgres_bin() is not None)]
    left_out = f"{len(ASKED) - len(asked)} numbers of workers and {2 - len(databases)} databases left out"
    yield f"{cores} cores, load {os.getloadavg()[0]:.1f} before; {left_out}."
    yield from _head("database", "reports", "workers", "per second", "times one", "CPU ms", "of the database")
    alone: dict[str, Rate] = {}  # one worker and small reports, by database
    for database in databases:
        for size in SIZES:
            of_one = 0.0
            for workers in asked:
                pace = rate(database, size, workers)
                alone.setdefault(database, pace)
                of_one = of_one or pace.per_s
                cells = (f"{pace.per_s:.1f}", f"{pace.per_s / of_one:.2f}", *_ms(pace.cpu_s, pace.database_cpu_s))
                yield _row(database, size, workers, *cells)
    yield from _head("database", "a small report", "CPU ms", "waits for the database, ms", "statements")
    for database in databases:
        costs = _costs(database, alone[database])
        under_locks = {"turn, under its locks": costs.turn, "placing, under its lock": costs.placing}
        for name, part in {**costs.parts, "all": costs.all, **under_locks}.items():
            yield _row(database, name, *_ms(part.cpu_s, part.waited_s), f"{part.statements:.1f}")
    if len(databases) > 1:
        yield from _simulated(costs, Machines(_written_through_s(), alone[databases[-1]].database_cpu_s))


def _simulated(costs: Costs, machines: Machines) -> Iterator[str]:
    way, commit = _ms(machines.way_s, machines.commit_s)
    yield f"\nSimulated: PostgreSQL has {machines.cores} cores; the way there and back {way} ms, a commit {commit} ms."
    shown = ("per second", "waits for a lock", "PostgreSQL busy")
    yield from _head("workers", *(f"{who}: {what}" for who in ("one team", "eight teams") for what in shown))
    for workers in SIMULATED:
        results = [simulate(costs, machines, workers, teams) for teams in (1, 8)]
        cells = [(f"{one.per_s:.0f}", f"{one.locked:.0%}", f"{one.busy:.0%}") for one in results]
        yield _row(workers, *cells[0], *cells[1])


def _costs(database: str, alone: Rate) -> Costs:
    """By part; what a worker of its own takes beyond these is the confined process, Celery and its messages."""
    with place(database, 1) as at:
        command = [sys.executable, "-m", "bench.report_costs", str(ALONE)]
        done = subprocess.run(command, cwd=ROOT, env=at.env, stdout=subprocess.PIPE, check=True, timeout=600)
    costs = json.loads(done.stdout)
    parts = {name: Part(**part) for name, part in costs["parts"].items()}
    beyond = alone.cpu_s - sum(part.cpu_s for part in parts.values())
    return Costs(
        {**parts, "processes, messages": Part(max(0.0, beyond))}, Part(**costs["turn"]), Part(**costs["placing"])
    )


def _written_through_s() -> float:
    """What a commit waits for: a page of the log on this disk."""
    taken = []
    with tempfile.TemporaryFile() as file:
        for _ in range(50):
            began = time.perf_counter()
            os.pwrite(file.fileno(), bytes(8192), 0)
            os.fdatasync(file.fileno())
            taken.append(time.perf_counter() - began)
    return statistics.median(taken)


def _head(*names: str) -> Iterator[str]:
    yield f"\n{_row(*names)}"
    yield _row(*(["---"] * len(names)))


def _ms(*seconds: float) -> list[str]:
    return [f"{1000 * one:.1f}" for one in seconds]


def _row(*cells: object) -> str:
    return f"| {' | '.join(map(str, cells))} |"

"""What a report costs a server with PostgreSQL, and what follows for many: the figures of docs/scaling.md.

Measured (bench/store_costs.py) in an empty store and in one of DAYS days of DATABASES databases, which report hourly.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from bench.line import own_work_s
from bench.worker_rate import place
from tests.harness import tools
from tests.harness.server import ROOT

DATABASES, DAYS = 10, 90
WHOLE_DAYS, WORST = 70, 2  # thinning, which first looks at what came two days before
STEPS = ("sending", "reading", "measuring")


@dataclass(frozen=True, slots=True)
class ReportingFleet:
    """Databases that report `a_day` times."""

    databases: int
    a_day: int

    def reports(self, days: int, whole_days: int | None = None, worst: int = 0) -> int:
        """How many there are after so many days; of those before the last `whole_days` the `worst` of each remain."""
        whole = days if whole_days is None else min(days, whole_days)
        return self.databases * (self.a_day * whole + worst * (days - whole))


def run() -> Iterator[str]:
    """A table, of what docs/scaling.md says."""
    if tools.postgres_bin() is None:
        return
    load = os.getloadavg()[0]
    with place("PostgreSQL", 1) as at:
        command = [sys.executable, "-m", "bench.store_costs", *map(str, (DATABASES, DAYS, at.server))]
        done = subprocess.run(command, cwd=ROOT, env=at.env, stdout=subprocess.PIPE, check=True)
    costs: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    machine = f"{1000 * own_work_s():.0f} ms, load {load:.1f} to {os.getloadavg()[0]:.1f}"
    yield f"The machine's own work: {machine}.\n"
    yield "| what | measured |"
    yield "|---|---:|"
    for name, value in {**costs, **extrapolated(costs)}.items():
        yield f"| {name} | {float(f'{value:.3g}'):,.10g} |"


def extrapolated(costs: Mapping[str, float]) -> dict[str, float]:
    """Of 1,000 reports a day, and of 300 databases that report hourly, after a year."""
    cpu_ms = sum(costs[f"{step} of many, ms"] for step in STEPS)
    each = costs["file, bytes"] + costs["database, bytes"]
    fleet = ReportingFleet(300, 24)
    figures = {
        "1,000 reports a day: processor time, s": cpu_ms,
        "1,000 reports a day: disk, MB a day": 1000 * each / 1e6,
        "300 databases: processor time, s an hour": 300 * cpu_ms / 1000,
    }
    for name, reports in (
        ("all", fleet.reports(365)),
        (f"thinned to {WORST} a day", fleet.reports(365, WHOLE_DAYS + 2, WORST)),
    ):
        figures[f"300 databases after a year, {name}: reports"] = reports
        figures[f"300 databases after a year, {name}: disk, GB"] = reports * each / 1e9
        for kind in ("processor time", "by the clock"):
            hours = reports / 1000 * costs[f"backup of 1,000 reports, {kind}, s"] / 3600
            figures[f"300 databases after a year, {name}: one backup, {kind}, h"] = hours
    return figures

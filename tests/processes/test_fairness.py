"""Many workers at the same rows: each row once, no team beyond its half; on SQLite and on PostgreSQL."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from fixtures.writer import big
from tests.harness import prepared
from tests.harness.server import ROOT, Client, Server
from tests.processes.files import CASES

pytestmark = [pytest.mark.processes]
ROWS = 40
PASSWORD = "Long enough, and odd: 47"
PREPARE = f"""
import django; django.setup()
from awrdiff.accounts.models import Team
from awrdiff.processing.work_claims import enqueue_values
from awrdiff.reports.models import Report
for name in ("A", "B"):
    team = Team.objects.create(name=name)
    for n in range({ROWS}):
        Report.objects.create(team=team, name=str(n), size=n, sha256=str(n), file=str(n), **enqueue_values())
"""


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
def env(request: pytest.FixtureRequest, tmp_path: Path) -> dict[str, str]:
    kept = {k: v for k, v in os.environ.items() if k not in ("DATABASE_URL", "REDIS_URL") and "AWRDIFF_" not in k}
    made = {**kept, "AWRDIFF_VAR": str(tmp_path), "DJANGO_SETTINGS_MODULE": "awrdiff.settings", "AWRDIFF_WORKERS": "4"}
    if request.param == "postgresql":
        made["DATABASE_URL"] = request.getfixturevalue("postgres").migrated_database()
    prepared.put_into(tmp_path, {**made, "AWRDIFF_LOCAL_USER": "False"})
    return made


def test_no_row_is_taken_twice_and_no_team_has_more_than_half(env):
    subprocess.run([sys.executable, "-c", PREPARE], cwd=ROOT, env=env, check=True, timeout=120)
    command = [sys.executable, "-m", "tests.processes.claimers"]
    claimers = [subprocess.Popen(command, cwd=ROOT, env=env, stdout=subprocess.PIPE) for _ in range(4)]
    told = [json.loads(line) for one in claimers for line in one.communicate(timeout=120)[0].splitlines()]
    assert all(one.returncode == 0 for one in claimers)
    assert Counter(one["pk"] for one in told).most_common(1)[0][1] == 1
    assert len(told) == 2 * ROWS
    assert max(one["running"] for one in told) == 2


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    """With accounts, and a member in each of two teams."""
    made = Server(tmp_path, AWRDIFF_LOCAL_USER="False", AWRDIFF_HTTPS="False", AWRDIFF_ALLOWED_HOSTS="localhost")
    made.start(120)
    for name, team in (("anna", "A"), ("berta", "B")):
        command = [sys.executable, "manage.py", "add_user", name, "--team", team]
        subprocess.run(command, cwd=ROOT, env={**made.env, "AWRDIFF_PASSWORD": PASSWORD}, check=True)
    yield made
    made.stop()


def signed_in(server: Server, name: str) -> Client:
    client = Client(server.url)
    client.page("/login/")
    assert client.post("/login/", [("login", name), ("password", PASSWORD)]).status == 200
    client.page("/")
    return client


def test_a_small_file_does_not_wait_for_anothers_large_ones(server):
    anna, berta = signed_in(server, "anna"), signed_in(server, "berta")
    data = big(5)
    large = [anna.upload(f"{n}.html", data + b"<!-- %d -->" % n).json["url"] for n in range(8)]
    small = berta.upload("small.html", (CASES / "before.html").read_bytes()).json["url"]
    assert berta.settled(small, 60)["state"] == "ready"
    states = [anna.get(url).json["state"] for url in large]
    assert states.count("ready") <= 6, states
    assert states.count("running") <= 1, states
    assert [anna.settled(url, 120)["state"] for url in large] == ["ready"] * 8

"""deploy/compose.yaml without containers: its commands with its environment, on a PostgreSQL and a Redis of the tests."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.harness import prepared
from tests.harness.server import ROOT, Client, until
from tests.harness.services import Postgres, Redis, free_port
from tests.processes.files import two_reports
from tests.unit.test_deploy import COMPOSE, CONTAINERFILE

pytestmark = [pytest.mark.processes, pytest.mark.postgres, pytest.mark.redis]
PASSWORD = "seven lamps of green tin"


@pytest.fixture
def env(postgres: Postgres, redis: Redis, tmp_path: Path) -> dict[str, str]:
    """That of compose and of the image; only where things are is of the tests."""
    image = dict(re.findall(r"^\s+(AWRDIFF_[A-Z_]+)=(\S+)", CONTAINERFILE, re.M))
    there = {"DATABASE_URL": postgres.new_database(), "REDIS_URL": redis.url, "AWRDIFF_VAR": str(tmp_path)}
    given = {"AWRDIFF_SECRET_KEY": "k" * 64, "AWRDIFF_ALLOWED_HOSTS": "localhost", "AWRDIFF_HTTPS": "False"}
    known = image | COMPOSE["services"]["web"]["environment"] | there | given
    return {**prepared.without_settings(os.environ), **known, "PORT": str(free_port()), "AWRDIFF_PASSWORD": PASSWORD}


def run(env: dict[str, str], *command: str) -> None:
    subprocess.run([sys.executable, *command], cwd=ROOT, env=env, check=True, timeout=120)


@pytest.fixture
def running(env: dict[str, str], tmp_path: Path) -> Iterator[Client]:
    services = COMPOSE["services"]
    run(env, *services["prepare"]["command"][1:])
    run(env, "manage.py", "add_user", "olivia", "--team", "Payments")
    started = []
    with (tmp_path / "log").open("wb") as log:
        for name in ("web", "worker", "sweeper"):
            assert "prepare" in services[name]["depends_on"]
            command = [sys.executable, *services[name]["command"][1:]]
            started.append(subprocess.Popen(command, cwd=ROOT, env=env, stdout=log, stderr=log))
        yield Client(f"http://localhost:{env['PORT']}")
        for process in started:
            process.terminate()
        for process in started:
            process.wait(timeout=60)


def test_what_is_uploaded_is_read_and_compared(running: Client, tmp_path: Path) -> None:
    said: list[object] = []

    def is_well() -> bool:
        try:
            answer = running.get("/readyz")
        except OSError as error:
            said[:] = [error]
            return False
        said[:] = [answer.body]
        return answer.json["status"] == "ok"

    until(is_well, 90, what=lambda: f"{said} {(tmp_path / 'log').read_text()}")
    running.page("/login/")
    assert running.post("/login/", [("login", "olivia"), ("password", PASSWORD)]).status == 200
    before, after = (running.upload(name, data).json["id"] for name, data in zip("ab", two_reports(), strict=True))
    assert running.settled(running.compare(before, after))["state"] == "ready"


def test_a_database_made_where_no_locale_was_set_is_refused(env: dict[str, str], postgres: Postgres) -> None:
    env["DATABASE_URL"] = postgres.new_database("template0", "SQL_ASCII")
    prepare = COMPOSE["services"]["prepare"]["command"][1:]
    done = subprocess.run([sys.executable, *prepare], cwd=ROOT, env=env, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert re.fullmatch(r"awrdiff: The database keeps text as SQL_ASCII, .*--encoding UTF8\.\n", done.stderr)

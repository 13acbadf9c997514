"""Uploading, deleting and processing at the same moment, on SQLite and on PostgreSQL; the races are in races.py."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.harness import prepared
from tests.harness.server import ROOT

pytestmark = [pytest.mark.processes]


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        prepared.put_into(tmp_path, {**os.environ, "AWRDIFF_LOCAL_USER": "False"})
        return f"sqlite:///{tmp_path / 'awrdiff.sqlite3'}"
    return request.getfixturevalue("postgres").migrated_database()


def race(name: str, rounds: int, database: str) -> dict:
    env = {k: v for k, v in os.environ.items() if not k.startswith(("PYTEST_", "AWRDIFF_", "DJANGO_"))}
    command = [sys.executable, "-m", "tests.processes.races", name, str(rounds)]
    env["AWRDIFF_TEST_DATABASE_URL"] = database
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-4000:]
    return json.loads(done.stdout.splitlines()[-1])


def test_an_upload_that_was_answered_201_never_loses_its_file(database):
    """400 rounds of uploading the same bytes and deleting them, by four threads of each of two processes."""
    found = race("files", 50, database)
    assert found["wrong"] == []
    assert found["uploaded"] + found.get("refused", 0) == 400
    assert found["kept"] > 10
    assert found["deleted, 204"] == found["uploaded"] - found["kept"]


def test_deleting_during_processing_is_answered(database):
    found = race("deleting", 60, database)
    assert found["wrong"] == [], found
    assert found["delete 204"] + found.get("delete 404", 0) >= 60


def test_the_same_pair_at_one_moment_is_one_comparison(database):
    found = race("twice", 20, database)
    assert found == {"answers": {"201": 160}, "pairs": 20, "made": 20, "wrong": []}


def test_what_is_said_by_many_at_once_is_there_once(database):
    found = race("talking", 15, database)
    answers = found["answers"]
    assert set(answers) == {"said 200", "said 201", "state 200"}, answers
    assert (answers["said 201"], answers["said 200"]) == (60, 60)
    assert (found["said"], found["different"], found["threads"]) == (60, 60, 1)
    assert found["version"] >= 61  # each is heard of


def test_old_reports_go_once_whoever_is_killed_compares_or_deletes_meanwhile(database):
    found = race("thinning", 5, database)
    assert found["wrong"] == [], found
    assert found["lines"] == 1
    assert min(found["thinned"], found["compared"], found["answers"]["deleted 204"]) > 5, found
    assert set(found["answers"]) <= {
        f"{what} {status}" for what in ("compared", "deleted") for status in (201, 204, 404, 400)
    }

"""The tests of pages, access and processing once more, with PostgreSQL instead of SQLite."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.harness.server import ROOT
from tests.harness.services import Postgres

# Hostile input and real reports say nothing of the database; walks through every address are walked once.
WHICH = [
    ("-n", "2", "-m", "not hostile and not corpus and not thorough", "tests/web"),
    ("-n", "0", "tests/web/test_migrations.py"),
]
pytestmark = [pytest.mark.processes, pytest.mark.postgres]


@pytest.mark.parametrize("which", WHICH, ids=["web", "migrations"])
def test_the_web_tests_pass_on_postgresql(postgres: Postgres, which: tuple[str, ...]):
    env = {k: v for k, v in os.environ.items() if not k.startswith(("PYTEST_", "AWRDIFF_TALLY"))}
    env["AWRDIFF_TEST_DATABASE_URL"] = postgres.new_database()
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-x", *which]
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, timeout=840)
    assert done.returncode == 0, done.stdout[-4000:]

"""The tests of pages, access and processing once more, with PostgreSQL instead of SQLite."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.harness.server import ROOT
from tests.harness.services import Postgres

WHICH = ("-m", "not hostile and not corpus")  # those say nothing of the database
pytestmark = [pytest.mark.processes, pytest.mark.postgres]


def test_the_web_tests_pass_on_postgresql(postgres: Postgres):
    env = {k: v for k, v in os.environ.items() if not k.startswith(("PYTEST_", "AWRDIFF_TALLY"))}
    env["AWRDIFF_TEST_DATABASE_URL"] = postgres.new_database()
    command = [sys.executable, "-m", "pytest", "-q", "-n", "2", "-p", "no:cacheprovider", "-x", *WHICH, "tests/web"]
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, timeout=840)
    assert done.returncode == 0, done.stdout[-4000:]

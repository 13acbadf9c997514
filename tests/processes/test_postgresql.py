"""The tests of pages, access and processing once more, with PostgreSQL instead of SQLite.

Run again is what sends anything that no other test sends, where the fast tests were run before (tests/harness/sent.py),
and everything where they were not: in the length of texts and the size of numbers, in NUL, letters of either case, the
place of NULL, JSON and bytes, in constraints and triggers, and in a transaction that goes on after an error or does not,
the two differ. Hostile input, real reports and walks through everything are not run again. Migrations run on PostgreSQL
in test_tables.py, and over what older versions stored in test_takeover.py.
"""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.harness.server import ROOT
from tests.harness.services import Postgres

FILES = sorted(str(path.relative_to(ROOT)) for path in (ROOT / "tests" / "web").glob("test_*.py"))
CHOSEN = ("-m", "not hostile and not corpus and not thorough")
WHICH = {  # in two parts: each has its time
    "first half": (*CHOSEN, *FILES[: len(FILES) // 2]),
    "second half": (*CHOSEN, *FILES[len(FILES) // 2 :]),
}
pytestmark = [pytest.mark.processes, pytest.mark.postgres]


@pytest.mark.parametrize("which", WHICH)
def test_the_web_tests_pass_on_postgresql(postgres: Postgres, which: str):
    """In one process: the other core has other files to run meanwhile."""
    if python := os.environ.get("AWRDIFF_POSTGRESQL_WITH"):
        pytest.skip(f"the web tests run on PostgreSQL with {python}")
    env = {k: v for k, v in os.environ.items() if not k.startswith(("PYTEST_", "AWRDIFF_TALLY"))}
    env["AWRDIFF_TEST_DATABASE_URL"] = postgres.new_database()
    command = [sys.executable, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", "-x", *WHICH[which]]
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, timeout=840)
    assert done.returncode == 0, done.stdout[-4000:]

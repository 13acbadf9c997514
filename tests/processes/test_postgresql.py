"""The tests of pages, access and processing once more, with PostgreSQL instead of SQLite.

Run again is what stores, finds, orders, counts, locks or deletes: there the two differ, in the length of texts and the
size of numbers, in NUL, letters of either case, the place of NULL, JSON and bytes, in constraints and triggers, and in a
transaction that goes on after an error or does not. Left out is what would say the same again: hostile input and real
reports, and what stands in LEFT_OUT. Whatever is new is run again as long as nobody puts it there.
"""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.harness.server import ROOT
from tests.harness.services import Postgres

# Walks of one role after another to every address (the owner's and those that write are enough), pages drawn from what is
# stored, bytes and memory, and modules that ask no database. The statements they send, those that are run again send too.
LEFT_OUT = (
    "test_every_address and not test_members_may and not test_what_writes_does_write",
    *("test_nor_does_what_is_said_there", "test_pages_of_what_lacks_a_part"),
    *("test_pages_commit", "test_pages_entities", "test_pages_ash"),
    *("test_what_is_held_does_not_grow_with_what_was_said", "test_what_is_streamed_is_the_same_bytes"),
    *("test_the_parts_hold_every_row_once", "test_memory_of_an_export_is_that_of_some_blocks"),
    *("test_documents", "test_pages_format", "test_what_if_saved", "test_commit_words", "test_confined"),
)
AGAIN = " and ".join(f"not ({names})" for names in LEFT_OUT)
FILES = sorted(str(path.relative_to(ROOT)) for path in (ROOT / "tests" / "web").glob("test_*.py"))
# As the fast tests: tables from the models, which the migrations below make the same.
CHOSEN = ("--nomigrations", "-m", "not hostile and not corpus and not thorough", "-k", AGAIN)
WHICH = {  # in two parts: each has its time
    "web, first half": (*CHOSEN, *FILES[: len(FILES) // 2]),
    "web, second half": (*CHOSEN, *FILES[len(FILES) // 2 :]),
    "migrations": ("tests/web/test_migrations.py",),
}
pytestmark = [pytest.mark.processes, pytest.mark.postgres]


@pytest.mark.parametrize("which", WHICH)
def test_the_web_tests_pass_on_postgresql(postgres: Postgres, which: str):
    """In one process: the other core has other files to run meanwhile."""
    if (version := os.environ.get("AWRDIFF_POSTGRESQL_WITH")) and which != "migrations":
        pytest.skip(f"the web tests run on PostgreSQL with Python {version}")
    env = {k: v for k, v in os.environ.items() if not k.startswith(("PYTEST_", "AWRDIFF_TALLY"))}
    env["AWRDIFF_TEST_DATABASE_URL"] = postgres.new_database()
    command = [sys.executable, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", "-x", *WHICH[which]]
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, timeout=840)
    assert done.returncode == 0, done.stdout[-4000:]

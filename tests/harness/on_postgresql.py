"""`python -m tests.harness.on_postgresql COMMAND…`: a command whose Django tests run on a PostgreSQL of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.harness.services import Postgres

# Files of tests/web that are not run again: walks of one role after another to every address, pages drawn from what is
# stored, bytes and memory, and modules that ask no database. What they send, those that are run again send too.
LEFT_OUT = (
    *("api_addresses", "every_address", "every_address_without_accounts", "reader_pages", "token_scopes"),
    *("baselines", "bounded", "confined", "documents", "link_rate", "parts", "storage", "streams", "traces"),
    *("pages_ash", "pages_cases", "pages_commit", "pages_comparison", "pages_entities", "pages_export", "pages_format"),
    *("link_passwords", "postmortems_taken_away", "shown_names", "sign_in", "thread_places"),
    *("incident_comment_links", "redacted_comment_links", "redacted_incidents"),
)
WRITES = "tests/web/test_every_address.py::test_what_writes_does_write"  # of all that is left out
WEB = Path(__file__).parents[1] / "web"


def again() -> list[str]:
    """What of tests/web is run on PostgreSQL too."""
    left_out = {f"test_{name}.py" for name in LEFT_OUT}
    files = [str(path.relative_to(WEB.parents[1])) for path in WEB.glob("test_*.py") if path.name not in left_out]
    return [*sorted(files), WRITES]


def main(command: list[str]) -> int:
    """The status of the command. Raises AssertionError where PostgreSQL is not installed."""
    server = Postgres()
    server.start()
    try:
        return subprocess.run(
            command, env={**os.environ, "AWRDIFF_TEST_DATABASE_URL": server.new_database()}
        ).returncode
    finally:
        server.close()


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))

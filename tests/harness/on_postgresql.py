"""`python -m tests.harness.on_postgresql COMMAND…`: a command whose Django tests run on a PostgreSQL of its own."""

from __future__ import annotations

import os
import subprocess
import sys

from tests.harness.services import Postgres


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

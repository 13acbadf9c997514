"""What PostgreSQL plans for the pages of 100,000 reports, once it has counted them (ANALYZE)."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from tests.harness.server import ROOT
from tests.harness.services import Postgres

pytestmark = [pytest.mark.processes, pytest.mark.postgres]


def test_no_page_reads_a_whole_table_that_grows(postgres: Postgres):
    env = {**os.environ, "AWRDIFF_TEST_DATABASE_URL": postgres.migrated_database()}
    command = [sys.executable, "-m", "tests.harness.plans"]
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-4000:]
    pages = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(pages) >= 20
    assert {one["page"]: one["walked"] for one in pages if one["walked"]} == {}

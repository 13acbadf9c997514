"""A new database, made from the models by `prepare`, and one that all migrations made are the same."""

from __future__ import annotations

import os
import re
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

import pytest

from tests.harness import prepared
from tests.harness.services import Postgres

pytestmark = [pytest.mark.processes]
# A renamed table's indexes and checks keep their names; an id is a bigint in a table of Django's that nothing uses.
OTHERWISE = re.compile(r"accounts_(failedsignins|spent)_|TABLE public\.auth_group_permissions|restrict ")


def test_of_sqlite(tmp_path):
    migrated, new = (_sqlite(_made(tmp_path / how, how) / "awrdiff.sqlite3") for how in ("migrate", "prepare"))
    assert len(migrated) > 400
    assert migrated == new


@pytest.mark.postgres
def test_of_postgresql(postgres: Postgres, tmp_path):
    urls = postgres.migrated_database(), postgres.new_database()
    _made(tmp_path / "var", "prepare", DATABASE_URL=urls[1])
    migrated, new = (_postgresql(postgres, url) for url in urls)
    assert len(migrated) > 700
    assert migrated == new


def _made(var: Path, how: str, **settings: str) -> Path:
    accounts = {"AWRDIFF_VAR": str(var), "AWRDIFF_LOCAL_USER": "False", "AWRDIFF_SECRET_KEY": "a key of the tests"}
    var.mkdir()
    prepared.manage({**prepared.without_settings(os.environ), **accounts, **settings}, how)
    return var


def _sqlite(path: Path) -> set[str]:
    with closing(sqlite3.connect(path)) as database:
        schema = [sql for (sql,) in database.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL")]
        return _statements(schema) | {repr(row) for row in database.execute("SELECT app, name FROM django_migrations")}


def _postgresql(postgres: Postgres, url: str) -> set[str]:
    schema = _run(postgres, "pg_dump", "--schema-only", "--no-owner", "--no-comments", url)
    applied = _run(postgres, "psql", "-Atc", "SELECT app, name FROM django_migrations", url).splitlines()
    return _statements(re.split(r";\n|^--.*\n", schema, flags=re.MULTILINE)) | set(applied)


def _run(postgres: Postgres, program: str, *arguments: str) -> str:
    command = [str(postgres.bin / program), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def _statements(schema: list[str]) -> set[str]:
    """Each with its columns in no order."""
    return {
        ", ".join(sorted(part.rstrip(",() ") for part in re.split(r", | \( ?", " ".join(sql.split()))))
        for sql in schema
        if not OTHERWISE.search(sql)
    }

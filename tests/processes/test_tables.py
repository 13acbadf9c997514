"""A new database, made from the models by `prepare`, and one that all migrations made are the same."""

from __future__ import annotations

import os
import re
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from tests.harness import prepared
from tests.harness.services import Postgres

pytestmark = [pytest.mark.processes]
# A renamed table's indexes and checks keep their names; an id is a bigint in a table of Django's that nothing uses.
_ROWS = (
    "SELECT app, name FROM django_migrations UNION SELECT app_label, model FROM django_content_type"
    " UNION SELECT codename, name FROM auth_permission"
)
_CUT = """
import os
import django
os.environ["DJANGO_SETTINGS_MODULE"] = "awrdiff.settings"
django.setup()
from awrdiff.serving import startup_preparation
startup_preparation.emit_post_migrate_signal = lambda **_: os._exit(9)
startup_preparation.make_tables()
"""
OTHERWISE = re.compile(r"accounts_(failedsignins|spent)_|TABLE public\.auth_group_permissions|restrict ")


def test_of_sqlite(tmp_path):
    migrated, new = (_sqlite(_made(tmp_path / how, how) / "awrdiff.sqlite3") for how in ("migrate", "prepare"))
    assert len(migrated) > 400
    assert migrated == new


def test_an_end_before_the_last_step_leaves_nothing_out(tmp_path):
    """The signal makes content types and permissions anew; migrations that are applied are not run again."""
    (tmp_path / "var").mkdir()
    cut = [sys.executable, "-c", _CUT]
    assert subprocess.run(cut, env=_env(tmp_path / "var"), cwd=prepared.ROOT, check=False).returncode == 9
    with closing(sqlite3.connect(tmp_path / "var/awrdiff.sqlite3")) as database:
        kinds = "SELECT type, count(*) FROM sqlite_master WHERE name LIKE 'search%' GROUP BY 1"
        counts = dict(database.execute(kinds).fetchall())
    assert counts["table"] > 3
    assert counts["trigger"] > 3


@pytest.mark.postgres
def test_of_postgresql(postgres: Postgres, tmp_path):
    urls = postgres.migrated_database(), postgres.new_database()
    _made(tmp_path / "var", "prepare", DATABASE_URL=urls[1])
    migrated, new = (_postgresql(postgres, url) for url in urls)
    assert len(migrated) > 700
    assert migrated == new


def _made(var: Path, how: str, **settings: str) -> Path:
    var.mkdir()
    prepared.manage({**_env(var), **settings}, how)
    return var


def _env(var: Path) -> dict[str, str]:
    accounts = {"AWRDIFF_VAR": str(var), "AWRDIFF_LOCAL_USER": "False", "AWRDIFF_SECRET_KEY": "a key of the tests"}
    return {**prepared.without_settings(os.environ), **accounts}


def _sqlite(path: Path) -> set[str]:
    with closing(sqlite3.connect(path)) as database:
        schema = [sql for (sql,) in database.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL")]
        tables = [
            name
            for (name,) in database.execute(
                "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
            )
        ]
        counts = {f"{name}: {database.execute(f'SELECT count(*) FROM {name}').fetchone()[0]}" for name in tables}
        return _statements(schema) | counts | {repr(row) for row in database.execute(_ROWS)}


def _postgresql(postgres: Postgres, url: str) -> set[str]:
    schema = _run(postgres, "pg_dump", "--schema-only", "--no-owner", "--no-comments", url)
    applied = _run(postgres, "psql", "-Atc", _ROWS, url).splitlines()
    return _statements(re.split(r";\n|^--.*\n", schema, flags=re.MULTILINE)) | set(applied)


def _run(postgres: Postgres, program: str, *arguments: str) -> str:
    command = [str(postgres.bin / program), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def _statements(schema: list[str]) -> set[str]:
    """Each in one line; a table's columns in no order, those of an index in theirs."""
    lines = (" ".join(sql.split()) for sql in schema if not OTHERWISE.search(sql))
    return {
        ", ".join(sorted(part.rstrip(",() ") for part in re.split(r", | \( ?", line)))
        if line.startswith("CREATE TABLE")
        else line
        for line in lines
    }

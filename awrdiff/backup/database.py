"""The database as one file, by SQLite's backup API or pg_dump, and back into an empty one."""

from __future__ import annotations

import os
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

from django.apps import apps
from django.db import connection, transaction
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

from awrdiff import storage
from awrdiff.backup.archive import BackupTrouble, damage
from awrdiff.processing.models import Heartbeat
from awrdiff.reports.models import Report
from awrdiff.search import name_search
from awrdiff.threads.models import Attachment

_FILES_NAMED = " UNION ".join(  # each file once, though reports that older versions stored share some
    f"SELECT file FROM {model._meta.db_table} WHERE file <> ''"  # noqa: S608
    for model in (Report, Attachment)
)


def kind() -> str:
    """`sqlite` or `postgresql`."""
    return connection.vendor


def copy_to(path: Path) -> list[str]:
    """Copy one moment's database; returns the files it names. Raises BackupTrouble."""
    if kind() == "sqlite":
        connection.ensure_connection()
        try:
            with closing(sqlite3.connect(path)) as copied:
                connection.connection.backup(copied)
                copied.execute("PRAGMA journal_mode=DELETE")  # all of it is in the one file then
                return [name for (name,) in copied.execute(_FILES_NAMED)]
        except sqlite3.Error as error:
            raise BackupTrouble(f"The database cannot be copied: {error}.") from error
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        cursor.execute("SELECT pg_export_snapshot()")
        (snapshot,) = cursor.fetchone()
        # Not packed: what it goes into is.
        _run("pg_dump", "--format=custom", "--compress=0", *_UNOWNED, f"--snapshot={snapshot}", f"--file={path}")
        return named_files()


def named_files() -> list[str]:
    """Stored files that it names, each once."""
    with connection.cursor() as cursor:
        cursor.execute(_FILES_NAMED)
        return [name for (name,) in cursor.fetchall()]


def migrations() -> list[str]:
    """awrdiff's own apps only; settings bring in others."""
    own = {app.label for app in apps.get_app_configs() if app.name.startswith("awrdiff.")}
    applied = MigrationRecorder(connection).applied_migrations()
    return sorted(f"{app}.{name}" for app, name in applied if app in own)


def unknown(migrations: list[str]) -> list[str]:
    """Migrations that this version lacks."""
    return sorted(set(migrations) - {f"{app}.{name}" for app, name in MigrationLoader(None).disk_migrations})


def is_empty() -> bool:
    return not connection.introspection.table_names()


def put(path: Path) -> None:
    """Replaces the database, all or nothing. Raises BackupTrouble."""
    if kind() == "sqlite":
        try:
            with closing(sqlite3.connect(path)) as copied:
                (verdict,) = copied.execute("PRAGMA quick_check(1)").fetchone()
        except sqlite3.Error as error:
            verdict = str(error)
        if verdict != "ok":
            raise damage(f"its database is none ({verdict})")
        connection.close()
        place = Path(connection.settings_dict["NAME"])
        for beside in ("-wal", "-shm"):  # of the empty one
            place.with_name(place.name + beside).unlink(missing_ok=True)
        storage.sync(path)
        path.replace(place)
        storage.sync(place.parent)
    else:
        connection.close()  # it may have been idle for long
        with NamedTemporaryFile("w", suffix=".list") as entries:
            # Indexes of names are made anew: their extension needs rights that may be lacking.
            extension = (f" EXTENSION - {name_search.EXTENSION}", f" COMMENT - EXTENSION {name_search.EXTENSION}")
            left_out = (*extension, *(f" {index.rows} " for index in name_search.ALL))
            for line in _run("pg_restore", "--list", str(path), connects=False).splitlines(keepends=True):
                entries.write("" if any(part in line for part in left_out) else line)
            entries.flush()
            alone = ("--single-transaction", "--exit-on-error", *_UNOWNED)
            _run("pg_restore", *alone, f"--use-list={entries.name}", str(path))
        name_search.make(connection)


_UNOWNED = ("--no-owner", "--no-privileges")


def _run(program: str, *arguments: str, connects: bool = True) -> str:
    """The password stays out of the process list."""
    from psycopg.conninfo import make_conninfo  # noqa: PLC0415 - only where PostgreSQL is used

    options: dict[str, Any] = connection.get_connection_params()
    parts = ("host", "port", "user", "dbname", "sslmode", "sslrootcert", "sslcert", "sslkey", "service")
    where = make_conninfo("", **{name: options[name] for name in parts if options.get(name)})
    password = options.get("password")
    try:
        done = subprocess.run(  # noqa: S603 - our own arguments
            [program, *([f"--dbname={where}"] if connects else []), *arguments],
            check=True,
            capture_output=True,
            text=True,
            errors="replace",
            env={**os.environ, **({"PGPASSWORD": password} if password else {})},
        )
    except FileNotFoundError:
        raise BackupTrouble(f"{program} is not installed: the package postgresql-client has it.") from None
    except subprocess.CalledProcessError as error:
        lines = error.stderr.strip().splitlines() or ["no reason given"]
        reason = next((line for line in lines if "error:" in line), lines[-1])
        raise BackupTrouble(f"{program} failed: {reason}") from error
    return done.stdout


def forget_signs_of_life() -> None:
    """Delete heartbeats from the backup's time."""
    Heartbeat.objects.all().delete()

"""Checks that `manage.py prepare` was run for the version that starts here."""

from __future__ import annotations

import hashlib
from pathlib import Path

from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from django.contrib.staticfiles.storage import staticfiles_storage
from django.core.exceptions import ImproperlyConfigured
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor

from awrdiff.backup import database

FIRST_MIGRATION = "contenttypes.0001_initial"  # where it is pending, the database is empty


def pending_migrations() -> list[str]:
    """`app.name` of each, including those of apps that a setting brings in (single sign-on)."""
    executor = MigrationExecutor(connection)
    return [f"{m.app_label}.{m.name}" for m, _ in executor.migration_plan(executor.loader.graph.leaf_nodes())]


def refuse_later() -> None:
    """Raises ImproperlyConfigured for a database that a later version migrated."""
    if later := database.unknown(database.migrations()):
        raise ImproperlyConfigured(
            f"The database was brought up to date by a later awrdiff (it has {later[0]}): start that version, or "
            "restore a backup of before into an empty place with this one."
        )


def fingerprint_file() -> Path:
    """Path of the fingerprint of the collected static files."""
    return Path(settings.STATIC_ROOT) / ".collected"


def fingerprint() -> str:
    """Hash of names, sizes, times and storage of all static files."""
    digest = hashlib.sha256(repr(settings.STORAGES["staticfiles"]).encode())
    for finder in get_finders():
        for name, storage in finder.list([]):
            facts = Path(storage.path(name)).stat()
            digest.update(f"{name} {facts.st_size} {facts.st_mtime_ns}\n".encode())
    return digest.hexdigest()


def refuse_encoding() -> None:
    """Raises ImproperlyConfigured for an empty database that cannot keep every letter, as PostgreSQL makes them where
    no locale is set: it would refuse reports one by one.
    """
    if connection.vendor != "postgresql":
        return
    with connection.cursor() as cursor:
        cursor.execute("SHOW server_encoding")
        (encoding,) = cursor.fetchone()
    if encoding != "UTF8":
        raise ImproperlyConfigured(
            f"The database keeps text as {encoding}, which has no place for every letter: make one by createdb "
            "--template template0 --encoding UTF8."
        )


def refuse_without_key() -> None:
    """Raises ImproperlyConfigured: a made-up key is valid for this process only."""
    if not settings.SECRET_KEY_IS_GIVEN:
        raise ImproperlyConfigured(
            "AWRDIFF_SECRET_KEY must be set, the same for every process (bin/serve keeps one in var/secret_key)."
        )


def refuse_unmigrated() -> None:
    """Raises ImproperlyConfigured naming what is missing. A database that is away may still come: no refusal."""
    try:
        refuse_later()
        pending = pending_migrations()
    except DatabaseError:
        return
    if pending:
        more = f" and {len(pending) - 1} more" if len(pending) > 1 else ""
        raise ImproperlyConfigured(
            f"The database is not up to date ({pending[0]}{more}): run manage.py prepare, then start again."
        )


def refuse_unprepared() -> None:
    """Refuse also without styles and scripts, for processes that answer requests. Those collected by hand have no
    fingerprint and pass.
    """
    refuse_unmigrated()
    connection.close()
    read_manifest = getattr(staticfiles_storage, "read_manifest", None)  # while debugging there is none
    if read_manifest is not None and read_manifest() is None:
        raise ImproperlyConfigured("Styles and scripts have not been collected: run manage.py prepare first.")
    if not settings.DEBUG and fingerprint_file().is_file() and fingerprint_file().read_text() != fingerprint():
        raise ImproperlyConfigured("Styles and scripts are of another version: run manage.py prepare first.")

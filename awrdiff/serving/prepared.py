"""What `manage.py prepare` does before a server starts, and whether it has been done for what starts here."""

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
    """`app.name` of each; an app that a setting brings in (single sign-on) has some of its own."""
    executor = MigrationExecutor(connection)
    return [f"{m.app_label}.{m.name}" for m, _ in executor.migration_plan(executor.loader.graph.leaf_nodes())]


def refuse_later() -> None:
    """Raises ImproperlyConfigured of a database that a later version migrated: this one would read and write past what
    it does not know."""
    if later := database.unknown(database.migrations()):
        raise ImproperlyConfigured(
            f"The database was brought up to date by a later awrdiff (it has {later[0]}): start that version, or "
            "restore a backup of before into an empty place with this one."
        )


def fingerprint_file() -> Path:
    """The file that holds the fingerprint of the static files that were collected."""
    return Path(settings.STATIC_ROOT) / ".collected"


def fingerprint() -> str:
    """Names, sizes and times of all static files, and how they are stored."""
    digest = hashlib.sha256(repr(settings.STORAGES["staticfiles"]).encode())
    for finder in get_finders():
        for name, storage in finder.list([]):
            facts = Path(storage.path(name)).stat()
            digest.update(f"{name} {facts.st_size} {facts.st_mtime_ns}\n".encode())
    return digest.hexdigest()


def refuse_encoding() -> None:
    """Raises ImproperlyConfigured of an empty database that cannot keep every letter. A PostgreSQL that was set up
    where no locale is makes such: it refuses reports for a letter, one after another, after they were taken."""
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
    """Raises ImproperlyConfigured: a key that this process made up signs sessions, and webhooks, for nobody but it."""
    if not settings.SECRET_KEY_IS_GIVEN:
        raise ImproperlyConfigured(
            "AWRDIFF_SECRET_KEY must be set, the same for every process (bin/serve keeps one in var/secret_key)."
        )


def refuse_unmigrated() -> None:
    """Raises ImproperlyConfigured with the sentence that says what is missing. A database that is away is no reason:
    it may come."""
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
    """The same of what answers requests, which needs styles and scripts too. What somebody collected by hand leaves no
    fingerprint, and is not judged."""
    refuse_unmigrated()
    connection.close()
    read_manifest = getattr(staticfiles_storage, "read_manifest", None)  # while debugging there is none
    if read_manifest is not None and read_manifest() is None:
        raise ImproperlyConfigured("Styles and scripts have not been collected: run manage.py prepare first.")
    if not settings.DEBUG and fingerprint_file().is_file() and fingerprint_file().read_text() != fingerprint():
        raise ImproperlyConfigured("Styles and scripts are of another version: run manage.py prepare first.")

"""Database and static files of a starting version: made by `manage.py prepare`, checked at start.

Files of the release before stay for its web servers.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
from pathlib import Path

from django.apps import apps
from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from django.contrib.staticfiles.management.commands.collectstatic import Command
from django.contrib.staticfiles.storage import staticfiles_storage
from django.core.exceptions import ImproperlyConfigured
from django.core.files.storage import storages
from django.core.management import call_command
from django.core.management.sql import emit_post_migrate_signal
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.recorder import MigrationRecorder

from awrdiff.audit import triggers
from awrdiff.backup import database
from awrdiff.search import word_search

MANIFEST, BEFORE = "staticfiles.json", ".staticfiles-before.json"
FIRST_MIGRATION = "contenttypes.0001_initial"  # where it is pending, the database is empty


def pending_migrations() -> list[str]:
    """`app.name`, also of apps that settings bring in."""
    executor = MigrationExecutor(connection)
    return [f"{m.app_label}.{m.name}" for m, _ in executor.migration_plan(executor.loader.graph.leaf_nodes())]


def make_tables() -> bool:
    """Make the models' tables, all or nothing: migrations take many times as long.

    False, with nothing done, where there are other tables.
    """
    recorder = MigrationRecorder(connection)
    if set(connection.introspection.table_names()) - {recorder.Migration._meta.db_table}:
        return False
    plan = MigrationExecutor(connection)
    with connection.schema_editor() as editor:
        recorder.ensure_schema()
        for model in apps.get_models():
            if model._meta.can_migrate(connection):
                editor.create_model(model)
        triggers.make(connection)
        word_search.after_migrations(connection.alias)  # the signal does so too, but after what it follows is committed
        for app, name in plan.loader.graph.nodes:
            recorder.record_applied(app, name)
    emit_post_migrate_signal(verbosity=0, interactive=False, db=connection.alias)
    return True


def refuse_later() -> None:
    """Raises ImproperlyConfigured for a database of a later version."""
    if later := database.unknown(database.migrations()):
        raise ImproperlyConfigured(
            f"The database was brought up to date by a later awrdiff (it has {later[0]}): start that version, or "
            "restore a backup of before into an empty place with this one."
        )


def fingerprint_file() -> Path:
    return Path(settings.STATIC_ROOT) / ".collected"


def fingerprint() -> str:
    """Hash of static files' names, sizes, times, storage."""
    digest = hashlib.sha256(repr(settings.STORAGES["staticfiles"]).encode())
    for finder in get_finders():
        for name, storage in finder.list([]):
            facts = Path(storage.path(name)).stat()
            digest.update(f"{name} {facts.st_size} {facts.st_mtime_ns}\n".encode())
    return digest.hexdigest()


def refuse_encoding() -> None:
    """Raises ImproperlyConfigured for PostgreSQL without UTF8, as made without a locale."""
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
    """Raises ImproperlyConfigured: a made-up key serves one process only."""
    if not settings.SECRET_KEY_IS_GIVEN:
        raise ImproperlyConfigured(
            "AWRDIFF_SECRET_KEY must be set, the same for every process (bin/serve keeps one in var/secret_key)."
        )


def refuse_unmigrated() -> None:
    """Raises ImproperlyConfigured; an unreachable database passes: it may still come."""
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
    """Checks styles and scripts, too; those collected by hand, without fingerprint, pass."""
    refuse_unmigrated()
    connection.close()
    read_manifest = getattr(staticfiles_storage, "read_manifest", None)  # while debugging there is none
    if read_manifest is not None and read_manifest() is None:
        raise ImproperlyConfigured("Styles and scripts have not been collected: run manage.py prepare first.")
    if not settings.DEBUG and fingerprint_file().is_file() and fingerprint_file().read_text() != fingerprint():
        raise ImproperlyConfigured("Styles and scripts are of another version: run manage.py prepare first.")


def collect(root: Path) -> None:
    """Moves each file to its place: none is ever missing.

    Files named by neither this release nor the one before are removed.
    """
    root.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".static-", dir=root.parent) as folder:
        fresh = Path(folder) / root.name
        fresh.mkdir()
        command = Command()
        command.storage = storages.create_storage(
            {**settings.STORAGES["staticfiles"], "OPTIONS": {"location": str(fresh)}}
        )
        call_command(command, verbosity=0, interactive=False)
        if _files_of(root / MANIFEST) not in (set(), _files_of(fresh / MANIFEST)):
            shutil.copyfile(root / MANIFEST, root / BEFORE)
        collected = {path.relative_to(fresh) for path in fresh.rglob("*") if path.is_file()}
        for name in sorted(collected, key=lambda name: name.name == MANIFEST):  # it names the others: last
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (fresh / name).replace(root / name)
    staying = {root / f"{name}{packed}" for name in _files_of(root / BEFORE) for packed in ("", ".gz", ".br")}
    staying |= {root / name for name in collected} | {root / BEFORE}
    for path in sorted(root.rglob("*"), reverse=True):
        if path.is_dir():
            if not any(path.iterdir()):
                path.rmdir()
        elif path not in staying:
            path.unlink()


def _files_of(manifest: Path) -> set[str]:
    return set(json.loads(manifest.read_bytes())["paths"].values()) if manifest.is_file() else set()

"""What has to be done before the server starts: migrations, static files, demos. Quick when nothing changed."""

from __future__ import annotations

import hashlib
import time
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from django.core.management import call_command
from django.core.management.base import BaseCommand
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from awrdiff.processing.sweeper import release_running


class Command(BaseCommand):
    help = "Migrate, collect static files and load the demo, each only where needed."

    def handle(self, *_args: Any, **_options: Any) -> None:
        Path(settings.VAR).mkdir(parents=True, exist_ok=True)
        executor = MigrationExecutor(connection)
        if executor.migration_plan(executor.loader.graph.leaf_nodes()):
            call_command("migrate", verbosity=0, interactive=False)
        self._collect_static()
        _drop_unfinished_uploads()
        if settings.AWRDIFF_LOCAL_USER:
            call_command("load_demo", verbosity=0)
        if settings.CELERY_BROKER_URL.startswith("awrdiff-files:"):
            release_running()  # the broker on files has one worker, and it is not started yet

    def _collect_static(self) -> None:
        stamp = Path(settings.STATIC_ROOT) / ".collected"
        digest = _fingerprint()
        if stamp.is_file() and stamp.read_text() == digest:
            return
        call_command("collectstatic", verbosity=0, interactive=False, clear=True)
        stamp.write_text(digest)


def _drop_unfinished_uploads() -> None:
    """What a server that was killed had not received whole."""
    long_ago = time.time() - 24 * 3600
    for file in Path(settings.AWRDIFF_UPLOAD_DIR).glob("*.upload"):
        if file.stat().st_mtime < long_ago:
            file.unlink(missing_ok=True)


def _fingerprint() -> str:
    """Names, sizes and times of all static files, and how they are stored."""
    digest = hashlib.sha256(repr(settings.STORAGES["staticfiles"]).encode())
    for finder in get_finders():
        for name, storage in finder.list([]):
            facts = Path(storage.path(name)).stat()
            digest.update(f"{name} {facts.st_size} {facts.st_mtime_ns}\n".encode())
    return digest.hexdigest()

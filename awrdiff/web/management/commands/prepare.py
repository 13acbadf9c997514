"""Preparation before a server start: migrations, static files, demos. Quick when nothing changed."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import CommandParser, call_command
from django.core.management.base import BaseCommand
from django.db import DatabaseError, OperationalError, connection

from awrdiff.accounts import local_user_token
from awrdiff.accounts.services import people_sign_in
from awrdiff.processing.sweeper import release_running
from awrdiff.reports.received_files import drop_unfinished
from awrdiff.serving import startup_preparation
from awrdiff.serving.console import say


class Command(BaseCommand):
    help = "Migrate, collect static files and load the demo, each only where needed."
    requires_system_checks = []  # they import every page; of a given commit they say the same each time

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--wait", type=int, default=0, metavar="SECONDS", help="how long for a database that does not answer yet"
        )

    def handle(self, *_args: Any, wait: int, **_options: Any) -> None:
        self._await_database(wait)
        startup_preparation.refuse_later()
        if pending := startup_preparation.pending_migrations():
            if startup_preparation.FIRST_MIGRATION in pending:
                startup_preparation.refuse_encoding()
            say("Bringing the database up to date …")
            self._bring_up_to_date()
        local_user_token.note_people(settings.VAR, sign_in=people_sign_in())
        self._collect_static()
        drop_unfinished()
        if settings.AWRDIFF_LOCAL_USER or people_sign_in():
            say("Looking after the demo comparisons …")
            call_command("load_demo", verbosity=0)
        if settings.CELERY_BROKER_URL.startswith("awrdiff-files:"):
            release_running()  # the broker on files has one worker, and it is not started yet

    def _bring_up_to_date(self) -> None:
        try:
            is_new = startup_preparation.make_tables()
        except DatabaseError:
            if startup_preparation.pending_migrations():
                raise
            return  # another machine's `prepare` was first
        if not is_new:
            call_command("migrate", verbosity=0, interactive=False)

    def _await_database(self, seconds: int) -> None:
        deadline = time.monotonic() + seconds
        while True:
            try:
                return connection.ensure_connection()
            except OperationalError:
                if time.monotonic() >= deadline:
                    raise
                time.sleep(1)

    def _collect_static(self) -> None:
        stamp, digest = startup_preparation.fingerprint_file(), startup_preparation.fingerprint()
        if stamp.is_file() and stamp.read_text() == digest:
            return
        say("Collecting styles and scripts …")
        startup_preparation.collect(Path(settings.STATIC_ROOT))
        stamp.write_text(digest)

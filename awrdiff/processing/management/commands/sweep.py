"""Run the sweeper: `python manage.py sweep` (until stopped) or `--once`."""

from __future__ import annotations

import logging
import signal
import threading
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser
from django.db import Error, close_old_connections, connection

from awrdiff import disk_space
from awrdiff.processing.heartbeats import beat
from awrdiff.processing.sweeper import Turns, release_abandoned, sweep
from awrdiff.serving.startup_preparation import refuse_unmigrated, refuse_without_key

logger = logging.getLogger("awrdiff.processing.sweep")


class Command(BaseCommand):
    help = "Send to the workers what a killed worker or a lost broker left behind."
    requires_system_checks = []  # they import every page

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--once", action="store_true", help="one round, then stop")
        parser.add_argument("--every", type=float, default=settings.SWEEP_EVERY_S, metavar="SECONDS")
        parser.add_argument(
            "--no-worker-runs", action="store_true", help="free all rows in work first: the worker died"
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        refuse_without_key()
        refuse_unmigrated()
        if options["no_worker_runs"]:
            release_abandoned()
        stop = threading.Event()
        turns = Turns()
        if not options["once"]:
            signal.signal(signal.SIGTERM, lambda *_: stop.set())
            signal.signal(signal.SIGINT, lambda *_: stop.set())
        while True:
            try:
                sent = sweep()
                turns.take()
                if not options["once"]:
                    beat("sweeper")
                if sent:
                    logger.info("sent %d rows to the workers again", sent)
            except Error as error:
                reason = (
                    disk_space.SENTENCE if disk_space.is_no_room(error) else f"The database did not answer: {error}"
                )
                logger.warning("%s Next round in %g s.", reason, options["every"])
                connection.close()
            if options["once"] or stop.wait(options["every"]):
                return
            close_old_connections()

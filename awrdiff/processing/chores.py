"""Chores of the sweeper. A chore that fails is logged and tried again at its next turn."""

from __future__ import annotations

import logging
import time

from django.core.management import call_command

from awrdiff.processing.kinds import CHORES

logger = logging.getLogger(__name__)

DAY_S = 24 * 3600


def clear_sessions() -> None:
    """Delete expired sign-ins and visitors' sessions."""
    call_command("clearsessions")


class Turns:
    """Times of each chore's last run by this process."""

    def __init__(self) -> None:
        self._next: dict[str, float] = {}

    def take(self) -> None:
        """Do what is due."""
        for chore in CHORES:
            if self._next.get(chore.name, 0.0) > time.monotonic():
                continue
            self._next[chore.name] = time.monotonic() + chore.every_s
            try:
                chore.run()
            except Exception:  # the other chores and the rows go on
                logger.exception("%s failed; it is tried again in %g s", chore.name, chore.every_s)

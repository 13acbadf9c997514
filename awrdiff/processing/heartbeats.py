"""Signs of life of workers and sweepers, and the age of the oldest waiting work, for /readyz."""

from __future__ import annotations

import logging
import os
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta

from django.conf import settings
from django.db import Error, connection
from django.db.models import Max, Min
from django.utils import timezone

from awrdiff.processing.models import Heartbeat, State
from awrdiff.processing.work_kinds import KINDS

logger = logging.getLogger(__name__)
EVERY_S = 10
SILENT_AFTER_S = 60
PARTS = ("worker", "sweeper")
ALL = (*PARTS, "queue")


def beat(part: str) -> None:
    """A failing database is reported elsewhere."""
    try:
        _keep(part)
    except Error as error:
        logger.warning("the sign of life of the %s was not kept: %s", part, error)


def _keep(part: str) -> None:
    Heartbeat.objects.update_or_create(part=part, host=socket.gethostname(), defaults={"at": timezone.now()})


@contextmanager
def beating(part: str, every_s: float) -> Iterator[None]:
    """One row per process. Raises django.db.Error where the first note fails."""
    own = f"{part}-{os.getpid()}"
    _keep(own)
    is_over = threading.Event()

    def go_on() -> None:
        while not is_over.wait(every_s):
            beat_once(own)

    beats = threading.Thread(target=go_on, daemon=True)
    beats.start()
    try:
        yield
    finally:
        is_over.set()
        beats.join()
        Heartbeat.objects.filter(part=own, host=socket.gethostname()).delete()


def is_heard(part: str, within_s: float) -> bool:
    """True for a sign from any machine and process."""
    now, within = timezone.now(), timedelta(seconds=within_s)
    # One of much later is of before the clock was put back.
    return Heartbeat.objects.filter(part__startswith=f"{part}-", at__gt=now - within, at__lt=now + within).exists()


def beat_once(part: str) -> None:
    beat(part)
    connection.close()  # a worker forks processes, which must not inherit it; a thread has one of its own


def ages() -> dict[str, tuple[str, float | None]]:
    """Word and age in seconds, or None, by part."""
    now = timezone.now()
    latest = dict(Heartbeat.objects.values_list("part").annotate(Max("at")))
    parts = {part: _judge(now, latest.get(part), SILENT_AFTER_S, "silent") for part in PARTS}
    for part, (_, age) in parts.items():
        if age is None or age < -SILENT_AFTER_S:  # dated so far ahead: said before the clock was put back
            parts[part] = "silent", age
    return {**parts, "queue": _judge(now, _oldest_unsettled(), settings.AWRDIFF_QUEUE_AGE_LIMIT_S, "late")}


def _judge(now: datetime, then: datetime | None, limit_s: float, otherwise: str) -> tuple[str, float | None]:
    if then is None:
        return "ok", None
    age_s = (now - then).total_seconds()
    return ("ok" if age_s <= limit_s else otherwise), round(age_s, 1)


def _oldest_unsettled() -> datetime | None:
    unsettled = [kind.model._default_manager.filter(state__in=[State.PENDING, State.RUNNING]) for kind in KINDS]
    oldest = [rows.aggregate(at=Min("queued_at"))["at"] for rows in unsettled]
    return min((at for at in oldest if at), default=None)

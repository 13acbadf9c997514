"""Signs of life of workers and sweepers, and the age of the oldest work that waits: what /readyz knows."""

from __future__ import annotations

import logging
import socket
from datetime import datetime
from typing import Any

from celery.signals import worker_ready
from django.conf import settings
from django.db import DatabaseError, connection
from django.db.models import Max, Min
from django.utils import timezone

from awrdiff.processing.kinds import KINDS
from awrdiff.processing.models import Heartbeat, State

logger = logging.getLogger(__name__)
EVERY_S = 10
SILENT_AFTER_S = 60
PARTS = ("worker", "sweeper")
ALL = (*PARTS, "queue")


def beat(part: str) -> None:
    """`part` of this machine is at work. A database that does not answer is told by others."""
    try:
        Heartbeat.objects.update_or_create(part=part, host=socket.gethostname(), defaults={"at": timezone.now()})
    except DatabaseError as error:
        logger.warning("the sign of life of the %s was not kept: %s", part, error)


@worker_ready.connect(weak=False)
def beat_in_the_main_loop(sender: Any = None, **_kwargs: Any) -> None:
    """From the loop that hands out the tasks: a worker that hangs there falls silent."""
    _beat_once()
    sender.timer.call_repeatedly(EVERY_S, _beat_once)


def _beat_once() -> None:
    beat("worker")
    connection.close()  # this process forks new ones, which must not inherit it


def ages() -> dict[str, tuple[str, float | None]]:
    """For worker, sweeper and queue a word and an age in seconds; None where there is nothing to be old."""
    now = timezone.now()
    latest = dict(Heartbeat.objects.values_list("part").annotate(Max("at")))
    found = {part: _judge(now, latest.get(part), SILENT_AFTER_S, "silent") for part in PARTS}
    found = {part: (word if part in latest else "silent", age) for part, (word, age) in found.items()}
    return {**found, "queue": _judge(now, _oldest_unsettled(), settings.AWRDIFF_QUEUE_AGE_LIMIT_S, "late")}


def _judge(now: datetime, then: datetime | None, limit_s: float, otherwise: str) -> tuple[str, float | None]:
    if then is None:
        return "ok", None
    age_s = (now - then).total_seconds()
    return ("ok" if age_s <= limit_s else otherwise), round(age_s, 1)


def _oldest_unsettled() -> datetime | None:
    """When the oldest row that waits, or is being worked on, was queued."""
    unsettled = [kind.model._default_manager.filter(state__in=[State.PENDING, State.RUNNING]) for kind in KINDS]
    oldest = [rows.aggregate(at=Min("queued_at"))["at"] for rows in unsettled]
    return min((at for at in oldest if at), default=None)

"""Sending a row's id to the workers. A broker that is away costs time, never a row: the sweeper sends it again.

A broker that is away may refuse, or take the connection and stay silent. Nobody waits for it longer than a moment
(`PUBLISH_TIMEOUT_S` for each answer), and after it has failed nobody asks it for `PAUSE_S`.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from celery import Task
from django.db import transaction
from kombu.pools import producers

from awrdiff.celery_app import app

logger = logging.getLogger(__name__)

PUBLISH_TIMEOUT_S = 0.4
PAUSE_S = 10.0
_QUICK = {
    "socket_connect_timeout": PUBLISH_TIMEOUT_S,
    "socket_timeout": PUBLISH_TIMEOUT_S,
    "retry_on_timeout": False,
    "max_retries": 0,
}
_asked_again_at = 0.0


def send(task: Task[Any, Any], pk: Any) -> bool:
    """Send now; False (and a line in the log) when the broker does not take it."""
    global _asked_again_at  # noqa: PLW0603 - what one thread of the process finds out holds for all
    if time.monotonic() < _asked_again_at:
        return False
    try:
        with _producer() as producer:
            task.apply_async((str(pk),), retry=False, producer=producer)
    except Exception as error:
        _asked_again_at = time.monotonic() + PAUSE_S
        logger.warning("%s(%s) is left to the sweeper, the broker did not take it: %s", task.name, pk, error)
        return False
    return True


@contextmanager
def _producer() -> Iterator[Any]:
    options = {**app.conf.broker_transport_options, **(_QUICK if _is_redis() else {})}
    connection = app.connection_for_write(transport_options=options, connect_timeout=PUBLISH_TIMEOUT_S)
    with producers[connection].acquire(block=True, timeout=PUBLISH_TIMEOUT_S) as producer:
        yield producer


def _is_redis() -> bool:
    return str(app.conf.broker_url).startswith(("redis", "unix"))


def send_on_commit(task: Task[Any, Any], pk: Any) -> None:
    """Send once the surrounding transaction is committed, so that a worker finds the row."""
    transaction.on_commit(lambda: send(task, pk))

"""Sending row ids to the workers; if the broker is away, the sweeper sends them again.

Nobody waits longer than `PUBLISH_TIMEOUT_S` for an answer, nor tries for `PAUSE_S` after a failure. `wake` sends
nothing while PER_SLOT messages per slot wait: whoever takes one sees the row, too.
"""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from celery import Task
from django.conf import settings
from django.db import transaction
from kombu.pools import producers

from awrdiff.celery_app import app
from awrdiff.processing import broker

logger = logging.getLogger(__name__)

PUBLISH_TIMEOUT_S = 0.4
PAUSE_S = 10.0
PER_SLOT = 2  # one to begin with, one for when that is done
_LOOKED_AT = 1000  # the newest messages in Redis; beyond them one too many is sent
_QUICK = {
    "socket_connect_timeout": PUBLISH_TIMEOUT_S,
    "socket_timeout": PUBLISH_TIMEOUT_S,
    "retry_on_timeout": False,
    "max_retries": 0,
}
_asked_again_at = 0.0


def wake(task: Task[Any, Any], pk: Any) -> bool:
    """Announce a row that any message may take; False if unsent."""
    return send(task, pk, most=PER_SLOT * settings.WORKERS)


def send(task: Task[Any, Any], pk: Any, *, most: int | None = None, queue: str | None = None) -> bool:
    """False where `most` wait, or the broker takes none (logged)."""
    global _asked_again_at  # noqa: PLW0603 - what one thread of the process finds out holds for all
    if time.monotonic() < _asked_again_at:
        return False
    try:
        with _producer() as producer:
            if most is not None and _waiting(producer, task.name, most) >= most:
                return False
            task.apply_async((str(pk),), retry=False, producer=producer, queue=queue)  # type: ignore[arg-type]  # None: as routed
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


def _waiting(producer: Any, task: str, most: int) -> int:
    """0 where the broker cannot tell."""
    queue = app.conf.task_default_queue
    channel = producer.channel
    if isinstance(channel, broker.Channel):
        return channel.waiting(queue, task)
    if not _is_redis() or channel.client.llen(queue) < most:
        return 0
    messages = channel.client.lrange(queue, 0, _LOOKED_AT - 1)
    with suppress(ValueError, KeyError, TypeError):  # not of this program's making
        return sum(json.loads(message)["headers"]["task"] == task for message in messages)
    return 0


def _is_redis() -> bool:
    return str(app.conf.broker_url).startswith(("redis", "unix"))


def send_on_commit(task: Task[Any, Any], pk: Any) -> None:
    """Send after the transaction: only then workers see the row."""
    transaction.on_commit(lambda: send(task, pk))

"""Sending row ids to the workers; if the broker is away, the sweeper sends them again.

Nobody waits longer than `PUBLISH_TIMEOUT_S` for an answer, nor tries for `PAUSE_S` after a failure. `wake` sends
nothing while PER_SLOT messages per slot wait: whoever takes one sees the row, too.
"""

from __future__ import annotations

import json
import logging
import time
import uuid
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from queue import Empty
from typing import Any

from celery import Task
from django.conf import settings
from django.db import transaction
from kombu.exceptions import ChannelError
from kombu.pools import producers
from kombu.transport import filesystem
from kombu.utils.json import dumps, loads

from awrdiff.celery_app import app

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
sent: Counter[str] = Counter()  # messages of this process by the name of their task


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
    sent[task.name] += 1
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
    if isinstance(channel, Channel):
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


class Channel(filesystem.Channel):
    """kombu's messages in a folder, made safe for a worker that must survive anything.

    kombu 5.7 instead shows a message before it is whole (a worker that polls every 50 ms may stop on the empty file),
    lets two workers take one, has processes share a pipe whose lock a killed one keeps for ever, and waits for the next
    poll after a task.
    """

    connection: Transport

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for folder in (Path(self.data_folder_in), Path(self.data_folder_out), self.control_folder):
            folder.mkdir(parents=True, exist_ok=True)

    def _put(self, queue: str, message: Any, **_kwargs: Any) -> None:  # type: ignore[override]  # kombu's bases differ
        folder = Path(self.data_folder_out)
        # Wall-clock order, so that what was queued before a reboot is still first.
        task = message.get("headers", {}).get("task")
        kind = f".{task}" if task else ""
        name = f"{time.time_ns() // 1_000_000:015d}_{uuid.uuid4()}{kind}.{queue}.msg"
        unfinished = folder / f".{name}.part"
        unfinished.write_bytes(dumps(message).encode())
        unfinished.rename(folder / name)

    def basic_ack(self, delivery_tag: str, multiple: bool = False) -> None:  # noqa: FBT001, FBT002 - kombu's
        super().basic_ack(delivery_tag, multiple)
        self.connection.look_soon()

    def waiting(self, queue: str, task: str) -> int:
        """Messages for this task that nobody has taken."""
        return sum(1 for _ in Path(self.data_folder_out).glob(f"[0-9]*.{task}.{queue}.msg"))

    def _get(self, queue: str, timeout: float | None = None) -> Any:
        folder = Path(self.data_folder_in)
        for waiting in sorted(folder.glob(f"[0-9]*.{queue}.msg")):
            own = folder / f".{waiting.name}.taken"
            try:
                waiting.rename(own)
            except FileNotFoundError:
                continue  # another worker was quicker
            content = own.read_bytes()
            own.unlink()
            return loads(content)
        raise Empty


class Transport(filesystem.Transport):
    Channel = Channel
    implements = filesystem.Transport.implements.extend(asynchronous=True)
    failing = False
    _loop: Any = None

    def register_with_event_loop(self, connection: Any, loop: Any) -> None:
        options = connection.client.transport_options
        self._loop = loop
        loop.call_repeatedly(options.get("polling_interval", 0.05), self._deliver_waiting)

    def look_soon(self) -> None:
        if self._loop is not None:
            self._loop.call_soon(self._deliver_waiting)

    def _deliver_waiting(self) -> None:
        if self.cycle is None:
            return
        try:
            while True:  # until nothing is left, or the worker has all it can work on
                self.cycle.get(self._deliver)
        except Empty:
            self.failing = False
        except (OSError, ChannelError, ValueError):
            if not self.failing:
                logger.warning("the broker's folder cannot be read; trying again", exc_info=True)
            self.failing = True

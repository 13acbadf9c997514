"""A worker proves that it takes messages by sending itself one, by its own queue.

After a broker outage it may await a lost acknowledgement while its loop turns; then it ends itself to be restarted.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import Any

from celery import shared_task
from celery.signals import celeryd_after_setup, task_received, worker_ready
from celery.worker import state as worker_state

from awrdiff.celery_app import end_in_time
from awrdiff.processing.dispatch import send
from awrdiff.processing.heartbeats import EVERY_S, SILENT_AFTER_S, beat_once

logger = logging.getLogger(__name__)
AGAIN_S = 2 * EVERY_S  # a broker may come back without the messages it had
EXIT_STATUS = 1  # by which systemd starts it again


@shared_task(name="processing.probe")
def probe(_sent: str) -> None:
    """Answered by its receipt (`note_receipt`)."""


class Probes:
    """`is_busy`: all processes have a task, so none takes messages."""

    def __init__(self, queue: str, is_busy: Callable[[], bool], clock: Callable[[], float] = time.monotonic) -> None:
        self.queue, self.is_busy, self.clock = queue, is_busy, clock
        self.waiting_since: float | None = None
        self.sent_at = 0.0

    def turn(self) -> None:
        now = self.clock()
        if self.is_busy():
            self.waiting_since = None
            beat_once("worker")
            return
        since = now if self.waiting_since is None else self.waiting_since
        is_late = now - since >= SILENT_AFTER_S
        if self.waiting_since is None or is_late or now - self.sent_at >= AGAIN_S:
            self.sent_at = now
            # A broker that is away is no fault of the worker's, which connects anew.
            self.waiting_since = since if send(probe, self.queue, queue=self.queue) else None
            if is_late and self.waiting_since is not None:
                end()

    def answered(self) -> None:
        self.waiting_since = None
        beat_once("worker")


def end() -> None:
    """End after present tasks, at the latest when none can still run."""
    logger.error("this worker has taken no message for %d s: it ends, to be started again", SILENT_AFTER_S)
    worker_state.should_stop = EXIT_STATUS  # type: ignore[assignment]  # its types say None
    end_in_time()


_own: list[Probes] = []


def queue_of(node: str) -> str:
    return f"probe-{node}"


@celeryd_after_setup.connect(weak=False)
def listen(sender: str = "", instance: Any = None, **_kwargs: Any) -> None:
    instance.app.amqp.queues.select_add(queue_of(sender))


@worker_ready.connect(weak=False)
def begin(sender: Any = None, **_kwargs: Any) -> None:
    """Runs in the loop that hands out tasks, so a hang silences it."""

    def is_busy() -> bool:
        return len(worker_state.reserved_requests) >= int(sender.pool.num_processes)

    _own[:] = [Probes(queue_of(sender.hostname), is_busy)]
    _own[0].turn()
    sender.timer.call_repeatedly(EVERY_S, _own[0].turn)


@task_received.connect(weak=False)
def note_receipt(request: Any = None, **_kwargs: Any) -> None:
    if request.name == probe.name and _own:
        _own[0].answered()

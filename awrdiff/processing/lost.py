"""In the worker's main process: a task whose process was killed frees its row at once."""

from __future__ import annotations

import logging
from typing import Any

from billiard.exceptions import TimeLimitExceeded, WorkerLostError
from celery.signals import task_failure
from celery.worker import state as worker_state
from django.db import DatabaseError, connection

from awrdiff.processing.sweeper import release_lost

logger = logging.getLogger(__name__)


@task_failure.connect(weak=False)
def release(sender: Any = None, exception: Any = None, args: Any = (), **_kwargs: Any) -> None:
    """Other failures happen inside the task, which has dealt with them by then."""
    if not isinstance(exception, WorkerLostError | TimeLimitExceeded) or not args:
        return
    try:
        release_lost(sender.name, args[0], by_itself=not _is_stopping())
    except DatabaseError:
        logger.warning("%s(%s) was killed; its row is free when its lease ends", sender.name, args[0])
    finally:
        connection.close()  # this process forks new ones, which must not inherit it


def _is_stopping() -> bool:
    """Celery writes the exit status there, which is 0 where all is well, and None or False before."""
    asked: tuple[object, ...] = (worker_state.should_stop, worker_state.should_terminate)
    return any(one is not None and one is not False for one in asked)

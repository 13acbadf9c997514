"""In the worker's main process: a task whose process was killed frees its row at once."""

from __future__ import annotations

import logging
from typing import Any

from billiard.exceptions import TimeLimitExceeded, WorkerLostError
from celery.signals import task_failure
from celery.worker import state as worker_state
from django.db import Error, connection

from awrdiff.processing.sweeper import release_lost

logger = logging.getLogger(__name__)


@task_failure.connect(weak=False)
def release(task_id: str = "", exception: Any = None, **_kwargs: Any) -> None:
    """Other failures happen inside the task, which has dealt with them by then."""
    if not isinstance(exception, WorkerLostError | TimeLimitExceeded) or not task_id:
        return
    try:
        release_lost(task_id, by_itself=not _is_stopping())
    except Error:
        logger.warning("the process of task %s was killed; its row is free when its lease ends", task_id)
    finally:
        connection.close()  # this process forks new ones, which must not inherit it


def _is_stopping() -> bool:
    """Celery writes the exit status there, which is 0 where all is well, and None or False before."""
    asked: tuple[object, ...] = (worker_state.should_stop, worker_state.should_terminate)
    return any(one is not None and one is not False for one in asked)

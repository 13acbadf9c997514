"""Freeing the row of a killed task, in the worker's main process."""

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
    """Other failures happen inside the task, which handles them itself."""
    if not isinstance(exception, WorkerLostError | TimeLimitExceeded) or not task_id:
        return
    try:
        release_lost(task_id, by_itself=not _is_stopping())
    except Error:
        logger.warning("the process of task %s was killed; its row is free when its lease ends", task_id)
    finally:
        connection.close()  # this process forks new ones, which must not inherit it


def _is_stopping() -> bool:
    """Celery keeps the exit status there: 0 for a clean stop, None or False before."""
    statuses: tuple[object, ...] = (worker_state.should_stop, worker_state.should_terminate)
    return any(status is not None and status is not False for status in statuses)

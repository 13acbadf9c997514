"""Sending a row's id to the workers. A broker that is away costs time, never a row: the sweeper sends it again."""

from __future__ import annotations

import logging
from typing import Any

from celery import Task
from django.db import transaction

logger = logging.getLogger(__name__)


def send(task: Task[Any, Any], pk: Any) -> bool:
    """Send now; False (and a line in the log) when the broker does not take it."""
    try:
        task.apply_async((str(pk),), retry=False)
    except Exception as error:
        logger.warning("%s(%s) is left to the sweeper, the broker did not take it: %s", task.name, pk, error)
        return False
    return True


def send_on_commit(task: Task[Any, Any], pk: Any) -> None:
    """Send once the surrounding transaction is committed, so that a worker finds the row."""
    transaction.on_commit(lambda: send(task, pk))

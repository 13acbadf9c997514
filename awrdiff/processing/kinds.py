"""Which models are worked on by which task. Apps register theirs in `AppConfig.ready()`; the sweeper reads it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from celery import Task
from django.db.models import QuerySet

from awrdiff.processing.models import Work


@dataclass(frozen=True, slots=True)
class Kind:
    """`restart_stale` puts rows that an older parser or engine made back to the start and says how many.

    `waiting` finds the rows whose input is there, whatever their state, with their size in bytes as `weight`. Rows have
    a `team`.
    """

    model: type[Work]
    task: Task[Any, Any]
    restart_stale: Callable[[int], int]
    waiting: Callable[[], QuerySet[Any]]


KINDS: list[Kind] = []


def register(kind: Kind) -> None:
    if kind not in KINDS:
        KINDS.append(kind)

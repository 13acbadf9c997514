"""Registry of kinds of work and of chores; apps add theirs in `AppConfig.ready()`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from celery import Task
from django.db.models import F, QuerySet, Value

from awrdiff.processing.models import Work


@dataclass(frozen=True, slots=True)
class WorkKind:
    """`restart_stale` restarts rows that cannot wait where they stand; returns how many.

    `waiting`: rows with input, its bytes as `weight`; `in_bulk`: comes last. Rows have a `team`. `outdated`: rows of
    older versions, most urgent first.
    """

    model: type[Work]
    task: Task[Any, Any]
    restart_stale: Callable[[int], int]
    waiting: Callable[[], QuerySet[Any]]
    in_bulk: F | Value
    version: Callable[[], int]
    outdated: Callable[[], QuerySet[Any]]


@dataclass(frozen=True, slots=True)
class Chore:
    """Sweeper's job, at its start and every `every_s` seconds."""

    name: str
    every_s: float
    run: Callable[[], object]


KINDS: list[WorkKind] = []
CHORES: list[Chore] = []


def register(kind: WorkKind) -> None:
    if kind not in KINDS:
        KINDS.append(kind)


def register_chore(chore: Chore) -> None:
    if chore.name not in [registered.name for registered in CHORES]:
        CHORES.append(chore)

"""What is worked on by which task, and what is done now and then. Apps register theirs in `AppConfig.ready()`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from celery import Task
from django.db.models import F, QuerySet, Value

from awrdiff.processing.models import Work


@dataclass(frozen=True, slots=True)
class WorkKind:
    """`restart_stale` puts rows back to the start that cannot wait where they stand, and says how many.

    `waiting` finds the rows whose input is there, whatever their state, with their size in bytes as `weight`; `in_bulk`
    is whether a row comes after all that somebody waits for. Rows have a `team`. `version` is what this process signs
    its outcomes with; `outdated` are settled rows of older versions that may be renewed now, those first that matter
    most.
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
    """Something the sweeper does at its start and every so often."""

    name: str
    every_s: float
    run: Callable[[], object]


KINDS: list[WorkKind] = []
CHORES: list[Chore] = []


def register(kind: WorkKind) -> None:
    if kind not in KINDS:
        KINDS.append(kind)


def register_chore(chore: Chore) -> None:
    if chore.name not in [known.name for known in CHORES]:
        CHORES.append(chore)

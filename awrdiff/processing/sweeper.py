"""The sweeper: every few seconds it sends again what a killed worker or a lost broker left behind.

It looks at the database only. Sending twice is harmless, since a claim is a conditional UPDATE.
"""

from __future__ import annotations

from datetime import timedelta

from django.conf import settings
from django.db.models import Q
from django.utils import timezone

from awrdiff.processing.claims import give_up
from awrdiff.processing.dispatch import send
from awrdiff.processing.kinds import KINDS, Kind
from awrdiff.processing.models import State

BATCH = 50


def sweep() -> int:
    """One round over all kinds of work; returns how many rows were sent."""
    for kind in KINDS:
        kind.restart_stale(BATCH)
    return sum(_sweep_kind(kind) for kind in KINDS)


def release_running() -> int:
    """Free every running row at once. Only for whoever knows that no worker runs, such as bin/serve at its start."""
    past = timezone.now() - timedelta(seconds=1)
    return sum(kind.model._default_manager.filter(state=State.RUNNING).update(lease_until=past) for kind in KINDS)


def release_lost(task_name: str, pk: str) -> None:
    """Free the row of a task whose process is known to be dead, so that nobody waits for its lease to end."""
    past = timezone.now() - timedelta(seconds=1)
    for kind in KINDS:
        if kind.task.name == task_name:
            kind.model._default_manager.filter(pk=pk, state=State.RUNNING).update(lease_until=past)


def _sweep_kind(kind: Kind) -> int:
    now = timezone.now()
    abandoned = Q(state=State.RUNNING, lease_until__lt=now)
    due = Q(state=State.PENDING) & (Q(due_at__lt=now) | Q(due_at=None))
    rows = kind.model._default_manager.filter(abandoned | due)
    found = list(rows.order_by("created_at").values_list("pk", "attempt")[:BATCH])
    next_look = now + timedelta(seconds=settings.TASK_DUE_AFTER_S)
    sent = 0
    for pk, attempt in found:
        if attempt >= settings.TASK_MAX_ATTEMPTS and give_up(kind.model, pk):
            continue
        again = rows.filter(pk=pk).update(state=State.PENDING, stage="", lease_until=None, due_at=next_look)
        sent += bool(again) and send(kind.task, pk)
    return sent

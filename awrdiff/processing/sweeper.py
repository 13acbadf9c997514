"""Resending, every few seconds, of what a killed worker or lost broker left; and chores.

Sending twice is harmless: a claim is a conditional UPDATE. A failed chore is tried at its next turn.
"""

from __future__ import annotations

import logging
import time
from datetime import timedelta
from typing import Any

from billiard.exceptions import TimeLimitExceeded, WorkerLostError
from celery.signals import task_failure
from celery.worker import state as worker_state
from django.conf import settings
from django.core.management import call_command
from django.db import Error, connection
from django.db.models import F, Q, QuerySet
from django.utils import timezone

from awrdiff import logs
from awrdiff.processing.dispatch import wake
from awrdiff.processing.fair_scheduling import has_room_for_bulk
from awrdiff.processing.models import END_STATES, State
from awrdiff.processing.outdated_result_renewal import renew_next
from awrdiff.processing.work_claims import give_up, ids_of, is_over, note_death
from awrdiff.processing.work_kinds import CHORES, KINDS, WorkKind

logger = logging.getLogger(__name__)

BATCH = 50
DAY_S = 24 * 3600
AT_ONCE = 2  # interruptions after which a row is sent again without a pause
MOST_PAUSES = 20  # turns of the sweeper: what is due later than that was written before the clock was put back


def sweep() -> int:
    """One round over all kinds; number of rows sent."""
    for kind in KINDS:
        kind.restart_stale(BATCH)
    return sum(_sweep_kind(kind) for kind in KINDS) + renew_next()


def release_running() -> int:
    """Free all rows in work, without a failure: all stopped."""
    now = timezone.now()
    return sum(_release(kind, now) for kind in KINDS)


def release_lost(task_id: str, *, by_itself: bool = True) -> None:
    """Free a dead process's row before its lease ends."""
    for kind in KINDS:
        rows = kind.model._default_manager.filter(task_id=task_id).exclude(lease_until=None)
        for pk in rows.values_list("pk", flat=True):
            note_death(kind.model, pk, kind.version(), by_itself=by_itself)


def release_abandoned() -> None:
    """Free all, with an interruption: the only worker died."""
    past = timezone.now() - timedelta(seconds=1)
    for kind in KINDS:
        kind.model._default_manager.exclude(lease_until=None).update(lease_until=past)


@task_failure.connect(weak=False)
def release_killed(task_id: str = "", exception: Any = None, **_kwargs: Any) -> None:
    """Other failures are handled inside the task."""
    if not isinstance(exception, WorkerLostError | TimeLimitExceeded) or not task_id:
        return
    try:
        release_lost(task_id, by_itself=not _is_stopping())
    except Error:
        logger.warning("the process of task %s was killed; its row is free when its lease ends", task_id)
    finally:
        connection.close()  # this process forks new ones, which must not inherit it


def _is_stopping() -> bool:
    """Celery keeps the exit status: 0 clean stop, None or False before."""
    statuses: tuple[object, ...] = (worker_state.should_stop, worker_state.should_terminate)
    return any(status is not None and status is not False for status in statuses)


def clear_sessions() -> None:
    """Delete expired sign-ins and visitors' sessions."""
    call_command("clearsessions")


class Turns:
    """Times of each chore's last run in this process."""

    def __init__(self) -> None:
        self._next: dict[str, float] = {}

    def take(self) -> None:
        for chore in CHORES:
            if self._next.get(chore.name, 0.0) > time.monotonic():
                continue
            self._next[chore.name] = time.monotonic() + chore.every_s
            try:
                chore.run()
            except Exception:  # the other chores and the rows go on
                logger.exception("%s failed; it is tried again in %g s", chore.name, chore.every_s)


def _release(kind: WorkKind, now: object) -> int:
    rows = kind.model._default_manager
    freed = rows.filter(state__in=END_STATES).exclude(lease_until=None).update(lease_until=None)
    return freed + rows.filter(state=State.RUNNING).update(state=State.PENDING, stage="", lease_until=None, due_at=now)


def _sweep_kind(kind: WorkKind) -> int:
    now = timezone.now()
    abandoned = Q(state=State.RUNNING) & is_over(now)
    put_back = Q(due_at__gt=now + timedelta(seconds=_pause_s(MOST_PAUSES + AT_ONCE) + settings.TASK_LEASE_S))
    due = Q(state=State.PENDING) & (Q(due_at__lt=now) | Q(due_at=None) | put_back)
    if not has_room_for_bulk():  # whoever makes room sends word of it
        due &= Q(later=False)
    rows = kind.model._default_manager.annotate(later=kind.in_bulk).filter(abandoned | due)
    batch = list(rows.order_by("created_at").values_list("pk", "state", "interruptions")[:BATCH])
    sent = 0
    for pk, state, interruptions in batch:
        if give_up(kind.model, pk, kind.version()):
            continue
        pause = _pause_s(interruptions + 1) if state == State.RUNNING else 0
        if state == State.RUNNING:
            values = {"interruptions": F("interruptions") + 1, "due_at": now + timedelta(seconds=pause)}
            rows.filter(pk=pk).update(state=State.PENDING, stage="", lease_until=None, **values)
        sent += not pause and _send(kind, pk)
    return sent


def _send(kind: WorkKind, pk: object) -> bool:
    rows: QuerySet[Any] = kind.model._default_manager.filter(pk=pk, state=State.PENDING)
    ids = rows.values_list("team_id", "request_id").first()
    if ids is None or not wake(kind.task, pk):
        return False  # it stays due: the next message may take it, whichever it was sent for
    rows.update(due_at=timezone.now() + timedelta(seconds=settings.TASK_DUE_AFTER_S))
    logs.tell("sent again", **ids_of(kind.model, pk, *ids))
    return True


def _pause_s(interruptions: int) -> float:
    """A row that may kill its workers is tried ever more seldom."""
    return float(settings.TASK_DUE_AFTER_S * min(max(interruptions - AT_ONCE, 0), MOST_PAUSES))

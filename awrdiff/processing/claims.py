"""Claiming a row and writing its outcome, as conditional UPDATEs: right on every database, with any number of workers.

pending --claim--> running --finish--> ready
                   running --refuse--> failed          (the input is at fault: not tried again)
                   running --give_back--> pending      (our fault or the machine's: tried TASK_MAX_ATTEMPTS times)
A claim ends with its lease. Whoever comes back later finds another attempt number on the row and writes nothing.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from celery.exceptions import SoftTimeLimitExceeded
from django.conf import settings
from django.db import DatabaseError, models, transaction
from django.db.models import Q
from django.utils import timezone

from awrdiff import disk
from awrdiff.processing.models import State, Work

logger = logging.getLogger(__name__)

GAVE_UP = "Processing stopped {times} times without a result. The cause is in the server's log; it can be tried again."
TOO_LONG = "Processing took longer than {seconds} seconds and was stopped."


class Superseded(Exception):
    """Another attempt has taken the row over (or the row is gone): this one's result is thrown away."""


class Refused(Exception):
    """The input is at fault. `sentence` tells its owner what is wrong; trying again would not help."""

    def __init__(self, sentence: str, code: str) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.code = code


@dataclass(frozen=True, slots=True)
class Claim:
    """One attempt at one row."""

    model: type[Work]
    pk: Any
    attempt: int

    def _mine(self) -> models.QuerySet[Work]:
        return self.model._default_manager.filter(pk=self.pk, attempt=self.attempt, state=State.RUNNING)

    def stage(self, word: str) -> None:
        """Tell the page what is being done; raises Superseded when the row is no longer ours."""
        self._write(stage=word)

    def finish(self, **values: Any) -> None:
        """The final write. Call it inside the transaction that stores the result."""
        self._write(state=State.READY, stage="", error="", error_code="", lease_until=None, due_at=None, **values)

    def refuse(self, sentence: str, code: str, **values: Any) -> None:
        self._write(
            state=State.FAILED, stage="", error=sentence, error_code=code, lease_until=None, due_at=None, **values
        )

    def give_back(self) -> None:
        """After a fault of ours: try again a little later, or give up after the last attempt."""
        if self.attempt >= settings.TASK_MAX_ATTEMPTS:
            self.refuse(GAVE_UP.format(times=self.attempt), "gave-up")
            return
        later = timezone.now() + timedelta(seconds=settings.TASK_DUE_AFTER_S * self.attempt)
        self._write(state=State.PENDING, stage="", lease_until=None, due_at=later)

    def wait_for_room(self) -> None:
        """The disk is full: no failed attempt. The row waits, and `claim` takes none before there is room."""
        later = timezone.now() + timedelta(seconds=settings.TASK_DUE_AFTER_S)
        self._write(state=State.PENDING, stage="", lease_until=None, due_at=later, attempt=self.attempt - 1)

    def _write(self, **values: Any) -> None:
        if not self._mine().update(**values):
            raise Superseded


def enqueue_values() -> dict[str, Any]:
    """What a row says when its work starts from the beginning."""
    now = timezone.now()
    return {
        "state": State.PENDING,
        "stage": "",
        "error": "",
        "error_code": "",
        "lease_until": None,
        "due_at": now + timedelta(seconds=settings.TASK_DUE_AFTER_S),
        "queued_at": now,
        "attempt": 0,
    }


def claim(model: type[Work], pk: Any, stage: str, **values: Any) -> Claim | None:
    """Take a pending or abandoned row and set `values` on it; None where there is nothing to do
    (done, gone, or another's), or no room on the disk for what would come of it: then the row waits."""
    if not disk.has_room():
        return None
    now = timezone.now()
    free = Q(state=State.PENDING) | Q(state=State.RUNNING, lease_until__lt=now)
    rows = model._default_manager.filter(free, pk=pk)
    seen = rows.values_list("attempt", flat=True).first()
    if seen is None:
        return None
    if seen >= settings.TASK_MAX_ATTEMPTS:
        give_up(model, pk)
        return None
    taken = rows.filter(attempt=seen).update(
        state=State.RUNNING,
        stage=stage,
        attempt=seen + 1,
        lease_until=now + timedelta(seconds=settings.TASK_LEASE_S),
        due_at=None,
        **values,
    )
    return Claim(model, pk, seen + 1) if taken else None


def give_up(model: type[Work], pk: Any) -> bool:
    """Fail a row that was tried often enough; True when this call did it."""
    rows = model._default_manager.filter(pk=pk, state__in=[State.PENDING, State.RUNNING])
    sentence = GAVE_UP.format(times=settings.TASK_MAX_ATTEMPTS)
    values = {"state": State.FAILED, "error": sentence, "error_code": "gave-up", "lease_until": None, "due_at": None}
    return bool(rows.filter(attempt__gte=settings.TASK_MAX_ATTEMPTS).update(stage="", **values))


@contextmanager
def working(held: Claim) -> Iterator[Claim]:
    """Run the body of a task: whatever it raises ends as a state of the row."""
    try:
        yield held
    except Superseded:
        logger.info("%s %s: attempt %d was superseded", held.model.__name__, held.pk, held.attempt)
    except Refused as refusal:
        _outcome(held, refusal.sentence, refusal.code)
    except SoftTimeLimitExceeded:
        _outcome(held, TOO_LONG.format(seconds=settings.CELERY_TASK_SOFT_TIME_LIMIT), "too-long")
    except Exception as error:
        if disk.is_no_room(error):
            _out_of_room(held)
            return
        logger.exception("%s %s: attempt %d failed", held.model.__name__, held.pk, held.attempt)
        try:
            held.give_back()
        except Superseded:
            logger.info("%s %s: attempt %d was superseded", held.model.__name__, held.pk, held.attempt)


def _out_of_room(held: Claim) -> None:
    logger.warning("%s %s waits: %s", held.model.__name__, held.pk, disk.SENTENCE)
    try:
        held.wait_for_room()
    except Superseded:
        logger.info("%s %s: attempt %d was superseded", held.model.__name__, held.pk, held.attempt)
    except DatabaseError:
        logger.warning("%s %s: its row is free when its lease ends", held.model.__name__, held.pk)


def _outcome(held: Claim, sentence: str, code: str) -> None:
    try:
        with transaction.atomic():
            held.refuse(sentence, code)
    except Superseded:
        logger.info("%s %s: attempt %d was superseded", held.model.__name__, held.pk, held.attempt)

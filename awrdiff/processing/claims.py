"""Claiming a row and writing its outcome, as conditional UPDATEs: right on every database, with any number of workers.

pending --claim--> running --finish--> ready
                   running --refuse--> failed          (the input is at fault: not tried again)
                   running --give_back--> pending      (our fault: tried TASK_MAX_FAILURES times)
A row that an older version settled is claimed where it stands and keeps its state, and so its result, meanwhile:
ready   --claim--> ready   --finish--> ready           (the new result, in one transaction)
                           --refuse--> ready           (the old result; `renewal_error` says why)
failed  --claim--> failed  --finish--> ready, or --refuse--> failed
Versions compare by number, so an older process never touches what a newer one has settled.

A claim ends with its lease. Whoever comes back later finds another attempt number on the row and writes nothing.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from celery.exceptions import SoftTimeLimitExceeded
from django.conf import settings
from django.db import DatabaseError, models, transaction
from django.db.models import Q
from django.utils import timezone

from awrdiff import disk
from awrdiff.logs import Seldom
from awrdiff.processing.models import SETTLED, State, Work
from awrdiff.processing.storable import storable_text
from awrdiff.storage import StorageAway

logger = logging.getLogger(__name__)
_waiting = Seldom(every_s=60)

GAVE_UP = "Processing stopped {times} times without a result. The cause is in the server's log; it can be tried again."
GAVE_UP_CODE, TOO_LONG_CODE = "gave-up", "too-long"
TOO_LONG = "Processing took longer than {seconds} seconds and was stopped."
_AT_REST: dict[str, Any] = {"stage": "", "lease_until": None, "due_at": None, "failures": 0, "interruptions": 0}


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
    """One attempt at one row. `state` is what the row says meanwhile: running, or what it was where it is renewed."""

    model: type[Work]
    pk: Any
    attempt: int
    state: State = State.RUNNING
    failures: int = 0
    version: int = 0

    @property
    def renewing(self) -> bool:
        return self.state in SETTLED

    def _mine(self) -> models.QuerySet[Work]:
        return self.model._default_manager.filter(pk=self.pk, attempt=self.attempt, state=self.state)

    def stage(self, word: str) -> None:
        """Tell the page what is being done; raises Superseded when the row is no longer ours."""
        self._write(stage="" if self.renewing else word)

    def finish(self, **values: Any) -> None:
        """The final write. Call it inside the transaction that stores the result."""
        done = {"state": State.READY, "error": "", "error_code": "", "renewal_error": ""}
        self._write(**_AT_REST, **done, **{**self._signed(), **values})

    def refuse(self, sentence: str, code: str) -> None:
        """Settle it without a result; a result that is there already stays."""
        said = storable_text(sentence)
        if self.state == State.READY:
            self._write(**_AT_REST, renewal_error=said, renewal_tried=self.version)
        else:
            self._write(**_AT_REST, state=State.FAILED, error=said, error_code=code, **self._signed())

    def give_back(self, *, failed: bool = True, after_s: float | None = None) -> None:
        """After a fault of ours: try again a little later, or give up after the last failure."""
        failures = self.failures + failed
        if failures >= settings.TASK_MAX_FAILURES:
            self.refuse(GAVE_UP.format(times=failures), GAVE_UP_CODE)
            return
        pause = settings.TASK_DUE_AFTER_S * max(1, failures) if after_s is None else after_s
        state = self.state if self.renewing else State.PENDING
        due = timezone.now() + timedelta(seconds=pause)
        self._write(state=state, stage="", failures=failures, lease_until=None, due_at=due)

    def _signed(self) -> dict[str, Any]:
        return {self.model.version_field: self.version}

    def wait(self) -> None:
        """The disk is full or the storage away: no failure. The row waits; `claim` takes none before there is room."""
        later = timezone.now() + timedelta(seconds=settings.TASK_DUE_AFTER_S)
        state = self.state if self.renewing else State.PENDING
        self._write(state=state, stage="", lease_until=None, due_at=later)

    def _write(self, **values: Any) -> None:
        if not self._mine().update(**values):
            raise Superseded


def enqueue_values() -> dict[str, Any]:
    """What a row says when its work starts from the beginning. `attempt` goes on: it is the fence."""
    now = timezone.now()
    due = now + timedelta(seconds=settings.TASK_DUE_AFTER_S)
    fresh = {"state": State.PENDING, "error": "", "error_code": "", "renewal_error": "", "renewal_tried": 0}
    return {**_AT_REST, **fresh, "due_at": due, "queued_at": now}


def free(now: datetime) -> Q:
    """Rows that nobody works on and that are not settled."""
    return Q(state=State.PENDING) | Q(state=State.RUNNING, lease_until__lt=now)


def outdated_rows(model: type[Work], version: int) -> Q:
    """Settled by an older version than this, which has not yet tried in vain to do better."""
    return Q(**{f"{model.version_field}__lt": version}, state__in=SETTLED, renewal_tried__lt=version)


def renewable(model: type[Work], version: int, now: datetime) -> Q:
    """Outdated rows that nobody is renewing."""
    return outdated_rows(model, version) & (Q(lease_until=None) | Q(lease_until__lt=now))


def claim(model: type[Work], pk: Any, stage: str, *, version: int = 0, **values: Any) -> Claim | None:
    """Take a pending, abandoned or outdated row and set `values` on it; None where there is nothing to do
    (done, gone, or another's), or no room on the disk for what would come of it: then the row waits. `version` is who
    claims: what the outcome is signed with."""
    if not disk.has_room():
        return None
    now = timezone.now()
    rows = model._default_manager.filter(free(now) | renewable(model, version, now), pk=pk)
    seen = rows.values_list("attempt", "state", "failures", "interruptions", "lease_until").first()
    if seen is None:
        return None
    attempt, state, failures, interruptions, lease = seen
    if give_up(model, pk, version):
        return None
    kept = State(state) if state in SETTLED else State.RUNNING
    held = Claim(model, pk, attempt + 1, kept, failures, version)
    taken = rows.filter(attempt=attempt, state=state).update(
        state=held.state,
        stage="" if held.renewing else stage,
        attempt=held.attempt,
        interruptions=interruptions + (lease is not None),
        lease_until=now + timedelta(seconds=settings.TASK_LEASE_S),
        due_at=None,
        **values,
    )
    return held if taken else None


def give_up(model: type[Work], pk: Any, version: int) -> bool:
    """Settle a row that failed, or lost its worker, often enough; True when this call did it."""
    worn = Q(failures__gte=settings.TASK_MAX_FAILURES) | Q(interruptions__gte=settings.TASK_MAX_INTERRUPTIONS)
    at_work = Q(state__in=[State.PENDING, State.RUNNING]) | ~Q(lease_until=None)
    rows = model._default_manager.filter(worn & at_work, pk=pk)
    seen = rows.values_list("attempt", "state", "failures", "interruptions").first()
    if seen is None:
        return False
    attempt, state, failures, interruptions = seen
    with suppress(Superseded):
        times = max(failures, interruptions)
        Claim(model, pk, attempt, State(state), version=version).refuse(GAVE_UP.format(times=times), GAVE_UP_CODE)
        return True
    return False


def note_death(model: type[Work], pk: Any, version: int, *, by_itself: bool) -> None:
    """The process that worked on the row is dead, by its own doing or by another's: the row is free at once."""
    held = model._default_manager.filter(pk=pk).exclude(lease_until=None)
    seen = held.values_list("attempt", "state", "failures").first()
    if seen:
        with suppress(Superseded):
            attempt, state, failures = seen
            Claim(model, pk, attempt, State(state), failures, version).give_back(failed=by_itself, after_s=0)


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
        _outcome(held, TOO_LONG.format(seconds=settings.CELERY_TASK_SOFT_TIME_LIMIT), TOO_LONG_CODE)
    except Exception as error:
        if disk.is_no_room(error):
            _wait(held, disk.SENTENCE)
            return
        if isinstance(error, StorageAway):
            _wait(held, f"the storage is away: {error}")
            return
        logger.exception("%s %s: attempt %d failed", held.model.__name__, held.pk, held.attempt)
        try:
            held.give_back()
        except Superseded:
            logger.info("%s %s: attempt %d was superseded", held.model.__name__, held.pk, held.attempt)


def _wait(held: Claim, why: str) -> None:
    if (left_out := _waiting.now()) is not None:
        before = f" ({left_out} before it too)" if left_out else ""
        logger.warning("%s %s%s waits: %s", held.model.__name__, held.pk, before, why)
    try:
        held.wait()
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

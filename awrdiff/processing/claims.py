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
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from celery.exceptions import SoftTimeLimitExceeded
from django.conf import settings
from django.db import Error, models, transaction
from django.db.models import Q
from django.utils import timezone

from awrdiff import disk, following
from awrdiff.logs import Seldom
from awrdiff.processing.models import SETTLED, State, Work
from awrdiff.processing.outcome import LEFT, Outcome
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
    outcome: Outcome = field(default_factory=Outcome, compare=False)

    @property
    def renewing(self) -> bool:
        return self.state in SETTLED

    def _mine(self) -> models.QuerySet[Work]:
        return self.model._default_manager.filter(pk=self.pk, attempt=self.attempt, state=self.state)

    def stage(self, word: str) -> None:
        """Tell the page what is being done; raises Superseded when the row is no longer ours."""
        self._write(stage="" if self.renewing else word)
        self.outcome.enter(word)

    def finish(self, **values: Any) -> None:
        """The final write. Call it inside the transaction that stores the result."""
        done = {"state": State.READY, "error": "", "error_code": "", "renewal_error": ""}
        self._write(**_AT_REST, **done, **{**self._signed(), **values})
        self.outcome.end("done")

    def refuse(self, sentence: str, code: str) -> None:
        """Settle it without a result; a result that is there already stays."""
        said = storable_text(sentence)
        if self.state == State.READY:
            self._write(**_AT_REST, renewal_error=said, renewal_tried=self.version)
        else:
            self._write(**_AT_REST, state=State.FAILED, error=said, error_code=code, **self._signed())
        self.outcome.end("refused", code)

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
        self.outcome.end("given back")

    def _signed(self) -> dict[str, Any]:
        return {self.model.version_field: self.version}

    def wait(self) -> None:
        """The disk is full or the storage away: no failure. The row waits; `claim` takes none before there is room."""
        later = timezone.now() + timedelta(seconds=settings.TASK_DUE_AFTER_S)
        state = self.state if self.renewing else State.PENDING
        self._write(state=state, stage="", lease_until=None, due_at=later)
        self.outcome.end("waiting")

    def _write(self, **values: Any) -> None:
        if not self._mine().update(**values):
            raise Superseded


def enqueue_values() -> dict[str, Any]:
    """What a row says when its work starts from the beginning, and for which request. `attempt` goes on: it is the
    fence."""
    now = timezone.now()
    due = now + timedelta(seconds=settings.TASK_DUE_AFTER_S)
    fresh = {"state": State.PENDING, "error": "", "error_code": "", "renewal_error": "", "renewal_tried": 0}
    return {**_AT_REST, **fresh, "due_at": due, "queued_at": now, "request_id": following.current_request_id()}


def is_over(now: datetime) -> Q:
    """Leases that have ended. One that ends later than any that is given now is of a clock that was put back since:
    nobody waits for it. Clocks of two machines may differ by a lease."""
    return Q(lease_until__lt=now) | Q(lease_until__gt=now + timedelta(seconds=2 * settings.TASK_LEASE_S))


def free(now: datetime) -> Q:
    """Rows that nobody works on and that are not settled."""
    return Q(state=State.PENDING) | Q(state=State.RUNNING) & is_over(now)


def outdated_rows(model: type[Work], version: int) -> Q:
    """Settled by an older version than this, which has not yet tried in vain to do better."""
    return Q(**{f"{model.version_field}__lt": version}, state__in=SETTLED, renewal_tried__lt=version)


def renewable(model: type[Work], version: int, now: datetime) -> Q:
    """Outdated rows that nobody is renewing."""
    return outdated_rows(model, version) & (Q(lease_until=None) | is_over(now))


def claim(model: type[Work], pk: Any, stage: str, *, version: int = 0, **values: Any) -> Claim | None:
    """Take a pending, abandoned or outdated row and set `values` on it; None where there is nothing to do
    (done, gone, or another's), or no room on the disk for what would come of it: then the row waits. `version` is who
    claims: what the outcome is signed with."""
    if not disk.has_room():
        return None
    now = timezone.now()
    rows: models.QuerySet[Any] = model._default_manager.filter(free(now) | renewable(model, version, now), pk=pk)
    seen = rows.values_list(
        "attempt", "state", "failures", "interruptions", "lease_until", "queued_at", "team_id", "request_id"
    ).first()
    if seen is None:
        return None
    attempt, state, failures, interruptions, lease, queued, team, request = seen
    if failures >= settings.TASK_MAX_FAILURES or interruptions >= settings.TASK_MAX_INTERRUPTIONS:
        give_up(model, pk, version)
        return None
    kept = State(state) if state in SETTLED else State.RUNNING
    outcome = _outcome_of(model, pk, team, "" if kept in SETTLED else request)
    outcome.enter(stage)
    held = Claim(model, pk, attempt + 1, kept, failures, version, outcome)
    taken = rows.filter(attempt=attempt, state=state).update(
        state=held.state,
        stage="" if held.renewing else stage,
        attempt=held.attempt,
        interruptions=interruptions + (lease is not None),
        lease_until=now + timedelta(seconds=settings.TASK_LEASE_S),
        due_at=None,
        task_id=following.current_task_id(),
        **values,
    )
    if not taken:
        return None
    waited = {"waited_s": round((now - queued).total_seconds(), 3)} if queued and not held.renewing else {}
    with following.bound(**outcome.ids):
        following.tell("begun", attempt=held.attempt, renewing=held.renewing, **waited)
    return held


def ids_of(model: type[Work], pk: Any, team: int, request: str) -> dict[str, Any]:
    """What lines of the log are found by; a renewal was asked for by nobody."""
    found = {f"{model._meta.model_name}_id": str(pk), "team_id": team}
    return {**found, "request_id": request} if request else found


def give_up(model: type[Work], pk: Any, version: int) -> bool:
    """Settle a row that failed, or lost its worker, often enough; True when this call did it."""
    worn = Q(failures__gte=settings.TASK_MAX_FAILURES) | Q(interruptions__gte=settings.TASK_MAX_INTERRUPTIONS)
    at_work = Q(state__in=[State.PENDING, State.RUNNING]) | ~Q(lease_until=None)
    rows: models.QuerySet[Any] = model._default_manager.filter(worn & at_work, pk=pk)
    seen = rows.values_list("attempt", "state", "failures", "interruptions", "team_id", "request_id").first()
    if seen is None:
        return False
    attempt, state, failures, interruptions, team, request = seen
    held = Claim(model, pk, attempt, State(state), version=version, outcome=_outcome_of(model, pk, team, request))
    with suppress(Superseded):
        held.refuse(GAVE_UP.format(times=max(failures, interruptions)), GAVE_UP_CODE)
        held.outcome.tell()
        return True
    return False


def note_death(model: type[Work], pk: Any, version: int, *, by_itself: bool) -> None:
    """The process that worked on the row is dead, by its own doing or by another's: the row is free at once."""
    held: models.QuerySet[Any] = model._default_manager.filter(pk=pk).exclude(lease_until=None)
    seen = held.values_list("attempt", "state", "failures", "team_id", "request_id").first()
    if seen:
        attempt, state, failures, team, request = seen
        outcome = _outcome_of(model, pk, team, request)
        with suppress(Superseded):
            Claim(model, pk, attempt, State(state), failures, version, outcome).give_back(failed=by_itself, after_s=0)
            outcome.end("killed", outcome.reason)
            outcome.tell()


def _outcome_of(model: type[Work], pk: Any, team: int, request: str) -> Outcome:
    return Outcome(model._meta.model_name or "", ids_of(model, pk, team, request))


@contextmanager
def working(held: Claim) -> Iterator[Claim]:
    """Run the body of a task: whatever it raises ends as a state of the row."""
    try:
        yield from _settled(held)
    finally:
        held.outcome.tell()


def _settled(held: Claim) -> Iterator[Claim]:
    try:
        yield held
    except Superseded:
        _superseded(held)
    except Refused as refusal:
        _refuse(held, refusal.sentence, refusal.code)
    except SoftTimeLimitExceeded:
        _refuse(held, TOO_LONG.format(seconds=settings.CELERY_TASK_SOFT_TIME_LIMIT), TOO_LONG_CODE)
    except Exception as error:
        held.outcome.end(LEFT)  # also where all was written, and was not committed
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
            _superseded(held)


def _wait(held: Claim, why: str) -> None:
    if (left_out := _waiting.now()) is not None:
        before = f" ({left_out} before it too)" if left_out else ""
        logger.warning("%s %s%s waits: %s", held.model.__name__, held.pk, before, why)
    try:
        held.wait()
    except Superseded:
        _superseded(held)
    except Error:
        logger.warning("%s %s: its row is free when its lease ends", held.model.__name__, held.pk)


def _refuse(held: Claim, sentence: str, code: str) -> None:
    try:
        with transaction.atomic():
            held.refuse(sentence, code)
    except Superseded:
        _superseded(held)


def _superseded(held: Claim) -> None:
    held.outcome.end("superseded")
    logger.info("%s %s: attempt %d was superseded", held.model.__name__, held.pk, held.attempt)

"""Claiming a row and writing its outcome by conditional UPDATEs, on every database, with any number of workers.

pending --claim--> running --finish--> ready
                   running --refuse--> failed          (the input is at fault: no retry)
                   running --give_back--> pending      (our fault: tried TASK_MAX_FAILURES times)
A row settled by an older version keeps its state and result meanwhile:
ready   --claim--> ready   --finish--> ready           (the new result), or --refuse--> ready (`renewal_error`)
failed  --claim--> failed  --finish--> ready, or --refuse--> failed

An older process never touches a newer result. After its lease a claim finds another attempt number and writes nothing.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from celery.exceptions import SoftTimeLimitExceeded
from django.conf import settings
from django.db import Error, models, transaction
from django.db.models import Q
from django.utils import timezone

from awrdiff import disk_space, logs
from awrdiff.logs import Seldom
from awrdiff.processing import metric_counters
from awrdiff.processing.models import END_STATES, State, Work
from awrdiff.processing.storable_values import storable_text
from awrdiff.storage import StorageAway

UNKNOWN = "left"  # the word of an attempt whose end is unknown


@dataclass(slots=True)
class Outcome:
    """`word`: done, refused, given back, waiting …; `reason`: code of a refusal."""

    kind: str = ""
    ids: dict[str, Any] = field(default_factory=dict)
    stage: str = ""
    word: str = UNKNOWN
    reason: str = ""
    seconds: dict[str, float] = field(default_factory=dict)
    _since: float = field(default_factory=time.monotonic)
    _began_ns: int = field(default_factory=time.time_ns)

    def enter(self, stage: str) -> None:
        now = time.monotonic()
        if self.stage:
            self.seconds[self.stage] = self.seconds.get(self.stage, 0.0) + now - self._since
        self.stage, self._since = stage, now

    def end(self, word: str, reason: str = "") -> None:
        self.word, self.reason = word, reason

    def tell(self) -> None:
        """Report once, at the end: log, metrics and spans."""
        self.enter("")
        for stage, took in self.seconds.items():
            metric_counters.observe("work_seconds", self.kind, stage, value=took)
        metric_counters.add("outcomes", self.kind, self.word)
        if self.reason:
            metric_counters.add("refusals", self.kind, self.reason)
        metric_counters.add_up()
        stages = {f"{stage}_s": round(took, 3) for stage, took in self.seconds.items()}
        with logs.bound(**self.ids):
            logs.tell(self.word, **stages, **({"reason": self.reason} if self.reason else {}))
        if settings.AWRDIFF_TRACES_ENDPOINT:
            from awrdiff import opentelemetry_spans  # noqa: PLC0415 - an extra

            opentelemetry_spans.tell_work(self.kind, self.word, self.ids, self._began_ns, self.seconds)


logger = logging.getLogger(__name__)
_waiting = Seldom(every_s=60)

GAVE_UP = "Processing stopped {times} times without a result. The cause is in the server's log; it can be tried again."
GAVE_UP_CODE, TOO_LONG_CODE = "gave-up", "too-long"
TOO_LONG = "Processing took longer than {seconds} seconds and was stopped."
_AT_REST: dict[str, Any] = {"stage": "", "lease_until": None, "due_at": None, "failures": 0, "interruptions": 0}


class Superseded(Exception):
    """The row was taken by another attempt or is gone."""


class Refused(Exception):
    """The input is at fault: no retry. `sentence`: for its owner."""

    def __init__(self, sentence: str, code: str) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.code = code


@dataclass(frozen=True, slots=True)
class Claim:
    """One attempt at one row. `state`: running, or the old one during renewal."""

    model: type[Work]
    pk: Any
    attempt: int
    state: State = State.RUNNING
    failures: int = 0
    version: int = 0
    outcome: Outcome = field(default_factory=Outcome, compare=False)

    @property
    def renewing(self) -> bool:
        return self.state in END_STATES

    def _mine(self) -> models.QuerySet[Work]:
        return self.model._default_manager.filter(pk=self.pk, attempt=self.attempt, state=self.state)

    def stage(self, word: str, *, is_brief: bool = False) -> None:
        """Shown on the page, unless it is too brief to be seen. Raises Superseded."""
        if not is_brief:
            self._write(stage="" if self.renewing else word)
        self.outcome.enter(word)

    def finish(self, **values: Any) -> None:
        """Call in the transaction storing the result. Raises Superseded."""
        done = {"state": State.READY, "error": "", "error_code": "", "renewal_error": ""}
        self._write(**{**_AT_REST, **done, **self._signed(), **values})
        self.outcome.end("done")

    def refuse(self, sentence: str, code: str) -> None:
        """Settle without a result; an existing one stays."""
        text = storable_text(sentence)
        if self.state == State.READY:
            self._write(**_AT_REST, renewal_error=text, renewal_tried=self.version)
        else:
            self._write(**_AT_REST, state=State.FAILED, error=text, error_code=code, **self._signed())
        self.outcome.end("refused", code)

    def give_back(self, *, failed: bool = True, after_s: float | None = None) -> None:
        """Retry later, or give up after the last failure."""
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
        """Disk full or storage away: no failure; the row waits for room."""
        later = timezone.now() + timedelta(seconds=settings.TASK_DUE_AFTER_S)
        state = self.state if self.renewing else State.PENDING
        self._write(state=state, stage="", lease_until=None, due_at=later)
        self.outcome.end("waiting")

    def _write(self, **values: Any) -> None:
        if not self._mine().update(**values):
            raise Superseded


def enqueue_values() -> dict[str, Any]:
    """Columns of work from the beginning; `attempt`, the fence, goes on."""
    now = timezone.now()
    due = now + timedelta(seconds=settings.TASK_DUE_AFTER_S)
    fresh = {"state": State.PENDING, "error": "", "error_code": "", "renewal_error": "", "renewal_tried": 0}
    return {**_AT_REST, **fresh, "due_at": due, "queued_at": now, "request_id": logs.current_request_id()}


def is_over(now: datetime) -> Q:
    """Ended leases, or from before the clock was set back; clocks may differ by a lease."""
    return Q(lease_until__lt=now) | Q(lease_until__gt=now + timedelta(seconds=2 * settings.TASK_LEASE_S))


def free(now: datetime) -> Q:
    """Unsettled rows that nobody works on."""
    return Q(state=State.PENDING) | Q(state=State.RUNNING) & is_over(now)


def outdated_rows(model: type[Work], version: int) -> Q:
    """Settled by an older version, not tried in vain by this."""
    return Q(**{f"{model.version_field}__lt": version}, state__in=END_STATES, renewal_tried__lt=version)


def renewable(model: type[Work], version: int, now: datetime) -> Q:
    """Outdated rows that nobody is renewing."""
    return outdated_rows(model, version) & (Q(lease_until=None) | is_over(now))


CLAIMED = ("attempt", "state", "failures", "interruptions", "lease_until", "queued_at", "team_id", "request_id")


def claim(
    model: type[Work], pk: Any, stage: str, *, version: int = 0, columns: Sequence[Any] | None = None, **values: Any
) -> Claim | None:
    """Take a pending, abandoned or outdated row, set `values`. None: nothing to do, or no disk room.

    `columns`: its CLAIMED ones, where they were just read.
    """
    if not disk_space.has_room():
        return None
    now = timezone.now()
    rows: models.QuerySet[Any] = model._default_manager.filter(free(now) | renewable(model, version, now), pk=pk)
    if columns is None and (columns := rows.values_list(*CLAIMED).first()) is None:
        return None
    attempt, state, failures, interruptions, lease, queued, team, request = columns
    if failures >= settings.TASK_MAX_FAILURES or interruptions >= settings.TASK_MAX_INTERRUPTIONS:
        give_up(model, pk, version)
        return None
    new_state = State(state) if state in END_STATES else State.RUNNING
    outcome = _outcome_of(model, pk, team, "" if new_state in END_STATES else request)
    outcome.enter(stage)
    own = Claim(model, pk, attempt + 1, new_state, failures, version, outcome)
    updated = rows.filter(attempt=attempt, state=state).update(
        state=own.state,
        stage="" if own.renewing else stage,
        attempt=own.attempt,
        interruptions=interruptions + (lease is not None),
        lease_until=now + timedelta(seconds=settings.TASK_LEASE_S),
        due_at=None,
        task_id=logs.current_task_id(),
        **values,
    )
    if not updated:
        return None
    waited = {"waited_s": round((now - queued).total_seconds(), 3)} if queued and not own.renewing else {}
    with logs.bound(**outcome.ids):
        logs.tell("begun", attempt=own.attempt, renewing=own.renewing, **waited)
    return own


def ids_of(model: type[Work], pk: Any, team: int, request: str) -> dict[str, Any]:
    """Ids for the row's log lines; a renewal has no request."""
    ids = {f"{model._meta.model_name}_id": str(pk), "team_id": team}
    return {**ids, "request_id": request} if request else ids


def give_up(model: type[Work], pk: Any, version: int) -> bool:
    """Settle a row that failed or died too often; True when done here."""
    worn = Q(failures__gte=settings.TASK_MAX_FAILURES) | Q(interruptions__gte=settings.TASK_MAX_INTERRUPTIONS)
    at_work = Q(state__in=[State.PENDING, State.RUNNING]) | ~Q(lease_until=None)
    rows: models.QuerySet[Any] = model._default_manager.filter(worn & at_work, pk=pk)
    columns = rows.values_list("attempt", "state", "failures", "interruptions", "team_id", "request_id").first()
    if columns is None:
        return False
    attempt, state, failures, interruptions, team, request = columns
    own = Claim(model, pk, attempt, State(state), version=version, outcome=_outcome_of(model, pk, team, request))
    with suppress(Superseded):
        own.refuse(GAVE_UP.format(times=max(failures, interruptions)), GAVE_UP_CODE)
        own.outcome.tell()
        return True
    return False


def note_death(model: type[Work], pk: Any, version: int, *, by_itself: bool) -> None:
    """Free a dead process's row. `by_itself`: by its own doing."""
    rows: models.QuerySet[Any] = model._default_manager.filter(pk=pk).exclude(lease_until=None)
    columns = rows.values_list("attempt", "state", "failures", "team_id", "request_id").first()
    if columns:
        attempt, state, failures, team, request = columns
        outcome = _outcome_of(model, pk, team, request)
        with suppress(Superseded):
            Claim(model, pk, attempt, State(state), failures, version, outcome).give_back(failed=by_itself, after_s=0)
            outcome.end("killed", outcome.reason)
            outcome.tell()


def _outcome_of(model: type[Work], pk: Any, team: int, request: str) -> Outcome:
    return Outcome(model._meta.model_name or "", ids_of(model, pk, team, request))


@contextmanager
def working(own: Claim) -> Iterator[Claim]:
    """Task body: whatever it raises ends as the row's state."""
    try:
        yield from _run_to_state(own)
    finally:
        own.outcome.tell()


def _run_to_state(own: Claim) -> Iterator[Claim]:
    try:
        yield own
    except Superseded:
        _superseded(own)
    except Refused as refusal:
        _refuse(own, refusal.sentence, refusal.code)
    except SoftTimeLimitExceeded:
        _refuse(own, TOO_LONG.format(seconds=settings.CELERY_TASK_SOFT_TIME_LIMIT), TOO_LONG_CODE)
    except Exception as error:
        own.outcome.end(UNKNOWN)  # also where all was written, and was not committed
        if disk_space.is_no_room(error):
            _wait(own, disk_space.SENTENCE)
            return
        if isinstance(error, StorageAway):
            _wait(own, f"the storage is away: {error}")
            return
        logger.exception("%s %s: attempt %d failed", own.model.__name__, own.pk, own.attempt)
        try:
            own.give_back()
        except Superseded:
            _superseded(own)


def _wait(own: Claim, why: str) -> None:
    if (left_out := _waiting.now()) is not None:
        before = f" ({left_out} before it too)" if left_out else ""
        logger.warning("%s %s%s waits: %s", own.model.__name__, own.pk, before, why)
    try:
        own.wait()
    except Superseded:
        _superseded(own)
    except Error:
        logger.warning("%s %s: its row is free when its lease ends", own.model.__name__, own.pk)


def _refuse(own: Claim, sentence: str, code: str) -> None:
    try:
        with transaction.atomic():
            own.refuse(sentence, code)
    except Superseded:
        _superseded(own)


def _superseded(own: Claim) -> None:
    own.outcome.end("superseded")
    logger.info("%s %s: attempt %d was superseded", own.model.__name__, own.pk, own.attempt)

"""What a row that a worker has to deal with carries. The row is the truth; a broker message is only its id."""

from __future__ import annotations

from typing import ClassVar

from django.db import models

from awrdiff.following import LONGEST


class State(models.TextChoices):
    PENDING = "pending"
    RUNNING = "running"
    READY = "ready"
    FAILED = "failed"


SETTLED = (State.READY, State.FAILED)


class Work(models.Model):
    """State of a piece of work. `stage` is what the worker is doing now, in a word the page shows.

    `attempt` is the fence: it counts claims, never goes back and is checked at every write of whoever holds the row.
    `failures` counts what went wrong by the row's own doing (an exception, the death of its process) and
    `interruptions` how often its worker vanished (a machine, a server that was killed): both since work on it began.
    `lease_until` is when a row that is worked on counts as abandoned; `due_at` is when the sweeper sends it again;
    `queued_at` is when its work was asked for, and `request_id` by which request (awrdiff/following.py); `task_id` is
    the message that found it, which may have been sent for another row.

    A settled row that an older version made is renewed where it stands: `state` stays, so that the old result is
    shown, while `lease_until` says that somebody is at it. `renewal_error` is why the version `renewal_tried` could
    not do it. `stored_format` says which format the stored documents have; see `is_ready`.
    """

    version_field: ClassVar[str]  # the column that says which version settled the row
    readable_formats: ClassVar[frozenset[int]] = frozenset({1})

    state = models.CharField(max_length=10, choices=State.choices, default=State.PENDING)
    stage = models.CharField(max_length=30, blank=True, default="")
    error = models.TextField(blank=True, default="")
    error_code = models.CharField(max_length=60, blank=True, default="")
    attempt = models.PositiveIntegerField(default=0)
    failures = models.PositiveIntegerField(default=0)
    interruptions = models.PositiveIntegerField(default=0)
    lease_until = models.DateTimeField(null=True, blank=True)
    due_at = models.DateTimeField(null=True, blank=True)
    renewal_error = models.TextField(blank=True, default="")
    renewal_tried = models.PositiveIntegerField(default=0)
    stored_format = models.PositiveSmallIntegerField(default=1)
    queued_at = models.DateTimeField(null=True, blank=True)
    request_id = models.CharField(max_length=LONGEST, blank=True, default="", db_default="")
    task_id = models.CharField(max_length=LONGEST, blank=True, default="", db_default="")

    class Meta:
        abstract = True

    @property
    def version(self) -> int:
        """Which version settled the row; 0 where none has."""
        return int(getattr(self, self.version_field))

    @property
    def is_ready(self) -> bool:
        """There is a result, in a format that this version reads."""
        return self.state == State.READY and self.stored_format in self.readable_formats

    @property
    def is_failed(self) -> bool:
        return self.state == State.FAILED

    @property
    def is_settled(self) -> bool:
        return self.is_ready or self.is_failed

    @property
    def shown_state(self) -> str:
        """The state as people and scripts are told it: a result that cannot be read is one to wait for."""
        return str(State.PENDING) if self.state == State.READY and not self.is_ready else self.state


class Heartbeat(models.Model):
    """The last sign of life of a part of the server (worker, sweeper) on a machine."""

    part = models.CharField(max_length=20)
    host = models.CharField(max_length=255)
    at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["part", "host"], name="one_heartbeat_per_part_and_host")]

    def __str__(self) -> str:
        return f"{self.part} on {self.host}: {self.at}"


class Tally(models.Model):
    """A number that only grows, of all processes together (tallies.py); `labels` is a JSON list."""

    name = models.CharField(max_length=40)
    labels = models.CharField(max_length=300)
    amount = models.FloatField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["name", "labels"], name="one_tally_per_series")]

    def __str__(self) -> str:
        return f"{self.name} {self.labels}: {self.amount:g}"

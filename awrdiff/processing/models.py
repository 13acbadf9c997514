"""State of rows that workers process. The row is the truth; a message is only its id."""

from __future__ import annotations

from typing import ClassVar

from django.db import models

from awrdiff.logs import LONGEST


class State(models.TextChoices):
    PENDING = "pending"
    RUNNING = "running"
    READY = "ready"
    FAILED = "failed"


END_STATES = (State.READY, State.FAILED)
UNDER_WAY = "Made by version {made_by} of awrdiff and being renewed. This result stays until the new one is ready."
IN_VAIN = "Made by version {made_by} of awrdiff: it could not be renewed, so it stays as it is."


class Work(models.Model):
    """State of a piece of work. `stage`: the worker's present step, shown on the page.

    `attempt`: the fence; counts claims, never goes back, checked at every write. `failures`: exceptions and deaths by
    its own doing; `interruptions`: workers that vanished. After `lease_until` the row is abandoned; `due_at`: when the
    sweeper sends it again; `task_id`: the message that took it, perhaps for another row.

    Renewal keeps `state`, so that the old result is shown. `renewal_error`: why version `renewal_tried` failed.
    `stored_format`: of stored documents; see `is_ready`.
    """

    version_field: ClassVar[str]  # column of the version that settled the row
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
        """Version that settled the row; 0 for none."""
        return int(getattr(self, self.version_field))

    @property
    def is_ready(self) -> bool:
        """Its result is readable by this version."""
        return self.state == State.READY and self.stored_format in self.readable_formats

    @property
    def is_failed(self) -> bool:
        return self.state == State.FAILED

    @property
    def is_settled(self) -> bool:
        return self.is_ready or self.is_failed

    @property
    def shown_state(self) -> str:
        """An unreadable result is pending."""
        return str(State.PENDING) if self.state == State.READY and not self.is_ready else self.state

    def renewal_note(self, version: int, made_by: str, *, with_reason: bool = True) -> str:
        """Sentence on an outdated result, else "". `made_by`: its version."""
        if self.state != State.READY or self.version >= version:
            return ""
        if self.renewal_tried < version:
            return UNDER_WAY.format(made_by=made_by)
        sentence = IN_VAIN.format(made_by=made_by)
        return f"{sentence} {self.renewal_error}" if with_reason else sentence


class Heartbeat(models.Model):
    """Last sign of life of a server's part on a machine."""

    part = models.CharField(max_length=20)
    host = models.CharField(max_length=255)
    at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["part", "host"], name="one_heartbeat_per_part_and_host")]

    def __str__(self) -> str:
        return f"{self.part} on {self.host}: {self.at}"


class Tally(models.Model):
    """Ever-growing number, summed over processes; `labels` is a JSON list."""

    name = models.CharField(max_length=40)
    labels = models.CharField(max_length=300)
    amount = models.FloatField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["name", "labels"], name="one_tally_per_series")]

    def __str__(self) -> str:
        return f"{self.name} {self.labels}: {self.amount:g}"

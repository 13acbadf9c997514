"""What a row that a worker has to deal with carries. The row is the truth; a broker message is only its id."""

from __future__ import annotations

from django.db import models


class State(models.TextChoices):
    PENDING = "pending"
    RUNNING = "running"
    READY = "ready"
    FAILED = "failed"


class Work(models.Model):
    """State of a piece of work. `stage` is what the worker is doing now, in a word the page shows.

    `attempt` counts claims and is checked at the final write; `lease_until` is when a running row counts as
    abandoned; `due_at` is when the sweeper sends a pending row to the workers again; `queued_at`
    is since when its owner waits.
    """

    state = models.CharField(max_length=10, choices=State.choices, default=State.PENDING)
    stage = models.CharField(max_length=30, blank=True, default="")
    error = models.TextField(blank=True, default="")
    error_code = models.CharField(max_length=60, blank=True, default="")
    attempt = models.PositiveIntegerField(default=0)
    lease_until = models.DateTimeField(null=True, blank=True)
    due_at = models.DateTimeField(null=True, blank=True)
    queued_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        abstract = True

    @property
    def is_ready(self) -> bool:
        return self.state == State.READY

    @property
    def is_failed(self) -> bool:
        return self.state == State.FAILED

    @property
    def is_settled(self) -> bool:
        return self.state in (State.READY, State.FAILED)


class Heartbeat(models.Model):
    """The last sign of life of a part of the server (worker, sweeper) on a machine."""

    part = models.CharField(max_length=20)
    host = models.CharField(max_length=255)
    at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["part", "host"], name="one_heartbeat_per_part_and_host")]

    def __str__(self) -> str:
        return f"{self.part} on {self.host}: {self.at}"

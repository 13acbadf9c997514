from __future__ import annotations

from typing import Any

from django.db import models

from awrdiff.accounts.models import Team
from awrdiff.databases.models import Database
from awrdiff.reports.models import Report


class Standing(models.Model):
    """State of a database as a whole, on the database's own clock.

    `due_from`: begin of the first window to measure, "" for none; `marked_from`: the same, marked since a worker began.
    `every_s`, `patience_s`: rhythm and overdue limit, null without. `silent`: `[instance, end of the last]` while
    others report.
    """

    database = models.OneToOneField(Database, on_delete=models.CASCADE, primary_key=True, related_name="standing")
    version = models.PositiveIntegerField(default=0)  # who measured all of it
    due_from = models.CharField(max_length=32, blank=True, default="")
    marked_from = models.CharField(max_length=32, blank=True, default="")
    lease_until = models.DateTimeField(null=True, blank=True)
    release = models.CharField(max_length=40, blank=True, default="")
    last_end = models.CharField(max_length=32, blank=True, default="")
    came_at = models.DateTimeField(null=True, blank=True)
    every_s = models.FloatField(null=True, blank=True)
    patience_s = models.FloatField(null=True, blank=True)
    silent: models.JSONField[Any, Any] = models.JSONField(default=list, blank=True)

    class Meta:
        indexes = [models.Index(fields=["due_from"], condition=~models.Q(due_from=""), name="standing_due")]

    def __str__(self) -> str:
        return f"standing of {self.database_id}"


class Departure(models.Model):
    """One report against its hour's normal, in active sessions; columns up to `era` repeat the report's.

    Only equal `instance` and `interval` are compared. `sessions`: null without DB time; `normal` and what follows: null
    below five reports. `of`: their number, `by`: which, or `thinned`. `nearest`: report nearest to the median, maybe
    deleted. `parts`: `[kind, name, above, at least]`.
    """

    report = models.OneToOneField(Report, on_delete=models.CASCADE, primary_key=True, related_name="departure")
    database = models.ForeignKey(Database, on_delete=models.CASCADE, related_name="departures", db_index=False)
    instance = models.CharField(max_length=140, blank=True, default="")
    interval = models.CharField(max_length=40, blank=True, default="")
    begin_at = models.CharField(max_length=32)
    end_at = models.CharField(max_length=32, blank=True, default="")
    era = models.CharField(max_length=16)
    sessions = models.FloatField(null=True)
    half = models.FloatField(default=0.0)  # of the last digit that `sessions` is printed to
    normal = models.FloatField(null=True)
    deviation = models.FloatField(null=True)
    of = models.PositiveIntegerField(default=0)
    by = models.CharField(max_length=20, blank=True, default="")
    above = models.FloatField(null=True)
    is_alarm = models.BooleanField(default=False)
    nearest = models.UUIDField(null=True)
    parts: models.JSONField[Any, Any] = models.JSONField(default=list)

    class Meta:
        indexes = [models.Index(fields=["database", "begin_at"], name="departure_of_database")]

    def __str__(self) -> str:
        return f"departure of {self.report_id}"

    @property
    def deviations(self) -> float | None:
        if self.above is None or self.deviation is None:
            return None
        return self.above / self.deviation if self.deviation else 0.0


class Thinning(models.Model):
    """Keep the `hours` worst hours of days older than `after_days`; without a row keep all.

    `next_at`: next run and its cut-off. `reached`: last database done in a run.
    """

    team = models.OneToOneField(Team, on_delete=models.CASCADE, related_name="thinning")
    after_days = models.PositiveSmallIntegerField()
    hours = models.PositiveSmallIntegerField()
    next_at = models.DateTimeField()
    reached = models.BigIntegerField(default=0)
    removed = models.PositiveIntegerField(default=0)
    removed_bytes = models.PositiveBigIntegerField(default=0)

    def __str__(self) -> str:
        return f"{self.team_id}: {self.hours} hours of a day after {self.after_days} days"


class Digest(models.Model):
    """Daily notice at `hour` of the zone's clock ("" for UTC). `told_on`: last day sent."""

    team = models.OneToOneField(Team, on_delete=models.CASCADE, related_name="night_digest")
    at_hour = models.PositiveSmallIntegerField()
    zone = models.CharField(max_length=64, blank=True, default="")
    told_on = models.DateField(null=True, blank=True)

    def __str__(self) -> str:
        return f"{self.team_id}: {self.at_hour}"

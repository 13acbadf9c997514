"""How far reports lie from what is normal for their database, and how far that is measured."""

from __future__ import annotations

from typing import Any

from django.db import models

from awrdiff.accounts.models import Team
from awrdiff.databases.models import Database
from awrdiff.reports.models import Report


class Standing(models.Model):
    """What is known of a database as a whole.

    `due_from`: the begin of the first window that is to be measured, "" for none; `marked_from`: the same, of what was
    said since a worker began to measure it, which it does until `lease_until`. `release` and `last_end` are of the
    latest window, on the database's own clock. `came_at`: when a report later than all before came last; `every_s`,
    `patience_s`: how often they come, and how long none may before it is overdue, null where they have no rhythm.
    `silent`: instances of which none come while those of others do, as `[instance, end of the last]`.
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
    """One report against what was normal at its hour, in active sessions; the columns up to `era` repeat the report's.

    It is held against those of the same `instance` and `interval` (kind and length of the window) alone.
    `sessions` is null where it prints no DB time, `normal` and what follows where fewer than five reports say what is
    normal. `deviation` is one of the normal's, `of` how many reports say it, `by` which (awrdiff/analysis/normal/), or
    `thinned` where what would say it was thinned out before (measuring.py).
    `nearest`: the id of the report that is nearest to their median; it may be deleted since. `parts`: what carries
    `above`, as `[kind, name, above, at least]`.
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
    """Of days that are older than `after_days` the team keeps the `hours` worst hours (thinning.py). A team without a
    row keeps all.

    `next_at`: the moment of the next run, as of which it takes what is old; nothing is removed before. While that run
    goes on, over many turns: `reached`, the database up to which (by id) it is done, and what it removed so far.
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
    """When a team is told each day what changed most: at that hour of the zone's clock ("" for UTC). A team without a
    row is not. `told_on`: the day on which it was last."""

    team = models.OneToOneField(Team, on_delete=models.CASCADE, related_name="night_digest")
    at_hour = models.PositiveSmallIntegerField()
    zone = models.CharField(max_length=64, blank=True, default="")
    told_on = models.DateField(null=True, blank=True)

    def __str__(self) -> str:
        return f"{self.team_id}: {self.at_hour}"

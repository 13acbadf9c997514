from __future__ import annotations

import uuid
from typing import Any

from django.conf import settings
from django.db import models

from awrdiff.accounts.models import Team
from awrdiff.processing.models import State, Work
from parsers.storage import report_serialisation

SEVERAL = "several"  # kind of a file that holds several reports: each is a row of its own, one of its `parts`
FILE_LOST = "file-lost"  # error code of one whose file is not there any more
LEFT_OUT = "left-out"  # error code of a file beside reports in an archive that is none


class Report(Work):
    """One upload. Columns below `parser_version` repeat the header.

    `archive`: its archive's name. `parent`: multi-report file it was in. `copy_of`: redacted copy without a file.
    `in_bulk`: nobody waits for it. `database`: null for none, several, and until assigned. `thinned_at`: others of its
    day were removed, so it defines no normal.
    Times: database's wall clock, ISO text without a zone, never shifted.
    """

    version_field = "parser_version"
    readable_formats = frozenset({report_serialisation.FORMAT})

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    team = models.ForeignKey(Team, on_delete=models.CASCADE)
    uploaded_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True)
    name = models.CharField(max_length=255)
    size = models.PositiveBigIntegerField()
    sha256 = models.CharField(max_length=64)
    file = models.CharField(max_length=200)  # name in the default storage; see files.py
    archive = models.CharField(max_length=255, blank=True, default="")
    parent = models.ForeignKey("self", on_delete=models.SET_NULL, null=True, blank=True, related_name="parts")
    number = models.PositiveSmallIntegerField(default=0)  # in `parent`, from 1; of a file of several how many
    is_demo = models.BooleanField(default=False)
    in_bulk = models.BooleanField(default=False)
    copy_of: models.ForeignKey[Any, Any] = models.ForeignKey(
        "self", on_delete=models.CASCADE, null=True, blank=True, related_name="copies"
    )
    redaction: models.JSONField[Any, Any] = models.JSONField(
        default=dict, blank=True
    )  # of a copy: awrdiff/redaction/link_options.py
    created_at = models.DateTimeField(auto_now_add=True)

    parser_version = models.PositiveIntegerField(default=0)
    kind = models.CharField(max_length=20, blank=True, default="")
    format = models.CharField(max_length=10, blank=True, default="")
    release = models.CharField(max_length=40, blank=True, default="")
    db_name = models.CharField(max_length=128, blank=True, default="")
    dbid = models.CharField(max_length=40, blank=True, default="")
    instance_name = models.CharField(max_length=128, blank=True, default="")
    instance_number = models.IntegerField(null=True, blank=True)
    host_name = models.CharField(max_length=255, blank=True, default="")
    platform = models.CharField(max_length=255, blank=True, default="")
    cpus = models.IntegerField(null=True, blank=True)
    begin_at = models.CharField(max_length=32, blank=True, default="")
    end_at = models.CharField(max_length=32, blank=True, default="")
    begin_snap = models.BigIntegerField(null=True, blank=True)
    end_snap = models.BigIntegerField(null=True, blank=True)
    elapsed_s = models.FloatField(null=True, blank=True)
    db_time_s = models.FloatField(null=True, blank=True)
    database: models.ForeignKey[Any, Any] = models.ForeignKey(
        "databases.Database", on_delete=models.SET_NULL, null=True, blank=True, related_name="reports", db_index=False
    )
    placed_at = models.DateTimeField(null=True, blank=True)  # when its database was looked for last
    thinned_at = models.DateTimeField(null=True, blank=True)
    metrics_version = models.PositiveSmallIntegerField(null=True, blank=True)  # who made its metrics; see metrics.py
    header: models.JSONField[Any, Any] = models.JSONField(default=dict, blank=True)  # as in the report's document
    issues: models.JSONField[Any, Any] = models.JSONField(default=list, blank=True)
    head = models.BinaryField(default=b"", blank=True)  # everything of the report but its sections, packed
    assessment = models.BinaryField(null=True, blank=True)  # its verdict and findings, packed; see assessments.py

    class Meta:
        indexes = [
            models.Index(fields=["team", "sha256"], name="report_same_bytes"),
            models.Index(fields=["team", "-created_at"], name="report_recent"),
            models.Index(fields=["state", "due_at"], name="report_due"),
            models.Index(
                fields=["team", "in_bulk", "size", "queued_at", "id"],
                condition=models.Q(state=State.PENDING),
                name="report_waiting",
            ),
            models.Index(
                fields=["team", "in_bulk", "queued_at"],
                condition=models.Q(state=State.PENDING),
                name="report_patient",
            ),
            models.Index(fields=["team", "in_bulk"], condition=models.Q(state=State.RUNNING), name="report_running"),
            models.Index(fields=["task_id"], condition=models.Q(lease_until__isnull=False), name="report_worked_on"),
            models.Index(fields=["database", "-begin_at", "-created_at", "id"], name="report_of_database"),
            models.Index(fields=["database", "-created_at"], name="report_of_database_made"),
            models.Index(fields=["team", "-begin_at", "-created_at"], name="report_latest"),
            models.Index(fields=["created_at"], condition=models.Q(placed_at=None), name="report_unplaced"),
            models.Index(fields=["metrics_version"], name="report_metrics_version"),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def is_left_out(self) -> bool:
        """No report and no fault: a readme beside reports."""
        return self.is_failed and self.error_code == LEFT_OUT


class ReportMetrics(models.Model):
    """`era` changes when the database was changed."""

    report = models.OneToOneField(Report, on_delete=models.CASCADE, primary_key=True, related_name="metrics")
    era = models.CharField(max_length=16)
    figures = models.BinaryField()
    largest = models.BinaryField()  # events and statements

    def __str__(self) -> str:
        return f"metrics of {self.report_id}"


class ReportTrace(models.Model):
    """LGWR trace attached to a report."""

    report = models.ForeignKey(Report, on_delete=models.CASCADE, related_name="traces")
    trace = models.ForeignKey(Report, on_delete=models.CASCADE, related_name="traced")

    class Meta:
        ordering = ["pk"]
        constraints = [models.UniqueConstraint(fields=["report", "trace"], name="trace_attached_once")]

    def __str__(self) -> str:
        return f"{self.trace_id} of {self.report_id}"


class LooseFile(models.Model):
    """Unnamed file, removed after `keep_until`. Names may repeat (files.py)."""

    name = models.CharField(max_length=200)
    keep_until = models.DateTimeField(db_index=True)

    def __str__(self) -> str:
        return self.name


class FetchedObject(models.Model):
    """Bucket object imported whole; `digests`: SHA-256 of its files."""

    team = models.ForeignKey("accounts.Team", on_delete=models.CASCADE, related_name="+")
    identity = models.CharField(max_length=64)  # of its address, ETag and size
    digests = models.BinaryField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["team", "identity"], name="fetched_once")]

    def __str__(self) -> str:
        return self.identity


class ReportSection(models.Model):
    """`payload` is packed (parsers.storage.report_serialisation)."""

    report = models.ForeignKey(Report, on_delete=models.CASCADE, related_name="sections")
    position = models.PositiveIntegerField()
    section_id = models.CharField(max_length=120)
    title = models.CharField(max_length=255)
    known = models.BooleanField()
    family = models.CharField(max_length=20, blank=True, default="")
    rows = models.PositiveIntegerField()
    payload = models.BinaryField()

    class Meta:
        ordering = ["position"]
        constraints = [models.UniqueConstraint(fields=["report", "section_id"], name="report_section_once")]

    def __str__(self) -> str:
        return self.title

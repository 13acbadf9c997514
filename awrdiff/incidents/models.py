"""Incidents, their parts, and verdicts on findings."""

from __future__ import annotations

import uuid
from datetime import date
from typing import Any

from django.conf import settings
from django.db import models
from django.utils import timezone

from awrdiff.accounts.models import Team
from awrdiff.accounts.token_hashing import derived_token
from awrdiff.comparisons.models import Comparison
from awrdiff.incidents.field_validation import zone_of
from awrdiff.reports.models import Report


class Severity(models.IntegerChoices):
    CRITICAL = 1, "1 critical"
    HIGH = 2, "2 high"
    MODERATE = 3, "3 moderate"
    LOW = 4, "4 low"


class Status(models.TextChoices):
    OPEN = "open"
    MITIGATED = "mitigated"
    RESOLVED = "resolved"
    REVIEWED = "reviewed"


class EventKind(models.TextChoices):
    """Stored timeline events; reports, evidence and verdicts add more."""

    NOTE = "note"
    ACTION = "action", "something done"
    IMPACT = "impact", "impact seen"
    STATUS = "status"
    LOG = "log"  # what was clicked in the incident, and says nothing of the databases


class ActionState(models.TextChoices):
    OPEN = "open"
    DONE = "done"
    DROPPED = "dropped"


class VerdictState(models.TextChoices):
    CONFIRMED = "confirmed"
    REJECTED = "rejected"
    EXPLAINED = "explained_by", "explained by"
    WITHDRAWN = "withdrawn"


class Incident(models.Model):
    """`time_zone`: IANA name for its reports' local times.

    `begins_at`, `ends_at`: filed window; None while it goes on. `version` counts own field changes; `changed_at`:
    anything on its page. `client_key`: of the form, against repeats.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    team = models.ForeignKey(Team, on_delete=models.CASCADE)
    title = models.CharField(max_length=200)
    severity = models.PositiveSmallIntegerField(choices=Severity.choices, default=Severity.MODERATE)
    status = models.CharField(max_length=10, choices=Status.choices, default=Status.OPEN)
    begins_at = models.DateTimeField()
    ends_at = models.DateTimeField(null=True, blank=True)
    impact_at = models.DateTimeField(null=True, blank=True)
    detected_at = models.DateTimeField(null=True, blank=True)
    mitigated_at = models.DateTimeField(null=True, blank=True)
    resolved_at = models.DateTimeField(null=True, blank=True)
    time_zone = models.CharField(max_length=64, default="UTC")
    summary = models.TextField(blank=True, default="")
    ticket = models.CharField(max_length=500, blank=True, default="")  # as of an action item
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    updated_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    updated_at = models.DateTimeField(auto_now=True)
    version = models.PositiveIntegerField(default=1)
    changed_at = models.DateTimeField(null=True, blank=True)
    client_key = models.UUIDField(null=True, blank=True)
    channel_nonce = models.UUIDField(null=True, blank=True)  # of the address that takes a channel's messages
    channel_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    removed_messages: models.JSONField[Any, Any] = models.JSONField(null=True, blank=True)  # keys of a channel's

    class Meta:
        ordering = ["-begins_at", "pk"]
        indexes = [models.Index(fields=["team", "-begins_at"], name="incident_recent")]
        constraints = [models.UniqueConstraint(fields=["team", "client_key"], name="incident_posted_once")]

    def __str__(self) -> str:
        return self.title

    @property
    def today(self) -> date:
        """By its clocks."""
        return timezone.now().astimezone(zone_of(self.time_zone)).date()

    @property
    def last_change(self) -> int:
        """Its microsecond; open pages poll it."""
        return int(self.changed_at.timestamp() * 1_000_000) if self.changed_at else 0

    @property
    def channel_token(self) -> str:
        """In the channel's address; "" without one."""
        return derived_token(f"channel {self.pk} {self.channel_nonce}") if self.channel_nonce else ""


class IncidentTag(models.Model):
    incident = models.ForeignKey(Incident, on_delete=models.CASCADE, related_name="tags")
    name = models.CharField(max_length=40)

    class Meta:
        ordering = ["name"]
        constraints = [models.UniqueConstraint(fields=["incident", "name"], name="tagged_once")]

    def __str__(self) -> str:
        return self.name


class IncidentRole(models.Model):
    """Lead, scribe, dba or any other."""

    incident = models.ForeignKey(Incident, on_delete=models.CASCADE, related_name="roles")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    role = models.CharField(max_length=40)

    class Meta:
        ordering = ["role", "pk"]
        constraints = [models.UniqueConstraint(fields=["incident", "user", "role"], name="has_the_role_once")]

    def __str__(self) -> str:
        return f"{self.role}: {self.user_id}"


class IncidentComparison(models.Model):
    """`told`: events in reports' local time (story.py); `told_of`: the comparison's identity then.

    `bad`: place of the incident's hour, None while open; `bad_chosen`: by a person (bad_hour_selection.py).
    """

    incident = models.ForeignKey(Incident, on_delete=models.CASCADE, related_name="attached_comparisons")
    comparison = models.ForeignKey(Comparison, on_delete=models.CASCADE, related_name="incidents")
    attached_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    attached_at = models.DateTimeField(auto_now_add=True)
    told: models.JSONField[Any, Any] = models.JSONField(default=list, blank=True)
    told_of = models.CharField(max_length=80, blank=True, default="")
    bad = models.PositiveSmallIntegerField(null=True, blank=True)
    bad_chosen = models.BooleanField(default=False)
    story: models.JSONField[Any, Any] = models.JSONField(default=dict, blank=True)  # story.py, read with `told`

    class Meta:
        ordering = ["attached_at", "pk"]
        constraints = [models.UniqueConstraint(fields=["incident", "comparison"], name="comparison_attached_once")]

    def __str__(self) -> str:
        return f"{self.comparison_id} of {self.incident_id}"


class IncidentReport(models.Model):
    """Report or trace without a comparison. `bad` None: by its window."""

    incident = models.ForeignKey(Incident, on_delete=models.CASCADE, related_name="attached_reports")
    report = models.ForeignKey(Report, on_delete=models.CASCADE, related_name="incidents")
    attached_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    attached_at = models.DateTimeField(auto_now_add=True)
    bad = models.BooleanField(null=True, blank=True)
    story: models.JSONField[Any, Any] = models.JSONField(default=dict, blank=True)
    story_of = models.CharField(max_length=80, blank=True, default="")  # the report as it was read then

    class Meta:
        ordering = ["attached_at", "pk"]
        constraints = [models.UniqueConstraint(fields=["incident", "report"], name="report_attached_once")]

    def __str__(self) -> str:
        return f"{self.report_id} of {self.incident_id}"


class TimelineEvent(models.Model):
    """Typed by `user`, or recorded (`by_system`). `comparison`: named in the text."""

    incident = models.ForeignKey(Incident, on_delete=models.CASCADE, related_name="events")
    at = models.DateTimeField()
    text = models.CharField(max_length=2000)
    kind = models.CharField(max_length=10, choices=EventKind.choices, default=EventKind.NOTE)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    by_system = models.BooleanField(default=False)
    outside_author = models.CharField(max_length=60, blank=True, default="", db_default="")  # of a channel's message
    comparison = models.ForeignKey(Comparison, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    version = models.PositiveIntegerField(default=1)
    client_key = models.UUIDField(null=True, blank=True)

    class Meta:
        ordering = ["at", "pk"]
        constraints = [models.UniqueConstraint(fields=["incident", "client_key"], name="event_posted_once")]

    def __str__(self) -> str:
        return self.text

    @property
    def outside_text(self) -> str:
        """Never the form of a member's name."""
        return f"“{self.outside_author}”, from outside" if self.outside_author else ""


class TimelineEdit(models.Model):
    """Text before an edit."""

    event = models.ForeignKey(TimelineEvent, on_delete=models.CASCADE, related_name="edits")
    at = models.DateTimeField()
    text = models.CharField(max_length=2000)
    kind = models.CharField(max_length=10)
    edited_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    edited_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["edited_at", "pk"]

    def __str__(self) -> str:
        return self.text


class Evidence(models.Model):
    """Place of a comparison, like a pin (awrdiff/pins/models.py).

    `title`, `place`, `figures` (label, text) as they were at `anchor`.
    """

    incident = models.ForeignKey(Incident, on_delete=models.CASCADE, related_name="evidence")
    comparison = models.ForeignKey(Comparison, on_delete=models.CASCADE, related_name="evidence")
    anchor = models.CharField(max_length=200)
    pair = models.PositiveSmallIntegerField(default=0)
    baseline = models.CharField(max_length=120, blank=True, default="")
    title = models.CharField(max_length=300)
    place = models.CharField(max_length=300, blank=True, default="")
    figures: models.JSONField[Any, Any] = models.JSONField(default=list, blank=True)
    note = models.CharField(max_length=2000, blank=True, default="")
    added_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    added_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["added_at", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["incident", "comparison", "pair", "baseline", "anchor"], name="evidence_once"
            )
        ]

    def __str__(self) -> str:
        return self.title


class Verdict(models.Model):
    """One person's verdict on a finding; `is_current`: the last, maybe withdrawn (finding_verdicts.py).

    `anchor` (awrdiff/comparisons/anchors.py) is equal in every comparison of database `dbid`. `title`, `text`: of the
    finding.
    """

    team = models.ForeignKey(Team, on_delete=models.CASCADE)
    comparison = models.ForeignKey(Comparison, on_delete=models.CASCADE, related_name="verdicts")
    dbid = models.CharField(max_length=40, blank=True, default="")
    anchor = models.CharField(max_length=200)
    pair = models.PositiveSmallIntegerField(default=0)
    title = models.CharField(max_length=300)
    text = models.CharField(max_length=300, blank=True, default="")
    state = models.CharField(max_length=12, choices=VerdictState.choices)
    explained_by = models.CharField(max_length=200, blank=True, default="")  # the other finding's anchor
    explained_by_title = models.CharField(max_length=300, blank=True, default="")
    why = models.CharField(max_length=2000, blank=True, default="")
    role = models.CharField(max_length=40, blank=True, default="")  # as what it was given
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    at = models.DateTimeField(auto_now_add=True)
    is_current = models.BooleanField(default=True)

    class Meta:
        ordering = ["at", "pk"]
        indexes = [models.Index(fields=["team", "dbid", "anchor"], name="verdict_before")]
        constraints = [
            models.UniqueConstraint(
                fields=["comparison", "pair", "anchor", "user"],
                condition=models.Q(is_current=True),
                name="one_current_judgement",
            )
        ]

    def __str__(self) -> str:
        return f"{self.state}: {self.title}"


class SignOff(models.Model):
    """Agreement with a verdict, as `role`."""

    verdict = models.ForeignKey(Verdict, on_delete=models.CASCADE, related_name="sign_offs")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    role = models.CharField(max_length=40)
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["at", "pk"]
        constraints = [models.UniqueConstraint(fields=["verdict", "user", "role"], name="signed_off_once")]

    def __str__(self) -> str:
        return f"{self.role}: {self.user_id}"


class ActionItem(models.Model):
    """`link`: ticket's reference (JIRA-123, #45) or address; `ticket_asked_at`: webhook request that named none.
    `by_tracker`: state from the ticket.
    """

    incident = models.ForeignKey(Incident, on_delete=models.CASCADE, related_name="actions")
    text = models.CharField(max_length=500)
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    due = models.DateField(null=True, blank=True)
    state = models.CharField(max_length=10, choices=ActionState.choices, default=ActionState.OPEN)
    link = models.CharField(max_length=500, blank=True, default="")
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    updated_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    updated_at = models.DateTimeField(auto_now=True)
    closed_at = models.DateTimeField(null=True, blank=True)
    ticket_asked_at = models.DateTimeField(null=True, blank=True)
    by_tracker = models.BooleanField(default=False, db_default=False)
    version = models.PositiveIntegerField(default=1)
    client_key = models.UUIDField(null=True, blank=True)

    class Meta:
        ordering = ["created_at", "pk"]
        indexes = [models.Index(fields=["state", "due"], name="action_due")]
        constraints = [models.UniqueConstraint(fields=["incident", "client_key"], name="action_posted_once")]

    def __str__(self) -> str:
        return self.text

    @property
    def is_overdue(self) -> bool:
        return self.state == ActionState.OPEN and self.due is not None and self.due < self.incident.today


class Revision(models.Model):
    """Edit of an incident or action: form texts before and after. `version`: None outside forms (roles)."""

    incident = models.ForeignKey(Incident, on_delete=models.CASCADE, related_name="revisions")
    action = models.ForeignKey(ActionItem, on_delete=models.CASCADE, null=True, blank=True, related_name="revisions")
    version = models.PositiveIntegerField(null=True, blank=True)
    changes: models.JSONField[Any, Any] = models.JSONField(default=dict)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    by_tracker = models.BooleanField(default=False, db_default=False)
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["at", "pk"]

    def __str__(self) -> str:
        return ", ".join(self.changes)

"""An incident and what belongs to it, and the verdicts a team gives on the findings of its comparisons."""

from __future__ import annotations

import uuid
from typing import Any

from django.conf import settings
from django.db import models

from awrdiff.accounts.models import Team
from awrdiff.accounts.tokens import derived_token
from awrdiff.comparisons.models import Comparison
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
    """Of what is kept on the timeline. What reports, evidence and verdicts tell stands on it too, but not in a row."""

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
    """`time_zone` is an IANA name: what the team takes the local times of its reports, which print none, to be in.

    `begins_at` and `ends_at` are the window it is filed under, often that of a report; `ends_at` is None while it goes
    on. `impact_at` and the three after it are None until somebody sets them. `version` counts the changes of its own
    fields; `changed_at` is of anything that its page shows. `client_key` is of the form that made it: sent twice it
    makes one.
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

    class Meta:
        ordering = ["-begins_at", "pk"]
        indexes = [models.Index(fields=["team", "-begins_at"], name="incident_recent")]
        constraints = [models.UniqueConstraint(fields=["team", "client_key"], name="incident_posted_once")]

    def __str__(self) -> str:
        return self.title

    @property
    def channel_token(self) -> str:
        """Part of the address that takes a channel's messages; "" where none does."""
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
    """Who does what in it: `role` is lead, scribe, dba or whatever the team calls it."""

    incident = models.ForeignKey(Incident, on_delete=models.CASCADE, related_name="roles")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    role = models.CharField(max_length=40)

    class Meta:
        ordering = ["role", "pk"]
        constraints = [models.UniqueConstraint(fields=["incident", "user", "role"], name="has_the_role_once")]

    def __str__(self) -> str:
        return f"{self.role}: {self.user_id}"


class IncidentComparison(models.Model):
    """A comparison of the incident.

    `told` is what it tells for the timeline, in the local times of its reports (see comparison_events.py);
    `told_of` names the comparison as it was then. `bad` is the place of the report whose hour is the incident's, None
    while that is open; `bad_chosen`: a person said so, and else the comparison suggests it (hours.py).
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
    """A report or trace of the incident that is not there with a comparison.

    `bad`: whether its hour is the incident's, or there for comparison; None: as its window says.
    """

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
    """Something that happened at `at`: typed by `user`, or noted by the system (`by_system`) when `user` did it.

    `comparison`: what such a note names, as long as it is there; its title goes with it (attached.py).
    """

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
        """Author of a channel's message, never as a member is called."""
        return f"“{self.outside_author}”, from outside" if self.outside_author else ""


class TimelineEdit(models.Model):
    """What an event said before `edited_by` changed it."""

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
    """What speaks for or against something: a place of a comparison, as a pin has it, kept for the whole team.

    `title`, `place` and `figures` (pairs of label and text) are what stood at `anchor` then.

    `baseline`: as of a pin (awrdiff/pins/models.py).
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
    """Somebody's judgement on one finding. Each is a row; `is_current` is the last of each person, whose state may be
    withdrawn. The team's is what those agree on (judgements.py).

    `anchor` names the finding as awrdiff/comparisons/anchors.py does: its rule and subject, the same in every
    comparison, so that the next one of the database `dbid` finds it. `title` and `text` are what the finding said.
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
    """Somebody agrees with a verdict, as `role`."""

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
    """What is to be done about it. `link` is a ticket elsewhere: its reference (JIRA-123, #45), or its address;
    `ticket_asked_at`: when the team's webhook was asked for one, where its answer named none. `by_tracker`: its state
    came from the ticket."""

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


class Revision(models.Model):
    """What somebody, or the tracker, changed in the fields of an incident, or of one of its action items: each with its
    text before and after, as the form has it. `version` is the one that was changed, None of what belongs to no form
    (roles)."""

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

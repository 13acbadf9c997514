"""Threads on places of comparisons and incidents, and their files."""

from __future__ import annotations

import uuid
from typing import Any

from django.conf import settings
from django.db import models

from awrdiff.accounts.models import Team
from awrdiff.comparisons.models import Comparison
from awrdiff.incidents.models import Incident, TimelineEvent
from awrdiff.sharing.models import ShareLink

LONGEST_NAME = 150  # of a person, as Django has it


ABOUT_ONE = models.Q(comparison__isnull=True, incident__isnull=False) | models.Q(
    comparison__isnull=False, incident__isnull=True
)


LONGEST_TYPING = 40  # as long as the ids of lines are


class Talk(models.Model):
    """`version` grows with each write about its subject."""

    comparison = models.OneToOneField(Comparison, on_delete=models.CASCADE, null=True, blank=True, related_name="talk")
    incident = models.OneToOneField(Incident, on_delete=models.CASCADE, null=True, blank=True, related_name="talk")
    version = models.PositiveBigIntegerField(default=0)

    class Meta:
        constraints = [models.CheckConstraint(condition=ABOUT_ONE, name="talk_about_one")]

    def __str__(self) -> str:
        return f"{self.comparison_id or self.incident_id}: {self.version}"


class Thread(models.Model):
    """`anchor`: place (comparisons/anchors.py; in incidents a timeline line); `title`, `place`, `figures` (label, text)
    as they were at the start.

    `baseline`: "" for a pair. `for_guests`: for guests shown the comparison. `link`,
    `guest` (browser id): begun below that link; with `pseudonyms`, quoted from the redacted copy.
    """

    team = models.ForeignKey(Team, on_delete=models.CASCADE)
    comparison = models.ForeignKey(Comparison, on_delete=models.CASCADE, null=True, blank=True, related_name="threads")
    incident = models.ForeignKey(Incident, on_delete=models.CASCADE, null=True, blank=True, related_name="threads")
    anchor = models.CharField(max_length=200)
    pair = models.PositiveSmallIntegerField(default=0)
    baseline = models.CharField(max_length=120, blank=True, default="")
    title = models.CharField(max_length=300)
    place = models.CharField(max_length=300, blank=True, default="")
    figures: models.JSONField[Any, Any] = models.JSONField(default=list, blank=True)
    link = models.ForeignKey(ShareLink, on_delete=models.SET_NULL, null=True, blank=True, related_name="threads")
    guest = models.UUIDField(null=True, blank=True)
    pseudonyms = models.BooleanField(default=False)
    for_guests = models.BooleanField(default=False)
    started_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    changed_at = models.DateTimeField(auto_now=True)
    resolved_at = models.DateTimeField(null=True, blank=True)
    resolved_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    resolved_name = models.CharField(max_length=LONGEST_NAME, blank=True, default="")

    class Meta:
        ordering = ["created_at", "pk"]
        constraints = [models.CheckConstraint(condition=ABOUT_ONE, name="thread_about_one")]

    def __str__(self) -> str:
        return self.title

    @property
    def is_resolved(self) -> bool:
        return self.resolved_at is not None

    @property
    def is_from_outside(self) -> bool:
        return self.guest is not None


class Comment(models.Model):
    """`author` is None for link holders (`author_name`; `guest`: browser id) and deleted accounts.

    `client_key` is unique, against repeats. `mentions`: names resolved when written. Deleted comments stay without
    text.
    """

    team = models.ForeignKey(Team, on_delete=models.CASCADE)
    thread = models.ForeignKey(Thread, on_delete=models.CASCADE, related_name="comments")
    author = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    author_name = models.CharField(max_length=LONGEST_NAME)
    guest = models.UUIDField(null=True, blank=True)
    body = models.TextField(blank=True)
    mentions: models.JSONField[Any, Any] = models.JSONField(default=list, blank=True)
    client_key = models.UUIDField()
    created_at = models.DateTimeField(auto_now_add=True)
    edited_at = models.DateTimeField(null=True, blank=True)
    deleted_at = models.DateTimeField(null=True, blank=True)
    deleted_name = models.CharField(max_length=LONGEST_NAME, blank=True, default="")

    class Meta:
        ordering = ["created_at", "pk"]
        constraints = [models.UniqueConstraint(fields=["team", "client_key"], name="posted_once")]
        indexes = [models.Index(fields=["author", "-created_at"], name="comment_rate")]

    def __str__(self) -> str:
        return f"{self.author_name}: {self.body[:40]}"

    @property
    def is_deleted(self) -> bool:
        return self.deleted_at is not None


class EarlierText(models.Model):
    """Text before an edit."""

    comment = models.ForeignKey(Comment, on_delete=models.CASCADE, related_name="earlier")
    body = models.TextField()
    mentions: models.JSONField[Any, Any] = models.JSONField(default=list, blank=True)
    replaced_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["replaced_at", "pk"]

    def __str__(self) -> str:
        return self.body[:40]


class FileKind(models.TextChoices):
    """By bytes: pictures are shown, others downloaded."""

    PNG = "png"
    JPEG = "jpeg"
    WEBP = "webp"
    PDF = "pdf", "PDF"
    TEXT = "text"


LONGEST_FILE_NAME, LONGEST_ALT = 120, 300


class Attachment(models.Model):
    """`sha256`, `size`, `file` are of the stored bytes; `name` has the true ending; `alt` "" if unset; `width`,
    `height` in pixels, else 0.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    team = models.ForeignKey(Team, on_delete=models.CASCADE)
    comment = models.ForeignKey(Comment, on_delete=models.CASCADE, null=True, blank=True, related_name="attachments")
    event = models.ForeignKey(
        TimelineEvent, on_delete=models.CASCADE, null=True, blank=True, related_name="attachments"
    )
    name = models.CharField(max_length=LONGEST_FILE_NAME)
    alt = models.CharField(max_length=LONGEST_ALT, blank=True, default="")
    kind = models.CharField(max_length=4, choices=FileKind.choices)
    width = models.PositiveIntegerField(default=0)
    height = models.PositiveIntegerField(default=0)
    size = models.PositiveIntegerField()
    sha256 = models.CharField(max_length=64)
    file = models.CharField(max_length=200, unique=True)
    added_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    added_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["added_at", "pk"]
        indexes = [models.Index(fields=["team", "added_by", "-added_at"], name="attachment_rate")]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(comment__isnull=True, event__isnull=False)
                | models.Q(comment__isnull=False, event__isnull=True),
                name="attached_to_one",
            )
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def is_picture(self) -> bool:
        return self.width > 0


class Agreement(models.Model):
    comment = models.ForeignKey(Comment, on_delete=models.CASCADE, related_name="agreements")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["comment", "user"], name="agreed_once")]

    def __str__(self) -> str:
        return f"{self.user_id} agrees with {self.comment_id}"


class Why(models.TextChoices):
    """Reason of a turn."""

    MENTIONED = "mentioned"
    ANSWERED = "answered"
    ASSIGNED = "assigned"
    REOPENED = "reopened"
    OUTSIDE = "outside"


class Turn(models.Model):
    """Pending action until an answer or resolution."""

    thread = models.ForeignKey(Thread, on_delete=models.CASCADE, related_name="turns")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="turns")
    why = models.CharField(max_length=10, choices=Why.choices)
    by_name = models.CharField(max_length=LONGEST_NAME)
    since = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["since", "pk"]
        constraints = [models.UniqueConstraint(fields=["thread", "user"], name="turn_once")]

    def __str__(self) -> str:
        return f"{self.user_id} in {self.thread_id}: {self.why}"


class Looking(models.Model):
    """Open page; `typing`: line being written in."""

    comparison = models.ForeignKey(Comparison, on_delete=models.CASCADE, null=True, blank=True, related_name="+")
    incident = models.ForeignKey(Incident, on_delete=models.CASCADE, null=True, blank=True, related_name="+")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE)
    seen_at = models.DateTimeField()
    typing = models.CharField(max_length=LONGEST_TYPING, blank=True, default="")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["comparison", "user"], name="looking_once"),
            models.UniqueConstraint(fields=["incident", "user"], name="looking_at_incident_once"),
            models.CheckConstraint(condition=ABOUT_ONE, name="looking_at_one"),
        ]

    def __str__(self) -> str:
        return f"{self.user_id} at {self.comparison_id or self.incident_id}"

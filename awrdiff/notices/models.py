"""Notices, and messages to send. The rows are the truth; the broker carries ids."""

from __future__ import annotations

import uuid
from typing import Any

from django.conf import settings
from django.db import models

from awrdiff.accounts.models import Invitation, Team
from awrdiff.accounts.token_hashing import derived_token


class Mail(models.TextChoices):
    """Mails of notices, beside the list in the app."""

    NOW = "now"
    DIGEST = "digest"
    NONE = "none"


class Shape(models.TextChoices):
    """Format of a webhook's message."""

    GENERIC = "generic"
    SLACK = "slack"
    MATTERMOST = "mattermost"
    TEAMS = "teams"


class Way(models.TextChoices):
    MAIL = "mail"
    WEBHOOK = "webhook"


class NoticeChoice(models.Model):
    """Mail choice; at once without a row. `weekly`: their teams' week too, last at `last_week_at`."""

    user = models.OneToOneField(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="notice_choice")
    mail = models.CharField(max_length=10, choices=Mail.choices, default=Mail.NOW)
    last_digest_at = models.DateTimeField(null=True, blank=True)
    weekly = models.BooleanField(default=False)
    last_week_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"{self.user_id}: {self.mail}"


class TeamNotices(models.Model):
    """Team webhook; its secret is derived from `nonce` and the server's key.

    `contents`: more than sentence and link goes out. `tickets`: it may be asked for tickets, with the action item's
    text. `tracker_nonce`: of the secret for incoming ticket statuses; null: none accepted.
    """

    team = models.OneToOneField(Team, on_delete=models.CASCADE, related_name="notices_to")
    url = models.CharField(max_length=500, blank=True, default="")
    shape = models.CharField(max_length=12, choices=Shape.choices, default=Shape.GENERIC)
    contents = models.BooleanField(default=False)
    tickets = models.BooleanField(default=False)
    nonce = models.UUIDField(default=uuid.uuid4)
    tracker_nonce = models.UUIDField(null=True, blank=True)
    tracker_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    last_sent_at = models.DateTimeField(null=True, blank=True)
    last_error = models.CharField(max_length=300, blank=True, default="")

    def __str__(self) -> str:
        return f"{self.team_id}: {self.shape}"

    @property
    def secret(self) -> str:
        """Signs its messages."""
        return derived_token(f"webhook {self.nonce}")

    @property
    def tracker_secret(self) -> str:
        """Signs a tracker's messages; "" where none may."""
        return derived_token(f"tracker {self.tracker_nonce}") if self.tracker_nonce else ""


class Delivery(models.Model):
    """Message to send, saved with what it tells of, deleted once sent.

    `due_at`: next try; while sending, when that counts as failed. `attempts` is the fence. Mails: about an
    `invitation`, a notice, or, as digest, several.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    team = models.ForeignKey(Team, on_delete=models.CASCADE)
    way = models.CharField(max_length=10, choices=Way.choices)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, null=True, blank=True)
    invitation = models.ForeignKey(Invitation, on_delete=models.CASCADE, null=True, blank=True, related_name="mails")
    event: models.JSONField[Any, Any] = models.JSONField(default=dict, blank=True)  # of a webhook, see services.py
    kind = models.CharField(max_length=20, blank=True, default="")
    thing = models.CharField(max_length=50, blank=True, default="")
    attempts = models.PositiveIntegerField(default=0)
    due_at = models.DateTimeField(null=True, db_index=True)  # null: given up
    error = models.CharField(max_length=300, blank=True, default="")
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"{self.way} {self.pk}"


class Notice(models.Model):
    """`actor` did `what` to the thing of `kind` and id `thing`, at `place`; `user` is the recipient.

    `about`: text of people and reports. `once`: key against repeats. `mail_at`: planned time of its mail.
    """

    team = models.ForeignKey(Team, on_delete=models.CASCADE)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="notices")
    actor = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    what = models.CharField(max_length=20)
    kind = models.CharField(max_length=20)
    thing = models.CharField(max_length=50)
    place = models.CharField(max_length=250, blank=True, default="")
    about = models.CharField(max_length=200, blank=True, default="")
    change = models.CharField(max_length=60, blank=True, default="")  # from what to what: `open → resolved`
    once = models.CharField(max_length=64, null=True, unique=True)  # noqa: DJ001 - null is not one of a kind
    mail = models.ForeignKey(Delivery, on_delete=models.SET_NULL, null=True, related_name="notices")
    mail_at = models.DateTimeField(null=True, blank=True)
    thread = models.BigIntegerField(null=True)
    for_digest = models.BooleanField(default=False)
    created_at = models.DateTimeField(auto_now_add=True)
    read_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        indexes = [
            models.Index(fields=["user", "team", "-id"], name="notice_recent"),
            models.Index(fields=["kind", "thing"], name="notice_about"),
            models.Index(fields=["user", "thread"], name="notice_of_thread"),
        ]

    def __str__(self) -> str:
        return f"{self.what} for {self.user_id}"

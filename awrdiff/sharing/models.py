"""Links that show one comparison to whoever holds them, to be read, or to be commented too."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.db import models
from django.utils import timezone

from awrdiff.accounts.models import Team
from awrdiff.comparisons.models import Comparison


class ShareLink(models.Model):
    """Only the token's hash is kept: the address is shown once, when the link is made."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    team = models.ForeignKey(Team, on_delete=models.CASCADE)
    comparison = models.ForeignKey(Comparison, on_delete=models.CASCADE, related_name="links")
    token_hash = models.CharField(max_length=64, unique=True)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True)
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)
    last_used_at = models.DateTimeField(null=True, blank=True)
    uses = models.PositiveIntegerField(default=0)  # how often its page was opened
    password = models.CharField(max_length=200, blank=True, default="")  # hashed; "": none
    redacted = models.BooleanField(default=False)
    may_comment = models.BooleanField(default=False)
    # What a redacted link shows instead of `comparison`; without it such a link shows nothing.
    copy = models.OneToOneField(Comparison, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")

    def __str__(self) -> str:
        return f"Link to {self.comparison_id}"

    @property
    def is_live(self) -> bool:
        return self.revoked_at is None and (self.expires_at is None or self.expires_at > timezone.now())

"""Pins: rows, findings and sections of a comparison that a person keeps."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db import models

from awrdiff.accounts.models import Team
from awrdiff.comparisons.models import Comparison


class Pin(models.Model):
    """`anchor`: place (comparisons/anchors.py), stable across recomputing; `title`, `place`, `figures` (label, text) as
    pinned.

    `baseline`: "" for a pair, else the view (comparisons/anchors.py).
    """

    team = models.ForeignKey(Team, on_delete=models.CASCADE)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE)
    comparison = models.ForeignKey(Comparison, on_delete=models.CASCADE, related_name="pins")
    anchor = models.CharField(max_length=200)
    pair = models.PositiveSmallIntegerField(default=0)
    baseline = models.CharField(max_length=120, blank=True, default="")
    title = models.CharField(max_length=300)
    place = models.CharField(max_length=300, blank=True, default="")
    figures: models.JSONField[Any, Any] = models.JSONField(default=list, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["created_at", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["user", "comparison", "pair", "baseline", "anchor"], name="pinned_once"),
        ]

    def __str__(self) -> str:
        return self.title

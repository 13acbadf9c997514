"""What somebody keeps of a comparison: rows, findings and sections."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db import models

from awrdiff.accounts.models import Team
from awrdiff.comparisons.models import Comparison


class Pin(models.Model):
    """`anchor` names what is pinned, whatever is computed anew (see comparisons/anchors.py); `title`, `place` and
    `figures` (pairs of label and text) are what stood there then.

    `baseline`: "" on a page of two reports, whose `pair` it is; else the view against a baseline of several, as
    comparisons/baseline_anchors.py writes it, by the places of the reports in `comparison`.

    `comparison` is never one that a swap made: its pins are those of its original. `swapped`: what stood there was read
    the other way round.
    """

    team = models.ForeignKey(Team, on_delete=models.CASCADE)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE)
    comparison = models.ForeignKey(Comparison, on_delete=models.CASCADE, related_name="pins")
    anchor = models.CharField(max_length=200)
    pair = models.PositiveSmallIntegerField(default=0)
    baseline = models.CharField(max_length=120, blank=True, default="")
    swapped = models.BooleanField(default=False)
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

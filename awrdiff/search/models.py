"""Search text, one row per thing, deleted with it."""

from __future__ import annotations

from typing import Any

from django.db import models


def _of(model: str) -> models.OneToOneField[Any, Any]:
    return models.OneToOneField(model, on_delete=models.CASCADE, null=True, related_name="indexed")


class Indexed(models.Model):
    """Search text of one thing (one key set).

    For comparisons: `line` of the list, `parts` of the change (awrdiff/analysis/change_similarity.py), `version` of
    the writing code. Triggers write the others' text (index_triggers.py).
    """

    comparison = _of("comparisons.Comparison")
    incident = _of("incidents.Incident")
    event = _of("incidents.TimelineEvent")
    action = _of("incidents.ActionItem")
    evidence = _of("incidents.Evidence")
    verdict = _of("incidents.Verdict")
    comment = _of("threads.Comment")
    section = _of("postmortems.PostmortemSection")
    line = models.CharField(max_length=300, blank=True, default="")
    text = models.TextField(blank=True, default="")
    parts: models.JSONField[Any, Any] = models.JSONField(null=True)
    version = models.PositiveSmallIntegerField()

    def __str__(self) -> str:
        return self.line

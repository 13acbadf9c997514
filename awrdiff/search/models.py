"""One row for each thing that is found by what is said in it. It goes with the thing."""

from __future__ import annotations

from typing import Any

from django.db import models


def _of(model: str) -> models.OneToOneField[Any, Any]:
    return models.OneToOneField(model, on_delete=models.CASCADE, null=True, related_name="indexed")


class Indexed(models.Model):
    """Of one thing: that key is set, and no other. `text` is what it is found by.

    Of a comparison `line` says it in a list, `parts` is what its change is made of (awrdiff/analysis/likeness.py; None:
    of nothing), and `version` is of the code that wrote them; of all others the database itself writes the text
    (sources.py).
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

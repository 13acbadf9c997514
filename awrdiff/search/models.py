"""One row for each thing that is found by what is said in it. It goes with the thing."""

from __future__ import annotations

from django.db import models


class Indexed(models.Model):
    """`line` says the thing in a list; `text` is what it is found by. `version` is of the code that wrote both."""

    comparison = models.OneToOneField("comparisons.Comparison", on_delete=models.CASCADE, related_name="indexed")
    line = models.CharField(max_length=300, blank=True, default="")
    text = models.TextField(blank=True, default="")
    version = models.PositiveSmallIntegerField()

    def __str__(self) -> str:
        return self.line

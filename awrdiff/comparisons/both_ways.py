"""Comparisons whose first pair is also computed reversed, on demand."""

from __future__ import annotations

from collections.abc import Collection
from uuid import UUID

from django.db import transaction

from awrdiff.comparisons import tasks, versions
from awrdiff.comparisons.models import Comparison
from awrdiff.processing.fairness import wake_on_commit
from awrdiff.processing.models import State


def need(pks: Collection[UUID], *, again: bool = False) -> None:
    """Queue reversed computation; ready results stay. `again`: also those requested before."""
    rows = Comparison.objects.filter(pk__in=pks, **({} if again else {"both_ways": False}))
    with transaction.atomic():
        pks_needed = list(rows.values_list("pk", flat=True))
        rows = Comparison.objects.filter(pk__in=pks_needed)
        rows.update(both_ways=True)
        ready = rows.filter(state=State.READY)
        ready.update(renewal_tried=0, renewal_error="")
        ready.filter(engine_version=versions.current()).update(engine_version=versions.current() - 1)
        wake_on_commit(tasks.compute_comparison, list(ready.values_list("pk", flat=True)))

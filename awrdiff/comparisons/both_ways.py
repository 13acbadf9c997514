"""Comparisons whose first pair is also computed the other way round: those that somebody looks at so."""

from __future__ import annotations

from collections.abc import Collection
from uuid import UUID

from django.db import transaction

from awrdiff.comparisons import tasks, versions
from awrdiff.comparisons.models import Comparison
from awrdiff.processing.fairness import wake_on_commit
from awrdiff.processing.models import State


def need(pks: Collection[UUID], *, again: bool = False) -> None:
    """Have them computed both ways. What is ready stays until that is done, and where it fails. `again`: also those of
    which it was asked before."""
    rows = Comparison.objects.filter(pk__in=pks, **({} if again else {"both_ways": False}))
    with transaction.atomic():
        found = list(rows.values_list("pk", flat=True))
        rows = Comparison.objects.filter(pk__in=found)
        rows.update(both_ways=True)
        ready = rows.filter(state=State.READY)
        ready.update(renewal_tried=0, renewal_error="")
        ready.filter(engine_version=versions.current()).update(engine_version=versions.current() - 1)
        wake_on_commit(tasks.compute_comparison, list(ready.values_list("pk", flat=True)))

"""Removal of comparisons, announced to everything that names them."""

from __future__ import annotations

from collections.abc import Callable, Collection
from uuid import UUID

from awrdiff.comparisons.models import Comparison
from awrdiff.notices.services import forget

# Called with the ids of comparisons that are about to go, in the same transaction. Whoever names them registers here.
WHEN_DELETED: list[Callable[[Collection[UUID]], None]] = []


def remove(gone: Collection[UUID]) -> None:
    """Needs the locking transaction; reports stay."""
    forget("comparison", gone)
    for tell in WHEN_DELETED:
        tell(gone)
    Comparison.objects.filter(pk__in=gone).delete()

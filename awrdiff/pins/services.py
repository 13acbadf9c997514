"""Writes of pins."""

from __future__ import annotations

from django.core.exceptions import PermissionDenied
from django.db import transaction

from awrdiff.accounts.access import AccessContext, Can, NotFound
from awrdiff.analysis.baseline.section_vs_median import BaselineSelection
from awrdiff.comparisons.anchors import columns_at
from awrdiff.comparisons.models import Comparison
from awrdiff.pins.models import Pin
from awrdiff.processing.row_locks import lock


class PinRefused(ValueError):
    """Nothing at the anchor, or no room."""


MOST_PINS = 60
NOTHING_HERE = "There is nothing here to keep: choose a row, a finding or a section of this comparison."


def pin(
    access: AccessContext,
    comparison: Comparison,
    anchor: str,
    *,
    pair: int = 0,
    baseline: BaselineSelection | None = None,
) -> Pin:
    """Idempotent; of a pair or baseline view. Raises PinRefused."""
    access.check(Can.WRITE, comparison)
    if (columns := columns_at(comparison, anchor, pair, baseline)) is None:
        raise PinRefused(NOTHING_HERE)
    place, standing = columns
    with transaction.atomic():
        if not lock(Comparison, [comparison.pk]):
            raise NotFound("The comparison has been deleted.")
        own = Pin.objects.filter(user=access.user, comparison=comparison)
        if own.count() >= MOST_PINS and not own.filter(**place).exists():
            raise PinRefused(f"You keep at most {MOST_PINS} pieces of evidence of a comparison: remove one first.")
        defaults = {"team": access.team, **standing}
        return own.get_or_create(user=access.user, comparison=comparison, **place, defaults=defaults)[0]


def unpin(access: AccessContext, row: Pin) -> None:
    """Idempotent."""
    if access.user is None or not access.can_write or row.user_id != access.user.pk:
        raise PermissionDenied
    Pin.objects.filter(pk=row.pk).delete()

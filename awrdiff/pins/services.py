"""Writes of pins."""

from __future__ import annotations

from django.core.exceptions import PermissionDenied
from django.db import transaction

from awrdiff.accounts.access import AccessContext, NotFound
from awrdiff.analysis.baseline.section_vs_median import BaselineSelection
from awrdiff.comparisons import anchors, baseline_anchors
from awrdiff.comparisons.models import Comparison
from awrdiff.pins.models import Pin
from awrdiff.processing.row_locks import lock
from awrdiff.processing.storable_values import storable_text


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
    if not access.can_write or comparison.team_id != access.team.pk:
        raise PermissionDenied
    anchor = storable_text(anchor)
    fits = len(anchor) <= anchors.LONGEST and comparison.is_ready
    standing = baseline_anchors.standing(comparison, anchor, pair, baseline) if fits else None
    if standing is None:
        raise PinRefused(NOTHING_HERE)
    pair = 0 if baseline else pair
    view = baseline_anchors.stored_view(baseline)
    with transaction.atomic():
        if not lock(Comparison, [comparison.pk]):
            raise NotFound("The comparison has been deleted.")
        own = Pin.objects.filter(user=access.user, comparison=comparison)
        if own.count() >= MOST_PINS and not own.filter(anchor=anchor, pair=pair, baseline=view).exists():
            raise PinRefused(f"You keep at most {MOST_PINS} pieces of evidence of a comparison: remove one first.")
        return own.get_or_create(
            user=access.user,
            comparison=comparison,
            anchor=anchor,
            pair=pair,
            baseline=view,
            defaults={
                "team": access.team,
                "title": storable_text(standing.title),
                "place": storable_text(standing.place),
                "figures": [[storable_text(label), storable_text(text)] for label, text in standing.figures],
            },
        )[0]


def unpin(access: AccessContext, row: Pin) -> None:
    """Idempotent."""
    if access.user is None or not access.can_write or row.user_id != access.user.pk:
        raise PermissionDenied
    Pin.objects.filter(pk=row.pk).delete()

"""Reads of the pins app. Everybody sees their own; guests and whoever holds a share link have none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import QuerySet

from awrdiff.accounts.access import AccessContext, NotFound
from awrdiff.analysis.baseline.against import Chosen
from awrdiff.comparisons import anchors, baseline_anchors
from awrdiff.comparisons.models import Comparison
from awrdiff.pins.models import Pin


@dataclass(frozen=True, slots=True)
class Pinned:
    """A pin with what stands at its anchor now; where that is gone, with what stood there when it was pinned."""

    pin: Pin
    standing: anchors.Standing
    gone: bool


def pins_of(access: AccessContext, comparison: Comparison) -> QuerySet[Pin]:
    """The reader's own, in the order they were pinned; those of a swapped comparison are its original's."""
    if not access.can_write:
        return Pin.objects.none()
    original = comparison.mirror_of_id or comparison.pk
    return Pin.objects.filter(team=access.team, user=access.user, comparison=original)


def pin_for(access: AccessContext, comparison: Comparison, pk: int) -> Pin:
    found = pins_of(access, comparison).filter(pk=pk).first()
    if found is None:
        raise NotFound("There is no such pin.")
    return found


def pinned(access: AccessContext, comparison: Comparison) -> list[Pinned]:
    """Each as the comparison has it now, in the direction that is looked at."""
    return with_standings(list(pins_of(access, comparison)), comparison)


def with_standings(pins: Sequence[Pin], comparison: Comparison) -> list[Pinned]:
    """The pins with what stands there in the direction `comparison` has."""
    if not comparison.is_ready:
        return [Pinned(pin, _then(pin), gone=True) for pin in pins]
    views = [view_in(pin.baseline, comparison) for pin in pins]
    places = [anchors.Anchored(comparison, pin.anchor, pin.pair) for pin in pins]
    now = baseline_anchors.all_standings(list(zip(places, views, strict=True)))
    return [Pinned(pin, one or _then(pin), gone=one is None) for pin, one in zip(pins, now, strict=True)]


def view_in(baseline: str, comparison: Comparison) -> Chosen | None:
    """The baseline that something was kept against, by the places of the reports in `comparison`; None: of a pair."""
    chosen = baseline_anchors.view_of(baseline)
    return baseline_anchors.mirrored(chosen) if chosen is not None and comparison.mirror_of_id else chosen


def _then(pin: Pin) -> anchors.Standing:
    """What stood there when it was pinned."""
    return anchors.Standing(pin.title, pin.place, tuple((label, text) for label, text in pin.figures))


def of_everybody(comparison: Comparison) -> int:
    """How many go with the comparison, whoever pinned them."""
    return Pin.objects.filter(comparison=comparison).count()

"""Reads of one's own pins; guests and link holders have none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import QuerySet

from awrdiff.accounts.access import AccessContext, NotFound
from awrdiff.comparisons import anchors, baseline_anchors
from awrdiff.comparisons.models import Comparison
from awrdiff.pins.models import Pin


@dataclass(frozen=True, slots=True)
class Pinned:
    """`standing`: current, or as pinned when `gone`."""

    pin: Pin
    standing: anchors.Standing
    gone: bool


def pins_of(access: AccessContext, comparison: Comparison) -> QuerySet[Pin]:
    """In order of pinning."""
    if not access.can_write:
        return Pin.objects.none()
    return Pin.objects.filter(team=access.team, user=access.user, comparison=comparison)


def pin_for(access: AccessContext, comparison: Comparison, pk: int) -> Pin:
    pin = pins_of(access, comparison).filter(pk=pk).first()
    if pin is None:
        raise NotFound("There is no such pin.")
    return pin


def pinned(access: AccessContext, comparison: Comparison) -> list[Pinned]:
    """The reader's, with current figures."""
    return with_standings(list(pins_of(access, comparison)), comparison)


def with_standings(pins: Sequence[Pin], comparison: Comparison) -> list[Pinned]:
    """Pins with current figures."""
    if not comparison.is_ready:
        return [Pinned(pin, _then(pin), gone=True) for pin in pins]
    views = [baseline_anchors.view_of(pin.baseline) for pin in pins]
    places = [anchors.Anchored(comparison, pin.anchor, pin.pair) for pin in pins]
    now = baseline_anchors.all_standings(list(zip(places, views, strict=True)))
    return [Pinned(p, present or _then(p), gone=present is None) for p, present in zip(pins, now, strict=True)]


def _then(pin: Pin) -> anchors.Standing:
    return anchors.Standing(pin.title, pin.place, tuple((label, text) for label, text in pin.figures))


def of_everybody(comparison: Comparison) -> int:
    """Number deleted with the comparison."""
    return Pin.objects.filter(comparison=comparison).count()

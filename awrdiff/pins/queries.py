"""Reads of one's own pins; guests and link holders have none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import QuerySet

from awrdiff.accounts.access import AccessContext, require_row
from awrdiff.comparisons.anchors import Anchored, Standing, pair_or_view, standings
from awrdiff.comparisons.models import Comparison
from awrdiff.pins.models import Pin


@dataclass(frozen=True, slots=True)
class Pinned:
    """`standing`: current, or as pinned when `gone`."""

    pin: Pin
    standing: Standing
    gone: bool


def pins_of(access: AccessContext, comparison: Comparison) -> QuerySet[Pin]:
    """In order of pinning."""
    if not access.can_write:
        return Pin.objects.none()
    return Pin.objects.filter(team=access.team, user=access.user, comparison=comparison)


def pin_for(access: AccessContext, comparison: Comparison, pk: int) -> Pin:
    return require_row(pins_of(access, comparison).filter(pk=pk), "There is no such pin.")


def pinned(access: AccessContext, comparison: Comparison) -> list[Pinned]:
    """The reader's, with current figures."""
    return with_standings(list(pins_of(access, comparison)), comparison)


def with_standings(pins: Sequence[Pin], comparison: Comparison) -> list[Pinned]:
    """Pins with current figures."""
    if not comparison.is_ready:
        return [Pinned(pin, Standing.then(pin), gone=True) for pin in pins]
    now = standings([Anchored(comparison, pin.anchor, *pair_or_view(pin.pair, pin.baseline)) for pin in pins])
    return [Pinned(p, present or Standing.then(p), gone=present is None) for p, present in zip(pins, now, strict=True)]


def of_everybody(comparison: Comparison) -> int:
    """Number deleted with the comparison."""
    return Pin.objects.filter(comparison=comparison).count()

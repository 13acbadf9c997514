"""What every derived figure and statement carries: the interval of its inputs, and the row it rests on."""

from __future__ import annotations

from msgspec import Struct


class Estimate(Struct, frozen=True):
    """A derived figure with the interval its printed inputs allow."""

    low: float
    value: float
    high: float


class Evidence(Struct, frozen=True):
    """Points at the row (and column) a statement rests on."""

    section: str
    key: str
    column: str
    row_id: str | None = None


__all__ = ["Estimate", "Evidence"]

"""What every derived figure and statement carries: the interval of its inputs, and the row it rests on."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Estimate:
    """A derived figure with the interval its printed inputs allow."""

    low: float
    value: float
    high: float


@dataclass(frozen=True, slots=True)
class Evidence:
    """Points at the row (and column) a statement rests on."""

    section: str
    key: str
    column: str
    row_id: str | None = None


__all__ = ["Estimate", "Evidence"]

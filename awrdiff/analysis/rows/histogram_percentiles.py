"""Cumulative shares of an event's waits by bucket, and percentiles.

Shares are tenths of a percent, so sums have bounds.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from parsers.model import Value

PERCENTILES = (50, 90, 95, 99)


class Below(Struct, frozen=True):
    """Percent of the waits below the end of bucket `at`."""

    at: int
    low: float
    value: float
    high: float


def cumulative_shares(shares: Sequence[Value | None]) -> tuple[Below, ...]:
    """By the buckets' ends; None: not printed."""
    curve = []
    low = value = high = 0.0
    printed = [(at, share) for at, share in enumerate(shares) if share is not None]
    whole = sum(share.number for _, share in printed)
    for at, share in printed:
        low, high = low + max(share.low, 0.0), high + share.high
        value += share.number
        curve.append(Below(at, min(low, 100.0), 100.0 * value / whole if whole else 0.0, min(high, 100.0)))
    if not curve or whole <= 0:
        return ()
    last = curve[-1]
    return (*curve[:-1], Below(last.at, 100.0, 100.0, 100.0))  # all of them are in a bucket


def bucket_range(curve: Sequence[Below], percentile: float) -> tuple[int, int] | None:
    """Positions that may hold the percentile."""
    if not curve:
        return None
    first = next(n for n, point in enumerate(curve) if point.high >= percentile)
    last = next(n for n, point in enumerate(curve) if point.low >= percentile)
    return first, max(first, last)

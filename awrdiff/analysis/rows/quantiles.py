"""How much of an event's waits took less than the end of each bucket, and between which buckets a percentile lies.

Shares are printed to a tenth of a percent, so what is added up of them is known within bounds; a percentile is the
bucket in which it lies, or the stretch of them that the bounds leave open.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from parsers.model import Value

PERCENTILES = (50, 90, 95, 99)


class Below(Struct, frozen=True):
    """Percent of the waits that took less than the end of bucket `at`."""

    at: int
    low: float
    value: float
    high: float


def cumulative_shares(shares: Sequence[Value | None]) -> tuple[Below, ...]:
    """Of one side's buckets in the order of their ends; None is a bucket that the side does not print."""
    found = []
    low = value = high = 0.0
    printed = [(at, share) for at, share in enumerate(shares) if share is not None]
    whole = sum(share.number for _, share in printed)
    for at, share in printed:
        low, high = low + max(share.low, 0.0), high + share.high
        value += share.number
        found.append(Below(at, min(low, 100.0), 100.0 * value / whole if whole else 0.0, min(high, 100.0)))
    if not found or whole <= 0:
        return ()
    last = found[-1]
    return (*found[:-1], Below(last.at, 100.0, 100.0, 100.0))  # all of them are in a bucket


def bucket_range(curve: Sequence[Below], percentile: float) -> tuple[int, int] | None:
    """Places in the curve of the first and last bucket in which the percentile may lie."""
    if not curve:
        return None
    first = next(n for n, one in enumerate(curve) if one.high >= percentile)
    last = next(n for n, one in enumerate(curve) if one.low >= percentile)
    return first, max(first, last)


__all__ = ["PERCENTILES", "Below", "bucket_range", "cumulative_shares"]

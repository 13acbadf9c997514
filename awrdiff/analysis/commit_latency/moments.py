"""Means, percentiles and the cumulative curve of a stitched histogram, each with the bounds its buckets allow.

Formulas and checks: docs/commit-latency.md, section 4. Seconds, shares as fractions of 1.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate
from math import sqrt

from awrdiff.analysis.model.commits import Between, Bucket, CdfPoint
from awrdiff.analysis.model.evidence import Estimate
from parsers.model import Value

_WIDE = 4.0  # from its low to its high; buckets double, and Statspack's last reaches from 32 ms to 1 s


def representatives(buckets: Sequence[Bucket], total_s: Value | None) -> list[float]:
    """One time for each bucket: √(low·high); of one that is wider than the others and holds fewer waits than the one
    before it twice its low, for waits that grow fewer are near its beginning.

    The first begins at 0: its mean is what the printed total leaves over after the others, where a total is known and
    the bucket is a whole millisecond wide (to 12.1); else half of it.
    """
    middle = [_middle(b, before) for b, before in zip(buckets, (None, *buckets[:-1]), strict=True)]
    first = buckets[0]
    top = first.high_s if first.high_s is not None else 0.0
    if first.low_s > 0:
        return middle
    middle[0] = top / 2
    if total_s is not None and top >= 1e-3 and first.waits.value > 0:
        others = sum(m * b.waits.value for m, b in zip(middle[1:], buckets[1:], strict=True))
        middle[0] = min(max((total_s.number - others) / first.waits.value, 0.0), top)
    return middle


def _middle(bucket: Bucket, before: Bucket | None) -> float:
    if bucket.high_s is None:
        return bucket.low_s
    falls = before is not None and bucket.waits.value < before.waits.value
    return sqrt(bucket.low_s * (min(bucket.high_s, _WIDE * bucket.low_s) if falls else bucket.high_s))


def mean_of(buckets: Sequence[Bucket], number: float, total_s: Value | None) -> Estimate | None:
    """The average wait in seconds; low and high with every wait at the lower or upper edge of its bucket."""
    return _moment(buckets, number, total_s, lambda w: w)


def mean_square_of(buckets: Sequence[Bucket], number: float, total_s: Value | None) -> Estimate | None:
    """E[w²] in s²."""
    return _moment(buckets, number, total_s, lambda w: w * w)


def _moment(
    buckets: Sequence[Bucket], number: float, total_s: Value | None, of: Callable[[float], float]
) -> Estimate | None:
    if any(b.high_s is None and b.waits.value > 0 for b in buckets) or number <= 0:
        return None
    kept = [b for b in buckets if b.high_s is not None]
    middle = representatives(kept, total_s)
    value = sum(of(m) * b.waits.value for m, b in zip(middle, kept, strict=True)) / number
    low = _extreme(kept, number, lambda b: of(b.low_s), cheapest=True)
    high = _extreme(kept, number, lambda b: of(b.high_s or 0.0), cheapest=False)
    return Estimate(min(low, value), value, max(high, value))


def _extreme(buckets: Sequence[Bucket], number: float, worth: Callable[[Bucket], float], *, cheapest: bool) -> float:
    """The least (or most) that the buckets' counts allow: each starts at its least count, and the waits still
    missing from the total go to the lowest (or highest) bucket that has room."""
    counts = {id(b): b.waits.low for b in buckets}
    left = number - sum(counts.values())
    for b in buckets if cheapest else reversed(buckets):
        more = min(max(left, 0.0), b.waits.high - b.waits.low)
        counts[id(b)] += more
        left -= more
    whole = max(sum(counts.values()), 1e-12)
    return sum(worth(b) * counts[id(b)] for b in buckets) / whole


def cdf_of(buckets: Sequence[Bucket], number: float) -> tuple[CdfPoint, ...]:
    """The share of the waits below each edge."""
    out: list[CdfPoint] = []
    below = list(accumulate(b.waits.value for b in buckets))
    whole = below[-1] or 1.0  # by the same additions, so that behind the last wait the share is 1 to the last digit
    for i, b in enumerate(buckets):
        if b.high_s is None:
            break
        low, high = _below(buckets, number, i)
        value = below[i] / whole
        out.append(CdfPoint(b.high_s, Estimate(min(low, value), value, max(high, value))))
    return tuple(out)


def _below(buckets: Sequence[Bucket], number: float, last: int) -> tuple[float, float]:
    """The least and the most share of waits up to bucket `last`, from the counts on either side of its edge."""
    inside, outside = buckets[: last + 1], buckets[last + 1 :]
    least = max(sum(b.waits.low for b in inside), number - sum(b.waits.high for b in outside))
    most = min(sum(b.waits.high for b in inside), number - sum(b.waits.low for b in outside))
    return min(max(least / number, 0.0), 1.0), min(max(most / number, 0.0), 1.0)


def percentile(buckets: Sequence[Bucket], number: float, share: float) -> Between:
    """Between which edges the wait lies that `share` of all waits are below of."""
    low, high = 0.0, None
    found_low = False
    for i, b in enumerate(buckets):
        least, most = _below(buckets, number, i)
        if not found_low and most >= share:
            low, found_low = b.low_s, True
        if least >= share:
            high = b.high_s
            break
    return Between(low, high)


def over(cdf: Sequence[CdfPoint], limit_s: float) -> Estimate | None:
    """The share of waits above about `limit_s`: the edge within 3 % of it (16 ms is 16.4 ms from 12.2 on)."""
    point = next((p for p in cdf if abs(p.edge_s / limit_s - 1.0) < 0.03), None)
    if point is None:
        return None
    s = point.share
    return Estimate(1.0 - s.high, 1.0 - s.value, 1.0 - s.low)

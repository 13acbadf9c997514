"""Commit waits against redo writes: few slow writes, many long waits; and the two shapes.

docs/commit-latency.md, section 4.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, log2

from awrdiff.analysis.commit_latency.histograms import representatives
from awrdiff.analysis.model.commit_latency import Bucket, Distribution, Shape, ShapeDistance, Tail
from awrdiff.analysis.model.estimates_and_evidence import Estimate
from parsers.model import Value

MOST_TIME = 0.5  # of all commit time, at least
FEW_WRITES = 0.10  # of all writes, at most
FEW_WAITS = 0.5  # of all commit waits, at most: what most of them take is the usual wait and no tail
MOST_SHARERS = 1_000.0  # sessions that wait for one write, where the report does not print how many there were
BURST = 10.0  # times the usual rate of commits: tails of real reports have up to 1.1
FEW_SHARERS = 3.0  # commits that may always come together
LEAST_WRITES = 100  # redo writes in all, for a claim against the storage
LEAST_SLOW = 5  # of them as long as the tail
MOST_MATCHED = 2.0  # commit time in the tail ÷ what its writes can make waits of: real tails have 0.89 to 1.41
WIDE = 4.0  # times its lower edge: a bucket of which only the bounds are sure
MOST_BEYOND = 0.20  # of commit time, in waits longer than any write


def tail_of(
    waits: Distribution | None,
    writes: Distribution | None,
    sessions: float | None,
    elapsed_s: float | None,
    totals_s: tuple[Estimate | None, Estimate | None],
) -> Tail | None:
    """None without one. `totals_s`: commit and write time."""
    waited, write_time = totals_s
    if waits is None or writes is None or waited is None or write_time is None or writes.waits.value < LEAST_WRITES:
        return None
    ends = [b.high_s for b in writes.buckets if b.waits.high > 0]
    longest = max((e for e in ends if e is not None), default=0.0) if None not in ends else 0.0
    if longest and time_above(waits, longest).value > MOST_BEYOND:
        return None
    edges = sorted({b.low_s for b in waits.buckets if b.low_s > 0}, reverse=True)
    candidates = [t for edge in edges if (t := _at(waits, writes, edge)) is not None]
    rate = waits.waits.value / elapsed_s if elapsed_s else None
    return next(
        (
            t
            for t in candidates
            if t.writes.value <= FEW_WRITES
            and t.slow_writes.value >= LEAST_SLOW
            and t.waits_share <= FEW_WAITS
            and t.lfs_time.value >= MOST_TIME
            and _in_time(t, waits, writes, waited.value / write_time.value if write_time.value > 0 else inf)
            and t.waits_per_write <= _sharers(t, writes, sessions, rate)
        ),
        None,
    )


def _in_time(tail: Tail, waits: Distribution, writes: Distribution, times: float) -> bool:
    wide = any(
        b.high_s is None or b.high_s > WIDE * b.low_s
        for d in (waits, writes)
        for b in d.buckets
        if b.low_s >= tail.limit_s and b.waits.high > 0
    )
    waited, write_time = (
        (tail.lfs_time.low, tail.lfpw_time.high) if wide else (tail.lfs_time.value, tail.lfpw_time.value)
    )
    return waited * times <= MOST_MATCHED * tail.waits_per_write * write_time


def _sharers(tail: Tail, writes: Distribution, sessions: float | None, rate: float | None) -> float:
    most = sessions or MOST_SHARERS
    if rate is None or writes.mean_s is None:
        return most
    slow_s = tail.lfpw_time.value * writes.mean_s.value * writes.waits.value / tail.slow_writes.value
    return min(most, max(FEW_SHARERS, BURST * rate * slow_s))


def _at(waits: Distribution, writes: Distribution, limit_s: float) -> Tail | None:
    slow, long = _count_above(writes, limit_s), _count_above(waits, limit_s)
    if slow.value <= 0:
        return None
    return Tail(
        limit_s=limit_s,
        lfs_time=time_above(waits, limit_s),
        lfpw_time=time_above(writes, limit_s),
        writes=Estimate(
            slow.low / writes.waits.value, slow.value / writes.waits.value, min(slow.high / writes.waits.value, 1.0)
        ),
        slow_writes=slow,
        waits=long,
        waits_share=long.value / waits.waits.value,
        waits_per_write=long.value / slow.value,
        evidence=(waits.evidence, writes.evidence),
    )


def time_above(distribution: Distribution, limit_s: float) -> Estimate:
    above = [b for b in distribution.buckets if b.low_s >= limit_s]
    below = [b for b in distribution.buckets if b.low_s < limit_s]
    mean = distribution.mean_s
    total = Value(mean.value * distribution.waits.value, 0.0) if mean is not None else None
    seconds = representatives(distribution.buckets, total)
    middle = {id(b): s for b, s in zip(distribution.buckets, seconds, strict=True)}
    value = _share(sum(middle[id(b)] * b.waits.value for b in above), sum(middle[id(b)] * b.waits.value for b in below))
    low = _share(_at_least(above), _at_most(below))
    high = 1.0 if any(b.high_s is None for b in above) else _share(_at_most(above), _at_least(below))
    return Estimate(min(low, value), value, max(high, value))


def _at_least(buckets: Sequence[Bucket]) -> float:
    return sum(b.low_s * b.waits.low for b in buckets)


def _at_most(buckets: Sequence[Bucket]) -> float:
    return sum((b.high_s if b.high_s is not None else b.low_s) * b.waits.high for b in buckets)


def _share(above: float, below: float) -> float:
    return above / (above + below) if above + below > 0 else 0.0


def _count_above(distribution: Distribution, limit_s: float) -> Estimate:
    above = [b.waits for b in distribution.buckets if b.low_s >= limit_s]
    below = [b.waits for b in distribution.buckets if b.low_s < limit_s]
    value = sum(w.value for w in above)
    low = max(sum(w.low for w in above), distribution.waits.low - sum(w.high for w in below))
    high = min(sum(w.high for w in above), distribution.waits.high - sum(w.low for w in below))
    return Estimate(min(low, value), value, max(high, value))


def claim_of(tail: Tail, lfs_avg: Estimate, lfpw_avg: Estimate) -> float:
    """Seconds of LFS − LFPW per commit wait."""
    return max(tail.lfs_time.value * lfs_avg.value - tail.lfpw_time.value * lfpw_avg.value, 0.0)


def typical_overhead(waits: Distribution | None, writes: Distribution | None) -> Estimate | None:
    """Median commit wait − median write, as bounds."""
    if waits is None or writes is None or waits.p50.high_s is None or writes.p50.high_s is None:
        return None
    low, high = waits.p50.low_s - writes.p50.high_s, waits.p50.high_s - writes.p50.low_s
    return Estimate(low, (low + high) / 2, high)


_SAME_OCTAVES = 0.6  # less than a factor 1.5 between the two
_TICKS_S = (0.010, 0.020, 0.030, 0.040)
_FLOOR_S = 1e-6
_CROWD = 3.0  # times the share that redo writes have in the bucket, and more than the bucket before it
_LEAST_CROWD = 0.01
_LEAST_WAITS = 100


def distance(waits: Distribution | None, writes: Distribution | None) -> ShapeDistance | None:
    """None where either has no shape."""
    if waits is None or writes is None or min(waits.waits.value, writes.waits.value) < _LEAST_WAITS:
        return None
    ours, theirs = ({p.edge_s: p.share.value for p in d.cdf} for d in (waits, writes))
    edges = sorted({*ours, *theirs})
    if len(edges) < 2:
        return None
    apart = [(e, _share_below(theirs, e) - _share_below(ours, e)) for e in edges]
    widths = [log2(e / max(before, _FLOOR_S)) for before, e in zip([edges[0] / 2, *edges], edges, strict=False)]
    octaves = sum(abs(d) * w for (_, d), w in zip(apart, widths, strict=True))
    shift = sum(d * w for (_, d), w in zip(apart, widths, strict=True))
    at, gap = max(apart, key=lambda p: abs(p[1]))
    shape: Shape = "longer" if shift > 0 else "shorter"
    if _is_coarse(waits) and _is_coarse(writes):
        shape = "unresolved"
    elif octaves <= _SAME_OCTAVES:
        shape = "same"
    elif abs(shift) < octaves / 2:
        shape = "wider"
    return ShapeDistance(shape, octaves, shift, abs(gap), at, _peaks(waits, writes))


def _is_coarse(distribution: Distribution) -> bool:
    """To 12.1 the first bucket is 0 to 1 ms."""
    first = distribution.buckets[0]
    wide = first.low_s == 0 and first.high_s is not None and first.high_s >= 1e-3
    return wide and first.waits.value >= distribution.waits.value / 2


def _share_below(curve: dict[float, float], edge: float) -> float:
    below = [e for e in curve if e <= edge]
    return curve[max(below)] if below else 0.0


def _peaks(waits: Distribution, writes: Distribution) -> tuple[tuple[float, float], ...]:
    theirs = {b.low_s: b.waits.value / writes.waits.value for b in writes.buckets}
    out = []
    before = 0.0
    for b in waits.buckets:
        share = b.waits.value / waits.waits.value
        ticks = b.high_s is not None and any(b.low_s <= t < b.high_s for t in _TICKS_S)
        crowd = share >= _LEAST_CROWD and share > before and share >= _CROWD * theirs.get(b.low_s, 0.0)
        if ticks and crowd and b.high_s is not None:
            out.append((b.low_s, b.high_s))
        before = share
    return tuple(out)


def waiter_weighted(writes: Distribution | None, average: Estimate | None) -> Estimate | None:
    """E[w²]/E[w] in seconds: an indicator, no bound."""
    square = writes.mean_square_s2 if writes is not None else None
    if square is None or average is None or average.low <= 0:
        return None
    low = max(square.low / average.high, average.low)
    high = max(square.high / average.low, low)
    return Estimate(low, min(max(square.value / average.value, low, average.value), high), high)

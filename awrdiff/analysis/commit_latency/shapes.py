"""Two distributions against each other: commit waits and redo writes.

The same shape at the same place says that commits wait for the write and little else; commit waits shifted to the
right, that something is added to every wait (queueing, scheduling, a remote write); crowds at 10, 20, 30 or 40 ms that
the writes lack, a scheduler's clock. Source: docs/commit-latency.md, section 4.
"""

from __future__ import annotations

from math import log2

from awrdiff.analysis.model.commits import Distribution, Shape, ShapeDistance
from awrdiff.analysis.model.evidence import Estimate

_SAME_OCTAVES = 0.6  # less than a factor 1.5 between the two
_TICKS_S = (0.010, 0.020, 0.030, 0.040)
_FLOOR_S = 1e-6
_CROWD = 3.0  # times the share that redo writes have in the bucket, and more than the bucket before it
_LEAST_CROWD = 0.01
_LEAST_WAITS = 100


def distance(waits: Distribution | None, writes: Distribution | None) -> ShapeDistance | None:
    """Commit waits against redo writes; None where either is missing or has too few waits to have a shape."""
    if waits is None or writes is None or min(waits.waits.value, writes.waits.value) < _LEAST_WAITS:
        return None
    ours, theirs = dict(_curve(waits)), dict(_curve(writes))
    edges = sorted({*ours, *theirs})
    if len(edges) < 2:
        return None
    apart = [(e, _at(theirs, e) - _at(ours, e)) for e in edges]
    widths = [log2(e / max(before, _FLOOR_S)) for before, e in zip([_start(edges), *edges], edges, strict=False)]
    octaves = sum(abs(d) * w for (_, d), w in zip(apart, widths, strict=True))
    shift = sum(d * w for (_, d), w in zip(apart, widths, strict=True))
    at, gap = max(apart, key=lambda p: abs(p[1]))
    shape: Shape = "unresolved" if _is_coarse(waits) and _is_coarse(writes) else _shape(octaves, shift)
    return ShapeDistance(shape, octaves, shift, abs(gap), at, _peaks(waits, writes))


def _is_coarse(distribution: Distribution) -> bool:
    """To 12.1 the first bucket is 0 to 1 ms: where half of the waits lie in it, the shape is not resolved."""
    first = distribution.buckets[0]
    wide = first.low_s == 0 and first.high_s is not None and first.high_s >= 1e-3
    return wide and first.waits.value >= distribution.waits.value / 2


def _curve(distribution: Distribution) -> list[tuple[float, float]]:
    return [(p.edge_s, p.share.value) for p in distribution.cdf]


def _start(edges: list[float]) -> float:
    """The lower edge of the first bucket: edges double, but for the first one, which begins at 0."""
    return max(edges[0] / 2, _FLOOR_S)


def _at(curve: dict[float, float], edge: float) -> float:
    """The share below `edge`: that of the nearest edge below, because buckets without waits are left out."""
    below = [e for e in curve if e <= edge]
    return curve[max(below)] if below else 0.0


def _shape(octaves: float, shift: float) -> Shape:
    if octaves <= _SAME_OCTAVES:
        return "same"
    if abs(shift) < octaves / 2:
        return "wider"
    return "longer" if shift > 0 else "shorter"


def _peaks(waits: Distribution, writes: Distribution) -> tuple[tuple[float, float], ...]:
    """Buckets with a tick of 10 ms in them that stand out of the commit waits and not of the writes."""
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
    """E[w²]/E[w] in seconds: the average write as a waiter meets it, if sessions arrive evenly over time.

    An indicator, and a bound on nothing. E[w] is the printed average; E[w²] has the bounds of its buckets, whose
    edges lie a factor 4 apart when squared. It is never below the average itself.
    """
    square = writes.mean_square_s2 if writes is not None else None
    if square is None or average is None or average.low <= 0:
        return None
    low = max(square.low / average.high, average.low)
    high = max(square.high / average.low, low)
    return Estimate(low, min(max(square.value / average.value, low, average.value), high), high)

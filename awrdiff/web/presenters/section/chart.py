"""One event's wait histogram: bars of First beside Second, cumulative lines above."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from awrdiff.web.charts.axis import Linear, round_ticks
from awrdiff.web.charts.frame import SIDES, Chart, Frame, Label, fitting, levels, rules
from awrdiff.web.charts.marks import Mark, bar, line

_GAP = 0.25  # of a bucket's place, between it and the next
_MOST_TICKS = 5
_LEAST = 0.25  # percent of the height: a share of almost nothing is still seen
_QUARTERS = tuple((part, f"{part:.0f}") for part in (0.0, 25.0, 50.0, 75.0, 100.0))


def chart(buckets: Sequence[str], first: Sequence[float | None], second: Sequence[float | None]) -> Chart:
    """`first`, `second`: share of waits per bucket in percent; None = not printed. Empty inner buckets keep their
    place.
    """
    begin, end = filled_buckets(first, second)
    ticks = round_ticks(max((v or 0.0 for v in (*first, *second)), default=0.0), _MOST_TICKS)
    frame = Frame(Linear(0, max(1, end - begin)), Linear(0, ticks[-1][0]))
    visible_buckets, sides = list(buckets[begin:end]), (first[begin:end], second[begin:end])
    lines = [
        mark
        for side, shares in zip(("first", "second"), sides, strict=True)
        for mark in _below(side, shares, frame)
        if any(shares)
    ]
    shares = levels(frame.up, ticks, " %")
    return Chart(
        marks=(*_bars(sides, frame), *lines, *_hits(visible_buckets, sides, frame)),
        height=200,
        said="First against second: share of waits in each latency bucket and how much took less. Tables say the same.",
        note="bars: share of the waits · lines: how much took less (right)",
        left=44,
        right=48,
        top=26,
        bottom=22,
        rules=rules(shares),
        levels=shares,
        others=levels(Linear(0, 100), _QUARTERS, " %"),
        names=fitting([Label(frame.x(at + 0.5), name) for at, name in enumerate(visible_buckets)]),
        keys=SIDES,
    )


def filled_buckets(first: Sequence[float | None], second: Sequence[float | None]) -> tuple[int, int]:
    """Range of filled buckets, with one empty bucket before."""
    full = [at for at, pair in enumerate(zip(first, second, strict=True)) if any(pair)]
    return (max(full[0] - 1, 0), min(full[-1] + 2, len(first))) if full else (0, 0)


def _bars(sides: Sequence[Sequence[float | None]], frame: Frame) -> Iterator[Mark]:
    width = (1 - _GAP) / 2
    for place, (side, shares) in enumerate(zip(("first", "second"), sides, strict=True)):
        for at, share in enumerate(shares):
            if share:
                bar_start = at + _GAP / 2 + place * width
                across = frame.x(bar_start), frame.x(bar_start + width)
                yield bar(f"fill-{side}", across, (min(frame.y(share), 100 - _LEAST), 100), key=side)


def _hits(buckets: Sequence[str], sides: Sequence[Sequence[float | None]], frame: Frame) -> Iterator[Mark]:
    for at, bucket in enumerate(buckets):
        side_shares = [(side, shares[at]) for side, shares in zip(("First", "Second"), sides, strict=True)]
        shares = [f"{side} {share:g} % of the waits" for side, share in side_shares if share is not None]
        if shares:
            yield bar("hit", (frame.x(at), frame.x(at + 1)), (0, 100), "\n".join((bucket, *shares)))


def _below(side: str, shares: Sequence[float | None], frame: Frame) -> Iterator[Mark]:
    """Cumulative line between this side's bucket ends."""
    whole, so_far, places = sum(s or 0.0 for s in shares), 0.0, [(0.0, 100.0)]
    for at, share in enumerate(shares):
        if share is not None:
            so_far += share
            places.append((frame.x(at + 1), 100 - so_far / (whole or 1.0) * 100))
    yield line("halo", places, side)
    yield line(f"edge {side}", places, side)

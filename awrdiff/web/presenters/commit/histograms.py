"""Commit waits against redo writes, from histograms."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import log2
from typing import Any

from awrdiff.analysis.model.commit_latency import Between, Bucket, CommitFigures, Distribution
from awrdiff.web import value_formatting as fmt
from awrdiff.web.charts.axis import Linear, Log, round_ticks
from awrdiff.web.charts.frame import HALF, Chart, Frame, Key, Label, fitting, levels, rules
from awrdiff.web.charts.shapes import Mark, bar, line, steps
from awrdiff.web.presenters.commit.figure_texts import (
    NOTHING,
    Amount,
    Rows,
    SideLabel,
    count,
    figure,
    range_of,
    ratio,
    seconds,
    share,
)

LEAST = 0.05  # percent: buckets that hold less only make the rest narrow
_MARGIN = 1.25  # × beyond the first and the last edge
_MOST_TICKS = 5
_CAPTIONS = {
    "shares": "Share of commit waits and redo writes by how long they took.",
    "below": "Share of commit waits and redo writes that took less.",
}


def _curves_chart(
    curves: Sequence[dict[str, Any]], most: float, lines: Iterable[list[tuple[float, float]]], figure: str
) -> Chart | None:
    edges = [e for c in curves for at, s in enumerate(c["shares"]) if s >= LEAST for e in c["edges"][at : at + 2]]
    if not edges:
        return None
    ticks, across = round_ticks(most, _MOST_TICKS), Log(min(edges) / _MARGIN, max(edges) * _MARGIN)
    frame = Frame(across, Linear(0, ticks[-1][0]))
    times = [Label(across.at(ms), f"{text} ms") for ms, text in across.powers()]
    percents = levels(frame.up, ticks, " %")
    return Chart(
        marks=(
            *(
                line(f"edge {_cls(c)}", ((frame.x(ms), frame.y(percent)) for ms, percent in corners), str(at))
                for at, (c, corners) in enumerate(zip(curves, lines, strict=True))
            ),
            *_hits(curves, frame, figure),
        ),
        height=178,
        alt=f"{_CAPTIONS[figure]} The tables below have the same figures.",
        left=46,
        right=10,
        top=12,
        bottom=22,
        rules=(*rules(percents), *rules(times, upright=True)),
        levels=percents,
        names=fitting(times, wide=HALF),
        keys=tuple(Key(f"edge {_cls(c)}", c["name"], key=str(at)) for at, c in enumerate(curves)),
    )


def _hits(curves: Sequence[dict[str, Any]], frame: Frame, figure: str) -> Iterator[Mark]:
    buckets: dict[tuple[float, float], list[str]] = {}
    for c in curves:
        for at, percent in enumerate(c[figure]):
            lines = buckets.setdefault((c["edges"][at], c["edges"][at + 1]), [c["buckets"][at]])
            lines.append(f"{c['name']}: {percent:.3g} %{' took less' if figure == 'below' else ''}")
    for (low, high), lines in buckets.items():
        x = frame.x(low), frame.x(high)
        if x[0] < x[1]:
            yield bar("hit", x, (0, 100), "\n".join(lines))


def _cls(curve: dict[str, Any]) -> str:
    return f"{curve['side']} dotted" if curve["style"] == "lfpw" else str(curve["side"])


EVENTS = (("lfs", "log file sync", "lfs_histogram"), ("lfpw", "log file parallel write", "lfpw_histogram"))
UNITS = ((32, "h"), (26, "min"), (20, "s"), (10, "ms"), (0, "µs"))
SHAPES = {
    "same": "Commit waits have the shape of the redo writes: they wait for the write and little else.",
    "longer": "Commit waits lie above the redo writes: something is added to most of them.",
    "shorter": "Commit waits lie below the redo writes: sessions joined writes that were under way.",
    "wider": "Commit waits spread wider than the redo writes, to both sides.",
    "unresolved": "Most of both lies in the first bucket, 0 to 1 ms: their shapes cannot be told apart.",
}
Place = tuple[int, int]  # lower and upper edge as powers of 2 in µs; −1 = 0, MANY = open


MANY = 99


@dataclass(frozen=True, slots=True)
class Curve:
    """`style`: CSS class of its line."""

    side: SideLabel
    style: str
    event: str
    distribution: Distribution


def present(reports: Sequence[CommitFigures], sides: Sequence[SideLabel], rows: Rows) -> dict[str, Any]:
    """At most two reports: more than four lines are indistinguishable."""
    curves = [
        Curve(side, style, event, histogram)
        for style, event, name in EVENTS
        for side, f in zip(sides, reports, strict=True)
        if (histogram := getattr(f, name)) is not None
    ]
    charts = [_chart(c) for c in curves]
    most = max((s for c in charts for s in c["shares"]), default=0.0)
    below = (list(zip(c["edges"], [0.0, *c["below"]], strict=False)) for c in charts)
    return {
        # Waits; p50, p95, p99, over 16 ms, over 32 ms; where they are from.
        "curves": [
            (
                c.side,
                c.event,
                figure(c.distribution.waits, count),
                _percentiles(c.distribution),
                rows.links([c.distribution.evidence])[0],
            )
            for c in curves
        ],
        "rows": list(_rows(curves)),  # bucket, and of each curve its share and that below the bucket's end
        "sentences": [(s, list(_percentile_texts(f))) for s, f in zip(sides, reports, strict=True)],
        "chart": json.dumps(charts, separators=(",", ":"), ensure_ascii=False),  # what Plotly draws the two anew from
        "shares": _curves_chart(charts, most, (steps(c["edges"], c["shares"]) for c in charts), "shares"),
        "below": _curves_chart(charts, 100.0, below, "below"),
    }


def edge_label(edge_s: float) -> str:
    """1.024 ms is `1 ms`, 67.1 s is `1 min`."""
    power = _power(edge_s)
    base, unit = next(((b, u) for b, u in UNITS if power >= b), UNITS[-1])
    return f"{2 ** (power - base)} {unit}"


def _power(edge_s: float) -> int:
    return max(round(log2(edge_s * 1e6)), 0)


def between(b: Between) -> str:
    if b.high_s is None:
        return f"over {edge_label(b.low_s)}" if b.low_s > 0 else fmt.NONE
    if b.low_s <= 0:
        return f"under {edge_label(b.high_s)}"
    return f"{edge_label(b.low_s)} … {edge_label(b.high_s)}"


def _percentiles(d: Distribution) -> list[Amount]:
    over = [figure(e, share) if e is not None else NOTHING for e in (d.over_16ms, d.over_32ms)]
    return [*(Amount(between(p)) for p in (d.p50, d.p95, d.p99)), *over]


def _place(bucket: Bucket) -> Place:
    low = _power(bucket.low_s) if bucket.low_s > 0 else -1
    return low, _power(bucket.high_s) if bucket.high_s is not None else MANY


def _rows(curves: Sequence[Curve]) -> Iterator[tuple[str, list[Amount]]]:
    bucket_indexes = [{_place(b): i for i, b in enumerate(c.distribution.buckets)} for c in curves]
    ranges = {_place(b): Between(b.low_s, b.high_s) for c in curves for b in c.distribution.buckets}
    for place in sorted(ranges, key=lambda p: (p[1], -p[0])):
        cells = [
            cell for c, at in zip(curves, bucket_indexes, strict=True) for cell in _cells(c.distribution, at.get(place))
        ]
        yield between(ranges[place]), cells


def _cells(d: Distribution, at: int | None) -> tuple[Amount, Amount]:
    if at is None:
        return Amount(""), Amount("")
    waits = d.buckets[at].waits
    whole = d.waits.value or 1.0
    below = d.cdf[at].share if at < len(d.cdf) else None
    return Amount(_fine(waits.value / whole)), figure(below, _percent) if below is not None else NOTHING


def _fine(part: float) -> str:
    """Below printed resolution only presence is known."""
    points = part * 100
    if points <= 0:
        return ""
    return "<0.1 %" if points < 0.05 else f"{fmt.plain(points, 1)} %"


def _percent(part: float) -> str:
    """100.0 % only for all; rounding never reaches it."""
    text = fmt.plain(part * 100, 1)
    return ">99.9 %" if text == "100.0" and part < 1.0 - 1e-12 else f"{text} %"


def _percentile_texts(f: CommitFigures) -> Iterator[str]:
    if (d := f.distance) is not None:
        yield SHAPES[d.shape] + (
            "" if d.shape == "unresolved" else f" (On average {fmt.significant(d.octaves, 2, 1)} doublings apart.)"
        )
        if d.peaks_s:
            peaks = " and ".join(f"{edge_label(a)} to {edge_label(b)}" for a, b in d.peaks_s)
            yield f"Commit waits crowd at {peaks}, where redo writes do not: it may be the clock of a scheduler."
    if (t := f.tail) is not None:
        part = range_of(t.lfs_time, share)
        yield (
            f"{share(t.lfs_time.value)}{f' ({part})' if part else ''} of commit time lies in waits of "
            f"{edge_label(t.limit_s)} and longer, as long as {share(t.writes.value)} of the writes: "
            f"{ratio(t.waits_per_write)} commit waits to each of those."
        )
    if f.typical_overhead_s is not None:
        spread = range_of(f.typical_overhead_s, seconds) or seconds(f.typical_overhead_s.value)
        yield f"Typical: the median commit wait is {spread} beyond the median write, by the edges of their buckets."
    weighted, most, naive = f.waiter_weighted_write_s, f.slow_writes_up_to_s, f.naive_overhead_s
    if weighted is not None and most is not None and naive is not None:
        spread = f"{seconds(weighted.low)} … {seconds(weighted.high)}"
        text = (
            f"For a session that starts to wait at a random moment a write takes {spread}: an indicator, not a bound."
        )
        if naive.value > 0 and most.high > 0:
            up_to, least = min(most.high, naive.value), min(most.low, naive.value)
            text = (
                f"Up to {seconds(up_to)} ({share(up_to / naive.value)}) of the difference may be slow writes that many "
                "sessions waited for, by the upper edges of the buckets; by their lower edges up to "
                f"{seconds(least)}. {text}"
            )
        yield text


def _chart(c: Curve) -> dict[str, Any]:
    """Edges in ms, shares in percent; a lower edge of 0 becomes half the upper."""
    buckets = [b for b in c.distribution.buckets if b.high_s is not None]
    whole = c.distribution.waits.value or 1.0
    edges = [b.high_s * 1e3 for b in buckets if b.high_s is not None]
    first = buckets[0] if buckets else None
    start = [(first.low_s or (first.high_s or 0.0) / 2) * 1e3] if first is not None else []
    return {
        "name": f"{c.event}, {c.side.label}" if c.side.label else c.event,
        "side": c.side.cls,
        "style": c.style,
        "edges": [round(e, 6) for e in [*start, *edges]],
        "shares": [round(b.waits.value / whole * 100, 3) for b in buckets],
        "below": [round(p.share.value * 100, 3) for p in c.distribution.cdf],
        "buckets": [between(Between(b.low_s, b.high_s)) for b in buckets],
    }

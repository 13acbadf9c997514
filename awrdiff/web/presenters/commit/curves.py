"""Commit waits and redo writes over a logarithmic time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from awrdiff.web.charts.axis import Linear, Log, round_ticks
from awrdiff.web.charts.frame import HALF, Chart, Frame, Key, Label, fitting, levels, rules
from awrdiff.web.charts.marks import Mark, bar, line, steps

LEAST = 0.05  # percent: buckets that hold less only make the rest narrow
_MARGIN = 1.25  # × beyond the first and the last edge
_MOST_TICKS = 5
_CAPTIONS = {
    "shares": "Share of commit waits and redo writes by how long they took.",
    "below": "Share of commit waits and redo writes that took less.",
}


def shares(curves: Sequence[dict[str, Any]]) -> Chart | None:
    """Steps: share of waits between adjacent edges. `curves`: from histograms.py."""
    most = max((s for c in curves for s in c["shares"]), default=0.0)
    return _curves_chart(curves, most, (steps(c["edges"], c["shares"]) for c in curves), "shares")


def below(curves: Sequence[dict[str, Any]]) -> Chart | None:
    """Share that took less than each edge."""
    return _curves_chart(
        curves, 100.0, (list(zip(c["edges"], [0.0, *c["below"]], strict=False)) for c in curves), "below"
    )


def _curves_chart(
    curves: Sequence[dict[str, Any]], most: float, lines: Iterable[list[tuple[float, float]]], figure: str
) -> Chart | None:
    edges = [e for c in curves for at, s in enumerate(c["shares"]) if s >= LEAST for e in c["edges"][at : at + 2]]
    if not edges:
        return None
    ticks, across = round_ticks(most, _MOST_TICKS), Log(min(edges) / _MARGIN, max(edges) * _MARGIN)
    frame = Frame(across, Linear(0, ticks[-1][0]))
    times = [Label(across.at(ms), f"{text} ms") for ms, text in across.powers()]
    shares = levels(frame.up, ticks, " %")
    return Chart(
        marks=(
            *(
                line(f"edge {_cls(c)}", ((frame.x(ms), frame.y(share)) for ms, share in corners), str(at))
                for at, (c, corners) in enumerate(zip(curves, lines, strict=True))
            ),
            *_hits(curves, frame, figure),
        ),
        height=178,
        said=f"{_CAPTIONS[figure]} The tables below have the same figures.",
        left=46,
        right=10,
        top=12,
        bottom=22,
        rules=(*rules(shares), *rules(times, upright=True)),
        levels=shares,
        names=fitting(times, wide=HALF),
        keys=tuple(Key(f"edge {_cls(c)}", c["name"], key=str(at)) for at, c in enumerate(curves)),
    )


def _hits(curves: Sequence[dict[str, Any]], frame: Frame, figure: str) -> Iterator[Mark]:
    """Every filled bucket, with its share and the cumulative share."""
    buckets: dict[tuple[float, float], list[str]] = {}
    for c in curves:
        for at, share in enumerate(c[figure]):
            lines = buckets.setdefault((c["edges"][at], c["edges"][at + 1]), [c["buckets"][at]])
            lines.append(f"{c['name']}: {share:.3g} %{' took less' if figure == 'below' else ''}")
    for (low, high), lines in buckets.items():
        x = frame.x(low), frame.x(high)
        if x[0] < x[1]:
            yield bar("hit", x, (0, 100), "\n".join(lines))


def _cls(curve: dict[str, Any]) -> str:
    return f"{curve['side']} dotted" if curve["style"] == "lfpw" else str(curve["side"])

"""Commit waits and redo writes over a logarithmic time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from awrdiff.web.charts.axis import Linear, Log, round_ticks
from awrdiff.web.charts.frame import HALF, Chart, Frame, Label, Legend, fitting, levels, rules
from awrdiff.web.charts.marks import line, steps

LEAST = 0.05  # percent: buckets that hold less only make the rest narrow
_MARGIN = 1.25  # × beyond the first and the last edge
_MOST_TICKS = 5


def shares(curves: Sequence[dict[str, Any]]) -> Chart | None:
    """Steps: the share of the waits from each edge to the next. `curves`: as histograms.py makes them."""
    most = max((s for c in curves for s in c["shares"]), default=0.0)
    return _drawn(curves, most, (steps(c["edges"], c["shares"]) for c in curves))


def below(curves: Sequence[dict[str, Any]]) -> Chart | None:
    """How much took less than each edge."""
    return _drawn(curves, 100.0, (list(zip(c["edges"], [0.0, *c["below"]], strict=False)) for c in curves))


def _drawn(curves: Sequence[dict[str, Any]], most: float, lines: Iterable[list[tuple[float, float]]]) -> Chart | None:
    held = [e for c in curves for at, s in enumerate(c["shares"]) if s >= LEAST for e in c["edges"][at : at + 2]]
    if not held:
        return None
    ticks, across = round_ticks(most, _MOST_TICKS), Log(min(held) / _MARGIN, max(held) * _MARGIN)
    frame = Frame(across, Linear(0, ticks[-1][0]))
    times = [Label(across.at(ms), f"{text} ms") for ms, text in across.powers()]
    shares = levels(frame.up, ticks, " %")
    return Chart(
        marks=tuple(
            line(f"edge {_cls(c)}", ((frame.x(ms), frame.y(share)) for ms, share in one))
            for c, one in zip(curves, lines, strict=True)
        ),
        height=178,
        left=46,
        right=10,
        top=12,
        bottom=100,
        rules=(*rules(shares), *rules(times, upright=True)),
        levels=shares,
        names=fitting(times, wide=HALF),
        legend=tuple(Legend(f"edge {_cls(c)}", c["name"], 36 + at * 18) for at, c in enumerate(curves)),
    )


def _cls(curve: dict[str, Any]) -> str:
    return f"{curve['side']} dotted" if curve["style"] == "lfpw" else str(curve["side"])

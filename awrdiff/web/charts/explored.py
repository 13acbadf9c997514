"""What a chart is drawn from, for static/js/charts.js to draw it anew once somebody explores it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

_SUFFIXES = {"s": "s", "bytes": "B", "bytes_per_s": "B/s", "percent": " %"}  # of the units that figures are kept in


@dataclass(frozen=True, slots=True)
class Run:
    """One line, or one layer of bars: its class in the legend, its values, and how each is said."""

    name: str
    cls: str
    values: Sequence[float | None]
    said: Sequence[str]


def explored(
    across: Sequence[datetime | str], runs: Iterable[Run], *, unit: str | None = None, stacked: bool = False
) -> str:
    """`across`: moments, or names that stand side by side. `stacked`: bars that stand on each other, else lines."""
    moments = [at.isoformat() for at in across if isinstance(at, datetime)]
    drawn = {
        "x": moments if len(moments) == len(across) else list(range(len(across))),
        "names": [] if len(moments) == len(across) else [*map(str, across)],
        "unit": _SUFFIXES.get(unit or "", ""),
        "stacked": stacked,
        "runs": [{"name": r.name, "cls": r.cls, "y": list(r.values), "said": list(r.said)} for r in runs],
    }
    return json.dumps(drawn, separators=(",", ":"), ensure_ascii=False)

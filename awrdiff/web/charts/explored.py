"""Chart data for static/js/charts.js, which redraws a chart for exploring."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

_SUFFIXES = {"s": "s", "bytes": "B", "bytes_per_s": "B/s", "percent": " %"}  # of the units that figures are kept in


@dataclass(frozen=True, slots=True)
class Run:
    """A line or layer of bars: legend class, values, and their texts."""

    name: str
    cls: str
    values: Sequence[float | None]
    said: Sequence[str]


def explored(
    across: Sequence[datetime | str], runs: Iterable[Run], *, unit: str | None = None, stacked: bool = False
) -> str:
    """`across`: moments, or names side by side. `stacked`: stacked bars, else lines."""
    moments = [at.isoformat() for at in across if isinstance(at, datetime)]
    chart_data = {
        "x": moments if len(moments) == len(across) else list(range(len(across))),
        "names": [] if len(moments) == len(across) else [*map(str, across)],
        "unit": _SUFFIXES.get(unit or "", ""),
        "stacked": stacked,
        "runs": [{"name": r.name, "cls": r.cls, "y": list(r.values), "said": list(r.said)} for r in runs],
    }
    return json.dumps(chart_data, separators=(",", ":"), ensure_ascii=False)

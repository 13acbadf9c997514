"""Least meaningful deviation of a figure: five equal reports prove no stability."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime
from statistics import median
from typing import Final

from awrdiff.analysis.metrics.declaration_helpers import Unit

# No hour of a database repeats more closely than this part of its level: a smaller deviation is chance among few. Of a
# percentage the level is what it lacks to its nearer end: 99.9 is 0.1 from where it cannot go on.
STEADIEST = 0.05
# One deviation is never less, so that six of these are the least that is told of a figure that is usually 0: two
# minutes of one session in an hour, two points, six log switches. What is counted has its print: one of them.
LEAST: Final[dict[Unit, float]] = {
    "sessions": 0.005,
    "per_s": 1e-4,
    "bytes_per_s": 1024.0,
    "per_hour": 1.0,
    "s": 20e-6,
    "bytes": 1024.0**2,
    "count": 1.0,
    "percent": 1 / 3,
    "ratio": 0.02,
    "load": 0.1,
}
_OF_ANY = 1e-6
_RARE = 0.05  # of all reports: what is seen in more of them is no surprise
USUAL_OF = 500  # reports, the latest, that tell what is usual: of hourly ones three weeks
# Of those of an hour: a nightly job that comes in one of three hours is in three of ten of each, a week of holidays in
# one of eight.
_TAIL_SHARE = 0.13


def floor_of(middle: float, printed: float, unit: Unit | None) -> float:
    """Least deviation by print (`printed`: one step), level and unit."""
    return max(printed, STEADIEST * level_of(middle, unit), LEAST[unit] if unit else _OF_ANY)


def level_of(figure: float, unit: Unit | None) -> float:
    return min(abs(figure), abs(100.0 - figure)) if unit == "percent" else abs(figure)


def usual_spread(figures: Sequence[tuple[datetime, float]]) -> float:
    """Spread around hours' medians by the tail; for few equal figures."""
    of_hour: dict[int, list[float]] = defaultdict(list)
    for begin, figure in figures:
        of_hour[begin.hour].append(figure)
    middles = {hour: median(of) for hour, of in of_hour.items()}
    return _tail([abs(figure - middles[begin.hour]) for begin, figure in figures], _RARE)


def spread_of_hour(figures: Sequence[float]) -> float:
    """Spread by the tail: the middle misses rare bursts."""
    middle = median(figures)
    return _tail([abs(figure - middle) for figure in figures], _TAIL_SHARE)


def spread_by_weekday(figures: Sequence[tuple[datetime, float]], centre: float) -> float:
    """Spread over weekdays that reach `centre`, by their own middles."""
    of_weekday: dict[int, list[float]] = defaultdict(list)
    for begin, figure in figures:
        of_weekday[begin.weekday()].append(figure)
    alike = [of for of in of_weekday.values() if min(of) <= centre <= max(of)]
    return _tail([abs(figure - middle) for of in alike for middle in [median(of)] for figure in of], _TAIL_SHARE)


def _tail(distances: Sequence[float], rare: float) -> float:
    return sorted(distances)[int(len(distances) * (1 - rare))] / 2 if distances else 0.0

"""Report windows to scale on a time line, and arcs from the first to the second of each comparison."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from awrdiff.web.charts.axis import Time, extent_of, time_scale
from awrdiff.web.charts.frame import Chart, Label, fitting, rules
from awrdiff.web.charts.marks import Mark, arc, bar

Extent = tuple[float, float]

NARROWEST = 0.4  # percent: an hour in a year is still to be seen
LANE, THICK, MOST_LANES, ROOM = 10, 7, 5, 34  # pixels, of windows that overlap; above them the arcs
_YEARS = (1980, 2200)


@dataclass(frozen=True, slots=True)
class Shown:
    """A report's window (ISO texts) and where it leads."""

    pk: UUID
    begin_at: str
    end_at: str
    url: str
    title: str


@dataclass(frozen=True, slots=True)
class Joined:
    """A comparison's first and second report, and where it leads."""

    first: UUID
    second: UUID
    url: str
    title: str


@dataclass(frozen=True, slots=True)
class TimeLine:
    chart: Chart
    said: str  # from when to when


def draw(reports: Iterable[Shown], comparisons: Iterable[Joined]) -> TimeLine | None:
    """None where no report prints its window."""
    windows = {r.pk: (r, *found) for r in reports if (found := _window(r)) is not None}
    if not windows:
        return None
    scale = time_scale([w[1:] for w in windows.values()])
    said = _window_text(scale.begin, max(end for _, _, end in windows.values()))
    extents = {pk: extent_of(scale, begin, end, NARROWEST) for pk, (_, begin, end) in windows.items()}
    joined = [c for c in comparisons if c.first in extents and c.second in extents and c.first != c.second]
    lanes = _lanes([(windows[pk][0], extent) for pk, extent in extents.items()])
    base = ROOM if joined else 2
    height = base + LANE * (max(lane for _, _, lane in lanes) + 1)
    bars = (bar("", x, _rows(base + 2 + lane * LANE, height), one.title, one.url) for one, x, lane in lanes)
    arcs = (_arc(c, extents, base, height) for c in joined)
    names = moments_of(scale)
    chart = Chart((*arcs, *bars), height=height, bottom=18, rules=rules(names, upright=True), names=names)
    return TimeLine(chart, said)


def moments_of(scale: Time) -> tuple[Label, ...]:
    """Those near an end would stand out of the page."""
    return fitting([Label(at, text) for m, text in scale.moments() if 4 < (at := scale.at(m)) < 96])


def _window(report: Shown) -> tuple[datetime, datetime] | None:
    """None where it is not printed, or no moment of any database that there has been."""
    try:
        begin, end = (datetime.fromisoformat(t or report.begin_at) for t in (report.begin_at, report.end_at))
    except ValueError:
        return None
    begin, end = begin.replace(tzinfo=None), end.replace(tzinfo=None)
    return (begin, max(begin, end)) if _YEARS[0] <= begin.year <= end.year <= _YEARS[1] else None


def _window_text(begin: datetime, end: datetime) -> str:
    days = [f"{day.day} {day:%b %Y}" for day in (begin, end)]
    return f"{days[0]} {begin:%H:%M} – {end:%H:%M}" if begin.date() == end.date() else " – ".join(days)


def _lanes(found: list[tuple[Shown, Extent]]) -> list[tuple[Shown, Extent, int]]:
    """Each in the first lane that is free there; where there are too many, in the last."""
    free, placed = [-1.0] * MOST_LANES, []
    for shown, extent in sorted(found, key=lambda one: one[1]):
        lane = next((n for n, end in enumerate(free) if end <= extent[0]), MOST_LANES - 1)
        free[lane] = extent[1]
        placed.append((shown, extent, lane))
    return placed


def _rows(top: int, height: int) -> tuple[float, float]:
    return 100 * top / height, 100 * (top + THICK) / height


def _arc(one: Joined, extents: dict[UUID, Extent], base: int, height: int) -> Mark:
    a, b = (sum(extents[pk]) / 2 for pk in (one.first, one.second))
    rise = 8 + (ROOM - 12) * math.sqrt(abs(b - a) / 100)
    return arc((a, b), 100 * base / height, 100 * rise / height, title=one.title, url=one.url)

"""Report windows to scale on a time line, and arcs from the first to the second of each comparison.

Drawn in a box WIDTH units wide that is stretched to the page: shapes only, what is written stands beside it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

WIDTH = 1000
NARROWEST = 4  # units: an hour in a year is still to be seen
LANE, MOST_LANES, ROOM = 10, 5, 34  # of windows that overlap; above them the arcs
MOST_TICKS = 5
_YEARS = (1980, 2200)
_STEPS = [timedelta(hours=h) for h in (1, 2, 3, 6, 12)] + [timedelta(days=d) for d in (1, 2, 7, 14)]
_MONTHS = (1, 2, 3, 6, 12, 24, 60, 120, 240, 600)


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
class Bar:
    url: str
    title: str
    x: str
    y: int
    width: str


@dataclass(frozen=True, slots=True)
class Arc:
    url: str
    title: str
    path: str


@dataclass(frozen=True, slots=True)
class Tick:
    x: str
    left: str  # percent
    text: str


@dataclass(frozen=True, slots=True)
class TimeLine:
    height: int
    base: int  # the line the windows hang on
    bars: tuple[Bar, ...]
    arcs: tuple[Arc, ...]
    ticks: tuple[Tick, ...]
    said: str  # from when to when
    width: int = WIDTH


@dataclass(frozen=True, slots=True)
class Scale:
    begin: datetime
    span_s: float

    @property
    def end(self) -> datetime:
        return self.begin + timedelta(seconds=self.span_s)

    def x(self, moment: datetime) -> float:
        return WIDTH * (moment - self.begin).total_seconds() / self.span_s


def draw(reports: Iterable[Shown], comparisons: Iterable[Joined]) -> TimeLine | None:
    """None where no report prints its window."""
    windows = {r.pk: (r, *found) for r in reports if (found := _window(r)) is not None}
    if not windows:
        return None
    scale = scale_of([w[1:] for w in windows.values()])
    said = _window_text(scale.begin, max(end for _, _, end in windows.values()))
    extents = {pk: extent_of(scale, begin, end) for pk, (_, begin, end) in windows.items()}
    arcs = tuple(_arcs(extents, comparisons))
    base = ROOM if arcs else 2
    bars = tuple(_bars([(windows[pk][0], extent) for pk, extent in extents.items()], base))
    return TimeLine(max(b.y for b in bars) + LANE, base, bars, arcs, tuple(ticks_of(scale)), said)


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


def scale_of(windows: Sequence[tuple[datetime, datetime]]) -> Scale:
    begin, end = min(w[0] for w in windows), max(w[1] for w in windows)
    return Scale(begin, max((end - begin).total_seconds(), 3600.0))


def extent_of(scale: Scale, begin: datetime, end: datetime) -> tuple[float, float]:
    """Left end and width as drawn; nothing stands out of the box."""
    left, right = scale.x(begin), scale.x(end)
    width = max(right - left, NARROWEST)
    return min(left, WIDTH - width), width


def _bars(found: list[tuple[Shown, tuple[float, float]]], base: int) -> Iterable[Bar]:
    """Each in the first lane that is free there; where there are too many, in the last."""
    free = [-1.0] * MOST_LANES
    for shown, (left, width) in sorted(found, key=lambda one: one[1]):
        lane = next((n for n, end in enumerate(free) if end <= left), MOST_LANES - 1)
        free[lane] = left + width
        yield Bar(shown.url, shown.title, number(left), base + 2 + lane * LANE, number(width))


def _arcs(extents: dict[UUID, tuple[float, float]], comparisons: Iterable[Joined]) -> Iterable[Arc]:
    for one in comparisons:
        if one.first not in extents or one.second not in extents or one.first == one.second:
            continue
        a, b = (extents[pk][0] + extents[pk][1] / 2 for pk in (one.first, one.second))
        rise = 8 + (ROOM - 12) * math.sqrt(abs(b - a) / WIDTH)
        yield Arc(
            one.url,
            one.title,
            f"M{number(a)} {ROOM}Q{number((a + b) / 2)} {number(ROOM - 2 * rise)} {number(b)} {ROOM}",
        )


def ticks_of(scale: Scale) -> Iterable[Tick]:
    """Few round moments; those near an end would stand out of the page."""
    moments, form = _round(scale.begin, scale.end)
    for moment in moments:
        x = scale.x(moment)
        if 0.04 * WIDTH < x < 0.96 * WIDTH:
            yield Tick(number(x), f"{x * 100 / WIDTH:.1f}", f"{moment:{form}}")


def _round(begin: datetime, end: datetime) -> tuple[list[datetime], str]:
    midnight = begin.replace(hour=0, minute=0, second=0, microsecond=0)
    for step in _STEPS:
        if (end - begin) / step <= MOST_TICKS:
            first = midnight + step * math.ceil((begin - midnight) / step)
            form = "%d %b %H:%M" if step < timedelta(days=1) else "%d %b %Y"
            return [first + n * step for n in range(MOST_TICKS + 1)], form
    months = next((m for m in _MONTHS if (end - begin).days / (30.4 * m) <= MOST_TICKS), _MONTHS[-1])
    first = midnight.replace(month=1, day=1) if months >= 12 else midnight.replace(day=1)
    return [_later(first, n * months) for n in range(2 * MOST_TICKS)], "%Y" if months >= 12 else "%b %Y"


def _later(moment: datetime, months: int) -> datetime:
    number = moment.month - 1 + months
    return moment.replace(year=moment.year + number // 12, month=number % 12 + 1)


def number(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")

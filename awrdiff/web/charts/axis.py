"""Scales to positions (0 to 100 %), and round ticks."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Protocol

_HOURS = [timedelta(hours=h) for h in (1, 2, 3, 6, 12)] + [timedelta(days=d) for d in (1, 2, 7, 14)]
_MONTHS = (1, 2, 3, 6, 12, 24, 60, 120, 240, 600)
_SECONDS = (60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 28800, 86400)
MOST_MOMENTS = 5


class Scale(Protocol):
    def at(self, value: float, /) -> float: ...


@dataclass(frozen=True, slots=True)
class Linear:
    low: float
    high: float

    def at(self, value: float) -> float:
        return 100.0 * (value - self.low) / ((self.high - self.low) or 1.0)


@dataclass(frozen=True, slots=True)
class Log:
    """Clamps values outside, also 0. Both ends are above 0."""

    low: float
    high: float

    def at(self, value: float) -> float:
        low, high = math.log10(self.low), math.log10(self.high)
        power = min(max(math.log10(value), low), high) if value > 0 else low
        return 100.0 * (power - low) / ((high - low) or 1.0)

    def powers(self) -> Iterable[tuple[float, str]]:
        """Powers of ten inside, as text."""
        for power in range(math.ceil(math.log10(self.low) - 1e-9), math.floor(math.log10(self.high) + 1e-9) + 1):
            yield 10.0**power, f"{10.0**power:,.{max(-power, 0)}f}"


@dataclass(frozen=True, slots=True)
class Time:
    begin: datetime
    span_s: float

    @property
    def end(self) -> datetime:
        return self.begin + timedelta(seconds=self.span_s)

    def at(self, moment: datetime) -> float:
        return 100.0 * (moment - self.begin).total_seconds() / (self.span_s or 1.0)

    def moments(self) -> Iterable[tuple[datetime, str]]:
        """A few round moments, hours to decades."""
        round_moments, form = _round_moments(self.begin, self.end)
        return ((m, f"{m:{form}}") for m in round_moments if self.begin <= m <= self.end)


def time_scale(windows: Iterable[tuple[datetime, datetime]], least_s: float = 3600.0) -> Time:
    begins, ends = zip(*windows, strict=True)
    return Time(min(begins), max((max(ends) - min(begins)).total_seconds(), least_s))


def extent_of(scale: Time, begin: datetime, end: datetime, narrowest: float) -> tuple[float, float]:
    """At least `narrowest` wide, inside the frame."""
    start, stop = scale.at(begin), scale.at(end)
    width = max(stop - start, narrowest)
    start = min(start, 100.0 - width)
    return start, start + width


def step_of(most: float, parts: int) -> float:
    """1, 2 or 5 times a power of ten, at most `parts` of them."""
    least = (most if most > 0 else 1.0) / parts
    power = 10.0 ** math.floor(math.log10(least))
    return next((m * power for m in (1, 2, 5) if m * power >= least * (1 - 1e-9)), 10 * power)


def round_ticks(most: float, parts: int, *, low: float = 0.0) -> list[tuple[float, str]]:
    """From 0, or the round value below a negative `low`, to above `most`."""
    step = step_of(max(most, -low), parts)
    digits = max(0, -math.floor(math.log10(step) + 1e-9))
    first, last = math.floor(min(low, 0.0) / step + 1e-9), math.ceil(max(most, 0.0) / step - 1e-9)
    return [(n * step, f"{n * step:,.{digits}f}") for n in range(first, max(last, first + 1) + 1)]


def elapsed_ticks(seconds: float, parts: int) -> Sequence[float]:
    """Round times since a beginning."""
    step = next((s for s in _SECONDS if seconds / s <= parts), None)
    step = step if step is not None else 86400 * math.ceil(seconds / 86400 / parts)
    return [float(n * step) for n in range(int(seconds / step) + 1)]


def _round_moments(begin: datetime, end: datetime) -> tuple[list[datetime], str]:
    midnight = begin.replace(hour=0, minute=0, second=0, microsecond=0)
    for step in _HOURS:
        if (end - begin) / step <= MOST_MOMENTS:
            first = midnight + step * math.ceil((begin - midnight) / step)
            form = "%d %b %H:%M" if step < timedelta(days=1) else "%d %b %Y"
            return [first + n * step for n in range(MOST_MOMENTS + 1)], form
    months = next((m for m in _MONTHS if (end - begin).days / (30.4 * m) <= MOST_MOMENTS), _MONTHS[-1])
    first = midnight.replace(month=1, day=1) if months >= 12 else midnight.replace(day=1)
    return [_later(first, n * months) for n in range(2 * MOST_MOMENTS)], "%Y" if months >= 12 else "%b %Y"


def _later(moment: datetime, months: int) -> datetime:
    number = moment.month - 1 + months
    return moment.replace(year=moment.year + number // 12, month=number % 12 + 1)

"""Where the level of a figure changed for good: a test by ranks, with a chosen rate of false alarms.

Each figure is held against what was normal at its hour: the median of the same hour of the week in the eight weeks
before, once three of them had it. Of what is left, the last few are held against all of those eight weeks: where
nothing changed, any order is as likely as any other, so the chance that the last k all lie above the m-th highest of N
earlier ones is C(m + k - 1, k) / C(N + k, k), whatever their distribution. m is the largest for which all that is asked
in a year gives one false alarm in a hundred figures. A change has to be worth something as well (`LEAST_FACTOR`).
"""

from __future__ import annotations

import itertools
import math
from bisect import bisect_left, insort
from collections import defaultdict, deque
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from statistics import median

from awrdiff.analysis.metrics.declare import Unit
from awrdiff.analysis.normal.baseline import LEAST, Measured

REFERENCE = timedelta(weeks=8)
WEEKS = 3  # in which an hour of the week was seen, before it says what is usual
# How many reports in a row are looked at, and which part of the false alarms that may be: a large step is seen by
# three, a smaller one by more.
RUNS = {3: 0.8, 6: 0.1, 12: 0.1}
FALSE_ALARMS = 0.01  # a year and figure
LEAST_FACTOR = 1.3
LEAST_POINTS = 2.0  # of percentages
_YEAR = timedelta(days=365.25)
_SMALL = 0.05  # of the median: figures below this count as none


@dataclass(frozen=True, slots=True)
class Step:
    """From `begin` on the figure is `factor` times what it was at the same hours (percentages: `factor` points more).

    `seen`: the report that settled it. `returns`: it is back at a level of the weeks before, as after a quiet week.
    """

    begin: datetime
    seen: datetime
    factor: float
    returns: bool


def steps_in(history: Sequence[Measured], unit: Unit) -> list[Step]:
    """`history`: in the order of time. Nothing is said before there are reports enough for the rate of false alarms."""
    if len(history) <= LEAST:
        return []
    scale = _Scale.of(history, unit)
    search = _Search(_rate(history), scale)
    return [found for m in history if (found := search.next(m)) is not None]


def _rate(history: Sequence[Measured]) -> float:
    """Of false alarms, for each report and direction."""
    gaps = [(b.begin - a.begin).total_seconds() for a, b in itertools.pairwise(history)]
    a_year = _YEAR.total_seconds() / max(median(gaps), 60.0)
    return FALSE_ALARMS / a_year / 2


@lru_cache(maxsize=4096)
def _highest(run: int, of: int, rate: float) -> int:
    """The largest m for which `run` figures lie above the m-th highest of `of` by chance at most at this rate; 0 for
    none."""
    orders = math.comb(of + run, run) * rate
    least, most = 0, of
    while least < most:
        m = (least + most + 1) // 2
        least, most = (m, most) if math.comb(m + run - 1, run) <= orders else (least, m - 1)
    return least


@dataclass(frozen=True, slots=True)
class _Scale:
    """Figures as they are compared: by factors above `small`, or by points."""

    small: float | None
    least: float

    @classmethod
    def of(cls, history: Sequence[Measured], unit: Unit) -> _Scale:
        if unit == "percent":
            return cls(None, LEAST_POINTS)
        usual = _SMALL * median(abs(m.value.number) for m in history)
        printed = 2 * median(m.value.half for m in history)
        return cls(max(usual, printed) or 1.0, math.log(LEAST_FACTOR))

    def __call__(self, number: float) -> float:
        return number if self.small is None else math.asinh(number / self.small)

    def factor(self, difference: float) -> float:
        return difference if self.small is None else math.exp(difference)


@dataclass(frozen=True, slots=True)
class _Left:
    """What is left of a figure once the hour's median is taken away."""

    begin: datetime
    rest: float


class _Search:
    """Goes through the reports of one figure; `_level` is what all steps so far add up to."""

    def __init__(self, rate: float, scale: _Scale) -> None:
        self._rate, self._scale = rate, scale
        self._level, self._levels = 0.0, deque[tuple[datetime, float]]()
        self._of_hour: dict[tuple[int, int], deque[tuple[datetime, float]]] = defaultdict(deque)
        self._last: deque[_Left] = deque(maxlen=max(RUNS))
        self._reference: deque[_Left] = deque()
        self._ranked: list[float] = []

    def next(self, measured: Measured) -> Step | None:
        figure = self._scale(measured.value.number) - self._level
        usual = self._usual(measured.begin)
        self._of_hour[measured.begin.weekday(), measured.begin.hour].append((measured.begin, figure))
        if usual is None:
            return None
        if len(self._last) == max(RUNS):
            self._refer_to(self._last[0])
        self._last.append(_Left(measured.begin, figure - usual))
        self._forget(measured.begin - REFERENCE)
        found = next((run for run in RUNS if self._is_apart(run)), None)
        return self._settle(found) if found is not None else None

    def _usual(self, begin: datetime) -> float | None:
        """The median of this hour of the week in the weeks before, where it has been seen often enough."""
        hours = self._of_hour[begin.weekday(), begin.hour]
        while hours and hours[0][0] < begin - REFERENCE:
            hours.popleft()
        return median(f for _, f in hours) if len(hours) >= WEEKS else None

    def _refer_to(self, left: _Left) -> None:
        self._reference.append(left)
        insort(self._ranked, left.rest)

    def _forget(self, since: datetime) -> None:
        while self._reference and self._reference[0].begin < since:
            del self._ranked[bisect_left(self._ranked, self._reference.popleft().rest)]

    def _is_apart(self, run: int) -> bool:
        last = [left.rest for left in self._last][-run:]
        if len(last) < run or abs(median(last)) < self._scale.least:
            return False
        m = _highest(run, len(self._ranked), RUNS[run] * self._rate)
        return m > 0 and (min(last) > self._ranked[-m] or max(last) < self._ranked[m - 1])

    def _settle(self, run: int) -> Step:
        """The level from here on is the one of the run; what it is held against stays, as it was left by each hour."""
        since = list(self._last)[-run:]
        before, change = self._level, median(left.rest for left in since)
        self._level += change
        earlier = [level for at, level in self._levels if at >= since[0].begin - REFERENCE]
        returns = any(abs(level - self._level) < self._scale.least for level in earlier)
        self._levels.append((since[0].begin, before))
        for left in since:
            hours = self._of_hour[left.begin.weekday(), left.begin.hour]
            at = next(n for n, (t, _) in enumerate(hours) if t == left.begin)
            hours[at] = (left.begin, hours[at][1] - change)
        self._last.clear()
        return Step(since[0].begin, since[-1].begin, self._scale.factor(change), returns)


__all__ = ["FALSE_ALARMS", "RUNS", "Step", "steps_in"]

"""Where the level of a figure changed for good, with a chosen rate of false alarms.

Each figure is held against what was normal at its hour: the median of the same hour of the week in the eight weeks
before, once three of them had it. What is left of neighbouring hours leans on each other: the part of an hour's rest
that the next one keeps is estimated from those eight weeks and taken away, so that what is new in each hour stands
alone. A step shows in its first report in full and in every later one by the part that is not kept; their sum by these
weights, in standard deviations, is what tells it from chance best. Each counts at most `_MOST`, so that a single hour
with a burst of work is no step, and all of them have to be off. It is told from where on a normal distribution gives
one false alarm in a hundred figures and years. A change has to be worth something as well (`LEAST_FACTOR`).
"""

from __future__ import annotations

import itertools
import math
from collections import defaultdict, deque
from collections.abc import Sequence
from datetime import datetime, timedelta
from statistics import NormalDist, median
from typing import NamedTuple

from msgspec import Struct

from awrdiff.analysis.baseline.spread import OF_NORMAL
from awrdiff.analysis.metrics.declare import Unit
from awrdiff.analysis.normal.baseline import ALARM, LEAST, Measured
from awrdiff.analysis.normal.floor import LEAST as LEAST_OF

REFERENCE = timedelta(weeks=8)
WEEKS = 3  # in which an hour of the week was seen, before it says what is usual
# How many reports in a row are looked at, and which part of the false alarms that may be: a large step is seen by
# three, a smaller one by more.
RUNS = {3: 0.8, 6: 0.1, 12: 0.1}
FALSE_ALARMS = 0.01  # a year and figure
LEAST_FACTOR = 1.3
LEAST_POINTS = 2.0  # of percentages
LEAST_REFERENCE = 7 * 24  # reports to hold the last ones against
_YEAR = timedelta(days=365.25)
_MOST = 4.5  # standard deviations, that one report counts for
_TAIL = 1.96  # standard deviations that 95 % of a normal distribution lie within
_ANEW = 84  # reports, until what neighbours have in common is estimated again
_STEADIEST = 0.03  # of a level
_SMALL = 0.05  # of the median: figures below this count as none


class Step(Struct, frozen=True):
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


class _Scale(Struct, frozen=True):
    """Figures as they are compared: by factors above `small`, or by points. `steadiest`: no figure's hours are alike by
    more."""

    small: float | None
    least: float
    steadiest: float

    @classmethod
    def of(cls, history: Sequence[Measured], unit: Unit) -> _Scale:
        if unit == "percent":
            return cls(None, LEAST_POINTS, LEAST_OF[unit])
        usual = _SMALL * median(abs(m.value.number) for m in history)
        printed = 2 * median(m.value.half for m in history)
        return cls(max(usual, printed, ALARM * LEAST_OF[unit]), math.log(LEAST_FACTOR), _STEADIEST)

    def __call__(self, number: float) -> float:
        return number if self.small is None else math.asinh(number / self.small)

    def factor(self, difference: float) -> float:
        return difference if self.small is None else math.exp(difference)


class _Left(NamedTuple):
    """What is left of a figure once the hour's median is taken away, and what was of the report before."""

    begin: datetime
    rest: float
    before: float


class _Chance(NamedTuple):
    """`kept`: the part of an hour's rest that the next one keeps, 0 to 0.9; `deviation`: of what is new in each."""

    kept: float
    deviation: float

    @classmethod
    def of(cls, rests: Sequence[float], least: float) -> _Chance:
        """By the middle of what is new or by its tail, whichever is wider: bursts move neither by much."""
        most = 4 * median(map(abs, rests)) / OF_NORMAL
        calm = [max(-most, min(most, rest)) for rest in rests]
        square = sum(rest * rest for rest in calm)
        kept = sum(a * b for a, b in itertools.pairwise(calm)) / square if square else 0.0
        kept = max(0.0, min(0.9, kept))
        new = sorted(abs(b - kept * a) for a, b in itertools.pairwise(rests))
        middle, tail = new[len(new) // 2] / OF_NORMAL, new[int(len(new) * 0.95)] / _TAIL
        return cls(kept, max(middle, tail, least))

    def apart(self, run: Sequence[_Left]) -> float:
        """By how many standard deviations the reports of the run lie above those before, taken together."""
        new = [max(-_MOST, min(_MOST, (left.rest - self.kept * left.before) / self.deviation)) for left in run]
        stays = 1.0 - self.kept
        return (new[0] + stays * sum(new[1:])) / math.sqrt(1 + (len(run) - 1) * stays * stays)


class _Search:
    """Goes through the reports of one figure; `_level` is what all steps so far add up to."""

    def __init__(self, rate: float, scale: _Scale) -> None:
        self._scale = scale
        self._far = {run: NormalDist().inv_cdf(1 - share * rate) for run, share in RUNS.items()}
        self._level, self._levels = 0.0, deque[tuple[datetime, float]]()
        self._of_hour: dict[tuple[int, int], deque[tuple[datetime, float]]] = defaultdict(deque)
        self._last: deque[_Left] = deque(maxlen=max(RUNS))
        self._reference: deque[_Left] = deque()
        self._before = 0.0
        self._chance: _Chance | None = None
        self._since = 0

    def next(self, measured: Measured) -> Step | None:
        figure = self._scale(measured.value.number) - self._level
        usual = self._usual(measured.begin)
        self._of_hour[measured.begin.weekday(), measured.begin.hour].append((measured.begin, figure))
        if usual is None:
            return None
        if len(self._last) == max(RUNS):
            self._reference.append(self._last[0])
        self._last.append(_Left(measured.begin, figure - usual, self._before))
        self._before = figure - usual
        while self._reference and self._reference[0].begin < measured.begin - REFERENCE:
            self._reference.popleft()
        chance = self._chances()
        found = next((run for run in RUNS if self._is_apart(run, chance)), None) if chance is not None else None
        return self._settle(found) if found is not None else None

    def _usual(self, begin: datetime) -> float | None:
        """The median of this hour of the week in the weeks before, where it has been seen often enough."""
        hours = self._of_hour[begin.weekday(), begin.hour]
        while hours and hours[0][0] < begin - REFERENCE:
            hours.popleft()
        return median(f for _, f in hours) if len(hours) >= WEEKS else None

    def _chances(self) -> _Chance | None:
        """Estimated anew now and then; None where there are too few reports for a word."""
        if len(self._reference) < LEAST_REFERENCE:
            return None
        self._since += 1
        if self._chance is None or self._since >= _ANEW:
            self._chance = _Chance.of([left.rest for left in self._reference], self._scale.steadiest)
            self._since = 0
        return self._chance

    def _is_apart(self, run: int, chance: _Chance) -> bool:
        last = list(self._last)[-run:]
        if len(last) < run:
            return False
        rests = [left.rest for left in last]
        change, least = median(rests), self._scale.least
        weakest = min(math.copysign(1.0, change) * rest for rest in rests)
        if abs(change) < least or weakest < max(least / 2, abs(change) / 3):  # bursts, and something beside them
            return False
        return math.copysign(1.0, change) * chance.apart(last) >= self._far[run]

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
        self._before -= change
        return Step(since[0].begin, since[-1].begin, self._scale.factor(change), returns)


__all__ = ["FALSE_ALARMS", "RUNS", "Step", "steps_in"]

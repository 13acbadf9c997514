"""Lasting changes of level, at one false alarm in a hundred figures and years.

Residuals from the hour's median of eight weeks (three reports or more), freed of serial correlation, are summed.
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

from awrdiff.analysis.baseline.robust_statistics import OF_NORMAL
from awrdiff.analysis.metrics.declaration_helpers import Unit
from awrdiff.analysis.normal.hour_of_week_normal import ALARM, LEAST, Measured
from awrdiff.analysis.normal.minimum_deviation import LEAST as LEAST_OF

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
    """`factor` times its former level from `begin` (percentages: points).

    `proved_at`: report that proved it. `returns`: back at an earlier level.
    """

    begin: datetime
    proved_at: datetime
    factor: float
    returns: bool


def steps_in(history: Sequence[Measured], unit: Unit) -> list[Step]:
    """`history` by time; nothing before reports suffice for the rate."""
    if len(history) <= LEAST:
        return []
    scale = _Scale.of(history, unit)
    gaps = [(b.begin - a.begin).total_seconds() for a, b in itertools.pairwise(history)]
    a_year = _YEAR.total_seconds() / max(median(gaps), 60.0)
    search = _Search(FALSE_ALARMS / a_year / 2, scale)
    return [step for m in history if (step := search.next(m)) is not None]


class _Scale(Struct, frozen=True):
    """Factors above `small`, else points; `steadiest`: least deviation."""

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


class _Residual(NamedTuple):
    """Residual after the hour's median, and that before."""

    begin: datetime
    rest: float
    before: float


class _Chance(NamedTuple):
    """`carried_part` of a residual, 0 to 0.9; `deviation`: the rest's."""

    carried_part: float
    deviation: float

    @classmethod
    def of(cls, rests: Sequence[float], least: float) -> _Chance:
        """Middle or tail, whichever is wider; bursts move neither."""
        most = 4 * median(map(abs, rests)) / OF_NORMAL
        calm = [max(-most, min(most, rest)) for rest in rests]
        square = sum(rest * rest for rest in calm)
        carried_part = sum(a * b for a, b in itertools.pairwise(calm)) / square if square else 0.0
        carried_part = max(0.0, min(0.9, carried_part))
        new = sorted(abs(b - carried_part * a) for a, b in itertools.pairwise(rests))
        middle, tail = new[len(new) // 2] / OF_NORMAL, new[int(len(new) * 0.95)] / _TAIL
        return cls(carried_part, max(middle, tail, least))

    def apart(self, run: Sequence[_Residual]) -> float:
        """Standard deviations between the run and the reports before."""
        new = [max(-_MOST, min(_MOST, (r.rest - self.carried_part * r.before) / self.deviation)) for r in run]
        stays = 1.0 - self.carried_part
        return (new[0] + stays * sum(new[1:])) / math.sqrt(1 + (len(run) - 1) * stays * stays)


class _Search:
    """Search over one figure; `_level` sums all steps so far."""

    def __init__(self, rate: float, scale: _Scale) -> None:
        self._scale = scale
        self._quantiles = {run: NormalDist().inv_cdf(1 - share * rate) for run, share in RUNS.items()}
        self._level, self._levels = 0.0, deque[tuple[datetime, float]]()
        self._of_hour: dict[tuple[int, int], deque[tuple[datetime, float]]] = defaultdict(deque)
        self._last: deque[_Residual] = deque(maxlen=max(RUNS))
        self._reference: deque[_Residual] = deque()
        self._before = 0.0
        self._chance: _Chance | None = None
        self._since = 0

    def next(self, measured: Measured) -> Step | None:
        figure = self._scale(measured.value.number) - self._level
        hours = self._of_hour[measured.begin.weekday(), measured.begin.hour]
        while hours and hours[0][0] < measured.begin - REFERENCE:
            hours.popleft()
        usual = median(f for _, f in hours) if len(hours) >= WEEKS else None
        self._of_hour[measured.begin.weekday(), measured.begin.hour].append((measured.begin, figure))
        if usual is None:
            return None
        if len(self._last) == max(RUNS):
            self._reference.append(self._last[0])
        self._last.append(_Residual(measured.begin, figure - usual, self._before))
        self._before = figure - usual
        while self._reference and self._reference[0].begin < measured.begin - REFERENCE:
            self._reference.popleft()
        chance = self._chances()
        run_length = next((run for run in RUNS if self._is_apart(run, chance)), None) if chance is not None else None
        return self._settle(run_length) if run_length is not None else None

    def _chances(self) -> _Chance | None:
        if len(self._reference) < LEAST_REFERENCE:
            return None
        self._since += 1
        if self._chance is None or self._since >= _ANEW:
            self._chance = _Chance.of([residual.rest for residual in self._reference], self._scale.steadiest)
            self._since = 0
        return self._chance

    def _is_apart(self, run: int, chance: _Chance) -> bool:
        last = list(self._last)[-run:]
        if len(last) < run:
            return False
        rests = [residual.rest for residual in last]
        change, least = median(rests), self._scale.least
        weakest = min(math.copysign(1.0, change) * rest for rest in rests)
        if abs(change) < least or weakest < max(least / 2, abs(change) / 3):  # bursts, and something beside them
            return False
        return math.copysign(1.0, change) * chance.apart(last) >= self._quantiles[run]

    def _settle(self, run: int) -> Step:
        since = list(self._last)[-run:]
        before, change = self._level, median(residual.rest for residual in since)
        self._level += change
        earlier = [level for at, level in self._levels if at >= since[0].begin - REFERENCE]
        returns = any(abs(level - self._level) < self._scale.least for level in earlier)
        self._levels.append((since[0].begin, before))
        for reference in since:
            hours = self._of_hour[reference.begin.weekday(), reference.begin.hour]
            at = next(n for n, (t, _) in enumerate(hours) if t == reference.begin)
            hours[at] = (reference.begin, hours[at][1] - change)
        self._last.clear()
        self._before -= change
        return Step(since[0].begin, since[-1].begin, self._scale.factor(change), returns)

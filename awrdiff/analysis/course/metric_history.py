"""Figures of a database over time, with normal values and changes of level."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Collection, Hashable, Sequence
from datetime import datetime
from operator import attrgetter

from msgspec import Struct

from awrdiff.analysis.course.report_timeline import Slot, apart
from awrdiff.analysis.metrics.declaration_helpers import Metric
from awrdiff.analysis.normal.hour_of_week_normal import LEAST, Measured, Normal, normal_at, normal_of
from awrdiff.analysis.normal.level_shifts import REFERENCE, Step, steps_in
from awrdiff.analysis.normal.sparse_hour_fallback import days_of, is_weekend
from parsers.model import Value


class FigureAt(Struct, frozen=True):
    """`value` None: not printed; `normal` None: too few earlier reports."""

    slot: Slot
    value: Value | None
    normal: Normal | None


class MetricHistory(Struct, frozen=True):
    """One figure of all slots, with its steps."""

    metric: Metric
    at: tuple[FigureAt, ...]
    steps: tuple[Step, ...]


def follow(metrics: Sequence[Metric], slots: Sequence[Slot], earlier: Sequence[Slot]) -> list[MetricHistory]:
    """By time; thinned days' and surrounding reports are no history."""
    beside, around = apart((*earlier, *slots))
    remaining = [slot for slot in beside if slot.is_left]
    no_history = {id(slot) for slot in (*around, *remaining)}
    hours = [(slot, slot.era) for slot in beside if not slot.is_left]
    whole_from = remaining[-1].begin + REFERENCE if remaining else None
    return [_course_of(metric, slots, hours, no_history, whole_from) for metric in metrics]


def _course_of(
    metric: Metric,
    slots: Sequence[Slot],
    hours: Sequence[tuple[Slot, Hashable]],
    no_history: Collection[int],
    whole_from: datetime | None,
) -> MetricHistory:
    values = {id(slot): _value(slot, metric) for slot, _ in hours}
    figures = ((slot, era, values[id(slot)]) for slot, era in hours)
    history = [Measured(slot.begin, value, era) for slot, era, value in figures if value is not None]
    hours_known = _Hours(history, metric, whole_from)
    begin = slots[0].begin if slots else None
    steps = [s for s in steps_in(history, metric.unit) if begin is not None and s.proved_at >= begin]
    at = (
        FigureAt(slot, _value(slot, metric), None)
        if id(slot) in no_history
        else FigureAt(slot, values[id(slot)], hours_known.normal(slot.begin, slot.era))
        for slot in slots
    )
    return MetricHistory(metric, tuple(at), tuple(steps))


def _value(slot: Slot, metric: Metric) -> Value | None:
    return None if slot.is_partial else slot.figure(metric)


class _Hours:
    """By hour, for speed. Before `whole_from` thinned weeks would mislead: the hour of the week alone counts."""

    def __init__(self, history: Sequence[Measured], metric: Metric, whole_from: datetime | None) -> None:
        self._unit = metric.unit
        self._whole_from = whole_from
        self._of_era: dict[Hashable, list[Measured]] = defaultdict(list)
        self._of_day: dict[Hashable, list[Measured]] = defaultdict(list)
        self._of_week: dict[Hashable, list[Measured]] = defaultdict(list)
        for measured in history:
            begin, era = measured.begin, measured.era
            self._of_era[era].append(measured)
            self._of_day[is_weekend(begin), begin.hour, era].append(measured)
            self._of_week[begin.weekday(), begin.hour, era].append(measured)

    def normal(self, begin: datetime, era: Hashable) -> Normal | None:
        of_day = _before(begin, self._of_day[is_weekend(begin), begin.hour, era])
        of_week = _before(begin, self._of_week[begin.weekday(), begin.hour, era])
        if self._whole_from is not None and begin < self._whole_from and len(of_week) < LEAST:
            return None
        same = _before(begin, self._of_era[era])
        if days_of(of_day) < LEAST:
            return normal_at(begin, era, same, unit=self._unit)
        return normal_of(of_week, of_day, same, unit=self._unit)


def _before(begin: datetime, history: Sequence[Measured]) -> Sequence[Measured]:
    return history[: bisect_left(history, begin, key=attrgetter("begin"))]

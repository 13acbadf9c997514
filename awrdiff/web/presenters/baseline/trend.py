"""A row's course over all reports."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from awrdiff.analysis.baseline.aligned_sections import Series, SeriesRow
from awrdiff.analysis.baseline.baseline_sentences import hour_text
from awrdiff.analysis.baseline.member_selection import positions_by_time, restarted_between
from awrdiff.analysis.baseline.parameter_differences import ParameterChange
from awrdiff.analysis.baseline.robust_statistics import spread_of
from awrdiff.analysis.baseline.section_vs_median import BaselineSelection
from awrdiff.analysis.model.baseline_spread import Spread
from awrdiff.analysis.report_time_windows import gap_text, is_close
from awrdiff.web import value_formatting as fmt
from awrdiff.web.charts.axis import Linear, Time, round_ticks, time_scale
from awrdiff.web.charts.frame import HALF, Chart, Label, Rule, Run, explored, fitting, levels, room, rules
from awrdiff.web.charts.shapes import Mark, bar, decimal, point
from awrdiff.web.charts.shapes import line as line_of
from awrdiff.web.presenters.baseline.report_columns import as_section
from awrdiff.web.presenters.baseline.spread_and_position import cell_text, numbers
from awrdiff.web.presenters.section.columns_and_cells import Basis, ColumnGroup, Formatted, own_unit, with_unit
from awrdiff.web.presenters.section.compared_section import row_name
from awrdiff.web.presenters.section.layouts import layout_of
from parsers.model import Report, Value

MOST_FIGURES = 6
MOST_CHANGES = 6  # parameters named of one mark
_MOST_TICKS = 4
_INSET = 2.0  # percent: no point lies on the edge


@dataclass(frozen=True, slots=True)
class Reports:
    """In the series' order. `changes`: per report, by time."""

    heads: Sequence[Report]
    selection: BaselineSelection | None
    changes: Sequence[tuple[ParameterChange, ...]]

    @property
    def order(self) -> list[int]:
        return positions_by_time(self.heads)

    def side(self, place: int) -> str:
        if self.selection is None:
            return "plain"
        return "second" if place == self.selection.second else "first" if place in self.selection.members else "rest"


def present(series: Series, line: SeriesRow, reports: Reports, basis: Basis) -> dict[str, Any]:
    axis = Axis([reports.heads[n] for n in reports.order])
    section = as_section(series)
    figures = layout_of(section, basis, everything=True).figures
    columns = [_column(f, line) for f in figures if not f.text and any(numbers(f, line))][:MOST_FIGURES]
    marks = tuple(_marks(reports, axis))
    charts = [_course(c, line, reports, axis, marks) for c in columns]
    name, beside = row_name(section, next(r for r in section.rows if r.row_id == line.row_id))
    return {
        "name": name,
        "beside": beside,
        "section": series.id,
        "title": series.title,
        "charts": charts,
        "heads": [with_unit(column) for column in columns],
        "lines": list(_lines(columns, line, reports)),
        "has_marks": bool(marks),
        "has_gaps": any(c["has_gaps"] for c in charts),
    }


class Axis:
    """At window middles; evenly spaced if a time is missing."""

    def __init__(self, heads: Sequence[Report]) -> None:
        self.heads = heads
        self._time = time_of(heads)

    def x(self, at: int) -> float:
        begin, end = self.heads[at].period.begin.time, self.heads[at].period.end.time
        if begin is None or self._time is None:
            return _inside(100.0 * at / max(1, len(self.heads) - 1))
        return self.moment(begin + ((end or begin) - begin) / 2)

    def moment(self, when: datetime) -> float:
        return _inside(self._time.at(when)) if self._time is not None else 0.0


def _inside(place: float) -> float:
    return _INSET + (100.0 - 2 * _INSET) * place / 100.0


def short(head: Report) -> str:
    """`Mon 1 Apr 09:00`"""
    begin = head.period.begin.time
    return f"{begin:%a} {begin.day} {begin:%b} {begin:%H:%M}" if begin else head.name


def follows(before: Report, after: Report) -> bool:
    """True if the gap is under half a window."""
    a, b = before.period, after.period
    if not (a.begin.time and a.end.time and b.begin.time):
        return True
    return is_close(a.begin.time, a.end.time, b.begin.time)


def dates(heads: Sequence[Report], places: Sequence[float], wide: float) -> tuple[Label, ...]:
    """As many labels as fit, last first; with time of day unless always equal."""
    begins = [h.period.begin.time for h in heads]
    clock = len({(b.hour, b.minute // 30) for b in begins if b is not None}) > 1
    labels = [
        Label(place, f"{b:%a} {b.day} {b:%b}{f' {b:%H:%M}' if clock else ''}")
        for place, b in zip(places, begins, strict=True)
        if b is not None
    ]
    return fitting(labels, wide=wide, last_first=True)


def _column(figure: ColumnGroup, line: SeriesRow) -> Formatted:
    own = own_unit(line.unit, figure.unit)
    values = [] if own else [v.number for v in numbers(figure, line) if v is not None]
    return Formatted(figure, fmt.column_format(figure.unit, values))


def _course(
    column: Formatted, line: SeriesRow, reports: Reports, axis: Axis, marks: tuple[Rule, ...]
) -> dict[str, Any]:
    values, order, selection = numbers(column.figure, line), reports.order, reports.selection
    known_values = [(at, v) for at, n in enumerate(order) if (v := values[n]) is not None]
    spread = spread_of([values[n] for n in selection.members]) if selection is not None else None
    figures = [v.number for _, v in known_values]
    rounded = round_ticks(max(figures), _MOST_TICKS, low=min(figures)) if any(figures) else [(0.0, "")]
    ticks = [value for value, _ in rounded]
    up = Linear(ticks[0], ticks[-1])
    tick_labels = levels(up, ((value, _with_unit(column, line, Value(value, 0.0))) for value in ticks))
    places = [(axis.x(at), 100.0 - up.at(v.number)) for at, v in known_values]
    spoken = [f"{hour_text(axis.heads[at])}: {_with_unit(column, line, v)}" for at, v in known_values]
    points = (
        point(reports.side(order[at]), place, words)
        for (at, _), place, words in zip(known_values, places, spoken, strict=True)
    )
    steps = [
        (a, b, at == before + 1 and follows(axis.heads[before], axis.heads[at]))
        for (before, _), (at, _), a, b in zip(known_values, known_values[1:], places, places[1:], strict=False)
    ]
    chart = Chart(
        marks=(
            *_band(spread, up),
            *(line_of("known" if near else "gap", (a, b)) for a, b, near in steps),
            *points,
        ),
        height=150,
        alt=f"{column.figure.label} over time. The table below has the same figures.",
        left=room(tick_labels),
        right=36,
        top=16,
        bottom=26,
        rules=(*rules(tick_labels), *marks),
        levels=tick_labels,
        names=dates(axis.heads, [axis.x(at) for at in range(len(order))], wide=HALF),
    )
    return {
        "title": column.figure.label,
        "coverage": f"{len(known_values)} of {len(order)} reports print it",
        "chart": chart,
        "data": explored(
            # Times, or report names without one.
            [axis.heads[at].period.begin.time or axis.heads[at].name for at, _ in known_values],
            [Run(column.figure.label, "", [v.number for _, v in known_values], spoken)],
            unit=_unit(column, line),
        ),
        "has_gaps": not all(near for _, _, near in steps),  # somewhere nothing is known of the time between
    }


def _with_unit(column: Formatted, line: SeriesRow, value: Value) -> str:
    return fmt.quantity(value.number, _unit(column, line), value.half)


def _unit(column: Formatted, line: SeriesRow) -> str | None:
    unit = line.unit if own_unit(line.unit, column.figure.unit) else column.figure.unit
    return unit if unit != "as_labelled" else None


def _band(spread: Spread | None, up: Linear) -> Iterator[Mark]:
    if spread is None or spread.printed < 2:
        return
    top, bottom, middle = (100.0 - up.at(v.number) for v in (spread.high, spread.low, spread.median))
    yield bar("band", (0, 100), (top, max(bottom, top + 0.6)), "range of the baseline")
    yield line_of("middle", ((0, middle), (100, middle)))


def _marks(reports: Reports, axis: Axis) -> Iterator[Rule]:
    order, changes = reports.order, reports.changes
    for at in range(1, len(order)):
        before, after = reports.heads[order[at - 1]], reports.heads[order[at]]
        for moment in restarted_between(before, after):
            label = f"restarted {moment.day} {moment:%b %Y %H:%M}"
            yield Rule(decimal(axis.moment(moment)), upright=True, cls="mark restart", title=label, text="R")
        if changes[at]:
            x = (axis.x(at - 1) + axis.x(at)) / 2
            yield Rule(
                decimal(x), upright=True, cls="mark parameters", title="; ".join(changes_text(changes[at])), text="P"
            )


def changes_text(changes: Sequence[ParameterChange]) -> list[str]:
    """`sga_target 8G → 12G`"""
    texts = [f"{c.name} {c.before or 'default'} → {c.after or 'default'}" for c in changes[:MOST_CHANGES]]
    more = len(changes) - len(texts)
    return [*texts, f"{more} more"] if more else texts


def _lines(columns: Sequence[Formatted], line: SeriesRow, reports: Reports) -> Iterator[dict[str, Any]]:
    heads, order = reports.heads, reports.order
    figure_values = [numbers(c.figure, line) for c in columns]
    for at, n in enumerate(order):
        missing = line.values[n] is None
        yield {
            "when": hour_text(heads[n]),
            "between": between_text(heads[order[at - 1]], heads[n]) if at else "",
            "changes": changes_text(reports.changes[at]),
            "cells": [
                "not listed" if missing and not i else cell_text(c, line, values[n])
                for i, (c, values) in enumerate(zip(columns, figure_values, strict=True))
            ],
            "cls": reports.side(n),
        }


def between_text(before: Report, after: Report) -> str:
    """Length of the gap, and a restart in it."""
    a, b = before.period.end.time, after.period.begin.time
    parts = [gap_text((b - a).total_seconds() if a and b else 0.0)]
    parts += [f"restarted {moment.day} {moment:%b %H:%M}" for moment in restarted_between(before, after)]
    return ", ".join(filter(None, parts))


def time_of(heads: Sequence[Report]) -> Time | None:
    """None if any report lacks its time."""
    windows = [(p.begin.time, p.end.time or p.begin.time) for p in (h.period for h in heads) if p.begin.time]
    return time_scale(windows, least_s=1.0) if len(windows) == len(heads) else None

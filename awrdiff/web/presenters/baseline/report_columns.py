"""One figure of a section, one column per report."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from awrdiff.analysis.baseline.aligned_sections import Series, SeriesRow
from awrdiff.analysis.baseline.member_selection import positions_by_time
from awrdiff.analysis.baseline.section_vs_median import BaselineSelection
from awrdiff.analysis.model.comparison import ComparedRow, ComparedSection
from awrdiff.analysis.rows.ordering import order_of
from awrdiff.comparisons.result_storage import matches
from awrdiff.web import value_formatting as fmt
from awrdiff.web.charts.axis import Linear
from awrdiff.web.charts.frame import Frame
from awrdiff.web.presenters.baseline.spread_and_position import cell_text, numbers, text_of
from awrdiff.web.presenters.section.columns_and_cells import ColumnGroup, Formatted, with_unit
from awrdiff.web.presenters.section.compared_section import Options, name_head, row_name
from awrdiff.web.presenters.section.layouts import layout_of
from awrdiff.web.presenters.section.row_limits import Windowed, cut, start_of, window_of
from awrdiff.web.query_options import Choice
from parsers.model import Report, Value

_LONGEST = 200
NOT_LISTED = "not listed"
_SORT = re.compile(r"([0-9]{1,2})[fsc]([0-9]{0,2})")  # number of the figure, then of the report it is ordered by
RowValues = Mapping[str, Sequence[Value | None]]  # by row id, of each report


@dataclass(frozen=True, slots=True, kw_only=True)
class EachView(Windowed):
    section: ComparedSection
    name_head: str
    heads: list[dict[str, Any]]
    sortable: bool
    figures: tuple[Choice, ...]
    figure: str
    rows: list[dict[str, Any]]
    sort: str  # as the address says it: the figure, and the report whose largest come first

    @property
    def choice(self) -> str:
        """Query parameters of the next rows, without scripts."""
        return f"columns=each&sort={self.sort}&"


@dataclass(frozen=True, slots=True)
class Each:
    """`order`: reports by time; `at`: index in `figures`; `by`: report that sorts the rows."""

    section: ComparedSection
    heads: Sequence[Report]
    order: Sequence[int]
    figures: Sequence[ColumnGroup]
    at: int
    by: int | None
    values: RowValues
    lines: Sequence[SeriesRow]

    @property
    def figure(self) -> ColumnGroup | None:
        return self.figures[self.at] if self.figures else None


def rows_of(series: Series, heads: Sequence[Report], options: Options) -> Each:
    """`series` covers all reports, in the order of `heads`."""
    order = positions_by_time(heads)
    section = as_section(series)
    figures = layout_of(section, options.basis, everything=True).figures
    match = _SORT.fullmatch(options.sort)
    at = figure_at(figures, int(match[1]) if match is not None else None)
    by = int(match[2]) if match is not None and match[2] and int(match[2]) < len(order) else None
    matching = [line for line in series.lines if not options.text or matches(_as_row(line), options.text)]
    row_values = {line.row_id: numbers(figures[at], line) for line in matching} if figures else {}
    lines = _arrange(series, matching, row_values, figures[at], by) if figures else []
    return Each(section, heads, order, figures, at, by, row_values, lines)


def present(each: Each, selection: BaselineSelection, options: Options) -> EachView:
    section, heads, order, figures = each.section, each.heads, each.order, each.figures
    at, by, row_values, lines = each.at, each.by, each.values, each.lines
    window = window_of(len(order) + 1)
    start = start_of((r.row_id for r in lines), options.row, options.start, window)
    window_lines = lines[start : start + window]
    column = _column(figures[at], lines, row_values) if figures else None
    choices = tuple(Choice(f"{n}f", f.label, n == at) for n, f in enumerate(figures[:8]))
    return EachView(
        section=section,
        name_head=name_head(section),
        heads=[_head(heads[n], n, selection, at, by) for n in order],
        sortable=column is not None and not column.figure.text,
        figures=choices if len(choices) > 1 else (),
        figure=with_unit(column) if column else "",
        rows=[_row(section, line, column, [row_values[line.row_id][n] for n in order], order) for line in window_lines]
        if column
        else [],
        matched=len(lines),
        start=start,
        window=window,
        sort=f"{at}f{'' if by is None else by}",
    )


def as_section(series: Series) -> ComparedSection:
    """Each row from the last report that prints it."""
    rows = tuple(_as_row(line) for line in series.lines)
    return ComparedSection(
        series.id, series.title, series.is_declared, series.family, series.coverage, series.columns, series.key, rows
    )


def _as_row(line: SeriesRow) -> ComparedRow:
    values = next((v for v in reversed(line.values) if v is not None), {})
    return ComparedRow(line.row_id, line.name, "only_first", values, unit=line.unit, idle=line.idle)


def figure_at(figures: Sequence[ColumnGroup], wanted_figure: int | None) -> int:
    """The requested figure, else the bar's, else the first number."""
    if wanted_figure is not None and wanted_figure < len(figures):
        return wanted_figure
    wanted = ("total_wait_time_s", "time_s", "total", "elapsed_time_s", "per_second")
    main = next((n for w in wanted for n, f in enumerate(figures) if f.column == w), None)
    return main if main is not None else next((n for n, f in enumerate(figures) if not f.text), 0)


def _column(figure: ColumnGroup, lines: Sequence[SeriesRow], row_values: RowValues) -> Formatted:
    values = [v.number for line in lines if not line.unit for v in row_values[line.row_id] if v is not None]
    return Formatted(figure, fmt.column_format(figure.unit, values))


def _arrange(
    series: Series, lines: Sequence[SeriesRow], row_values: RowValues, figure: ColumnGroup, by: int | None
) -> list[SeriesRow]:
    if by is not None:
        at = {row: values[by] for row, values in row_values.items()}
        return sorted(lines, key=lambda line: (line.idle, (v := at[line.row_id]) is None, -v.number if v else 0.0))
    if order_of(series.id, is_declared=series.is_declared) == "weight" and not figure.text:
        most = {row: max((v.number for v in values if v), default=0.0) for row, values in row_values.items()}
        return sorted(lines, key=lambda line: (line.idle, -most[line.row_id]))
    return sorted(lines, key=lambda line: line.idle)


def _head(head: Report, place: int, selection: BaselineSelection, figure: int, by: int | None) -> dict[str, Any]:
    """`code`: orders the rows by this report, or in the table's own order again."""
    begin = head.period.begin.time
    cls = "th-second" if place == selection.second else "th-first" if place in selection.members else ""
    return {
        "day": f"{begin:%a} {begin.day} {begin:%b}" if begin else cut(head.name, 24),
        "time": f"{begin:%H:%M}" if begin else "",
        "title": f"{begin:%A} {begin:%d %b %Y %H:%M}" if begin else head.name,
        "cls": cls,
        "code": f"{figure}f" if place == by else f"{figure}f{place}",
        "in_use": place == by,
    }


def _row(
    section: ComparedSection,
    line: SeriesRow,
    column: Formatted,
    in_order: Sequence[Value | None],
    order: Sequence[int],
) -> dict[str, Any]:
    name, beside = row_name(section, _as_row(line))
    return {
        "id": line.row_id,
        "name": cut(name, _LONGEST),
        "beside": cut(beside, _LONGEST),
        # Class and text.
        "cells": [_cell(column, line, n, value) for n, value in zip(order, in_order, strict=True)],
        "spark": None if column.figure.text else spark(in_order),
        "cls": "idle" if line.idle else "",
    }


def _cell(column: Formatted, line: SeriesRow, place: int, value: Value | None) -> tuple[str, str]:
    if line.values[place] is None:
        return "na", NOT_LISTED
    if column.figure.text:
        return "l", cut(text_of(column.figure, line.values[place]), _LONGEST) or fmt.NONE
    return ("", cell_text(column, line, value)) if value is not None else ("na", fmt.NONE)


def spark(values: Sequence[Value | None]) -> dict[str, Any] | None:
    """Segments over consecutive reports that print the figure, in tenths of pixels; `x`, `y`: the last. None if fewer
    than two print it.
    """
    points = [(n, v.number) for n, v in enumerate(values) if v is not None]
    if len(points) < 2:
        return None
    low, high = min(y for _, y in points), max(y for _, y in points)
    # From 0 where the figures vary by half or more of the largest, so that small changes do not look large.
    floor = min(0.0, low) if high - low >= 0.5 * abs(high) else low - max(abs(low), abs(high)) * 0.5
    frame = Frame(Linear(0, len(values) - 1), Linear(floor, high))
    place = [(round(30 + 9 * frame.x(n)), round(30 + 1.4 * frame.y(y))) for n, y in points]
    paths: list[str] = []
    for at, (x, y) in enumerate(place):
        follows = at > 0 and points[at][0] == points[at - 1][0] + 1
        if follows:
            paths[-1] += f"l{x - place[at - 1][0]}{y - place[at - 1][1]:+d}"
        else:
            paths.append(f"M{x} {y}h.1")
    return {"paths": paths, "x": place[-1][0], "y": place[-1][1]}

"""Parameters that differ from one report to the next."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from awrdiff.analysis.baseline.aligned_sections import Series, SeriesRow
from awrdiff.analysis.baseline.member_selection import other_database
from awrdiff.analysis.names.truncated_names import narrower_width
from awrdiff.analysis.rows.text_differences import texts_differ
from parsers.model import Cell, Column, Report

PARAMETERS = "init_parameters"
_BEGIN, _END = "begin_value", "end_value"


class ParameterChange(NamedTuple):
    """None = not listed, so at its default."""

    name: str
    before: str | None
    after: str | None


def parameter_changes(
    series: Series, heads: Sequence[Report], order: Sequence[int]
) -> list[tuple[ParameterChange, ...]]:
    """Changes since the report before; none without parameters or between databases."""
    column = next((c for c in series.columns if c.id == _BEGIN), None)
    if column is None:
        return [() for _ in order]
    changes = (
        () if other_database(heads[before], heads[after]) else _changes_between(series, column, before, after)
        for before, after in pairwise(order)
    )
    return [(), *changes][: len(order)]


def _changes_between(series: Series, column: Column, before: int, after: int) -> tuple[ParameterChange, ...]:
    if not (series.present[before] and series.present[after]):
        return ()
    values = ((line, _value(line, before, last=True), _value(line, after, last=False)) for line in series.lines)
    widths = series.widths[column.id]
    cut_at = narrower_width(widths[before], widths[after])
    return tuple(
        ParameterChange(" ".join(line.name.values()), _text(a), _text(b))
        for line, a, b in values
        if texts_differ(a, b, column, cut_at)
    )


def _value(line: SeriesRow, report: int, *, last: bool) -> Cell:
    values = line.values[report]
    if values is None:
        return None
    end = values.get(_END)
    return end.first if last and end is not None and end.first else values[_BEGIN].first


def _text(cell: Cell) -> str | None:
    return cell if isinstance(cell, str) and cell else None

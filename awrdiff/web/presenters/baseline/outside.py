"""What lies outside the baseline, over the tables a reader looks at first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from awrdiff.analysis.baseline.against import Against, rows_outside
from awrdiff.analysis.baseline.series import Series
from awrdiff.analysis.baseline.words import counted_said
from awrdiff.web.presenters.baseline.table import RowView, present
from awrdiff.web.presenters.section.compared import Options
from awrdiff.web.presenters.section.words import short_title

MAIN = ("total_wait_time_s", "time_s", "elapsed_time_s", "total", "per_second", "begin_value")
MOST_ROWS = 6  # of a table


@dataclass(frozen=True, slots=True)
class Group:
    """Rows of one section, each with its main figure: baseline, Second, where it lies."""

    id: str
    title: str
    figure: str
    rows: list[RowView]
    more: int


@dataclass(frozen=True, slots=True)
class Outside:
    """`rows`: how many each table has; `counts`: how many of them lie outside and count."""

    groups: tuple[Group, ...]
    rows: Mapping[str, int]
    counts: Mapping[str, int]

    @property
    def said(self) -> str:
        return counted_said(self.rows, sum(self.counts.values())) if self.rows else ""


def present_outside(found: Iterable[tuple[Against, Series]], options: Options) -> Outside:
    made: list[Group] = []
    rows: dict[str, int] = {}
    counts: dict[str, int] = {}
    for held, series in found:
        listed = rows_outside(held, options.step)
        rows[series.id], counts[series.id] = len(held.section.rows), len(listed)
        if listed:
            made.append(_group(held, series, [r.row_id for r in listed], options))
    return Outside(tuple(made), rows, counts)


def _group(held: Against, series: Series, ids: list[str], options: Options) -> Group:
    view = present(held, series, options)
    by_id = {row["id"]: row for row in view.rows}
    shown = [by_id[i] for i in ids if i in by_id][:MOST_ROWS]
    at = _telling(shown, [head.column for head in view.heads])
    rows = [RowView(**{**row, "cells": row["cells"][3 * at : 3 * at + 3]}) for row in shown]
    title = short_title(series.id, series.title)
    return Group(series.id, title, view.heads[at].label if view.heads else "", rows, len(ids) - len(rows))


def _telling(rows: list[RowView], columns: list[str]) -> int:
    """The figure in which most of the rows lie outside; of several the one that tells time, or what is counted."""
    outside_in = [sum(bool(row["cells"][3 * at + 2]["t"]) for row in rows) for at in range(len(columns))]
    return max(range(len(columns)), key=lambda at: (columns[at] in MAIN, outside_in[at]), default=0)

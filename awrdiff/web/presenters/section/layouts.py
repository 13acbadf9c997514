"""Columns that each section shows first.

Without a layout: the first in printed order; `all` shows every column.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from awrdiff.analysis.model.comparison import ComparedSection
from awrdiff.web import value_formatting as fmt
from awrdiff.web.presenters.section.columns_and_cells import Basis, ColumnGroup, figure_of, sessions_figure
from parsers.model import Column

MOST_FIGURES = 4
_FEW_ROWS, _SPARSE = 6, 5  # of so many rows or more, one in five has to have a figure
WAITS = re.compile(r"^(foreground_wait_events|background_wait_events|.*wait_classes|top_timed_events)$")
SQL = re.compile(r"^sql_by_|^sql_ordered_by_")
# Text that belongs to the row rather than to one side: printed small beside or under the row's name.
BESIDE = {
    "wait_class",
    "sql_module",
    "module",
    "pdb_name",
    "pdb",
    "type",
    "object_type",
    "tablespace",
    "action",
    "class",
    "program",
}
# Columns that repeat another one in a basis the reader can choose anyway.
REPEATS = {"per_second", "per_transaction", "waits_per_txn", "per_sec", "per_trans"}
MIXED = re.compile(
    r"^(instance_(activity|efficiency|cpu)|load_|os_|operating_|host_|memory_|init_|io_profile|.*_advisory)"
)
PER_EXECUTION = re.compile(r"_per_exec(?:_s)?$")
DIVERGING = {"total_wait_time_s", "time_s", "total"}


@dataclass(frozen=True, slots=True)
class Layout:
    """Figures in order, text beside and below names."""

    figures: tuple[ColumnGroup, ...]
    beside: tuple[str, ...]
    under: str | None
    bar: int | None
    left_out: int


def layout_of(section: ComparedSection, basis: Basis, *, everything: bool = False) -> Layout:
    columns = [c for c in section.columns if c.id not in section.key]
    under = next((c.id for c in columns if c.holds == "sql_text" or c.id == "sql_text"), None)
    beside = tuple(c.id for c in columns if c.unit is None and c.id in BESIDE)
    figure_columns = [c for c in columns if c.id != under and c.id not in beside]
    every = _figures(section, figure_columns, basis)
    if everything:
        figures = every
    elif any(not f.text for f in every):
        figures = [f for f in every if not f.text and not _is_sparse(section, f)]
    else:
        deltas = {f.column: [d for r in section.rows if (d := r.values.get(f.column)) is not None] for f in every}
        figures = [f for f in every if any(d.first or d.second for d in deltas[f.column])]
    most = len(figures) if everything else 3 if WAITS.match(section.id) else MOST_FIGURES
    figures = figures[:most]
    return Layout(tuple(figures), beside, under, _bar(section, figures), len(every) - len(figures))


def _is_sparse(section: ComparedSection, figure: ColumnGroup) -> bool:
    rows = len(section.rows)
    if rows < _FEW_ROWS:
        return False
    return sum(any(figure.pair(r)) for r in section.rows) * _SPARSE < rows


def _figures(section: ComparedSection, columns: list[Column], basis: Basis) -> list[ColumnGroup]:
    if WAITS.match(section.id):
        return _wait_figures(columns, basis)
    if SQL.match(section.id):
        return _sql_figures(columns, basis)
    if section.id == "time_model":
        return [sessions_figure(c, basis) if c.id == "time_s" else figure_of(c, basis) for c in columns]
    totals = {c.id for c in columns if c.measure == "total"}
    unrepeated = [
        c for c in columns if not (totals and (c.id in REPEATS or c.id.removesuffix("_per_s") in totals - {c.id}))
    ]
    unrepeated.sort(key=lambda c: c.unit is None)  # text beside numbers says less than they do
    return [figure_of(c, basis) for c in unrepeated]


def _wait_figures(columns: list[Column], basis: Basis) -> list[ColumnGroup]:
    by_id = {c.id: c for c in columns}
    figures = []
    if waits := by_id.pop("waits", None):
        labels = {"s": "waits per second", "txn": "waits per transaction", "total": "waits"}
        figures.append(ColumnGroup(waits.id, labels[basis], waits.unit, waits.better, basis))
    if average := by_id.pop("avg_wait_s", None):
        figures.append(ColumnGroup(average.id, "average wait", "s", "lower", of_waits=True))
    if total := by_id.pop("total_wait_time_s", None):
        figures.append(sessions_figure(total, basis))
    rest = [figure_of(c, basis) for c in by_id.values() if c.id not in REPEATS]
    return figures + rest


def _sql_figures(columns: list[Column], basis: Basis) -> list[ColumnGroup]:

    def rank(column: Column) -> int:
        if column.id == "executions":
            return 1
        if "per_exec" in column.id:
            return 2
        return 3 if column.unit == "percent" and column.id != "pct_total" else 4 if column.unit is None else 2

    # What the list is ordered by stands first in print; per-execution figures follow the executions.
    ordered = sorted(columns, key=lambda c: 0 if c is columns[0] else rank(c))
    has_executions = any(c.id == "executions" for c in columns)
    return [_sql_figure(c, basis, columns[0] if has_executions else None) for c in ordered]


def _sql_figure(column: Column, basis: Basis, ranked: Column | None) -> ColumnGroup:
    if (
        ranked is not None
        and PER_EXECUTION.search(column.id)
        and ranked.measure == "total"
        and ranked.id != "executions"
    ):
        # Printed to the hundredth of a second, a quick statement costs 0.00: total and executions say more.
        over = (ranked.id, "executions")
        return ColumnGroup(column.id, fmt.label(column.label, ranked.unit), ranked.unit, ranked.better, over=over)
    if column.unit != "s" or column.measure != "total" or basis != "s":
        return figure_of(column, basis)
    label = f"{column.label.removesuffix(' (s)')}, sessions"
    return ColumnGroup(column.id, label, "ratio", column.better, "s", absolute=True)


def _bar(section: ComparedSection, figures: Sequence[ColumnGroup]) -> int | None:
    """None if rows of different kinds share no scale."""
    if not section.key or MIXED.match(section.id) or any(r.unit for r in section.rows):
        return None
    first_number = next((at for at, figure in enumerate(figures) if not figure.text), None)
    return next((at for at, figure in enumerate(figures) if figure.column in DIVERGING), first_number)

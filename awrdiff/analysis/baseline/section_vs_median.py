"""One report against a baseline of several: a section whose First is each figure's median.

A row counts where a figure of Second is outside the baseline's range and material (rows/material.py).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from msgspec import Struct

from awrdiff.analysis.baseline.aligned_sections import (
    Measure,
    Series,
    SeriesRow,
    Values,
    Widths,
    without_looking_for_cycles,
)
from awrdiff.analysis.baseline.robust_statistics import spread_of, standing
from awrdiff.analysis.model.baseline_spread import Spread, Standing
from awrdiff.analysis.model.comparison import ComparedRow, ComparedSection, Delta, Status
from awrdiff.analysis.names.truncated_names import narrower_width
from awrdiff.analysis.report.figures_by_name import Basis, average_wait
from awrdiff.analysis.rows.deltas import percent_change, rate
from awrdiff.analysis.rows.materiality import DEFAULT, LEAST_SESSIONS, NO_YARDSTICK, Scale, Yardstick
from awrdiff.analysis.rows.ordering import arrange
from awrdiff.analysis.rows.text_differences import texts_differ
from parsers.model import Column, Value

_HISTOGRAM = "wait_event_histogram"
_AVERAGE_WAIT = "avg_wait_s"


class BaselineSelection(Struct, frozen=True):
    """Indexes in the series: the baseline's and Second's."""

    members: tuple[int, ...]
    second: int

    @property
    def all(self) -> tuple[int, ...]:
        return (*self.members, self.second)


class BaselineFigure(Struct, frozen=True):
    """Figure of Second, per second where cumulative (`per_s`).

    `standing` is None where Second lacks it, `spread` where the baseline does; `alike`: members with the same text.
    """

    per_s: bool = False
    spread: Spread | None = None
    standing: Standing | None = None
    alike: int | None = None

    @property
    def is_outside(self) -> bool:
        return self.standing is not None and self.standing.is_outside


class Against(Struct, frozen=True):
    """`figures` by row id and column; `printed`: number of members, by row id."""

    section: ComparedSection
    figures: Mapping[str, Mapping[str, BaselineFigure]]
    printed: Mapping[str, int]
    of: int


def yardstick_of(measures: Sequence[Measure], selection: BaselineSelection) -> Yardstick:
    """Active sessions of Second or the median, whichever is more."""
    members = spread_of([measures[n].sessions for n in selection.members])
    sessions = [s.number for s in (members.median if members else None, measures[selection.second].sessions) if s]
    return Yardstick(max(LEAST_SESSIONS, *sessions), {}) if sessions else NO_YARDSTICK


def compare_with_baseline(
    series: Series, bases: Sequence[Basis], selection: BaselineSelection, yardstick: Yardstick
) -> Against:
    """`bases`: of every report of the series."""
    with without_looking_for_cycles():
        columns = series.valued
        of_events = series.id.startswith(_HISTOGRAM)  # no price: what its event took is told by the table of events
        scale = Scale.of(series.id, columns, NO_YARDSTICK if of_events else yardstick)
        standings: dict[str, Mapping[str, BaselineFigure]] = {}
        printed: dict[str, int] = {}
        rows: list[ComparedRow] = []
        for line in series.lines:
            printed_by = sum(line.values[n] is not None for n in selection.members)
            if not printed_by and line.values[selection.second] is None:
                continue
            row = _Row(line, bases, selection, columns, series.widths)
            printed[line.row_id], standings[line.row_id] = printed_by, row.figures
            rows.append(row.compared(scale, printed_by))
        section = ComparedSection(
            id=series.id,
            title=series.title,
            known=series.is_declared,
            family=series.family,
            coverage=series.coverage,
            columns=series.columns,
            key=series.key,
            rows=arrange(series.id, rows, columns, is_declared=series.is_declared),
            first_present=any(series.present[n] for n in selection.members),
            second_present=series.present[selection.second],
        )
        return Against(section, standings, printed, len(selection.members))


class _Row:
    """One line of the series as a compared row."""

    def __init__(
        self,
        line: SeriesRow,
        bases: Sequence[Basis],
        selection: BaselineSelection,
        columns: Sequence[Column],
        widths: Mapping[str, Widths],
    ) -> None:
        self.line = line
        self._widths = widths
        self._bases = bases
        self._members = [(n, line.values[n]) for n in selection.members]
        self._second = (selection.second, line.values[selection.second])
        figures = {c.id: self._figure(c) for c in columns}
        self.values = {column: delta for column, (delta, _) in figures.items()}
        self.figures = {column: standing for column, (_, standing) in figures.items()}

    def compared(self, scale: Scale, printed_by: int) -> ComparedRow:
        status = self._status(printed_by)
        weight = 0.0 if self.line.idle else scale.weight(status, self.line.name, self.values)
        if status == "only_first" and 2 * printed_by <= len(self._members):
            weight = 0.0  # as often as not it is not there
        return ComparedRow(
            row_id=self.line.row_id,
            key=self.line.name,
            status=status,
            values=self.values,
            unit=self.line.unit,
            idle=self.line.idle,
            weight=weight,
            minor=status != "same" and weight < DEFAULT,
            weighed=True,
        )

    def _status(self, printed_by: int) -> Status:
        if self._second[1] is None:
            return "only_first"
        if not printed_by:
            return "only_second"
        return "changed" if any(d.significant for d in self.values.values()) else "same"

    def _figure(self, column: Column) -> tuple[Delta, BaselineFigure]:
        deltas = [v[column.id] if v is not None else None for _, v in self._members]
        second = self._second[1][column.id] if self._second[1] is not None else None
        if column.unit is None or any(d is not None and isinstance(d.first, str) for d in (*deltas, second)):
            return _text(column, deltas, second, self._cuts(column))
        points = "percent" in (self.line.unit, column.unit)
        if column.measure == "total" and not points:
            return self._total(deltas, second)
        if column.id == _AVERAGE_WAIT:
            values, value = [_average_wait(v) for _, v in self._members], _average_wait(self._second[1])
        else:
            values, value = [_number(d) for d in deltas], _number(second)
        standing = _figure(values, value)
        first = standing.spread.median if standing.spread else None
        delta = _delta(first, value, significant=standing.is_outside)
        return delta._replace(pct=None) if points else delta, standing

    def _cuts(self, column: Column) -> list[int | None]:
        widths = self._widths.get(column.id)
        if widths is None:
            return [None] * len(self._members)
        return [narrower_width(widths[n], widths[self._second[0]]) for n, _ in self._members]

    def _total(self, deltas: Sequence[Delta | None], second: Delta | None) -> tuple[Delta, BaselineFigure]:
        totals, total = [_number(d) for d in deltas], _number(second)
        rates = [self._rate(v, n) for v, (n, _) in zip(totals, self._members, strict=True)]
        own = self._rate(total, self._second[0])
        standing = _figure(rates, own, per_s=True)
        per_txn = [d.first_per_txn if d is not None else None for d in deltas]
        middle, each = spread_of(totals), spread_of([Value(n, 0.0) if n is not None else None for n in per_txn])
        delta = _delta(middle.median if middle else None, total, significant=standing.is_outside)
        first_s, second_s = standing.spread.median.number if standing.spread else None, own.number if own else None
        first_txn = each.median.number if each else None
        second_txn = second.first_per_txn if second is not None else None
        return delta._replace(
            first_per_s=first_s,
            second_per_s=second_s,
            pct_per_s=percent_change(first_s, second_s),
            first_per_txn=first_txn,
            second_per_txn=second_txn,
            pct_per_txn=percent_change(first_txn, second_txn),
            significant_per_s=standing.is_outside,
        ), standing

    def _rate(self, total: Value | None, report: int) -> Value | None:
        elapsed = self._bases[report].elapsed
        return rate(total, elapsed) if total is not None and elapsed is not None else None


def _figure(values: Sequence[Value | None], value: Value | None, *, per_s: bool = False) -> BaselineFigure:
    spread = spread_of(values)
    return BaselineFigure(
        per_s, spread, standing(value, values, spread) if value is not None and spread is not None else None
    )


def _number(delta: Delta | None) -> Value | None:
    return delta.first if delta is not None and isinstance(delta.first, Value) else None


def _average_wait(values: Values | None) -> Value | None:
    if values is None:
        return None
    printed, total, waits = (_number(values.get(c)) for c in (_AVERAGE_WAIT, "total_wait_time_s", "waits"))
    return average_wait(printed, total, waits)


def _delta(first: Value | None, second: Value | None, *, significant: bool) -> Delta:
    if first is None or second is None:
        return Delta(first, second)
    pct = percent_change(first.number, second.number)
    return Delta(first, second, second.number - first.number, pct, significant=significant)


def _text(
    column: Column, deltas: Sequence[Delta | None], second: Delta | None, cuts: Sequence[int | None]
) -> tuple[Delta, BaselineFigure]:
    printed = [(_words(d.first), cut) for d, cut in zip(deltas, cuts, strict=True) if d is not None]
    texts = [text for text, _ in printed]
    most = max(Counter(texts).values(), default=0)
    usual = next((t for t in reversed(texts) if texts.count(t) == most), None)
    if second is None:
        return Delta(usual, None), BaselineFigure()
    own = _words(second.first)
    alike = sum(t == own or not texts_differ(t, own, column, cut) for t, cut in printed)
    return Delta(usual, own, significant=bool(texts) and not alike), BaselineFigure(alike=alike)


def _words(cell: Value | str | None) -> str | None:
    return f"{cell.number:.15g}" if isinstance(cell, Value) else cell


def rows_outside(compared: Against, step: float) -> list[ComparedRow]:
    """Rows outside the baseline's range, or only in Second, by weight."""
    rows = (
        r for r in compared.section.rows if r.status in ("changed", "only_second") and not r.idle and r.counts(step)
    )
    return sorted(rows, key=lambda r: -r.weight)

"""One section of several reports side by side."""

from __future__ import annotations

import gc
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import reduce

from msgspec import Struct

from awrdiff.analysis.model.comparison import Delta, row_id
from awrdiff.analysis.names.section_families import family_of
from awrdiff.analysis.names.truncated_names import complete_names
from awrdiff.analysis.report.figures_by_name import Bases, Basis, Side
from awrdiff.analysis.rows.align import INSTANCE, Key, keyed_rows, merged_order
from awrdiff.analysis.rows.deltas import ColumnPlan, plan, rate, row_values, unit_factor
from awrdiff.analysis.rows.section_comparison import is_idle, printed_key
from parsers.model import Column, Coverage, Report, Row, Section, Value

# What `measure` looks at: a report read for it needs no other section.
MEASURED = ("time_model", "instance_activity", "load_profile", "top_timed_events", "instances_in_report")

Values = Mapping[str, Delta]  # by column: `first` and its rates are what the report prints
Widths = tuple[int | None, ...]  # of each report; None where it prints the texts of a column whole


class Measure(Struct, frozen=True):
    """Divisors of figures, and load; None = not printed."""

    basis: Basis
    sessions: Value | None


def measure(report: Report) -> Measure:
    side = Side(report)
    if side.db_time is not None and side.elapsed is not None:
        return Measure(side.basis, rate(side.db_time, side.elapsed))
    return Measure(side.basis, Value(s, 0.0) if (s := side.active_sessions) is not None else None)


class SeriesRow(Struct, frozen=True):
    """Row in each report; None where not printed."""

    key: Key  # canonical
    row_id: str
    name: Mapping[str, str]  # the printed key, of the last report that has the row
    unit: str | None
    idle: bool
    values: tuple[Values | None, ...]

    @property
    def printed(self) -> int:
        return sum(v is not None for v in self.values)


class Series(Struct, frozen=True):
    """`present`: reports that print it. `widths`: text cut-offs by column."""

    id: str
    title: str
    is_declared: bool
    family: str
    coverage: Coverage
    columns: tuple[Column, ...]  # key columns first
    key: tuple[str, ...]
    lines: tuple[SeriesRow, ...]
    present: tuple[bool, ...]
    widths: Mapping[str, Widths]

    @property
    def valued(self) -> tuple[Column, ...]:
        return tuple(c for c in self.columns if c.id not in self.key)


def series_of(
    sections: Sequence[Section | None], bases: Sequence[Basis], only: Collection[str] | None = None
) -> Series:
    """`sections`: the same of each report, not all None.

    `only`: ids of rows; None for all.
    """
    with without_looking_for_cycles():
        matched = lines_of(sections)
        latest, key, columns = matched.latest, matched.key, matched.columns
        reader = _Reader(matched.sections, bases, [c for c in columns if c.id not in key])
        wanted = matched.order if only is None else [k for k in matched.order if row_id(latest.id, k) in only]
        lines = tuple(reader.line(k, [r.get(k) for r in matched.rows], key) for k in wanted)
        family, present = family_of(latest.id), tuple(s is not None for s in sections)
        widths = {c.id: matched.widths(c.id) for c in columns if c.unit is None}
        return Series(
            latest.id, latest.title, latest.known, family, latest.coverage, columns, key, lines, present, widths
        )


class Lines(Struct, frozen=True):
    """Matching rows; `latest`: the last printed section."""

    sections: Sequence[Section | None]  # with whole names
    latest: Section
    key: tuple[str, ...]
    columns: tuple[Column, ...]  # key columns first
    rows: Sequence[Mapping[Key, Row]]  # of each section by canonical key
    order: Sequence[Key]

    def widths(self, column: str) -> Widths:
        return tuple(width_of(s, column) if s is not None else None for s in self.sections)


def width_of(section: Section, column: str) -> int | None:
    return section.columns[section.index[column]].cut_at if column in section.index else None


def lines_of(sections: Sequence[Section | None]) -> Lines:
    """`sections`: the same of each report, not all None."""
    sections = _with_full_names(sections)
    there = [s for s in sections if s is not None]
    if not there:
        raise ValueError("a section that no report prints has no rows")
    longest = next((s for s in there if INSTANCE in s.key), there[-1])
    key = tuple(c for c in longest.key if c == INSTANCE or all(c in s.index for s in there)) or there[-1].key
    rows = [keyed_rows(s, key) if s is not None else {} for s in sections]
    order = reduce(lambda merged, keys: merged | dict.fromkeys(keys), rows, dict[Key, None]())
    return Lines(sections, there[-1], key, _columns(there, key), rows, list(order))


@contextmanager
def without_looking_for_cycles() -> Iterator[None]:
    """Garbage collection off: it takes half the time, and no cycles arise."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _columns(there: Sequence[Section], key: tuple[str, ...]) -> tuple[Column, ...]:
    by_id = {c.id: c for s in there for c in s.columns}
    order = reduce(merged_order, ([c.id for c in s.columns] for s in reversed(there)))
    return tuple(by_id[i] for i in (*key, *(i for i in order if i not in key)) if i in by_id)


def _with_full_names(sections: Sequence[Section | None]) -> list[Section | None]:
    whole = next((s for s in sections if s is not None and not _cuts(s)), None)
    if whole is None:
        return list(sections)
    return [complete_names(s, whole)[0] if s is not None and _cuts(s) else s for s in sections]


def _cuts(section: Section) -> bool:
    return any(c.cut_at for c in section.columns if c.id in section.key)


class _Printed(Mapping[str, Delta]):
    """Row of one report; figures are computed at each access."""

    __slots__ = ("_bases", "_plans", "_row")

    def __init__(self, row: Row, plans: Mapping[str, ColumnPlan], bases: Bases) -> None:
        self._row, self._plans, self._bases = row, plans, bases

    def __getitem__(self, column: str) -> Delta:
        return row_values((self._plans[column],), self._row, None, self._bases)[column]

    def __contains__(self, column: object) -> bool:
        return column in self._plans

    def __iter__(self) -> Iterator[str]:
        return iter(self._plans)

    def __len__(self) -> int:
        return len(self._plans)


class _Reader:
    """State shared by the rows of a section."""

    def __init__(self, sections: Sequence[Section | None], bases: Sequence[Basis], columns: Sequence[Column]) -> None:
        self._sections = sections
        self._bases = [Bases(b, b) for b in bases]
        self._plans = [{p.column.id: p for p in plan(s, s, columns)} for s in sections]

    def line(self, key: Key, rows: Sequence[Row | None], columns: tuple[str, ...]) -> SeriesRow:
        there = [(s, r) for s, r in zip(self._sections, rows, strict=True) if s is not None and r is not None]
        unit = unit_of([r for _, r in there])
        section, last = there[-1]
        name, idle = printed_key(section, last, columns), any(is_idle(s, r) for s, r in there)
        return SeriesRow(key, row_id(section.id, key), name, unit, idle, tuple(self._values(rows, unit)))

    def _values(self, rows: Sequence[Row | None], unit: str | None) -> Iterator[Values | None]:
        for row, plans, bases in zip(rows, self._plans, self._bases, strict=True):
            yield None if row is None else _Printed(_in_unit(row, unit, plans.values()), plans, bases)


def unit_of(rows: Sequence[Row]) -> str | None:
    units = [r.unit for r in rows if r.unit is not None]
    return next((u for u in units if u != "count"), units[0] if units else None)


def _in_unit(row: Row, unit: str | None, plans: Iterable[ColumnPlan]) -> Row:
    factor = unit_factor(row.unit, unit)
    if factor == 1.0:
        return row
    cells = list(row.cells)
    for p in plans:
        cell = cells[p.first] if p.first is not None else None
        if p.first is not None and isinstance(cell, Value) and p.column.unit != "percent":
            cells[p.first] = Value(cell.number * factor, cell.half * factor)
    return Row(tuple(cells), unit, row.ordinal)

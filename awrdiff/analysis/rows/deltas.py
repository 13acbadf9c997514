"""First against second, figure by figure.

Significant only where printed intervals (± half of the last digit) do not overlap; shares in points.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from awrdiff.analysis.model.comparison import Delta, Status
from awrdiff.analysis.names.truncated_names import narrower
from awrdiff.analysis.report.figures_by_name import Bases
from awrdiff.analysis.rows.text_differences import texts_differ
from parsers.model import Cell, Column, Row, Section, Value

NOTHING = Delta(None, None)


class ColumnPlan(NamedTuple):
    """Comparison of one column, once for all rows."""

    column: Column
    first: int | None
    second: int | None
    cut_at: int | None = None  # one side prints no more of its texts than this


def plan(first: Section | None, second: Section | None, columns: Sequence[Column]) -> list[ColumnPlan]:
    return [
        ColumnPlan(
            c,
            first.index.get(c.id) if first else None,
            second.index.get(c.id) if second else None,
            narrower(first, second, c.id) if c.unit is None else None,
        )
        for c in columns
    ]


def row_values(plans: Sequence[ColumnPlan], first: Row | None, second: Row | None, bases: Bases) -> dict[str, Delta]:
    unit_first = first.unit if first else None
    unit_second = second.unit if second else None
    unit = unit_second if unit_first in (None, "count") else unit_first
    factor = unit_factor(unit_second, unit_first) if first and second else 1.0
    values: dict[str, Delta] = {}
    for column, at_first, at_second, cut_at in plans:
        a = first.cells[at_first] if first is not None and at_first is not None else None
        b = second.cells[at_second] if second is not None and at_second is not None else None
        if a is None and b is None:
            values[column.id] = NOTHING
            continue
        if factor != 1.0 and isinstance(b, Value) and column.unit != "percent":
            b = Value(b.number * factor, b.half * factor)
        delta = compare_cells(a, b, column, unit, bases, cut_at=cut_at)
        if delta.significant and None in (at_first, at_second) and first is not None and second is not None:
            delta = delta._replace(significant=False)  # a column that a side does not have is no other text there
        values[column.id] = delta
    return values


def compare_cells(
    a: Cell, b: Cell, column: Column, unit: str | None, bases: Bases, *, cut_at: int | None = None
) -> Delta:
    if a is None and b is None:
        return NOTHING
    if isinstance(a, str) or isinstance(b, str):
        return Delta(a, b, significant=texts_differ(a, b, column, cut_at))
    points = unit == "percent" or column.unit == "percent"
    total = column.measure == "total" and not points
    if a is None or b is None:
        if total:
            f, s = bases.first, bases.second
            return Delta(
                a,
                b,
                first_per_s=_per_second(a.number, f.elapsed) if a else None,
                second_per_s=_per_second(b.number, s.elapsed) if b else None,
                first_per_txn=a.number / f.transactions if a and f.transactions else None,
                second_per_txn=b.number / s.transactions if b and s.transactions else None,
            )
        else:
            return Delta(a, b)
    return _numbers(a, b, bases if total else None, points=points)


def status_of(first: Row | None, second: Row | None, values: dict[str, Delta]) -> Status:
    if second is None:
        return "only_first"
    if first is None:
        return "only_second"
    return "changed" if any(d.significant for d in values.values()) else "same"


def significantly_apart(a: Value, b: Value) -> bool:
    """Printed intervals do not meet, or exact figures differ."""
    return _is_gap(a.number, b.number, a.half + b.half)


def _is_gap(x: float, y: float, half: float) -> bool:
    gap = abs(y - x)
    if half == 0.0 or gap <= half:
        return gap > half
    return gap - half > 1e-6 * half + 4e-16 * max(abs(x), abs(y))


def rate(value: Value, elapsed: Value) -> Value:
    """Per second, with both figures' uncertainty."""
    seconds, either_way = elapsed
    number = value.number / seconds
    return Value(number, (value.half + abs(number) * either_way) / seconds)


_SCALES = {"bytes": 1.0, "KB": 1024.0, "MB": 1024.0**2, "GB": 1024.0**3, "TB": 1024.0**4}


def unit_factor(source: str | None, target: str | None) -> float:
    """1 where they do not convert."""
    if source == target or source is None or target is None:
        return 1.0
    if source in _SCALES and target in _SCALES:
        return _SCALES[source] / _SCALES[target]
    return 1.0


def percent_change(first: float | None, second: float | None) -> float | None:
    """None if the first is 0 or any missing."""
    if first is None or second is None or first == 0.0:
        return None
    return (second - first) / abs(first) * 100.0


def _numbers(a: Value, b: Value, bases: Bases | None, *, points: bool) -> Delta:
    (x, of_x), (y, of_y) = a, b
    diff = 0.0 if x == y else _tidy(y - x, x, y)
    pct = None if points or x == 0.0 else diff / abs(x) * 100.0
    significant = x != y and _is_gap(x, y, of_x + of_y)
    if bases is None:
        return Delta(a, b, diff, pct, None, None, None, None, None, None, significant)
    f, s = bases.first, bases.second
    fs, ss, apart = _per_second(x, f.elapsed), _per_second(y, s.elapsed), False
    if f.elapsed is not None and s.elapsed is not None and fs is not None and ss is not None and (x or y):
        (first_s, first_half), (second_s, second_half) = f.elapsed, s.elapsed
        half = (of_x + abs(fs) * first_half) / first_s + (of_y + abs(ss) * second_half) / second_s
        apart = _is_gap(fs, ss, half)
    ft = x / f.transactions if f.transactions else None
    st = y / s.transactions if s.transactions else None
    return Delta(a, b, diff, pct, fs, ss, percent_change(fs, ss), ft, st, percent_change(ft, st), significant, apart)


def _per_second(number: float, elapsed: Value | None) -> float | None:
    return number / elapsed.number if elapsed else None


def _tidy(diff: float, x: float, y: float) -> float:
    """Without binary noise: 1.15 - 1.1 is 0.05."""
    size = max(abs(x), abs(y))
    if diff == 0.0 or (diff == int(diff) and size < 2**53):
        return diff
    return round(diff, 14 - len(str(int(size))))

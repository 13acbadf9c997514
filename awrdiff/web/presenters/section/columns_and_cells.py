"""Columns of a section, and texts of cells."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypedDict

from awrdiff.analysis.model.comparison import ComparedRow, Delta
from awrdiff.analysis.report.figures_by_name import average_wait
from awrdiff.web import value_formatting as fmt
from parsers.model import Better, Column, Value
from parsers.sections.registry import REGISTRY

Basis = Literal["s", "txn", "total"]
BASES: tuple[tuple[Basis, str], ...] = (("s", "per second"), ("txn", "per transaction"), ("total", "total"))

# Rows that carry their own unit keep the printed number; these bring it to a unit that can be scaled.
ROW_UNITS: dict[str, tuple[str, float]] = {
    "cs": ("s", 0.01),
    "centiseconds": ("s", 0.01),
    "ms": ("s", 1e-3),
    "us": ("s", 1e-6),
    "ns": ("s", 1e-9),
    "kb": ("bytes", 1024.0),
    "mb": ("bytes", 1024.0**2),
    "gb": ("bytes", 1024.0**3),
}


class Absent(NamedTuple):
    """`text` is short; the other explains."""

    text: str
    why: str


THERE = Absent("", "")
_ELSEWHERE = "not in this list there: the figure is that of {}"
SLIGHT = 0.05  # of the larger side: a smaller change is slight
SLIGHT_POINTS = 1.0  # the same of a share
_DERIVED = "total wait time ÷ waits: the report prints the average more coarsely"


class Cell(TypedDict):
    """`t`: text; `h`: title where it is too short."""

    c: str
    t: str
    h: str


NOTHING = Value(0.0, 0.0)


@dataclass(frozen=True, slots=True)
class ColumnGroup:
    """`absolute`: the change is a difference, no ratio."""

    column: str
    label: str
    unit: str | None
    better: Better = "neither"
    basis: Basis = "total"
    absolute: bool = False
    text: bool = False
    over: tuple[str, str] | None = None  # a quotient of two columns, finer than the quotient that is printed
    of_waits: bool = False  # an average wait: as closely as the row's total and number of waits tell it

    def pair(self, row: ComparedRow) -> tuple[Value | None, Value | None]:
        if self.of_waits:
            return self._average(row, 0), self._average(row, 1)
        if self.over is not None:
            return self._quotient(row, self.over, 0), self._quotient(row, self.over, 1)
        delta = row.values.get(self.column)
        if delta is None:
            return None, None
        first = _on_basis(delta.first, delta.first_per_s, delta.first_per_txn, self.basis)
        second = _on_basis(delta.second, delta.second_per_s, delta.second_per_txn, self.basis)
        unit = own_unit(row.unit, self.unit)
        return _in_unit(first, unit), _in_unit(second, unit)

    def _quotient(self, row: ComparedRow, over: tuple[str, str], at: Literal[0, 1]) -> Value | None:
        above, below = (number_of(row, column, at) for column in over)
        if above is None or below is None or below.number <= 0:
            return None
        number = above.number / below.number
        return Value(number, (above.half + number * below.half) / below.number)

    def _average(self, row: ComparedRow, at: Literal[0, 1]) -> Value | None:
        return average_wait(*(number_of(row, column, at) for column in (self.column, "total_wait_time_s", "waits")))

    def is_derived(self, row: ComparedRow, number: Value, at: Literal[0, 1]) -> bool:
        """True of an average finer than the printed one."""
        return self.of_waits and number is not number_of(row, self.column, at)

    def certain(self, row: ComparedRow, first: Value, second: Value) -> bool:
        """True if printed intervals do not overlap."""
        delta = row.values.get(self.column)
        if self.over is not None or self.of_waits or delta is None:
            return abs(second.number - first.number) > first.half + second.half
        return delta.significant_per_s if self.basis == "s" else delta.significant

    def unit_of(self, row_unit: str | None) -> str | None:
        unit = own_unit(row_unit, self.unit)
        return ROW_UNITS.get(unit.lower(), (unit, 1.0))[0] if unit else self.unit


def number_of(row: ComparedRow, column: str, at: int) -> Value | None:
    cell = row.values[column][at] if column in row.values else None
    return cell if isinstance(cell, Value) else None


def own_unit(row_unit: str | None, column_unit: str | None) -> str | None:
    """Shares are shares in every row."""
    return None if column_unit == "percent" else row_unit


def _on_basis(value: Value | str | None, per_s: float | None, per_txn: float | None, basis: Basis) -> Value | None:
    if not isinstance(value, Value):
        return None
    if basis == "total":
        return value
    rate = per_s if basis == "s" else per_txn
    if rate is None:
        return None
    return Value(rate, value.half * abs(rate / value.number) if value.number else 0.0)


def _in_unit(number: Value | None, unit: str | None) -> Value | None:
    factor = ROW_UNITS.get(unit.lower(), ("", 1.0))[1] if unit else 1.0
    if number is None or factor == 1.0:
        return number
    return Value(number.number * factor, number.half * factor)


def figure_of(column: Column, basis: Basis) -> ColumnGroup:
    """Totals take the basis; averages, shares, levels do not."""
    if column.unit is None:
        return ColumnGroup(column.id, fmt.title_of(column.label, None, column.id), None, text=True)
    used: Basis = basis if column.measure == "total" else "total"
    suffix = {"s": " per s", "txn": " per txn", "total": ""}[used]
    name = fmt.title_of(column.label, column.unit, column.id) + suffix
    return ColumnGroup(column.id, name, column.unit, column.better, used, absolute=column.unit == "percent")


def sessions_figure(column: Column, basis: Basis) -> ColumnGroup:
    """Per second it is average active sessions."""
    if basis == "s":
        return ColumnGroup(column.id, "active sessions", "ratio", "lower", "s", absolute=True)
    label = "time per transaction" if basis == "txn" else "total time"
    return ColumnGroup(column.id, label, "s", "lower", basis)


@dataclass(frozen=True, slots=True)
class Formatted:
    figure: ColumnGroup
    column: fmt.ColumnFormat

    def cells(self, row: ComparedRow, absent: tuple[Absent, Absent]) -> tuple[Cell, Cell, Cell]:
        """First, second, change; `absent`: texts for missing sides, used once."""
        if self.figure.text:
            return self._text_cells(row, absent)
        first, second = self.figure.pair(row)
        unit = self.figure.unit_of(row.unit)
        return (
            self._number_cell(row, 0, first, unit, absent[0]),
            self._number_cell(row, 1, second, unit, absent[1]),
            self._change_cell(row, (first, second), unit, once=bool(absent[0].text or absent[1].text)),
        )

    def _number_cell(
        self, row: ComparedRow, at: Literal[0, 1], number: Value | None, unit: str | None, absent: Absent
    ) -> Cell:
        if number is None:
            return Cell(c="na", t=absent.text or fmt.NONE, h=absent.why)
        cell = self.column.cell(number.number, number.half)
        if row.status == ("only_second", "only_first")[at]:
            sources = (row.elsewhere[c] for c in self.figure.over or (self.figure.column,) if c in row.elsewhere)
            if source := next(sources, ""):
                declared = REGISTRY.by_id.get(source)
                return Cell(c="derived", t=cell, h=_ELSEWHERE.format(declared.title if declared else source))
        if own_unit(row.unit, self.figure.unit):
            return Cell(c="", t=fmt.quantity(number.number, unit, number.half), h="")
        return (
            Cell(c="derived", t=cell, h=_DERIVED)
            if self.figure.is_derived(row, number, at)
            else Cell(c="", t=cell, h="")
        )

    def _text_cells(self, row: ComparedRow, absent: tuple[Absent, Absent]) -> tuple[Cell, Cell, Cell]:
        delta = row.values.get(self.figure.column) or Delta(None, None)
        first, second = _text(delta.first), _text(delta.second)
        change_text = "differs" if delta.significant else "=" if first or second else ""
        if absent[0].text or absent[1].text:
            change_text = _one_sided(row, None if absent[0].text else NOTHING, None if absent[1].text else NOTHING)
        change = Cell(c="up0" if change_text == "differs" else "same", t=change_text, h="")
        return _text_cell(first, absent[0]), _text_cell(second, absent[1]), change

    def _change_cell(
        self, row: ComparedRow, pair: tuple[Value | None, Value | None], unit: str | None, *, once: bool
    ) -> Cell:
        first, second = pair
        if first is None or second is None:
            return Cell(c="na", t=_one_sided(row, first, second) if once else "", h="")
        difference = second.number - first.number
        if difference == 0:
            return Cell(c="same", t="=", h="")
        if not self.figure.certain(row, first, second):
            return Cell(c="same", t="= below print", h="the difference is smaller than what the reports print")
        text = self.change_text(first, second, unit)
        way = fmt.direction(difference)
        least = SLIGHT_POINTS if self.figure.unit == "percent" else SLIGHT * max(abs(first.number), abs(second.number))
        slight = " slight" if abs(difference) < least else ""
        return Cell(c=f"{tone(way, self.figure.better)}{slight}", t=f"{fmt.ARROWS[way]} {text}", h="")

    def change_text(self, first: Value, second: Value, unit: str | None) -> str:
        difference = second.number - first.number
        if self.figure.unit == "percent":
            return fmt.points(difference, max(first.half, second.half))
        if self.figure.absolute:
            return fmt.signed(difference)
        if first.number <= 0 or second.number < 0:
            if first.number != 0:
                return difference_text(difference, unit)
            # From none only if 0 was printed in full.
            return f"from <{fmt.quantity(2 * first.half, unit, digits=1)}" if first.half else "from 0"
        error = first.half / first.number + (second.half / second.number if second.number else 0.0)
        return fmt.relative(first.number, second.number, error)


def difference_text(difference: float, unit: str | None) -> str:
    """For figures without ratios: Oracle prints negative times."""
    return f"{fmt.MINUS if difference < 0 else '+'}{fmt.quantity(abs(difference), unit)}"


def _text_cell(text: str, absent: Absent) -> Cell:
    return Cell(c="l", t=text, h="") if text else Cell(c="l na", t=absent.text or fmt.NONE, h=absent.why)


def _text(value: object) -> str:
    if isinstance(value, Value):
        return fmt.significant(value.number)
    return value if isinstance(value, str) else ""


def _one_sided(row: ComparedRow, first: Value | None, second: Value | None) -> str:
    if row.status == "only_second" and first is None:
        return "only Second"
    if row.status == "only_first" and second is None:
        return "only First"
    return fmt.NONE


def tone(way: fmt.Direction, better: Better) -> str:
    if better == "neither":
        return f"{way}0"
    worse = (way == "up") == (better == "lower")
    return "worse" if worse else "better"


def format_figures(figures: Iterable[ColumnGroup], rows: Iterable[ComparedRow]) -> list[Formatted]:
    """Chosen from rows without their own unit."""
    rows = list(rows)
    formatted_figures = []
    for figure in figures:
        numbers = (
            []
            if figure.text
            else [n.number for r in rows if not own_unit(r.unit, figure.unit) for n in figure.pair(r) if n is not None]
        )
        formatted_figures.append(Formatted(figure, fmt.column_format(figure.unit, numbers)))
    return formatted_figures


def alone(figure: ColumnGroup) -> Formatted:
    """Each cell in a unit of its own."""
    return Formatted(figure, fmt.ColumnFormat(figure.unit, None, 0))


def with_unit(formatted: Formatted) -> str:
    """With the unit if all cells share it."""
    figure = formatted.figure
    return figure.label if figure.text else fmt.head(figure.label, figure.unit, formatted.column.suffix)

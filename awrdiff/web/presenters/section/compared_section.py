"""A compared section as rows, filtered and formatted."""

from __future__ import annotations

import math
import re
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from awrdiff.analysis.entities.kinds import refs
from awrdiff.analysis.model.comparison import ComparedRow, ComparedSection
from awrdiff.analysis.rows.materiality import DEFAULT, significance
from awrdiff.comparisons.result_storage import matches
from awrdiff.web.presenters.section import missing_rows
from awrdiff.web.presenters.section.columns_and_cells import (
    THERE,
    Absent,
    Basis,
    Cell,
    ColumnGroup,
    Formatted,
    alone,
    format_figures,
    with_unit,
)
from awrdiff.web.presenters.section.layouts import SQL, Layout, layout_of
from awrdiff.web.presenters.section.row_limits import Compared, fit_rows, start_of, window_of
from parsers.model import Value

BAR_HALF = 36.0
LONGEST_STATEMENT = 1500
SIDES = (("f", "First", "th-first"), ("s", "Second", "th-second"), ("c", "change", ""))
SORT = re.compile(r"\d{1,2}[fsc]")
NUMBER = re.compile(r"[\d.,]+")
COVERED = re.compile(r"account(?:ed)? for\s+([\d.]+)\s*% of (?:the )?(.+?)(?:\s*\(s\))?\s*(?::|$)", re.I)
# Beside every event: a link there would make each row taller, and the panel of the event has it.
PLAIN = frozenset({"wait_class"})
# The column that names the row where several identify it; the others are printed small.
NAMES = (
    "object_name",
    "object",
    "sql_id",
    "session",
    "blocking_session",
    "event",
    "statistic",
    "parameter",
    "latch",
    "name",
    "function_name",
    "tablespace",
)


@dataclass(frozen=True, slots=True)
class Options:
    basis: Basis = "s"
    changed_only: bool = True
    text: str = ""
    start: int = 0
    everything: bool = False
    row: str = ""
    step: float = DEFAULT  # percent of DB time from which on a change counts
    unpriced: bool = False  # also what moved and has no price in DB time
    sort: str = ""  # number of the figure and f, s or c (first, second, change), as in "2c"


# Label of a figure, whether it is text, and its columns: sort code, label, class, whether it orders the rows.
Head = tuple[str, bool, tuple[tuple[str, str, str, bool], ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class SectionView(Compared):
    name_head: str
    heads: tuple[Head, ...]
    rows: list[dict[str, Any]]
    has_bar: bool = False
    covered: list[str] | None = None

    @property
    def choice(self) -> str:
        """Query parameters of the download."""
        sorts = (f"sort={code}&" for *_, columns in self.heads for code, *_, in_use in columns if in_use)
        return f"{'columns=all&' if self.everything else ''}{next(sorts, '')}"


def present(section: ComparedSection, options: Options, texts: Mapping[str, str] | None = None) -> SectionView:
    """Units are chosen over all rows, so that windows read alike. `texts`: full statements by SQL id."""
    if not section.key and len(section.rows) == 1:
        return _one_row(section, options)
    rows = shown_rows(section, options)
    only_priced = options.changed_only and options.step and not (options.text or options.unpriced)
    behind = [r for r in section.rows if r.unpriced and r.row_id != options.row] if only_priced else []
    hidden_count = 0 if options.text else len(section.rows) - len(rows) - len(behind)
    layout = layout_of(section, options.basis, everything=options.everything)
    rows = order_rows(rows, layout, options.sort)
    window = window_of(3 * len(layout.figures))
    start = start_of((r.row_id for r in rows), options.row, options.start, window)
    window_rows = rows[start : start + window]
    columns = format_figures(layout.figures, rows)
    absent = missing_rows.absent_sides(section)
    labels = {c.id: c.label for c in section.columns if c.id in section.key}
    ids, bar = frozenset(c.id for c in section.columns), layout.figures[layout.bar] if layout.bar is not None else None
    largest = max((abs(_difference(bar.pair(r))) for r in rows if not r.idle), default=0.0) if bar is not None else 0.0
    printer = _Printer(
        section, main_key(section), ids, labels, layout, columns, absent, largest, texts or {}, options.step
    )
    return SectionView(
        section=section,
        name_head=name_head(section),
        heads=tuple(
            (
                with_unit(column),
                column.figure.text,
                tuple((f"{at}{code}", label, cls, options.sort == f"{at}{code}") for code, label, cls in SIDES),
            )
            for at, column in enumerate(columns)
        ),
        rows=fit_rows(printer.row(r) for r in window_rows),
        total=len(section.rows),
        hidden_rows=hidden_count,
        unpriced=len(behind),
        most_unpriced=_most_moved(section, behind, layout) if behind else "",
        matched=len(rows),
        start=start,
        window=window,
        left_out=layout.left_out,
        everything=options.everything,
        has_bar=layout.bar is not None and bool(rows),
        coverage_text=missing_rows.coverage_text(section.coverage),
        covered=_captured_shares(section),
        step=options.step,
    )


def shown_rows(section: ComparedSection, options: Options) -> list[ComparedRow]:
    return [r for r in section.rows if is_shown(r, options)]


def is_shown(row: ComparedRow, options: Options) -> bool:
    """Rows that count, the linked row, all matches."""
    if options.text:
        return matches(row, options.text)
    priced = row.shows(options.step) or (options.unpriced and row.unpriced)
    return priced or not options.changed_only or row.row_id == options.row


def _most_moved(section: ComparedSection, rows: list[ComparedRow], layout: Layout) -> str:
    """Largest change in the main figure."""
    figure = main_figure(layout)
    if figure is None:
        return ""
    most = max(rows, key=lambda r: significance(r.values.get(figure.column)))
    _, _, change = alone(figure).cells(most, (THERE, THERE))
    return f"{row_name(section, most)[0]} {change['t']}".rstrip()


def main_figure(layout: Layout) -> ColumnGroup | None:
    """The bar's, else the first number, else the first text."""
    if layout.bar is not None:
        return layout.figures[layout.bar]
    return next((f for f in layout.figures if not f.text), layout.figures[0] if layout.figures else None)


def _one_row(section: ComparedSection, options: Options) -> SectionView:
    """Such as Host CPU: one line per column."""
    row = section.rows[0]
    layout = layout_of(section, options.basis, everything=True)
    instead = absent_of(row, missing_rows.absent_sides(section))
    lines = []
    for figure in layout.figures:
        delta = row.values.get(figure.column)
        same = row.status == "changed" and not (delta and delta.significant)
        lines.append((same, figure.label, alone(figure).cells(row, instead)))
    hidden_count = sum(same for same, _, _ in lines) if options.changed_only and not options.row else 0
    visible_lines = [line for line in lines if not (line[0] and hidden_count)]
    wanted = options.text.casefold()
    rows = [
        {"id": "", "name": label, "cells": list(cells), "cls": "same" if same else ""}
        for same, label, cells in visible_lines
        if wanted in label.casefold()
    ]
    if rows:
        rows[0]["id"] = row.row_id
    sides = tuple(("", label, cls, False) for _, label, cls in SIDES)
    return SectionView(
        section=section,
        name_head="Figure",
        heads=(("", True, sides),),
        rows=rows,
        total=len(lines),
        hidden_rows=hidden_count,
        matched=len(rows),
    )


def order_rows(rows: list[ComparedRow], layout: Layout, sort: str) -> list[ComparedRow]:
    """Largest first; idle events and missing figures last."""
    if not SORT.fullmatch(sort) or int(sort[:-1]) >= len(layout.figures):
        return sorted(rows, key=lambda r: r.idle)
    figure, side = layout.figures[int(sort[:-1])], sort[-1]

    def rank(row: ComparedRow) -> tuple[bool, bool, float]:
        first, second = figure.pair(row)
        if side != "c":
            side_value = first if side == "f" else second
            return row.idle, side_value is None, -side_value.number if side_value else 0.0
        if first is None or second is None:
            return row.idle, True, 0.0
        change = abs(second.number - first.number)
        if not figure.absolute:
            change = change / abs(first.number) if first.number else math.inf if change else 0.0
        return row.idle, False, -change

    return sorted(rows, key=rank)


def statements(rows: Iterable[ComparedRow], wanted: Container[str]) -> dict[str, str]:
    """By SQL id, from the section's rows."""
    return {r.key["sql_id"]: either(r, "sql_text") for r in rows if r.key.get("sql_id", "") in wanted}


def _difference(pair: tuple[Value | None, Value | None]) -> float:
    first, second = (p.number if p is not None else 0.0 for p in pair)
    return second - first


@dataclass(frozen=True, slots=True)
class _Printer:
    section: ComparedSection
    main: str
    ids: frozenset[str]
    labels: Mapping[str, str]
    layout: Layout
    columns: list[Formatted]
    absent: tuple[Absent, Absent]
    largest: float
    texts: Mapping[str, str]
    step: float

    def row(self, row: ComparedRow) -> dict[str, Any]:
        """`path`: the named entity's; `named`: links beside it."""
        absent = absent_of(row, self.absent)
        cells: list[Cell] = []
        for at, column in enumerate(self.columns):
            cells.extend(column.cells(row, absent if at == 0 else (THERE, THERE)))
        things = refs(row, self.ids)
        linked = {c: things[c].path for c in things if c not in PLAIN}
        parts = [(key, self.part(key, part)) for key, part in row.key.items() if key != self.main and part]
        parts += [(c, t) for c in self.layout.beside if (t := either(row, c))]
        own = things.get(self.main)
        return {
            "id": row.row_id,
            "name": row_name(self.section, row)[0],
            "path": own.path if own else "",
            "named": [(text, linked[c]) for c, text in parts if c in linked],
            "beside": " · ".join(text for c, text in parts if c not in linked),
            "under": self.statement(row),
            "cells": cells,
            "bar": self.bar(row),
            "cls": "idle" if row.idle else "" if row.counts(self.step) else "same",
        }

    def part(self, key: str, text: str) -> str:
        """With its label if the value is a number."""
        return f"{self.labels.get(key, key)} {text}" if NUMBER.fullmatch(text) else text

    def statement(self, row: ComparedRow) -> str:
        whole = self.texts.get(row.key.get("sql_id", ""), "")
        text = whole or (either(row, self.layout.under) if self.layout.under else "")
        return text if len(text) <= LONGEST_STATEMENT else text[:LONGEST_STATEMENT] + "…"

    def bar(self, row: ComparedRow) -> tuple[float, float, str] | None:
        """From where, how far, tone: at most 36 units to each side."""
        if self.layout.bar is None or not self.largest or row.idle or row.unit:
            return None
        figure = self.layout.figures[self.layout.bar]
        difference = _difference(figure.pair(row))
        width = min(BAR_HALF, abs(difference) / self.largest * BAR_HALF)
        if width < 0.4:
            return None
        rising = difference > 0
        tone = "n" if figure.better == "neither" else "u" if rising == (figure.better == "lower") else "b"
        return 37.0 if rising else round(37.0 - width, 1), round(width, 1), tone


def row_name(section: ComparedSection, row: ComparedRow) -> tuple[str, str]:
    """Second: its other identifying text."""
    main = main_key(section)
    name = row.key.get(main, "") or next((p for p in row.key.values() if p), "(blank)")
    return name, " · ".join(part for key, part in row.key.items() if key != main and part)


def absent_of(row: ComparedRow, absent: tuple[Absent, Absent]) -> tuple[Absent, Absent]:
    return absent[0] if row.status == "only_second" else THERE, absent[1] if row.status == "only_first" else THERE


def either(row: ComparedRow, column: str) -> str:
    delta = row.values.get(column)
    if delta is None:
        return ""
    text = delta.second if delta.second not in (None, "") else delta.first
    return text if isinstance(text, str) else f"{text.number:g}" if isinstance(text, Value) else ""


def main_key(section: ComparedSection) -> str:
    return next((n for n in NAMES if n in section.key), section.key[0] if section.key else "")


def name_head(section: ComparedSection) -> str:
    main = main_key(section)
    return next((c.label for c in section.columns if c.id == main and c.label), "Metric")


def _captured_shares(section: ComparedSection) -> list[str] | None:
    """Share of DB time (or the ordering figure) in captured SQL, of each side."""
    if not SQL.match(section.id):
        return None
    shares = []
    for notes in (section.first_notes, section.second_notes):
        hits = (COVERED.search(note) for note in notes if "PL/SQL" not in note)
        shares.append(next((f"{hit[1]} % of {hit[2].strip()}" for hit in hits if hit), ""))
    return shares if any(shares) else None

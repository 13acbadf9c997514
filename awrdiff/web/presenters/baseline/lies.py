"""Beside a row: whether Second lies outside what the reports print that First is the median of."""

from __future__ import annotations

from dataclasses import dataclass, replace

from awrdiff.analysis.baseline.against import Against
from awrdiff.analysis.baseline.series import Series, SeriesRow
from awrdiff.analysis.baseline.spread import standing_said
from awrdiff.analysis.baseline.words import lies_said
from awrdiff.analysis.model.comparison import ComparedRow, Comparison, Evidence
from awrdiff.analysis.words import number
from awrdiff.web.presenters.baseline.figures import basis_of, range_text, triple
from awrdiff.web.presenters.section.compared import Options
from awrdiff.web.presenters.section.figures import Formatted, format_figures
from awrdiff.web.presenters.section.layouts import layout_of


@dataclass(frozen=True, slots=True)
class Lie:
    """`said`: `above all 5`; `of`: what of the row, and from where to where the several lie."""

    said: str
    of: str
    outside: bool

    @property
    def cls(self) -> str:
        return "lies out" if self.outside else "lies"


def of_head(comparison: Comparison, evidence: Evidence, about: str = "") -> Lie | None:
    """Of a row that the head of the page rests on: by its name, unless that is what it is about."""
    median = comparison.median
    found = median.lies.get((evidence.section, evidence.row_id or "")) if median is not None else None
    if found is None:
        return None
    low, high = (number(v.number) for v in (found.spread.low, found.spread.high))
    of = f"{low} – {high}{' per second' if found.per_s else ''}" if low != high else ""
    of = f"{evidence.key} {of}" if of and evidence.key != about else of
    return Lie(standing_said(found.standing), of, found.standing.is_marked)


def of_rows(held: Against, series: Series, asked: Options) -> dict[str, Lie]:
    """By row id. The series is of the reports in order, then Second. Where totals lie is told of their rates."""
    section, options = held.section, replace(asked, basis=basis_of(asked.basis))
    layout = layout_of(section, options.basis, everything=options.everything)
    columns = format_figures(layout.figures, section.rows)
    plain = columns[0] if columns and asked.basis == options.basis else None
    lines = {line.row_id: line for line in series.lines}
    found: dict[str, Lie] = {}
    for row in section.rows:
        told = [lie for c in columns if (lie := _of_figure(held, row, lines[row.row_id], c, plain)) is not None]
        if told:
            found[row.row_id] = next((lie for lie in told if lie.outside), told[0])
    return found


def _of_figure(
    held: Against, row: ComparedRow, line: SeriesRow, column: Formatted, plain: Formatted | None
) -> Lie | None:
    """`plain`: the figure that goes without its name, as it stands in the table."""
    if column.figure.text:
        delta = row.values.get(column.figure.column)
        said = lies_said(held, row, column.figure.column) if row.status in ("same", "changed") else ""
        return Lie(said, "", bool(delta and delta.significant)) if said else None
    one = triple(column.figure, line)
    if one.lies is None or one.found is None:
        return None
    of = " ".join(p for p in ("" if column is plain else column.figure.label, range_text(column, line, one.found)) if p)
    return Lie(standing_said(one.lies), of, one.lies.is_marked)

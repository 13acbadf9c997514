"""Position of Second relative to the reports whose median First is."""

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
    """`said`: `above all 5`; `of`: the row's figure and the range of the reports."""

    said: str
    of: str
    outside: bool

    @property
    def cls(self) -> str:
        return "lies out" if self.outside else "lies"


def of_head(comparison: Comparison, evidence: Evidence, about: str = "") -> Lie | None:
    """Position of an evidence row, by its name unless that is the subject itself."""
    median = comparison.median
    lie = median.lies.get((evidence.section, evidence.row_id or "")) if median is not None else None
    if lie is None:
        return None
    low, high = (number(v.number) for v in (lie.spread.low, lie.spread.high))
    of = f"{low} – {high}{' per second' if lie.per_s else ''}" if low != high else ""
    of = f"{evidence.key} {of}" if of and evidence.key != about else of
    return Lie(standing_said(lie.standing), of, lie.standing.is_marked)


def of_rows(against: Against, series: Series, requested: Options) -> dict[str, Lie]:
    """By row id. `series`: the reports in order, then Second; totals are compared as rates."""
    section, options = against.section, replace(requested, basis=basis_of(requested.basis))
    layout = layout_of(section, options.basis, everything=options.everything)
    columns = format_figures(layout.figures, section.rows)
    plain = columns[0] if columns and requested.basis == options.basis else None
    lines = {line.row_id: line for line in series.lines}
    lies: dict[str, Lie] = {}
    for row in section.rows:
        row_lies = [lie for c in columns if (lie := _of_figure(against, row, lines[row.row_id], c, plain)) is not None]
        if row_lies:
            lies[row.row_id] = next((lie for lie in row_lies if lie.outside), row_lies[0])
    return lies


def _of_figure(
    against: Against, row: ComparedRow, line: SeriesRow, column: Formatted, plain: Formatted | None
) -> Lie | None:
    """`plain`: the figure printed without its name."""
    if column.figure.text:
        delta = row.values.get(column.figure.column)
        lie_text = lies_said(against, row, column.figure.column) if row.status in ("same", "changed") else ""
        return Lie(lie_text, "", bool(delta and delta.significant)) if lie_text else None
    spread, _, lies = triple(column.figure, line)
    if lies is None or spread is None:
        return None
    of = " ".join(p for p in ("" if column is plain else column.figure.label, range_text(column, line, spread)) if p)
    return Lie(standing_said(lies), of, lies.is_marked)

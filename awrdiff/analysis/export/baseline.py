"""A report against a baseline as a document, section by section, in words, and as CSV."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from msgspec import Struct

from awrdiff.analysis.baseline.aligned_sections import Measure
from awrdiff.analysis.baseline.baseline_sentences import (
    baseline_name,
    hour_text,
    printed_text,
    row_position_text,
    sessions_text,
)
from awrdiff.analysis.baseline.member_selection import unlike
from awrdiff.analysis.baseline.section_vs_median import Against, BaselineFigure, BaselineSelection
from awrdiff.analysis.export.comparison_json import conclusions_of_pair, section_parts
from awrdiff.analysis.export.csv import csv_cell, csv_line
from awrdiff.analysis.export.json_encoding import Parts, plain
from awrdiff.analysis.figures_in_words import number, seconds, size
from awrdiff.analysis.model.comparison import ComparedRow, Comparison
from parsers.model import Column, Report, Value
from parsers.version import VERSION

SCHEMA = "awrdiff.baseline/1"
_UNKNOWN = "–"


class BaselineReading(Struct, frozen=True):
    """A report against a baseline.

    `computed`: comparison with the median; None where reports are too large.
    """

    reports: Sequence[Report]
    measures: Sequence[Measure]
    selection: BaselineSelection
    sections: Callable[[], Iterable[Against]]
    computed: Comparison | None


def median_parts(against: Against, choice: BaselineSelection) -> Parts:
    """Section document; First is the median, `baseline` places Second."""
    document = section_parts(against.section)
    rows = zip(against.section.rows, document["rows"], strict=True)
    baseline = {"reports": list(choice.members), "second": choice.second}
    return Parts(
        {**document, "baseline": baseline, "rows": (_row(against, row, row_document) for row, row_document in rows)}
    )


def _row(against: Against, row: ComparedRow, document: dict[str, Any]) -> dict[str, Any]:
    figures = against.figures[row.row_id]
    values = {
        column: {**value, "baseline": _figure_document(figures[column])} for column, value in document["values"].items()
    }
    return {**document, "printed": against.printed[row.row_id], "values": values}


def _figure_document(figure: BaselineFigure) -> dict[str, Any] | None:
    if figure.alike is not None:
        return {"alike": figure.alike}
    if figure.spread is None:
        return None
    spread = figure.spread
    return {
        "per_s": figure.per_s,
        "median": plain(spread.median.number) if spread.is_figure else None,
        "low": plain(spread.low.number),
        "high": plain(spread.high.number),
        "printed": spread.printed,
        "of": spread.of,
        **_lies(figure),
    }


def _lies(figure: BaselineFigure) -> dict[str, Any]:
    lies = figure.standing
    if lies is None:
        return {"place": None, "higher_than": None, "z": None}
    return {"place": lies.place, "higher_than": lies.higher_than, "z": plain(lies.z)}


def baseline_parts(comparison: BaselineReading) -> Parts:
    """Document of schema awrdiff.baseline/1."""
    choice = comparison.selection
    return Parts(
        {
            "schema": SCHEMA,
            "awrdiff_version": VERSION,
            "reports": [r.header() for r in comparison.reports],
            "baseline": list(choice.members),
            "second": choice.second,
            "unlike": [
                {"report": n, "why": list(why)}
                for n in choice.members
                if (why := unlike(comparison.reports[n], comparison.reports[choice.second]))
            ],
            **(
                {
                    "median": comparison.computed.median.description if comparison.computed.median else None,
                    **conclusions_of_pair(comparison.computed),
                }
                if comparison.computed is not None
                else {"summary": summary(comparison)}
            ),
            "sections": (median_parts(against, choice) for against in comparison.sections()),
        }
    )


def summary(comparison: BaselineReading) -> str:
    """Verdict, or Second's load with hour and median."""
    if comparison.computed is not None:
        return comparison.computed.summary
    second = hour_text(comparison.reports[comparison.selection.second])
    busy = sessions_text(comparison.measures, comparison.selection)
    return f"{second} against {baseline_name(len(comparison.selection.members))}{f': {busy}' if busy else ''}."


def row_texts(against: Against, row: ComparedRow) -> tuple[str, list[tuple[str, str]]]:
    """Name and figures: `2.1 (1.9 – 2.3) → 8.4, above all 5`."""
    texts = (_texts(against, row, c) for c in against.section.columns if c.id in row.values and c.holds != "sql_text")
    return _name(against, row), [
        (label, f"{middle} → {second}{f', {where}' if where else ''}")
        for label, middle, second, where in texts
        if (middle, second) != (_UNKNOWN, _UNKNOWN)
    ]


def lies_of_rows(against: Against) -> dict[str, str]:
    """Position by row id, from the most telling figure."""
    return {row.row_id: position for row in against.section.rows if (position := _row_lies(against, row))}


def _row_lies(against: Against, row: ComparedRow) -> str:
    column = telling_column(against, row)
    printed = printed_text(against, row)
    if column is None:
        return printed
    figure = against.figures[row.row_id][column.id]
    label, _, _, lies = _texts(against, row, column)
    where = "; ".join(dict.fromkeys(p for p in (lies, printed) if p))
    if not where:
        return ""
    mark = "◆ " if figure.is_outside or (figure.alike is not None and row.values[column.id].significant) else ""
    return f"{mark}{label} {where}{_range(row, column, figure)}"


def _name(against: Against, row: ComparedRow) -> str:
    return " · ".join(part for part in row.key.values() if part) or against.section.title


def _texts(against: Against, row: ComparedRow, column: Column) -> tuple[str, str, str, str]:
    """Cumulative figures are per second."""
    figure, delta, label = against.figures[row.row_id].get(column.id), row.values[column.id], column.label or column.id
    per_s = figure is not None and figure.per_s
    say = _writer_of(row, column, figure)
    second = _cell_text(delta.second_per_s if per_s else delta.second, say)
    name = ("active sessions" if column.unit == "s" else f"{label} per s") if per_s else label
    return name, _middle(figure, delta.first, say), second, row_position_text(against, row, column.id)


def telling_column(against: Against, row: ComparedRow) -> Column | None:
    """Column outside, time before counts, else the first, or None."""
    columns = [c for c in against.section.columns if c.id in row.values]
    out = [c for c in columns if against.figures[row.row_id][c.id].is_outside or row.values[c.id].significant]
    ranked = sorted(out or columns, key=lambda c: (c.unit != "s" or c.measure != "total", c.unit is None))
    return ranked[0] if ranked else None


def _writer_of(row: ComparedRow, column: Column, figure: BaselineFigure | None) -> Callable[[float], str]:
    unit = row.unit if column.unit == "as_labelled" else column.unit
    if unit == "s":
        return number if figure is not None and figure.per_s else seconds
    return size if unit == "bytes" else number


def _middle(figure: BaselineFigure | None, first: Value | str | None, say: Callable[[float], str]) -> str:
    if figure is None or figure.spread is None:
        return _cell_text(first, say)
    spread = figure.spread
    middle = say(spread.median.number) if spread.is_figure else f"<{say(2 * spread.median.half)}"
    low, high = say(spread.low.number), say(spread.high.number)
    return middle if low == high else f"{middle} ({low} – {high})"


def _range(row: ComparedRow, column: Column, figure: BaselineFigure) -> str:
    if figure.spread is None or figure.standing is None:
        return ""
    low, high = map(_writer_of(row, column, figure), (figure.spread.low.number, figure.spread.high.number))
    return f" ({low} – {high})" if low != high else ""


def _cell_text(cell: Value | float | str | None, say: Callable[[float], str]) -> str:
    if cell is None:
        return _UNKNOWN
    return cell if isinstance(cell, str) else say(cell.number if isinstance(cell, Value) else cell)


HEADER = (
    *("section", "row_id", "key", "column", "unit", "status", "per_s"),
    *("median", "low", "high", "second", "place", "higher_than", "z", "printed", "of", "said"),
)
_REPORTS = "baseline"  # what stands under `section` in the lines that name the reports


def baseline_csv(comparison: BaselineReading, *, brief: bool = False) -> Iterator[str]:
    """A line per report, then per figure; `brief`: reports only."""
    yield csv_line(HEADER)
    for n in (*comparison.selection.members, comparison.selection.second):
        status, report = "Second" if n == comparison.selection.second else "baseline", comparison.reports[n]
        yield csv_line(_pad(_REPORTS, n, hour_text(report), "report", "", status, text=report.name))
    if not brief:
        for against in comparison.sections():
            section = against.section
            valued = [c for c in section.columns if c.id not in section.key]
            for row in section.rows:
                for column in valued:
                    delta = row.values[column.id]
                    if delta.first is not None or delta.second is not None:
                        yield csv_line(_csv_figure(against, row, column))


def _csv_figure(against: Against, row: ComparedRow, column: Column) -> tuple[object, ...]:
    delta, figure = row.values[column.id], against.figures[row.row_id][column.id]
    first, second = (delta.first, delta.second) if not figure.per_s else (delta.first_per_s, delta.second_per_s)
    unit = row.unit if row.unit and column.unit == "as_labelled" else column.unit or ""
    identity = (against.section.id, row.row_id, " / ".join(row.key.values()), column.id, unit, row.status)
    lies = (against.printed[row.row_id], against.of, row_position_text(against, row, column.id))
    per_s = "yes" if figure.per_s else "no"
    place = ("" if cell is None else cell for cell in _lies(figure).values())
    if (spread := figure.spread) is None:
        middle: tuple[object, ...] = (csv_cell(first), "", "")
    else:
        median = plain(spread.median.number) if spread.is_figure else ""
        middle = (median, plain(spread.low.number), plain(spread.high.number))
    return (*identity, per_s, *middle, csv_cell(second), *place, *lies)


def _pad(*cells: object, text: str) -> tuple[object, ...]:
    return (*cells, *("" for _ in range(len(HEADER) - len(cells) - 1)), text)

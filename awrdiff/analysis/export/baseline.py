"""A report against a baseline: as a document, written section by section, and in words where a row of Second lies."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from awrdiff.analysis.baseline.against import Against, Chosen, Held
from awrdiff.analysis.baseline.members import unlike
from awrdiff.analysis.baseline.series import Measure
from awrdiff.analysis.baseline.words import baseline_said, hour_said, lies_said, printed_said, sessions_said
from awrdiff.analysis.export.document import plain, said_of_pair, section_parts
from awrdiff.analysis.export.pieces import Parts
from awrdiff.analysis.model.comparison import ComparedRow, Comparison
from awrdiff.analysis.model.spread import Spread
from awrdiff.analysis.words import number, seconds, size
from parsers.model import Column, Report, Value
from parsers.version import VERSION

SCHEMA = "awrdiff.baseline/1"
_UNKNOWN = "–"


@dataclass(frozen=True, slots=True)
class Found:
    """A report against a baseline. `sections` are made when they are walked through; `computed`: what is said of it,
    None where the reports are too large to be held at once."""

    reports: Sequence[Report]
    measures: Sequence[Measure]
    chosen: Chosen
    sections: Callable[[], Iterable[Against]]
    computed: Comparison | None


def held_parts(held: Against, chosen: Chosen) -> Parts:
    """A compared section whose First is the baseline's median; each value says where Second lies under `baseline`."""
    document = section_parts(held.section)
    rows = zip(held.section.rows, document["rows"], strict=True)
    baseline = {"reports": list(chosen.members), "second": chosen.second}
    return Parts({**document, "baseline": baseline, "rows": (_row(held, row, one) for row, one in rows)})


def _row(held: Against, row: ComparedRow, document: dict[str, Any]) -> dict[str, Any]:
    figures = held.held[row.row_id]
    values = {
        column: {**value, "baseline": _figure_document(figures[column])} for column, value in document["values"].items()
    }
    return {**document, "printed": held.printed[row.row_id], "values": values}


def _figure_document(held: Held) -> dict[str, Any] | None:
    if held.alike is not None:
        return {"alike": held.alike}
    if held.spread is None:
        return None
    return {"per_s": held.per_s, **_spread_document(held.spread), **_lies(held)}


def _spread_document(found: Spread) -> dict[str, Any]:
    return {
        "median": plain(found.median.number) if found.is_figure else None,
        "low": plain(found.low.number),
        "high": plain(found.high.number),
        "printed": found.printed,
        "of": found.of,
    }


def _lies(held: Held) -> dict[str, Any]:
    lies = held.standing
    if lies is None:
        return {"place": None, "higher_than": None, "z": None}
    return {"place": lies.place, "higher_than": lies.higher_than, "z": plain(lies.z)}


def baseline_parts(found: Found) -> Parts:
    """The document of schema awrdiff.baseline/1."""
    chosen = found.chosen
    return Parts(
        {
            "schema": SCHEMA,
            "awrdiff_version": VERSION,
            "reports": [r.header() for r in found.reports],
            "baseline": list(chosen.members),
            "second": chosen.second,
            "unlike": [
                {"report": n, "why": list(why)}
                for n in chosen.members
                if (why := unlike(found.reports[n], found.reports[chosen.second]))
            ],
            **(_head(found.computed) if found.computed is not None else {"summary": summary(found)}),
            "sections": (held_parts(held, chosen) for held in found.sections()),
        }
    )


def _head(computed: Comparison) -> dict[str, Any]:
    """What the page says above its tables, as in the document of two reports; First is the median."""
    return {"median": computed.median.said if computed.median else None, **said_of_pair(computed)}


def summary(found: Found) -> str:
    """The verdict; of reports too large for one how busy Second was: `Monday 14 Jan 2019 09:00–10:00 against the median
    of 5 reports: 8.4 active sessions, above all 5 (…).`"""
    if found.computed is not None:
        return found.computed.summary
    second = hour_said(found.reports[found.chosen.second])
    busy = sessions_said(found.measures, found.chosen)
    return f"{second} against {baseline_said(len(found.chosen.members))}{f': {busy}' if busy else ''}."


def row_said(held: Against, row: ComparedRow) -> tuple[str, list[tuple[str, str]]]:
    """What a row is called, and its figures: label, and `2.1 (1.9 – 2.3) → 8.4, above all 5`."""
    texts = (_texts(held, row, c) for c in held.section.columns if c.id in row.values and c.holds != "sql_text")
    return _name(held, row), [
        (label, f"{middle} → {second}{f', {where}' if where else ''}")
        for label, middle, second, where in texts
        if (middle, second) != (_UNKNOWN, _UNKNOWN)
    ]


def lies_of_rows(held: Against) -> dict[str, str]:
    """Of each row where it lies, by its figure that tells most."""
    return {row.row_id: said for row in held.section.rows if (said := _row_lies(held, row))}


def _row_lies(held: Against, row: ComparedRow) -> str:
    """`◆ active sessions above all 5 (1.9 – 2.3)`"""
    column = telling_column(held, row)
    printed = printed_said(held, row)
    if column is None:
        return printed
    figure = held.held[row.row_id][column.id]
    label, _, _, lies = _texts(held, row, column)
    where = "; ".join(dict.fromkeys(p for p in (lies, printed) if p))
    if not where:
        return ""
    mark = "◆ " if figure.is_outside or (figure.alike is not None and row.values[column.id].significant) else ""
    return f"{mark}{label} {where}{_range(row, column, figure)}"


def _name(held: Against, row: ComparedRow) -> str:
    return " · ".join(part for part in row.key.values() if part) or held.section.title


def _texts(held: Against, row: ComparedRow, column: Column) -> tuple[str, str, str, str]:
    """Label, the baseline's median with its range, Second, and where it lies: per second what accumulates."""
    figure, delta, label = held.held[row.row_id].get(column.id), row.values[column.id], column.label or column.id
    per_s = figure is not None and figure.per_s
    say = _writer_of(row, column, figure)
    second = _cell_text(delta.second_per_s if per_s else delta.second, say)
    name = _figure(label, column.unit) if per_s else label
    return name, _middle(figure, delta.first, say), second, lies_said(held, row, column.id)


def _figure(label: str, unit: str | None) -> str:
    return "active sessions" if unit == "s" else f"{label} per s"


def telling_column(held: Against, row: ComparedRow) -> Column | None:
    """The column that lies outside, time before counts; of a row that Second alone prints its first figure. None: of a
    row without figures."""
    columns = [c for c in held.section.columns if c.id in row.values]
    out = [c for c in columns if held.held[row.row_id][c.id].is_outside or row.values[c.id].significant]
    found = sorted(out or columns, key=lambda c: (c.unit != "s" or c.measure != "total", c.unit is None))
    return found[0] if found else None


def _writer_of(row: ComparedRow, column: Column, held: Held | None) -> Callable[[float], str]:
    """How a figure is written: times and sizes in the unit that shows them best, seconds per second as sessions."""
    unit = row.unit if column.unit == "as_labelled" else column.unit
    if unit == "s":
        return number if held is not None and held.per_s else seconds
    return size if unit == "bytes" else number


def _middle(held: Held | None, first: Value | str | None, say: Callable[[float], str]) -> str:
    if held is None or held.spread is None:
        return _cell_text(first, say)
    found = held.spread
    middle = say(found.median.number) if found.is_figure else f"<{say(2 * found.median.half)}"
    low, high = say(found.low.number), say(found.high.number)
    return middle if low == high else f"{middle} ({low} – {high})"


def _range(row: ComparedRow, column: Column, held: Held) -> str:
    if held.spread is None or held.standing is None:
        return ""
    low, high = map(_writer_of(row, column, held), (held.spread.low.number, held.spread.high.number))
    return f" ({low} – {high})" if low != high else ""


def _cell_text(cell: Value | float | str | None, say: Callable[[float], str]) -> str:
    if cell is None:
        return _UNKNOWN
    return cell if isinstance(cell, str) else say(cell.number if isinstance(cell, Value) else cell)

"""A report against a baseline as a document and as Markdown; both are written section by section."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from awrdiff.analysis.baseline.against import LOOKED_AT_FIRST, Against, Chosen, Held, rows_outside
from awrdiff.analysis.baseline.members import unlike
from awrdiff.analysis.baseline.series import Measure
from awrdiff.analysis.baseline.words import (
    baseline_said,
    hour_said,
    lies_said,
    printed_said,
    sessions_said,
    unlike_said,
)
from awrdiff.analysis.export.blocks import Block, Heading, Item, Items, Line, Paragraph, Table
from awrdiff.analysis.export.document import plain, section_parts
from awrdiff.analysis.export.markdown import lines_of_blocks
from awrdiff.analysis.export.pieces import Parts
from awrdiff.analysis.model.comparison import ComparedRow
from awrdiff.analysis.model.spread import Spread
from awrdiff.analysis.words import number, seconds, several, size
from parsers.model import Column, Report, Value
from parsers.version import VERSION

SCHEMA = "awrdiff.baseline/1"
MOST_ROWS = 40  # of a section in Markdown
SUMMARY_ROWS, SUMMARY_LINES, SUMMARY_MEMBERS = 6, 40, 7
HEAD = ("Row", "Figure", "Baseline", "Second", "Second lies")
IDENTITY = "summary"  # the family of tables that say which report it is
_UNKNOWN = "–"
NOTHING = "Nothing that counts lies outside the baseline."


@dataclass(frozen=True, slots=True)
class Found:
    """A report against a baseline. `sections`: all, or those of these ids, made when they are walked through."""

    reports: Sequence[Report]
    measures: Sequence[Measure]
    chosen: Chosen
    sections: Callable[[Collection[str] | None], Iterable[Against]]
    step: float = 1.0
    address: str = ""


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
            "summary": summary(found),
            "sections": (held_parts(held, chosen) for held in found.sections(None)),
        }
    )


def summary(found: Found) -> str:
    """`Monday 14 Jan 2019 09:00–10:00 against the median of 5 reports: 8.4 active sessions, above all 5 (…).`"""
    second = hour_said(found.reports[found.chosen.second])
    busy = sessions_said(found.measures, found.chosen)
    return f"{second} against {baseline_said(len(found.chosen.members))}{f': {busy}' if busy else ''}."


def baseline_markdown(found: Found, *, brief: bool = False) -> Iterator[str]:
    """`brief`: of the tables a reader looks at first the largest rows, in one table."""
    yield from lines_of_blocks(baseline_blocks(found, None if brief else _tables(found)))


def title_of(found: Found) -> str:
    second = found.reports[found.chosen.second]
    return f"{second.database.name or 'Second'}: {hour_said(second)} against a baseline"


def baseline_blocks(found: Found, body: Iterable[Block] | None) -> Iterator[Block]:
    """`body`: the tables; the largest rows of those looked at first where None."""
    yield Heading(1, title_of(found))
    yield Paragraph(summary(found))
    if found.address:
        yield Paragraph(f"This view: {found.address}")
    yield Paragraph("Baseline", strong=True)
    yield Items(tuple(_members(found, brief=body is None)))
    for text in unlike_said(found.reports, found.chosen):
        yield Paragraph(f"Chosen by hand: {text}")
    yield from _brief(found) if body is None else body
    yield Paragraph(
        "Baseline is the median, then its range. Figures that accumulate are per second. A row that a report does not "
        "print is unknown there, not zero."
    )


def _members(found: Found, *, brief: bool) -> Iterator[Item]:
    members = found.chosen.members
    shown = members[:SUMMARY_MEMBERS] if brief else members
    for n in shown:
        sessions = found.measures[n].sessions
        said = f"{number(sessions.number)} active sessions" if sessions is not None else ""
        yield Item(said, strong=hour_said(found.reports[n]))
    if len(members) > len(shown):
        yield Item(f"{len(members) - len(shown)} more")


def _tables(found: Found) -> Iterator[Block]:
    shown = 0
    for held in found.sections(None):
        rows = rows_outside(held, found.step) if held.section.family != IDENTITY else []
        if rows:
            shown += 1
            yield Heading(2, held.section.title)
            yield Table(HEAD, (line_of(held, row) for row in rows[:MOST_ROWS]), texts=frozenset((1, 4)))
        if len(rows) > MOST_ROWS:
            yield Paragraph(f"{several(len(rows) - MOST_ROWS, 'more row lies', 'more rows lie')} outside.")
    if not shown:
        yield Paragraph(NOTHING)


def _brief(found: Found) -> Iterator[Block]:
    lines: list[Line] = []
    for held in found.sections(LOOKED_AT_FIRST):
        for row in rows_outside(held, found.step)[:SUMMARY_ROWS]:
            line = line_of(held, row)
            lines.append(Line((line.cells[0], held.section.title, *line.cells[1:])))
    if not lines:
        yield Paragraph(NOTHING)
        return
    head = (HEAD[0], "Table", *HEAD[1:])
    yield Table(head, iter(lines[:SUMMARY_LINES]), texts=frozenset((1, 2, 5)))


def row_said(held: Against, row: ComparedRow) -> tuple[str, list[tuple[str, str]]]:
    """What a row is called, and its figures: label, and `2.1 (1.9 – 2.3) → 8.4, above all 5`."""
    texts = (_texts(held, row, c) for c in held.section.columns if c.id in row.values and c.holds != "sql_text")
    return _name(held, row), [
        (label, f"{middle} → {second}{f', {where}' if where else ''}")
        for label, middle, second, where in texts
        if (middle, second) != (_UNKNOWN, _UNKNOWN)
    ]


def line_of(held: Against, row: ComparedRow) -> Line:
    column = telling(held, row)
    *figures, lies = _texts(held, row, column) if column else ("", _UNKNOWN, _UNKNOWN, "")
    where = "; ".join(p for p in dict.fromkeys((lies, printed_said(held, row))) if p)
    return Line((_name(held, row), *figures, where))


def _name(held: Against, row: ComparedRow) -> str:
    return " · ".join(part for part in row.key.values() if part) or held.section.title


def _texts(held: Against, row: ComparedRow, column: Column) -> tuple[str, str, str, str]:
    """Label, the baseline's median with its range, Second, and where it lies: per second what accumulates."""
    figure, delta, label = held.held[row.row_id].get(column.id), row.values[column.id], column.label or column.id
    per_s = figure is not None and figure.per_s
    unit = row.unit if column.unit == "as_labelled" else column.unit
    say = _writer_of(None if per_s and unit == "s" else unit)
    second = _cell_text(delta.second_per_s if per_s else delta.second, say)
    name = _figure(label, column.unit) if per_s else label
    return name, _middle(figure, delta.first, say), second, lies_said(held, row, column.id)


def _figure(label: str, unit: str | None) -> str:
    return "active sessions" if unit == "s" else f"{label} per s"


def telling(held: Against, row: ComparedRow) -> Column | None:
    """The column that lies outside, time before counts; of a row that Second alone prints its first figure. None: of a
    row without figures."""
    columns = [c for c in held.section.columns if c.id in row.values]
    out = [c for c in columns if held.held[row.row_id][c.id].is_outside or row.values[c.id].significant]
    found = sorted(out or columns, key=lambda c: (c.unit != "s" or c.measure != "total", c.unit is None))
    return found[0] if found else None


def _writer_of(unit: str | None) -> Callable[[float], str]:
    """How a figure of this unit is written: times and sizes in the unit that shows them best."""
    return seconds if unit == "s" else size if unit == "bytes" else number


def _middle(held: Held | None, first: Value | str | None, say: Callable[[float], str]) -> str:
    if held is None or held.spread is None:
        return _cell_text(first, say)
    found = held.spread
    middle = say(found.median.number) if found.is_figure else f"<{say(2 * found.median.half)}"
    low, high = say(found.low.number), say(found.high.number)
    return middle if low == high else f"{middle} ({low} – {high})"


def _cell_text(cell: Value | float | str | None, say: Callable[[float], str]) -> str:
    if cell is None:
        return _UNKNOWN
    return cell if isinstance(cell, str) else say(cell.number if isinstance(cell, Value) else cell)

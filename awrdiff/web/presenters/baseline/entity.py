"""One entity's rows against the baseline."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

from awrdiff.analysis.baseline.aligned_sections import Series, SeriesRow
from awrdiff.analysis.baseline.baseline_sentences import row_position_text
from awrdiff.analysis.baseline.robust_statistics import standing_text
from awrdiff.analysis.baseline.section_vs_median import Against
from awrdiff.analysis.entities.kinds import EntityKind, Ref
from awrdiff.analysis.model.comparison import ComparedRow
from awrdiff.web import value_formatting as fmt
from awrdiff.web.presenters.baseline.spread_and_position import cell_text, median_text, range_text, text_of, triple
from awrdiff.web.presenters.section import missing_rows
from awrdiff.web.presenters.section.columns_and_cells import Basis, Formatted, format_figures, tone, with_unit
from awrdiff.web.presenters.section.compared_section import order_rows, row_name
from awrdiff.web.presenters.section.layouts import layout_of
from awrdiff.web.presenters.section.row_limits import cut

MOST_TABLES = 12
MOST_ROWS = 8  # of one table
_LONGEST = 300
NO_FIGURE = frozenset({"", fmt.NONE, "not printed", "not listed"})


Cell = tuple[str, str, str]  # class, text, small text


def present(
    kind: EntityKind,
    key: str,
    tables: Iterable[tuple[Against, Series, Collection[str]]],
    basis: Basis,
    more: int,
) -> dict[str, Any]:
    """`tables`: each with the entity's row ids; `more`: tables that name it and are not shown."""
    parts = [part for table in tables if (part := _part(*table, basis))["rows"]]
    return {"kind": kind.name, "name": key, "path": Ref(kind.id, key).path, "parts": parts, "more": more}


def _part(against: Against, series: Series, row_ids: Collection[str], basis: Basis) -> dict[str, Any]:
    section = against.section
    entity_rows = [r for r in section.rows if r.row_id in row_ids]
    layout = layout_of(section, basis, everything=True)
    rows = order_rows(entity_rows[:MOST_ROWS], layout, "")
    lines = {line.row_id: line for line in series.lines}
    columns = format_figures(layout.figures, rows)
    row_views = []
    for row in rows:
        name, beside = row_name(section, row)
        cells = [
            _texts(against, row, lines[row.row_id], column)
            if column.figure.text
            else _numbers(against, row, lines[row.row_id], column, is_first=column is columns[0])
            for column in columns
        ]
        figures = [
            (with_unit(c), three)
            for c, three in zip(columns, cells, strict=True)
            if any(text not in NO_FIGURE for _, text, _ in three[:2])
        ]
        row_views.append((row.row_id, cut(name, _LONGEST), cut(beside, _LONGEST), figures))
    more = max(0, len(entity_rows) - MOST_ROWS)
    return {"id": section.id, "title": section.title, "rows": row_views, "more": more}


def _numbers(against: Against, row: ComparedRow, line: SeriesRow, column: Formatted, *, is_first: bool) -> list[Cell]:
    """Baseline, Second, where it lies."""
    spread, second, lies = triple(column.figure, line)
    if spread is None:
        absent = "not printed" if not against.section.first_present else fmt.NONE
        usual = ("na", "not listed" if row.status == "only_second" else absent, "")
    else:
        usual = ("", median_text(column, line, spread), range_text(column, line, spread))
    if second is None:
        missing = line.values[-1] is None and is_first
        own = ("na", missing_rows.absent(against.section, first=False).text if missing else fmt.NONE, "")
    else:
        own = ("", cell_text(column, line, second), "")
    if lies is None or spread is None or second is None:
        lie_text = row_position_text(against, row, column.figure.column) if row.status == "only_second" else ""
        return [usual, own, ("same", "", lie_text)]
    if not lies.is_outside:
        return [usual, own, ("same", "", standing_text(lies))]
    way: fmt.Direction = "up" if lies.place == "above" else "down"
    change = f"{fmt.ARROWS[way]} {column.change_text(spread.median, second, column.figure.unit_of(row.unit))}"
    return [usual, own, (tone(way, column.figure.better), change, standing_text(lies))]


def _texts(against: Against, row: ComparedRow, line: SeriesRow, column: Formatted) -> list[Cell]:
    delta = row.values[column.figure.column]
    usual = delta.first if isinstance(delta.first, str) else ""
    own = text_of(column.figure, line.values[-1])
    lie_text = row_position_text(against, row, column.figure.column) if usual or own else ""
    differs = "differs" if delta.significant else ""
    return [
        ("l" if usual else "l na", cut(usual, _LONGEST) or fmt.NONE, ""),
        ("l" if own else "l na", cut(own, _LONGEST) or fmt.NONE, ""),
        ("l down0" if differs else "l same", differs, lie_text),
    ]

"""Trend of a row, or of every row of a section, as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from awrdiff.analysis.baseline.changes import ParameterChange
from awrdiff.analysis.baseline.members import positions_by_time, restarted_between
from awrdiff.analysis.baseline.series import Series, SeriesRow
from awrdiff.analysis.export.document import plain
from parsers.model import Report, Value


def trend_json(
    series: Series, line: SeriesRow | None, heads: Sequence[Report], changes: Sequence[tuple[ParameterChange, ...]]
) -> dict[str, Any]:
    """Values in the order of `reports`, the comparison's; `by_time` has their order in time."""
    order = positions_by_time(heads)
    since = {n: (heads[order[at - 1]] if at else None, changes[at]) for at, n in enumerate(order)}
    return {
        "section": series.id,
        "title": series.title,
        "reports": [_report(n, head, *since[n]) for n, head in enumerate(heads)],
        "by_time": order,
        "columns": [{"id": c.id, "label": c.label, "unit": c.unit} for c in series.columns],
        "rows": [_row(series_row) for series_row in ([line] if line is not None else series.lines)],
    }


def _report(place: int, head: Report, before: Report | None, changes: Sequence[ParameterChange]) -> dict[str, Any]:
    begin, end = head.period.begin.time, head.period.end.time
    return {
        "place": place,
        "name": head.name,
        "begin": begin.isoformat() if begin else None,
        "end": end.isoformat() if end else None,
        "restarted": [m.isoformat() for m in restarted_between(before, head)] if before is not None else [],
        "parameters": [{"name": c.name, "before": c.before, "after": c.after} for c in changes],
    }


def _row(line: SeriesRow) -> dict[str, Any]:
    """null: not printed there."""
    columns = next((list(v) for v in line.values if v is not None), [])
    return {
        "id": line.row_id,
        "key": dict(line.name),
        "unit": line.unit,
        "values": {c: [_cell(v[c].first) if v is not None else None for v in line.values] for c in columns},
        "per_s": {
            c: [plain(v[c].first_per_s) if v is not None else None for v in line.values]
            for c in columns
            if any(v is not None and v[c].first_per_s is not None for v in line.values)
        },
    }


def _cell(cell: Value | str | None) -> float | str | None:
    return plain(cell.number) if isinstance(cell, Value) else cell

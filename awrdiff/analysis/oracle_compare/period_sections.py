"""One period of a section of Oracle's compare report, in single-period form.

Lists hold the largest differences, so missing rows are unknown; a row without figures is not in its list.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec.structs import replace

from awrdiff.analysis.oracle_compare.period_columns import figures_of
from awrdiff.analysis.oracle_compare.single_period_names import Names, column_id, declared_columns, names_of, title_of
from parsers.model import Cell, Column, Row, Section, Value

_PERIOD_IN_LABEL = re.compile(r"\b(1st|2nd)\b(?:\s+Period\b)?", re.IGNORECASE)
# Settings among the statistics of the operating system: the report prints how they moved, which is 0.
_SETTING = re.compile(r"_(?:MAX|MIN|DEFAULT)$")
_PLANS = "plans"  # `1/ 2/ 3`: plans of the first period, of the second, and of both together


# Both kinds of report print a fixed set of rows.
_COMPLETE = frozenset(
    {
        "load_profile",
        "time_model",
        "os_statistics",
        "init_parameters",
        "init_parameters_multi_valued",
        "sga_memory_summary",
        "pga_aggregate_summary",
        "shared_servers_activity",
        "shared_servers_rates",
    }
)


def section_of(section: Section, period: str) -> Section:
    """`period`: "first" or "second"."""
    names = names_of(section.id)
    columns = list(_columns_of(section, names, period))
    ids, sided = {column.id for column, _, _ in columns}, [at for _, at, is_sided in columns if is_sided]
    is_complete = section.coverage == "all" and names.section_id in _COMPLETE
    records = []
    for record in section.records:
        if names.section_id == "os_statistics" and _SETTING.search(section.text(record, "statistic_name")):
            continue
        if not sided or any(record.cells[at] is not None for at in sided):
            cells = tuple(_cell(section, record, column, at, period) for column, at, _ in columns)
            records.append(Row(cells, record.unit, record.ordinal))
    return Section(
        id=names.section_id,
        title=title_of(names, section.title),
        known=section.known,
        coverage=section.coverage if names.section_id == section.id else "all" if is_complete else "top",
        key=tuple(c for k in section.key if k not in names.not_in_key and (c := column_id(names, k)) in ids),
        columns=tuple(column for column, _, _ in columns),
        records=tuple(records),
        notes=section.notes,
        line=section.line,
    )


def _columns_of(section: Section, names: Names, period: str) -> Iterator[tuple[Column, int, bool]]:
    """Columns of the period's section, with their position; True for a figure of both periods."""
    figures = figures_of(section)
    own = {f.of(period): f for f in figures}
    period_columns = {c for f in figures for c in (f.first, f.second, *f.differences.values())}
    # Shares accumulated in Oracle's order mean nothing for a row.
    ids = {f.name for f in figures}
    running = {n for n in ids if n.endswith("_total") and n.removesuffix("_total") in ids and "pct" in n}
    declared = declared_columns(names)
    used_ids: set[str] = set()
    for at, column in enumerate(section.columns):
        figure = own.get(column.id)
        if figure is None and column.id in period_columns:
            continue
        name = figure.name if figure else column.id
        if (
            name in names.left_out
            or name in running
            or (figure is None and column.id.endswith(("_diff", "_diff_s", "_diff_bytes")))
        ):
            continue
        free_id = next((i for i in (column_id(names, name), name) if i not in used_ids), None)
        if free_id is not None:
            used_ids.add(free_id)
            yield _column(column, free_id, declared), at, figure is not None


def _column(column: Column, name: str, declared: dict[str, Column]) -> Column:
    declared_column = declared.get(name)
    if declared_column is not None:
        return replace(declared_column, cut_at=column.cut_at)
    label = " ".join(_PERIOD_IN_LABEL.sub("", column.label).split()) or name.replace("_", " ").capitalize()
    return replace(column, id=name, label=label)


def _cell(section: Section, record: Row, column: Column, at: int, period: str) -> Cell:
    cell = record.cells[at]
    if not isinstance(cell, str):
        return cell
    if column.id == _PLANS:
        parts = [p.strip() for p in cell.split("/")]
        return (parts[0 if period == "first" else 1] or None) if len(parts) == 3 else cell
    return cell if section.key[:1] != (section.columns[at].id,) else _row_name(names_of(section.id), cell)


# Rows of a report of one period under other names.
_ROWS = {
    "load_profile": {"db time": "DB Time(s)", "cpu time": "DB CPU(s)"},
    "top_timed_events": {"cpu time": "DB CPU"},
    # text cuts the name to six places, which leaves `java p` and `large`
    "sga_breakdown": {
        f"{pool} pool"[:end]: pool for pool in ("java", "large", "shared", "streams") for end in range(6, 13)
    },
}


def _row_name(names: Names, printed: str) -> str:
    return _ROWS.get(names.section_id, {}).get(printed.lower(), printed)


def key_of(section: Section, record: Row) -> tuple[str, ...]:
    names = names_of(section.id)
    key = [section.text(record, k) for k in section.key if k not in names.not_in_key]
    return (_row_name(names, key[0]), *key[1:]) if key else ()


def with_counts(events: Section, top: Section | None) -> Section:
    """Counts come from top events; their own table has rates."""
    if top is None or "waits" not in top.index or "waits" in events.index:
        return events
    counts = {top.text(r, "event").lower(): top.number(r, "waits") for r in top.records}
    column = declared_columns(names_of("compare_wait_events"))["waits"]
    records = tuple(Row((*r.cells, counts.get(events.text(r, "event").lower())), *r[1:]) for r in events.records)
    return replace(events, columns=(*events.columns, column), records=records)


def in_megabytes(load: Section, worked_per_s: float | None) -> Section:
    """`W/A MB processed` in MB; 11.2.0.3 prints bytes.

    `worked_per_s`: bytes a second from the PGA summary, for comparison.
    """
    records = []
    for record in load.records:
        printed = load.number(record, "per_second")
        is_work_area = load.text(record, "metric").lower().startswith("w/a mb")
        if is_work_area and printed and worked_per_s and abs(printed.number - worked_per_s) <= _NEARLY * worked_per_s:
            cells = (Value(c.number / 2**20, c.half / 2**20) if isinstance(c, Value) else c for c in record.cells)
            records.append(record._replace(cells=tuple(cells)))
        else:
            records.append(record)
    return replace(load, records=tuple(records))


_NEARLY = 0.1

"""One period of one section of Oracle's compare report, as a report of that period would print it.

Lists hold what differs most, so a row that is not in them is unknown, whatever a report of one period says of it.
A figure that is blank for a period was not printed for it; a row without any figure is not in that period's list.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from awrdiff.analysis.oracle_compare.counterparts import Names, column_id, declared_columns, names_of, title_of
from awrdiff.analysis.oracle_compare.figures import PeriodColumns, figures_of
from parsers.model import Cell, Column, Coverage, Row, Section, Value

_PERIOD_IN_LABEL = re.compile(r"\b(1st|2nd)\b(?:\s+Period\b)?", re.IGNORECASE)
# Settings among the statistics of the operating system: the report prints how they moved, which is 0.
_SETTING = re.compile(r"_(?:MAX|MIN|DEFAULT)$")
_PLANS = "plans"  # `1/ 2/ 3`: plans of the first period, of the second, and of both together


class _Taken(Struct, frozen=True):
    """A column of the period's section, and where its cells stand."""

    column: Column
    at: int
    sided: bool


def section_of(section: Section, period: str) -> Section:
    """The section as it stands for `period` ("first" or "second")."""
    names = names_of(section.id)
    taken = list(_columns_of(section, names, period))
    at = {t.column.id for t in taken}
    return Section(
        id=names.section_id,
        title=title_of(names, section.title),
        known=section.known,
        coverage=_coverage(section, names),
        key=tuple(c for k in section.key if k not in names.not_in_key and (c := column_id(names, k)) in at),
        columns=tuple(t.column for t in taken),
        records=tuple(_records(section, taken, names, period)),
        notes=section.notes,
        line=section.line,
    )


def _coverage(section: Section, names: Names) -> Coverage:
    """All rows only where both kinds of reports print a fixed set of them; tables of its own stay what they are."""
    if names.section_id == section.id:
        return section.coverage
    return "all" if section.coverage == "all" and names.section_id in _COMPLETE else "top"


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


def _columns_of(section: Section, names: Names, period: str) -> Iterator[_Taken]:
    """The period's own columns and those of both, in the order they are printed; Oracle's differences are not."""
    figures = figures_of(section)
    own = {f.of(period): f for f in figures}
    others = {c for f in figures for c in (f.first, f.second, *f.differences.values())}
    running = _running_totals(figures)
    declared = declared_columns(names)
    seen: set[str] = set()
    for at, column in enumerate(section.columns):
        figure = own.get(column.id)
        if figure is None and column.id in others:
            continue
        name = figure.name if figure else column.id
        if name in names.left_out or name in running or (figure is None and _is_difference(column)):
            continue
        called = next((i for i in (column_id(names, name), name) if i not in seen), None)
        if called is not None:
            seen.add(called)
            yield _Taken(_column(column, called, declared), at, figure is not None)


def _is_difference(column: Column) -> bool:
    return column.id.endswith(("_diff", "_diff_s", "_diff_bytes"))


def _running_totals(figures: Sequence[PeriodColumns]) -> frozenset[str]:
    """Shares added up from the top of Oracle's list: they belong to its order, not to the row."""
    names = {f.name for f in figures}
    return frozenset(n for n in names if n.endswith("_total") and n.removesuffix("_total") in names and "pct" in n)


def _column(column: Column, name: str, declared: dict[str, Column]) -> Column:
    known = declared.get(name)
    if known is not None:
        return replace(known, cut_at=column.cut_at)
    label = " ".join(_PERIOD_IN_LABEL.sub("", column.label).split()) or name.replace("_", " ").capitalize()
    return replace(column, id=name, label=label)


def _records(section: Section, taken: Sequence[_Taken], names: Names, period: str) -> Iterator[Row]:
    sided = [t.at for t in taken if t.sided]
    for record in section.records:
        if names.section_id == "os_statistics" and _SETTING.search(section.text(record, "statistic_name")):
            continue
        if sided and all(record.cells[at] is None for at in sided):
            continue
        cells = tuple(_cell(section, record, t, names, period) for t in taken)
        yield Row(cells, record.unit, record.ordinal)


def _cell(section: Section, record: Row, taken: _Taken, names: Names, period: str) -> Cell:
    cell = record.cells[taken.at]
    if not isinstance(cell, str):
        return cell
    if taken.column.id == _PLANS:
        return _plans(cell, period)
    return cell if section.key[:1] != (section.columns[taken.at].id,) else _row_name(names, cell)


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
    """The row's key as it is in the period's section."""
    names = names_of(section.id)
    key = [section.text(record, k) for k in section.key if k not in names.not_in_key]
    return (_row_name(names, key[0]), *key[1:]) if key else ()


def _plans(text: str, period: str) -> str | None:
    parts = [p.strip() for p in text.split("/")]
    return (parts[0 if period == "first" else 1] or None) if len(parts) == 3 else text


def with_counts(events: Section, top: Section | None) -> Section:
    """The wait events with the number of waits that the list of top events prints for some of them.

    The table of wait events itself has them per second alone, which is no total.
    """
    if top is None or "waits" not in top.index or "waits" in events.index:
        return events
    counts = {top.text(r, "event").lower(): top.number(r, "waits") for r in top.records}
    column = declared_columns(names_of("compare_wait_events"))["waits"]
    records = tuple(Row((*r.cells, counts.get(events.text(r, "event").lower())), *r[1:]) for r in events.records)
    return replace(events, columns=(*events.columns, column), records=records)


def in_megabytes(load: Section, worked_per_s: float | None) -> Section:
    """`W/A MB processed` of the load profile, which 11.2.0.3 prints in bytes, in the unit that its label says.

    `worked_per_s`: bytes a second by the summary of PGA memory, which tells bytes from megabytes.
    """
    records = []
    for record in load.records:
        printed = load.number(record, "per_second")
        named = load.text(record, "metric").lower().startswith("w/a mb")
        if named and printed and worked_per_s and abs(printed.number - worked_per_s) <= _NEARLY * worked_per_s:
            records.append(record._replace(cells=_scale(record.cells, 2.0**-20)))
        else:
            records.append(record)
    return replace(load, records=tuple(records))


_NEARLY = 0.1


def _scale(cells: Sequence[Cell], factor: float) -> tuple[Cell, ...]:
    return tuple(Value(c.number * factor, c.half * factor) if isinstance(c, Value) else c for c in cells)

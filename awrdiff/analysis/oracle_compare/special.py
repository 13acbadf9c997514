"""Sections of Oracle's compare report with periods as rows, or omitted values."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec.structs import replace

from awrdiff.analysis.oracle_compare.figures import PERIOD_KEYS
from parsers.model import Cell, Column, Row, Section, Value
from parsers.sections.registry import REGISTRY

_POINT = re.compile(r"^([BE])([12])$")
_ORDINAL = {"first": "1", "second": "2"}
_DEFAULT = "(DEFAULT)"  # not set explicitly in that period
_LEAST_CUT = 30  # values are cut to about this width, not less
_LOAD = {
    "load at start snapshot": "load_begin",
    "load at end snapshot": "load_end",
    "%user time": "pct_user",
    "%system time": "pct_system",
    "%io wait time": "pct_wio",
    "%idle time": "pct_idle",
}


def has_points(section: Section) -> bool:
    """True for rows of begin and end by period: B1, E1, B2, E2."""
    return "point" in section.key and any(_POINT.match(section.text(r, "point")) for r in section.records)


def points_of(section: Section, period: str) -> Section:
    at = section.index["point"]
    records = []
    for record in section.records:
        match = _POINT.match(section.text(record, "point"))
        if match and match[2] == _ORDINAL[period]:
            records.append(record._replace(cells=(*record.cells[:at], match[1], *record.cells[at + 1 :]), ordinal=0))
    return replace(section, records=tuple(records))


def has_period_rows(section: Section) -> bool:
    """True for a row per period: `1st`, `2nd`."""
    return len(section.key) == 1 and bool(section.records) and section.key[0] in PERIOD_KEYS


def row_of(section: Section, period: str) -> Section:
    """Row of the period, without columns of period and differences."""
    columns = [i for i, c in enumerate(section.columns) if c.id not in section.key and not c.id.endswith("_diff")]
    mark = "1st" if period == "first" else "2nd"
    records = [r for r in section.records if mark in section.text(r, section.key[0])]
    return replace(
        section,
        key=(),
        columns=tuple(section.columns[i] for i in columns),
        records=tuple(r._replace(cells=tuple(r.cells[i] for i in columns), ordinal=0) for r in records),
    )


def parameters_of(section: Section, period: str) -> Section:
    """Parameters of the period; Oracle prints First's end value, others only if different."""
    columns = [c for c in section.columns if not c.id.startswith(("begin_value", "end_value"))]
    section_id = section.id.removeprefix("compare_")
    declared = {s.id: s.column for s in REGISTRY.by_id[section_id].columns or ()}
    width = _width(section)
    values = [replace(declared[i], cut_at=width) for i in ("begin_value", "end_value")]
    key = ("parameter", "begin_value") if "end_value_first" in section.key else ("parameter",)
    return replace(
        section,
        id=section_id,
        key=tuple(k for k in key if k == "begin_value" or k in section.index),
        columns=(*columns, *values),
        records=tuple(_parameters(section, columns, period)),
    )


def _parameters(section: Section, columns: list[Column], period: str) -> Iterator[Row]:
    for record in section.records:
        begin, end = _values(section, record, period)
        if begin is None:
            continue
        shared: list[Cell] = [section.cell(record, c.id) for c in columns]
        yield Row((*shared, begin, end if end != begin else None), None, record.ordinal)


def _values(section: Section, record: Row, period: str) -> tuple[str | None, str | None]:
    """At the period's begin and end; None if not set."""

    def printed(when: str, side: str) -> str | None:
        return section.text(record, f"{when}_value_{side}") or None

    end = printed("end", "first")
    begin = printed("begin", "first") or end
    if period == "second":
        end = printed("end", "second") or printed("begin", "second") or end
        begin = printed("begin", "second") or end
    return tuple(None if v == _DEFAULT else v for v in (begin or end, end))  # type: ignore[return-value]


def _width(section: Section) -> int | None:
    """Width of cut values: the longest, if long."""
    columns = [c.id for c in section.columns if c.id.startswith(("begin_value", "end_value"))]
    longest = max((len(section.text(r, c)) for r in section.records for c in columns), default=0)
    full = "multi_valued" in section.id  # printed in full
    return longest if longest >= _LEAST_CUT and not full else None


def host_figures(section: Section, period: str) -> dict[str, Value]:
    """Host figures of the period, by Oracle's lower-case name."""
    figures = ((section.text(r, "metric").lower(), section.number(r, period)) for r in section.records)
    return {name: value for name, value in figures if value is not None}


def host_cpu(section: Section, period: str) -> Section | None:
    """Load and CPU use of the host, as table `Host CPU` of a single-period report."""
    declaration = REGISTRY.by_id["host_cpu"]
    declared = {s.id: s.column for s in declaration.columns or ()}
    printed = {_LOAD[n]: v for n, v in host_figures(section, period).items() if n in _LOAD}
    columns = tuple(declared[i] for i in _LOAD.values() if i in printed)
    if not columns:
        return None
    row = Row(tuple(printed[c.id] for c in columns))
    return Section(
        id="host_cpu",
        title="Host CPU",
        known=True,
        coverage="all",
        key=(),
        columns=columns,
        records=(row,),
        line=section.line,
    )

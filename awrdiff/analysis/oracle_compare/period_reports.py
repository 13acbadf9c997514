"""The two reports in Oracle's compare report, as far as printed."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec.structs import replace

from awrdiff.analysis.oracle_compare.io_by_function_and_file import io_sections, is_io
from awrdiff.analysis.oracle_compare.period_columns import PERIOD_KEYS, PERIODS, PREFIX, differences_only, figures_of
from awrdiff.analysis.oracle_compare.period_sections import in_megabytes, section_of, with_counts
from parsers.identity.other_report_headers import compared_period
from parsers.model import Cell, Column, Report, Row, Section, Value
from parsers.sections.registry import REGISTRY

_SNAPSHOTS = "compare_snapshots"
_HOST = "compare_host"
_PROCESSORS = ("number of cpus", "number of cpu cores", "number of cpu sockets")
_OF_ALL = "sql_by_elapsed_time"
_TOTALS = (
    ("elapsed_time_s", "Elapsed Time (s)", "s", "elapsed_per_exec_s"),
    ("cpu_time_s", "CPU Time (s)", "s", "cpu_per_exec_s"),
    ("user_io_wait_time_s", "User I/O Time (s)", "s", "user_io_per_exec_s"),
    ("physical_reads", "Physical Reads", "count", "reads_per_exec"),
    ("rows_processed", "Rows Processed", "count", "rows_per_exec"),
)
_CAPTURED = re.compile(
    r"Captured (SQL|PL/SQL) Elapsed Time as a % of DB time\s+First:\s*([\d.,]+)\s*%,\s*Second:\s*([\d.,]+)\s*%",
    re.IGNORECASE,
)


def is_compare(report: Report) -> bool:
    snapshots = report.section(_SNAPSHOTS)
    return report.kind == "awr_compare" and snapshots is not None and len(snapshots.records) >= len(PERIODS)


def is_period(report: Report) -> bool:
    """True for one period of Oracle's compare report."""
    return report.kind == "awr" and report.section(_SNAPSHOTS) is not None


def period_of(report: Report, period: str) -> Report:
    """`first` or `second`; raises LookupError for others."""
    if period not in PERIODS or not is_compare(report):
        raise LookupError(f"{period} period: the report is not one of two periods")
    by_id: dict[str, Section] = {}
    for section in _sections(report, period):
        ids = (section.id, *(f"{section.id}_{number}" for number in range(2, len(by_id) + 3)))
        own = next(section_id for section_id in ids if section_id not in by_id)
        by_id[own] = section if own == section.id else replace(section, id=own)
    who = compared_period(report.by_id, PERIODS.index(period), by_id)
    host = report.section(_HOST)
    printed = host_figures(host, period) if host is not None else {}
    cpus, cores, sockets = (int(printed[name].number) if name in printed else None for name in _PROCESSORS)
    return replace(
        report,
        kind="awr",
        name=f"{report.name}, {period} period",
        release=who.release,
        database=who.database,
        instances=who.instances,
        host=replace(who.host, cpus=cpus, cores=cores, sockets=sockets, memory_bytes=printed.get("physical memory")),
        period=who.period,
        sections=tuple(by_id.values()),
    )


def differences_alone(report: Report) -> tuple[str, ...]:
    """Titles of tables of differences alone."""
    return tuple(s.title for s in report.sections if differences_only(s))


def _sections(report: Report, period: str) -> Iterator[Section]:
    top, model = report.section("compare_top_timed_events"), report.section("compare_time_model")
    times = section_of(model, period) if model is not None else None
    row = times.find("DB time") if times is not None and "time_s" in times.index else None
    db_time = times.number(row, "time_s") if times is not None and row is not None else None
    for section in report.sections:
        if differences_only(section) or is_io(section):
            continue
        if has_points(section):
            period_section = points_of(section, period)
        elif has_period_rows(section):
            period_section = row_of(section, period)
        elif section.id.startswith(f"{PREFIX}init_parameters"):
            period_section = parameters_of(section, period)
        else:
            period_section = section_of(section, period) if figures_of(section) else section
        if period_section.id == "wait_events" and top is not None:
            period_section = with_counts(period_section, section_of(top, period))
        if period_section.id == "load_profile":
            period_section = in_megabytes(period_section, _worked_per_s(report, period))
        period_section = with_totals(period_section, period, db_time)
        if period_section.records:
            yield period_section
        host = host_cpu(section, period) if section.id == _HOST else None
        if host is not None:
            yield host
    yield from io_sections(report, period)


def _worked_per_s(report: Report, period: str) -> float | None:
    """Bytes a second."""
    summary, snapshots = report.section("compare_pga_aggregate_summary"), report.section(_SNAPSHOTS)
    if summary is None or snapshots is None or not summary.records:
        return None
    own = section_of(summary, period)
    worked = own.number(own.records[0], "workarea_processed_bytes") if own.records else None
    elapsed = snapshots.number(snapshots.records[PERIODS.index(period)], "elapsed_s")
    return worked.number / elapsed.number if worked is not None and elapsed is not None and elapsed.number else None


def with_totals(section: Section, period: str, db_time: Value | None) -> Section:
    """Statements with totals; `db_time`: seconds of the period."""
    if not section.id.startswith("sql_by_") or "executions" not in section.index:
        return section
    totals = [t for t in _TOTALS if t[0] not in section.index and t[3] in section.index]
    columns = tuple(Column(name, label, unit, "neither", measure="total") for name, label, unit, _ in totals)
    records = []
    for record in section.records:
        runs, each = section.number(record, "executions"), [section.number(record, column) for *_, column in totals]
        cells = [_product(v, runs) if v is not None and runs is not None else None for v in each]
        share = section.number(record, "pct_total") if section.id == _OF_ALL else None
        if totals and totals[0][0] == "elapsed_time_s" and share is not None and db_time is not None:
            cells[0] = _intersection(_product(share, db_time, 0.01), cells[0])
        records.append(Row((*record.cells, *cells), *record[1:]))
    captured = [
        f"Captured {match[1]} account for {match[2 + PERIODS.index(period)]}% of Total DB Time"
        for note in section.notes
        if (match := _CAPTURED.search(note))
    ]
    notes = (*section.notes, *captured)
    return replace(section, columns=(*section.columns, *columns), records=tuple(records), notes=notes)


def _product(a: Value, b: Value, factor: float = 1.0) -> Value:
    low, high = max(a.low, 0.0) * max(b.low, 0.0) * factor, a.high * b.high * factor
    return Value((low + high) / 2, (high - low) / 2)


def _intersection(of_share: Value, of_executions: Value | None) -> Value:
    """The share's if they do not meet."""
    if of_executions is None:
        return of_share
    low, high = max(of_share.low, of_executions.low), min(of_share.high, of_executions.high)
    return Value((low + high) / 2, (high - low) / 2) if low <= high else of_share


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
    """True for rows B1, E1, B2, E2."""
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
    """True for rows `1st`, `2nd`."""
    return len(section.key) == 1 and bool(section.records) and section.key[0] in PERIOD_KEYS


def row_of(section: Section, period: str) -> Section:
    """Row of the period, without period and differences."""
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
    """First's end value is always printed, others if different."""
    columns = [c for c in section.columns if not c.id.startswith(("begin_value", "end_value"))]
    section_id = section.id.removeprefix("compare_")
    declared = {s.id: s.column for s in REGISTRY.by_id[section_id].columns or ()}
    printed = [c.id for c in section.columns if c not in columns]
    longest = max((len(section.text(r, c)) for r in section.records for c in printed), default=0)
    is_full = longest < _LEAST_CUT or "multi_valued" in section.id
    values = [replace(declared[i], cut_at=None if is_full else longest) for i in ("begin_value", "end_value")]
    key = ("parameter", "begin_value") if "end_value_first" in section.key else ("parameter",)
    records = []
    for record in section.records:
        begin, end = _values(section, record, period)
        if begin is not None:
            shared: list[Cell] = [section.cell(record, c.id) for c in columns]
            records.append(Row((*shared, begin, end if end != begin else None), None, record.ordinal))
    return replace(
        section,
        id=section_id,
        key=tuple(k for k in key if k == "begin_value" or k in section.index),
        columns=(*columns, *values),
        records=tuple(records),
    )


def _values(section: Section, record: Row, period: str) -> tuple[str | None, str | None]:

    def printed(when: str, side: str) -> str | None:
        return section.text(record, f"{when}_value_{side}") or None

    end = printed("end", "first")
    begin = printed("begin", "first") or end
    if period == "second":
        end = printed("end", "second") or printed("begin", "second") or end
        begin = printed("begin", "second") or end
    return tuple(None if v == _DEFAULT else v for v in (begin or end, end))  # type: ignore[return-value]


def host_figures(section: Section, period: str) -> dict[str, Value]:
    """Figures by Oracle's lower-case name."""
    figures = ((section.text(r, "metric").lower(), section.number(r, period)) for r in section.records)
    return {name: value for name, value in figures if value is not None}


def host_cpu(section: Section, period: str) -> Section | None:
    """Load and CPU use, as single-period table `Host CPU`."""
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

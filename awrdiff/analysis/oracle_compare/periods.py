"""The two reports in Oracle's compare report, as far as printed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from awrdiff.analysis.oracle_compare.figures import PERIOD_KEYS, PERIODS, PREFIX, differences_only, figures_of
from awrdiff.analysis.oracle_compare.io import io_sections, is_io
from awrdiff.analysis.oracle_compare.sides import in_megabytes, section_of, with_counts
from parsers.identity.kinds import compared_period
from parsers.model import Cell, Column, Host, Report, Row, Section, Value
from parsers.sections.registry import REGISTRY

_SNAPSHOTS = "compare_snapshots"
_HOST = "compare_host"
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
    sections = tuple(_with_own_ids(_sections(report, period)))
    own = {s.id: s for s in sections}
    who = compared_period(report.by_id, PERIODS.index(period), own)
    return replace(
        report,
        kind="awr",
        name=f"{report.name}, {period} period",
        release=who.release,
        database=who.database,
        instances=who.instances,
        host=_host(report, period, who.host),
        period=who.period,
        sections=sections,
    )


def differences_alone(report: Report) -> tuple[str, ...]:
    """Titles of tables of differences alone."""
    return tuple(s.title for s in report.sections if differences_only(s))


def _sections(report: Report, period: str) -> Iterator[Section]:
    top = report.section("compare_top_timed_events")
    for section in report.sections:
        if differences_only(section) or is_io(section):
            continue
        period_section = _section(section, period)
        if period_section.id == "wait_events" and top is not None:
            period_section = with_counts(period_section, section_of(top, period))
        if period_section.id == "load_profile":
            period_section = in_megabytes(period_section, _worked_per_s(report, period))
        period_section = with_totals(period_section, period, _db_time(report, period))
        if period_section.records:
            yield period_section
        host = host_cpu(section, period) if section.id == _HOST else None
        if host is not None:
            yield host
    yield from io_sections(report, period)


def _db_time(report: Report, period: str) -> Value | None:
    model = report.section("compare_time_model")
    own = section_of(model, period) if model is not None else None
    row = own.find("DB time") if own is not None and "time_s" in own.index else None
    return own.number(row, "time_s") if own is not None and row is not None else None


def _with_own_ids(sections: Iterable[Section]) -> Iterator[Section]:
    used_ids: set[str] = set()
    for section in sections:
        ids = (section.id, *(f"{section.id}_{number}" for number in range(2, len(used_ids) + 3)))
        own = next(section_id for section_id in ids if section_id not in used_ids)
        used_ids.add(own)
        yield section if own == section.id else replace(section, id=own)


def _worked_per_s(report: Report, period: str) -> float | None:
    """Bytes a second."""
    summary, snapshots = report.section("compare_pga_aggregate_summary"), report.section(_SNAPSHOTS)
    if summary is None or snapshots is None or not summary.records:
        return None
    own = section_of(summary, period)
    worked = own.number(own.records[0], "workarea_processed_bytes") if own.records else None
    elapsed = snapshots.number(snapshots.records[PERIODS.index(period)], "elapsed_s")
    return worked.number / elapsed.number if worked is not None and elapsed is not None and elapsed.number else None


def _section(section: Section, period: str) -> Section:
    if has_points(section):
        return points_of(section, period)
    if has_period_rows(section):
        return row_of(section, period)
    if section.id.startswith(f"{PREFIX}init_parameters"):
        return parameters_of(section, period)
    return section_of(section, period) if figures_of(section) else section


def _host(report: Report, period: str, host: Host) -> Host:
    section = report.section(_HOST)
    printed = host_figures(section, period) if section is not None else {}

    def whole(name: str) -> int | None:
        return int(printed[name].number) if name in printed else None

    return replace(
        host,
        cpus=whole("number of cpus"),
        cores=whole("number of cpu cores"),
        sockets=whole("number of cpu sockets"),
        memory_bytes=printed.get("physical memory"),
    )


def with_totals(section: Section, period: str, db_time: Value | None) -> Section:
    """Statements with totals; `db_time`: seconds of the period."""
    if not section.id.startswith("sql_by_") or "executions" not in section.index:
        return section
    totals = [t for t in _TOTALS if t[0] not in section.index and t[3] in section.index]
    columns = tuple(Column(name, label, unit, "neither", measure="total") for name, label, unit, _ in totals)
    records = []
    for record in section.records:
        cells = [_total(section, record, each) for _, _, _, each in totals]
        share = section.number(record, "pct_total") if section.id == _OF_ALL else None
        if totals and totals[0][0] == "elapsed_time_s" and share is not None and db_time is not None:
            cells[0] = _intersection(_product(share, db_time, 0.01), cells[0])
        records.append(Row((*record.cells, *cells), *record[1:]))
    notes = (*section.notes, *(n for note in section.notes for n in _captured_note(note, period)))
    return replace(section, columns=(*section.columns, *columns), records=tuple(records), notes=notes)


def _total(section: Section, record: Row, each: str) -> Value | None:
    per_execution, runs = section.number(record, each), section.number(record, "executions")
    return _product(per_execution, runs) if per_execution is not None and runs is not None else None


def _product(a: Value, b: Value, factor: float = 1.0) -> Value:
    low, high = max(a.low, 0.0) * max(b.low, 0.0) * factor, a.high * b.high * factor
    return Value((low + high) / 2, (high - low) / 2)


def _intersection(of_share: Value, of_executions: Value | None) -> Value:
    """The share's if they do not meet."""
    if of_executions is None:
        return of_share
    low, high = max(of_share.low, of_executions.low), min(of_share.high, of_executions.high)
    return Value((low + high) / 2, (high - low) / 2) if low <= high else of_share


def _captured_note(note: str, period: str) -> list[str]:
    match = _CAPTURED.search(note)
    share = match[2 + PERIODS.index(period)] if match else ""
    return [f"Captured {match[1]} account for {share}% of Total DB Time"] if match else []


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

    def printed(when: str, side: str) -> str | None:
        return section.text(record, f"{when}_value_{side}") or None

    end = printed("end", "first")
    begin = printed("begin", "first") or end
    if period == "second":
        end = printed("end", "second") or printed("begin", "second") or end
        begin = printed("begin", "second") or end
    return tuple(None if v == _DEFAULT else v for v in (begin or end, end))  # type: ignore[return-value]


def _width(section: Section) -> int | None:
    columns = [c.id for c in section.columns if c.id.startswith(("begin_value", "end_value"))]
    longest = max((len(section.text(r, c)) for r in section.records for c in columns), default=0)
    full = "multi_valued" in section.id  # printed in full
    return longest if longest >= _LEAST_CUT and not full else None


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

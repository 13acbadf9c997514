"""The two reports in Oracle's compare report, as far as printed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from awrdiff.analysis.oracle_compare import special
from awrdiff.analysis.oracle_compare.figures import PERIODS, PREFIX, differences_only, figures_of
from awrdiff.analysis.oracle_compare.io import io_sections, is_io
from awrdiff.analysis.oracle_compare.sides import in_megabytes, section_of, with_counts
from parsers.identity.kinds import compared_period
from parsers.model import Column, Host, Report, Row, Section, Value

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
    """True for Oracle's compare report."""
    snapshots = report.section(_SNAPSHOTS)
    return report.kind == "awr_compare" and snapshots is not None and len(snapshots.records) >= len(PERIODS)


def is_period(report: Report) -> bool:
    """True for one period of it."""
    return report.kind == "awr" and report.section(_SNAPSHOTS) is not None


def period_of(report: Report, period: str) -> Report:
    """`first` or `second` period as a report; raises LookupError for others."""
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
    """Titles of tables with differences only, which stay in Oracle's report."""
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
        host = special.host_cpu(section, period) if section.id == _HOST else None
        if host is not None:
            yield host
    yield from io_sections(report, period)


def _db_time(report: Report, period: str) -> Value | None:
    """Seconds of the time model, else of the snapshots."""
    model = report.section("compare_time_model")
    own = section_of(model, period) if model is not None else None
    row = own.find("DB time") if own is not None and "time_s" in own.index else None
    return own.number(row, "time_s") if own is not None and row is not None else None


def _with_own_ids(sections: Iterable[Section]) -> Iterator[Section]:
    """Unique ids: a damaged report's table may have an id assigned here."""
    used_ids: set[str] = set()
    for section in sections:
        ids = (section.id, *(f"{section.id}_{number}" for number in range(2, len(used_ids) + 3)))
        own = next(section_id for section_id in ids if section_id not in used_ids)
        used_ids.add(own)
        yield section if own == section.id else replace(section, id=own)


def _worked_per_s(report: Report, period: str) -> float | None:
    """Bytes a second that the work areas processed."""
    summary, snapshots = report.section("compare_pga_aggregate_summary"), report.section(_SNAPSHOTS)
    if summary is None or snapshots is None or not summary.records:
        return None
    own = section_of(summary, period)
    worked = own.number(own.records[0], "workarea_processed_bytes") if own.records else None
    elapsed = snapshots.number(snapshots.records[PERIODS.index(period)], "elapsed_s")
    return worked.number / elapsed.number if worked is not None and elapsed is not None and elapsed.number else None


def _section(section: Section, period: str) -> Section:
    if special.has_points(section):
        return special.points_of(section, period)
    if special.has_period_rows(section):
        return special.row_of(section, period)
    if section.id.startswith(f"{PREFIX}init_parameters"):
        return special.parameters_of(section, period)
    return section_of(section, period) if figures_of(section) else section


def _host(report: Report, period: str, host: Host) -> Host:
    section = report.section(_HOST)
    printed = special.host_figures(section, period) if section is not None else {}

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
    """Statements of a period with totals; `db_time`: seconds of the period."""
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
    """Intersection of both; the share's if they do not meet."""
    if of_executions is None:
        return of_share
    low, high = max(of_share.low, of_executions.low), min(of_share.high, of_executions.high)
    return Value((low + high) / 2, (high - low) / 2) if low <= high else of_share


def _captured_note(note: str, period: str) -> list[str]:
    """As a report of one period says it."""
    match = _CAPTURED.search(note)
    share = match[2 + PERIODS.index(period)] if match else ""
    return [f"Captured {match[1]} account for {share}% of Total DB Time"] if match else []

"""One instance of a global (RAC) report as a report of its own.

Cluster-wide tables (SQL, segments, wait events, instance activity) are excluded.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from awrdiff.analysis.report.rac_instance_rows import ROWS_OF_COLUMNS, section_of_instance
from awrdiff.analysis.rows.align import CLUSTER, INSTANCE
from parsers.identity.awr import read_moment
from parsers.model import Host, Instance, Report, Row, Section, Snapshot, Value

_NUMBERED = (INSTANCE, "i_no")  # `I#`; `i_no` in tables that no section declares
# A report of one instance lists foreground events alone.
_RENAMED = {"top_timed_foreground_events": "top_timed_events"}


def numbers_of(report: Report) -> tuple[int, ...]:
    if report.kind != "awr_global":
        return ()
    return tuple(i.number for i in report.instances if i.number is not None)


def is_chosen(report: Report) -> bool:
    is_single = report.kind == "awr" and len(report.instances) == 1  # none where its row is lost
    return is_single and report.section("instances_in_report") is not None


def one_instance(report: Report, number: int) -> Report:
    """Raises LookupError for an unknown instance."""
    if number not in numbers_of(report):
        numbers = ", ".join(map(str, numbers_of(report))) or "none to choose from"
        raise LookupError(f"instance {number} is not in the report (instances: {numbers})")
    instance = next(i for i in report.instances if i.number == number)
    facts = _facts(report, number)
    begin, end, period = facts.get("begin_snap_time"), facts.get("end_snap_time"), report.period
    elapsed, db_time = facts.get("elapsed_s"), _db_time(report, number) or facts.get("db_time_s")
    return replace(
        report,
        kind="awr",
        name=f"{report.name}, instance {number}",
        instances=(instance,),
        host=_host(report, instance),
        period=replace(
            period,
            begin=_snapshot_at(period.begin, begin),
            end=_snapshot_at(period.end, end),
            elapsed_s=elapsed if isinstance(elapsed, Value) else period.elapsed_s,
            db_time_s=db_time if isinstance(db_time, Value) else None,
        ),
        sections=tuple(_sections(report, number)),
    )


def _sections(report: Report, number: int) -> Iterator[Section]:
    renamed = {_RENAMED[s.id] for s in report.sections if s.id in _RENAMED}
    for section in report.sections:
        if section.id in renamed:
            continue
        own = _own(section, number)
        if own is None:
            continue
        if section.id in ROWS_OF_COLUMNS and own.records:
            yield section_of_instance(own, own.records[0], ROWS_OF_COLUMNS[section.id])
        yield replace(own, id=_RENAMED.get(section.id, section.id))


def _own(section: Section, number: int) -> Section | None:
    column = next((c for c in _NUMBERED if c in section.key), None)
    if column is None:
        return None
    at = section.index[column]
    alike = (CLUSTER,) if section.id.startswith("init_parameters") else ()
    rows = [r for r in section.records if r.cells[at] in (str(number), *alike)]
    if not rows:
        return None
    key = tuple(c for c in section.key if c != column)
    columns = tuple(c for i, c in enumerate(section.columns) if i != at)
    records = tuple(Row(r.cells[:at] + r.cells[at + 1 :], *r[1:]) for r in rows)
    return replace(section, key=key, columns=columns, records=records)


def _facts(report: Report, number: int) -> dict[str, str | Value | None]:
    section = report.section("instances_in_report")
    for row in section.rows if section is not None else ():
        if row.get(INSTANCE) == str(number):
            return row
    return {}


def _db_time(report: Report, number: int) -> Value | None:
    section = report.section("time_model_by_instance")
    record = section.find(str(number)) if section is not None else None
    return section.number(record, "db_time_s") if section is not None and record is not None else None


def _host(report: Report, instance: Instance) -> Host:
    section = report.section("os_statistics_by_instance")
    record = section.find(str(instance.number)) if section is not None else None

    def whole(column: str) -> int | None:
        value = section.number(record, column) if section is not None and record is not None else None
        return int(value.number) if value is not None else None

    return Host(instance.host, report.host.platform, whole("cpus"), whole("cores"), whole("sockets"))


def _snapshot_at(snapshot: Snapshot, moment: str | Value | None) -> Snapshot:
    """Without sessions, which are the cluster's."""
    time = read_moment(moment) if isinstance(moment, str) else None
    return Snapshot(snapshot.id, time or snapshot.time, None)

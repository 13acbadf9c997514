"""Database and period for kinds of report with their own header tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime

from msgspec import Struct
from msgspec.structs import replace

from parsers.identity.awr import (
    database_of,
    host_of,
    instances_of,
    narrow_elapsed,
    period_of,
    read_database,
    read_minutes,
    read_moment,
    read_moment_of_day,
    release_of,
    whole_number,
)
from parsers.model import Database, Host, Instance, Kind, Period, Row, Section, Snapshot, Value

Sections = Mapping[str, Section]


class Identity(Struct, frozen=True):
    release: str | None
    database: Database
    instances: tuple[Instance, ...]
    host: Host
    period: Period


_AWR = (("database_information", "database"), ("snapshot_information", "snapshots"))
_HEADERS: dict[Kind, tuple[tuple[str, str], ...]] = {
    "awr_global": (("database_summary", "database"), ("instances_in_report", "instances")),
    "awr_compare": (("compare_databases", "database"), ("compare_snapshots", "snapshots")),
    "ash": (("database_information", "database"), ("ash_period", "period")),
    "addm": (("addm_period", "period"),),
    "lgwr_trace": (("lgwr_trace_header", "instance"),),
}


def headers_of(kind: Kind) -> tuple[tuple[str, str], ...]:
    """Tables at the start of a complete report, with subjects."""
    return _HEADERS.get(kind, _AWR)


def identify(kind: Kind, sections: Sections) -> Identity:
    """Facts of the report's head; None if not printed."""
    if kind == "awr_global" and "database_summary" in sections:
        return _cluster(sections)
    if kind == "awr_compare":
        return compared_period(sections, 0)
    if kind == "lgwr_trace":
        return _trace(sections)
    if kind == "addm":
        return _addm(sections)
    host = host_of(sections)
    period = _ash_period(sections) if kind == "ash" else period_of(sections)
    if kind == "ash":
        host = _ash_host(sections, host)
    return Identity(release_of(sections), database_of(sections), instances_of(sections, host), host, period)


def _texts(section: Section | None, at: int = 0) -> dict[str, str]:
    if section is None or len(section.records) <= at:
        return {}
    return {c.id: section.text(section.records[at], c.id) for c in section.columns}


def _whole(value: Value | None) -> int | None:
    return int(value.number) if value else None


def _only(values: Iterable[str]) -> str | None:
    distinct = {v for v in values if v}
    return distinct.pop() if len(distinct) == 1 else None


def _cluster(sections: Sections) -> Identity:
    summary, listed = sections["database_summary"], sections.get("instances_in_report")
    rows = [_texts(listed, at) for at in range(len(listed.records))] if listed else []
    instances = tuple(
        Instance(
            number=whole_number(row.get("instance_number")),
            name=row.get("instance") or None,
            startup=read_moment(row.get("startup_time", "")),
            host=row.get("host") or None,
        )
        for row in rows
        if row.get("instance_number", "").isdecimal()
    )
    return Identity(
        release=_only(row.get("release", "") for row in rows),
        database=read_database(_texts(summary)),
        instances=instances,
        host=_hosts(sections, instances, _only(row.get("platform", "") for row in rows)),
        period=_cluster_period(sections, summary, rows),
    )


def _cluster_period(sections: Sections, summary: Section, rows: list[dict[str, str]]) -> Period:
    record = summary.records[0] if summary.records else None
    if record is None:
        return Period()
    begins = [t for t in (read_moment(row.get("begin_snap_time", "")) for row in rows) if t]
    ends = [t for t in (read_moment(row.get("end_snap_time", "")) for row in rows) if t]
    elapsed, activity = summary.number(record, "elapsed_s"), sections.get("instance_activity")
    listed = sections.get("instances_in_report")
    same = listed is not None and len({listed.cell(r, "elapsed_s") for r in listed.records}) == 1
    return Period(
        begin=Snapshot(
            id=_whole(summary.number(record, "begin_snap_id")),
            time=min(begins, default=None),
            sessions=_whole(_sum(sections, "system_statistics_absolute_by_instance", "sessions_begin")),
        ),
        end=Snapshot(
            id=_whole(summary.number(record, "end_snap_id")),
            time=max(ends, default=None),
            sessions=_whole(_sum(sections, "system_statistics_absolute_by_instance", "sessions_end")),
        ),
        # Where the instances were up for different times, a rate of the cluster is no total divided by one time.
        elapsed_s=narrow_elapsed(elapsed, activity if same else None) if elapsed else None,
        db_time_s=_agreeing(summary.number(record, "db_time_s"), _sum(sections, "time_model_by_instance", "db_time_s")),
    )


def _agreeing(printed: Value | None, finer: Value | None) -> Value | None:
    if printed is None:
        return finer
    if finer and abs(finer.number - printed.number) <= printed.half + finer.half + 0.001 * printed.number:
        return finer
    return printed


def _sum(sections: Sections, section_id: str, column: str) -> Value | None:
    section = sections.get(section_id)
    record = section.find("Sum") if section else None
    return section.number(record, column) if section and record else None


def _hosts(sections: Sections, instances: tuple[Instance, ...], platform: str | None) -> Host:
    names = [i.host for i in instances if i.host]
    host = Host(name=names[0] if len(set(names)) == 1 else None, platform=platform)
    section = sections.get("os_statistics_by_instance")
    if section is None or len(set(names)) != len(instances):
        return host
    numbers = [str(i.number) for i in instances]
    rows_by_instance = {section.text(r, "instance_number"): r for r in section.records}
    if not numbers or any(n not in rows_by_instance for n in numbers):
        return host
    records = [rows_by_instance[n] for n in numbers]
    memory = _added(section, records, "memory_bytes")
    return replace(
        host,
        cpus=_whole(_added(section, records, "cpus")),
        cores=_whole(_added(section, records, "cores")),
        sockets=_whole(_added(section, records, "sockets")),
        memory_bytes=memory,
    )


def _added(section: Section, records: list[Row], column: str) -> Value | None:
    values = [v for v in (section.number(r, column) for r in records) if v]
    if len(values) != len(records):
        return None
    return Value(sum(v.number for v in values), sum(v.half for v in values))


def compared_period(sections: Sections, at: int, own: Sections | None = None) -> Identity:
    """Identity of the first (`at` 0) or second period (1).

    Its minutes have one decimal; `own`, that period's sections, narrow elapsed and DB time.
    """
    row = _texts(sections.get("compare_databases"), at)
    host = Host(name=row.get("host") or None)
    return Identity(
        row.get("release") or None, read_database(row), _instance(row, host), host, _compared_window(sections, at, own)
    )


def _compared_window(sections: Sections, at: int, own: Sections | None) -> Period:
    snapshots = sections.get("compare_snapshots")
    if snapshots is None or len(snapshots.records) <= at:
        return Period()
    record = snapshots.records[at]
    begin, end = (
        Snapshot(
            _whole(snapshots.number(record, f"{point}_snap_id")),
            read_moment(snapshots.text(record, f"{point}_snap_time")),
        )
        for point in ("begin", "end")
    )
    elapsed, db_time = snapshots.number(record, "elapsed_s"), snapshots.number(record, "db_time_s")
    if own is not None:
        clock = Value((end.time - begin.time).total_seconds(), 1.0) if begin.time and end.time else None
        elapsed = narrow_elapsed(elapsed, own.get("instance_activity"), clock) if elapsed else clock
        model = own.get("time_model")
        total = model.find("DB time") if model else None
        db_time = _agreeing(db_time, model.number(total, "time_s") if model and total else None)
    return Period(begin, end, elapsed, db_time)


def _instance(row: Mapping[str, str], host: Host, startup: datetime | None = None) -> tuple[Instance, ...]:
    number, name = whole_number(row.get("instance_number")), row.get("instance") or None
    return (Instance(number, name, startup, host.name),) if name or number is not None else ()


def _ash_host(sections: Sections, host: Host) -> Host:
    name = _texts(sections.get("database_information")).get("host")
    configuration = sections.get("ash_configuration")
    cpus = configuration.number(configuration.records[0], "cpus") if configuration and configuration.records else None
    return replace(host, name=host.name or name or None, cpus=host.cpus if host.cpus is not None else _whole(cpus))


def _ash_period(sections: Sections) -> Period:
    section = sections.get("ash_period")
    if section is None:
        return Period()
    printed = {section.text(r, "metric").lower(): section.text(r, "value") for r in section.records}
    return Period(
        begin=Snapshot(time=read_moment(printed.get("analysis begin time", ""))),
        end=Snapshot(time=read_moment(printed.get("analysis end time", ""))),
        elapsed_s=read_minutes(printed.get("elapsed time", "")),
    )


def _addm(sections: Sections) -> Identity:
    section = sections.get("addm_period")
    records = section.records if section else ()
    if section is None or not records:
        return Identity(None, Database(), (), Host(), Period())
    row, last = _texts(section), _texts(section, len(records) - 1)
    host = Host(name=row.get("host") or None)
    begin, end = read_moment_of_day(row.get("begin_time", "")), read_moment_of_day(last.get("end_time", ""))
    elapsed = Value((end - begin).total_seconds(), 1.0) if begin and end and end > begin else None
    return Identity(
        release=row.get("release") or None,
        database=read_database(row),
        instances=_instance(row, host),
        host=host,
        period=Period(
            begin=Snapshot(whole_number(row.get("begin_snap_id")), begin),
            end=Snapshot(whole_number(last.get("end_snap_id")), end),
            elapsed_s=elapsed,
            db_time_s=section.number(records[0], "db_time_s") if len(records) == 1 else None,
        ),
    )


_EVENTS = ("lgwr_slow_writes", "lgwr_slow_broadcasts", "lgwr_switches", "lgwr_scheduling", "lgwr_samples")


def _trace(sections: Sections) -> Identity:
    row = _texts(sections.get("lgwr_trace_header"))
    host = Host(name=row.get("node") or None, platform=row.get("system") or None)
    texts = [s.text(r, "time") for i in _EVENTS if (s := sections.get(i)) for r in s.records]
    times = [t for t in map(_iso, texts) if t]
    return Identity(
        release=row.get("release") or None,
        database=Database(),
        instances=_instance(row, host),
        host=host,
        period=Period(Snapshot(time=min(times, default=None)), Snapshot(time=max(times, default=None))),
    )


def _iso(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text).replace(tzinfo=None)
    except ValueError:
        return None

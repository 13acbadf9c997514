"""Reports built by hand, as small as a test needs them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from msgspec.structs import replace

from awrdiff.analysis.model.estimates_and_evidence import Evidence
from awrdiff.analysis.report.figures_by_name import Bases, Basis
from awrdiff.analysis.rows.align import anchor
from parsers.model import (
    Cell,
    Column,
    Coverage,
    Database,
    Host,
    Instance,
    Period,
    Report,
    Row,
    Section,
    Snapshot,
    Value,
)

BEGIN = datetime(2024, 3, 5, 9, 0)
STARTED = datetime(2024, 1, 1, 8, 0)
NO_BASES = Bases(Basis(None, None), Basis(None, None))

EVENT_COLUMNS = (
    Column("event", "Event"),
    Column("waits", "Waits", "count", "neither", "total"),
    Column("total_wait_time_s", "Total Wait Time (s)", "s", "lower", "total"),
    Column("avg_wait_s", "Avg wait", "s", "lower", "average"),
    Column("pct_db_time", "% DB time", "percent", "neither", "share"),
)


def exact(number: float) -> Value:
    return Value(float(number), 0.0)


def near(number: float, half: float = 0.5) -> Value:
    return Value(float(number), half)


def column(column_id: str, unit: str | None = "count", measure: str = "total", **more: str) -> Column:
    return Column(column_id, column_id, unit, measure=measure if unit else "text", **more)  # type: ignore[arg-type]


def section(
    section_id: str,
    columns: Sequence[Column],
    rows: Sequence[Sequence[Cell] | Row],
    *,
    key: Sequence[str] | None = None,
    coverage: Coverage = "all",
    known: bool = True,
) -> Section:
    records = [r if isinstance(r, Row) else Row(tuple(r)) for r in rows]
    named = tuple(key) if key is not None else (columns[0].id,)
    return Section(section_id, section_id.title(), known, coverage, named, tuple(columns), records)


def events(
    rows: Mapping[str, tuple[float, float]], *, background: bool = False, coverage: Coverage = "nonzero"
) -> Section:
    """Wait events by name: waits and total seconds, printed in full; idle ones are given as negative seconds."""
    share = "pct_bg_time" if background else "pct_db_time"
    columns = (*EVENT_COLUMNS[:4], Column(share, "%", "percent", "neither", "share"))
    cells = [
        (n, exact(w), exact(abs(t)), exact(abs(t) / w) if w else None, exact(1.0) if t >= 0 else None)
        for n, (w, t) in rows.items()
    ]
    return section(
        "background_wait_events" if background else "foreground_wait_events", columns, cells, coverage=coverage
    )


def time_model(**seconds: float) -> Section:
    """`db_time=…` becomes the row "db time", found by any case."""
    columns = (Column("statistic", "Statistic"), column("time_s", "s"))
    return section("time_model", columns, [(n.replace("_", " "), near(s, 0.005)) for n, s in seconds.items()])


def activity(statistics: Mapping[str, float]) -> Section:
    columns = (Column("statistic", "Statistic"), column("total"), column("per_second", "per_s", "rate"))
    return section(
        "instance_activity", columns, [(n, exact(v), None) for n, v in statistics.items()], coverage="nonzero"
    )


def parameters(values: Mapping[str, str]) -> Section:
    columns = (Column("parameter", "Name"), Column("begin_value", "Begin"), Column("end_value", "End"))
    return section("init_parameters", columns, [(n, v, None) for n, v in values.items()])


def os_statistics(busy: float, idle: float) -> Section:
    columns = (Column("statistic", "Statistic"), column("value", "as_labelled", "level"))
    return section("os_statistics", columns, [("BUSY_TIME", exact(busy)), ("IDLE_TIME", exact(idle))])


def statements(rows: Mapping[str, tuple[float, float]]) -> Section:
    columns = (Column("sql_id", "SQL Id"), column("elapsed_time_s", "s"), column("executions"))
    return section(
        "sql_by_elapsed_time", columns, [(i, exact(e), exact(n)) for i, (e, n) in rows.items()], coverage="top"
    )


def report(
    *sections: Section,
    elapsed: float | None = 3600.0,
    begin: datetime | None = BEGIN,
    begin_snap: int | None = 100,
    sessions: tuple[int, int] = (100, 110),
    release: str = "19.24.0.0.0",
    dbid: str = "1",
    instance: int = 1,
    host: str = "db1",
    cpus: int | None = 8,
    startup: datetime | None = STARTED,
    name: str = "a.html",
) -> Report:
    end = begin + timedelta(seconds=elapsed or 3600.0) if begin else None
    snaps = (begin_snap, begin_snap + 1) if begin_snap is not None else (None, None)
    return Report(
        kind="awr",
        format="html",
        encoding="utf-8",
        release=release,
        database=Database(name=f"DB{dbid}", dbid=dbid, rac=False),
        instances=(Instance(instance, f"DB{dbid}{instance}", startup, host),),
        host=Host(host, "Linux x86 64-bit", cpus),
        period=Period(
            Snapshot(snaps[0], begin, sessions[0]),
            Snapshot(snaps[1], end, sessions[1]),
            near(elapsed, 0.005) if elapsed is not None else None,
        ),
        sections=tuple(sections),
        name=name,
    )


def loaded(
    *,
    waits: Mapping[str, tuple[float, float]] | None = None,
    background: Mapping[str, tuple[float, float]] | None = None,
    cpu: float = 1000.0,
    db_time: float | None = None,
    parse: float = 10.0,
    commits: float = 36_000.0,
    work: float = 1.0,
    reads: float = 36_000_000.0,
    busy: float = 30.0,
    more: Sequence[Section] = (),
    **facts: object,
) -> Report:
    """A whole small report: waits + CPU make up DB time unless said otherwise; `work` scales the load."""
    spent = waits if waits is not None else {"db file sequential read": (100_000, 500.0)}
    total = cpu + sum(max(t, 0.0) for _, t in spent.values()) if db_time is None else db_time
    return report(
        time_model(db_time=total, db_cpu=cpu, parse_time_elapsed=parse, hard_parse_elapsed_time=parse / 2),
        events(spent),
        events(background or {"log file parallel write": (30_000, 30.0)}, background=True),
        activity(
            {
                "user commits": commits * work,
                "user rollbacks": 0,
                "user calls": 360_000 * work,
                "execute count": 720_000 * work,
                "session logical reads": reads * work,
                "physical reads": 360_000 * work,
                "redo size": 300_000_000 * work,
                "redo writes": 30_000 * work,
            }
        ),
        os_statistics(busy, 100.0 - busy),
        *more,
        **facts,  # type: ignore[arg-type]
    )


def instead(made: Report, *sections: Section) -> Report:
    """The report with these in the place of its own."""
    own = {s.id: s for s in (*made.sections, *sections)}
    return replace(made, sections=tuple(own.values()))


def pointed_at(made: Report, evidence: Evidence) -> Cell:
    """The cell that a reader finds who follows the evidence."""
    own = made.by_id[evidence.section]
    (record,) = (r for r in own.records if anchor(own.id, *own.key_of(r)) == evidence.row_id)
    return record.cells[[c.id for c in own.columns].index(evidence.column or "")]

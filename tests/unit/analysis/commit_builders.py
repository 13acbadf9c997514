"""Reports with commits in them, as small as a test needs; statistics by their printed names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from awrdiff.analysis.commit_latency import causes_between, causes_of, facts_of
from awrdiff.analysis.report.figures_by_name import Side
from parsers.model import Column, Report, Row, Section, Value
from tests.unit.analysis.builders import (
    EVENT_COLUMNS,
    activity,
    column,
    events,
    exact,
    near,
    parameters,
    report,
    section,
    time_model,
)

COARSE = (1, 2, 4, 8, 16, 32)
W = 1000  # redo writes of `stages`


def stages(**microseconds: float) -> dict[str, float]:
    """Average cumulative moments in µs, as the statistics of `W` redo writes."""
    names = {
        "worker": "redo write worker delay (usec)",
        "written": "redo write time (usec)",
        **{m: f"redo write {m} time" for m in ("gather", "schedule", "issue", "finish", "total")},
    }
    return {"redo writes": W, **{names[k]: v * W for k, v in microseconds.items()}}


USUAL = {"worker": 50.0, "gather": 60.0, "schedule": 65.0, "finish": 865.0, "written": 870.0, "total": 900.0}


def committing(
    *,
    lfs: tuple[float, float] | None = (36_000, 72.0),
    lfpw: tuple[float, float] | None = (30_000, 30.0),
    db_time: float = 1500.0,
    waits: Mapping[str, tuple[float, float]] | None = None,
    background: Mapping[str, tuple[float, float]] | None = None,
    statistics: Mapping[str, float] | None = None,
    more: Sequence[Section] = (),
    timeouts: float | None = None,
    **facts: object,
) -> Report:
    """LFS and LFPW as (waits, seconds), beside whatever else is named."""
    foreground = {**({"log file sync": lfs} if lfs else {}), **(waits or {})}
    behind = {**({"log file parallel write": lfpw} if lfpw else {}), **(background or {})}
    return report(
        time_model(db_time=db_time),
        _timing_out(events(foreground), timeouts),
        events(behind, background=True),
        *([activity(statistics)] if statistics else []),
        *more,
        **facts,  # type: ignore[arg-type]
    )


def histogram(
    rows: Mapping[str, tuple[Value, Sequence[float | None]]],
    *,
    edges: Sequence[int] = COARSE,
    unit: str = "ms",
    details: Mapping[str, Mapping[str, float]] | None = None,
    last: str = "pct_ge_32ms",
) -> Section:
    """Buckets up to `edges`, then `last`; a share of None is a blank cell (exactly none), 0.0 prints as `.0`.

    `details`: for a column such as `waits_2ms_to_8ms` each event's own count.
    """
    details = details or {}
    names = [f"pct_lt_{e}{unit}" for e in edges] + ([last] if last else [])
    columns = (
        Column("event", "Event"),
        column("waits"),
        *(column(n, "percent", "share") for n in names),
        *(column(n) for n in details),
    )
    records = [
        Row((event, waits, *(_share(s) for s in shares), *(_count(d.get(event)) for d in details.values())))
        for event, (waits, shares) in rows.items()
    ]
    return section("wait_event_histogram", columns, records, coverage="nonzero")


def _share(share: float | None) -> Value:
    return Value(0, 0) if share is None else Value(share, 0.05)


def _count(number: float | None) -> Value | None:
    return None if number is None else exact(number)


def host_cpu(load_end: float, *, idle: float = 50.0) -> Section:
    columns = (
        column("load_begin", "count", "level"),
        column("load_end", "count", "level"),
        column("pct_idle", "percent", "share"),
    )
    return section("host_cpu", columns, [(near(1.0), near(load_end), near(idle))], key=())


def top_list(rows: Mapping[str, tuple[float, float, float, float]], **facts: object) -> Report:
    """A Statspack report of nothing but its top list: waits, seconds, average in ms, percent of call time."""
    columns = (*EVENT_COLUMNS[:4], Column("pct_call_time", "%", "percent", "neither", "share"))
    cells = [
        (n, exact(w) if w else None, near(t), near(a / 1000, 0.0005) if w else None, near(s, 0.05))
        for n, (w, t, a, s) in rows.items()
    ]
    made = report(section("top_timed_events", columns, cells, coverage="top"), **{"elapsed": None, **facts})  # type: ignore[arg-type]
    return replace(made, kind="statspack", format="text")


def _timing_out(waits: Section, percent: float | None) -> Section:
    """With `percent` of each event's waits ended by time-out."""
    if percent is None:
        return waits
    columns = (*waits.columns, column("pct_timeouts", "percent", "share"))
    return section(waits.id, columns, [(*row.cells, near(percent)) for row in waits.records])


FAST, SLOW = (30_000, 30.0), (36_000, 360.0)  # 1 ms writes; 10 ms commit waits: 9 ms apart


def facts(**more):
    """Of an hour of slow commits over fast writes, with `more` of it, or otherwise."""
    return facts_of(Side(committing(**{"lfs": SLOW, "lfpw": FAST, **more})))


def rules(**more):
    """The causes of such an hour, by rule."""
    return {c.rule: c for c in causes_of(facts(**more)).ranked}


def between(first, second):
    """What changed between two of them, by rule."""
    return {c.rule: c for c in causes_between([facts(**first), facts(**second)]).ranked}


# Of the log's parallelism: its default, and set.
DEFAULT, SET = parameters({"db_name": "D"}), parameters({"db_name": "D", "_log_parallelism_max": "2"})


def sockets(number):
    columns = (Column("statistic", "Statistic"), column("value", "as_labelled", "level"))
    return section("os_statistics", columns, [("NUM_CPU_SOCKETS", exact(number))])


def p3(*writes: int | tuple[int, int, int]) -> Section:
    """Parameters of sampled redo writes: files, blocks, requests; of a number alone, so many requests of two blocks."""
    columns = (Column("event", "Event"), Column("values", "Values"))
    parts = [(1, 2 * one, one) if isinstance(one, int) else one for one in writes]
    rows = [("log file parallel write", f'"{a}","{b}","{c}"') for a, b, c in parts]
    return section("top_event_parameters", columns, rows, coverage="top")

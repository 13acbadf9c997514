"""Metrics computed by the analysis, or from several cells."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from awrdiff.analysis.model.commit_latency import CommitFigures
from awrdiff.analysis.model.estimates_and_evidence import Estimate
from awrdiff.analysis.report.figures_by_name import BACKGROUND, FOREGROUND, Event, Side
from awrdiff.analysis.rows.deltas import rate
from parsers.model import Value

WAIT_CLASSES, CLASSES_OF_ALL = "foreground_wait_classes", "foreground_wait_classes_by_instance"
SUM = "Sum"  # of all instances, in a global report's tables of a row for each
# What every release counts, and reports leave out until it first happened.
_EVER = frozenset(
    (
        "user rollbacks",
        "parse count (failures)",
        "table fetch continued row",
        "table scans (long tables)",
        "index fast full scans (full)",
        "sorts (disk)",
        "workarea executions - onepass",
        "workarea executions - multipass",
        "queries parallelized",
        "enqueue waits",
        "enqueue deadlocks",
        "physical reads direct",
        "physical reads direct temporary tablespace",
        "physical writes direct",
        "physical writes direct temporary tablespace",
        "rollback changes - undo records applied",
        "dirty buffers inspected",
        "redo log space requests",
        "redo buffer allocation retries",
    )
)
_NOTHING = Value(0.0, 0.0)
_UNLISTED = Value(0.0, 0.001)  # seconds: what lists of all events leave out was waited for less


class Sources(NamedTuple):
    """Inputs of a metric: the report's side, and commit figures."""

    side: Side
    commits: CommitFigures


Fact = Callable[[Sources], Value | None]


def transactions(sources: Sources) -> Value | None:
    """Commits and rollbacks per second, else from the load profile."""
    side = sources.side
    commits, rolled = side.statistic("user commits"), statistic(side, "user rollbacks") or _NOTHING
    if commits is not None and side.elapsed is not None:
        return rate(as_count(Value(commits.number + rolled.number, commits.half + rolled.half)), side.elapsed)
    return side.load("Transactions") or side.implied_transactions()


def statistic(side: Side, name: str) -> Value | None:
    """0 if every release counts it and a complete list lacks it."""
    total = side.statistic(name)
    if total is not None or name not in _EVER or not side.lists_all("instance_activity"):
        return total
    return _NOTHING if side.statistic("execute count") is not None else None


def calls_per_commit(sources: Sources) -> Value | None:
    calls, commits = (sources.side.statistic(n) for n in ("user calls", "user commits"))
    if calls is None or commits is None or commits.low <= 0:
        return None
    low, high = calls.low / commits.high, calls.high / commits.low
    return Value(calls.number / commits.number, (high - low) / 2)


def as_count(value: Value) -> Value:
    """Resolution of one event."""
    return value if value.half else Value(value.number, 0.5)


def host_busy(sources: Sources) -> Value | None:
    """OS statistics (0.01 s), else Host CPU."""
    busy_pct = sources.side.host_busy_pct
    idle = sources.side.value("os_statistics", "value", "IDLE_TIME")
    return Value(busy_pct, 0.005 if idle is not None else 0.05) if busy_pct is not None else None


def sessions_at_end(sources: Sources) -> Value | None:
    count = sources.side.report.period.end.sessions
    return Value(float(count), 0.0) if count is not None else None


def of_commits(name: str) -> Fact:
    """Middle of an estimate, with its larger deviation."""

    def fact(sources: Sources) -> Value | None:
        estimate: Estimate | None = getattr(sources.commits, name)
        return (
            Value(estimate.value, max(estimate.high - estimate.value, estimate.value - estimate.low))
            if estimate
            else None
        )

    return fact


def of_wait_class(name: str, column: str) -> Fact:
    """0 if missing from the complete list.

    `column`: of all instances' sum.
    """

    def fact(sources: Sources) -> Value | None:
        wait_time = sources.side.value(WAIT_CLASSES, "total_wait_time_s", name)
        if wait_time is not None or sources.side.lists_all(WAIT_CLASSES):
            return wait_time or _UNLISTED
        return of_all(sources.side, CLASSES_OF_ALL, column)

    return fact


def of_all(side: Side, section_id: str, column: str) -> Value | None:
    """Sum below the instance rows of a global report."""
    section = side.report.section(section_id)
    record = section.find(SUM) if section is not None else None
    return section.number(record, column) if section is not None and record is not None else None


def of_event(name: str, *, background: bool = False) -> Fact:
    """0 if missing from a complete list, None from a top list."""

    def fact(sources: Sources) -> Value | None:
        event = _event(sources.side, name, background=background)
        if event is not None:
            return event.total
        return _UNLISTED if sources.side.lists_all(BACKGROUND if background else FOREGROUND) else None

    return fact


def average_of(name: str, *, background: bool) -> Fact:
    def fact(sources: Sources) -> Value | None:
        event = _event(sources.side, name, background=background)
        return event.average if event else None

    return fact


def _event(side: Side, name: str, *, background: bool) -> Event | None:
    return (side.background if background else side.foreground).get(name.lower())

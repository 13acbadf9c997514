"""Surroundings of a commit: explained counts and ratios per report, and RAC instances."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from awrdiff.analysis.commit_latency import catalogue
from awrdiff.analysis.commit_latency.catalogue import Figure
from awrdiff.analysis.model.commits import CommitFigures
from awrdiff.web.presenters.commit.words import (
    NO_CHANGE,
    NOTHING,
    SHOW,
    Link,
    Rows,
    Shown,
    SideLabel,
    TableRow,
    change,
    count,
    figure,
    seconds,
)

# What surrounds a commit, of the catalogue, in this order.
SURROUNDING = (
    "lfs_waits",
    "lfs_total_s",
    "lfs_db_time_share",
    "naive_share",
    "naive_total_s",
    "naive_db_time_share",
    "waiter_weighted_write_s",
    "lfpw_waits",
    "group_commit",
    "synch_writes_per_write",
    "commit_wait_ratio",
    "calls_per_commit",
    "redo_per_write_bytes",
    "wastage_share",
    "worker_share",
    "polling_share",
    "polls_per_poll_write",
    "polling.interval_s",
    "polling.posted_s",
    "broadcast_ack_s",
    "background_lfs_waits",
    "background_lfs_avg_s",
)


def present(reports: Sequence[CommitFigures], pair: tuple[int, int] | None) -> tuple[TableRow, ...]:
    listed = catalogue.figures(*SURROUNDING)
    return tuple(row for line in listed if (row := _row(line, tuple(reports), pair)) is not None)


def _row(line: Figure, reports: tuple[CommitFigures, ...], pair: tuple[int, int] | None) -> TableRow | None:
    estimates = [catalogue.value_of(line.name, f) for f in reports]
    if all(e is None for e in estimates):
        return None
    change_cell = change(estimates[pair[0]], estimates[pair[1]], line.unit, line.better) if pair else NO_CHANGE
    return TableRow(
        catalogue.label_of(line, reports), line.hint, tuple(figure(e, SHOW[line.unit]) for e in estimates), change_cell
    )


@dataclass(frozen=True, slots=True)
class InstanceSide:
    """An instance in one report; empty figures if its top lists lack the event."""

    side: SideLabel
    waits: Shown
    wait: Shown
    write: Shown
    other: Shown
    sources: tuple[Link, ...]


@dataclass(frozen=True, slots=True)
class InstanceRow:
    instance: str
    sides: tuple[InstanceSide, ...]


def instances(
    report_instances: Sequence[tuple[CommitFigures, ...]], sides: Sequence[SideLabel], rows: Rows
) -> tuple[InstanceRow, ...]:
    """Every instance named by a global report, in each report."""
    instance_names = list(dict.fromkeys(f.whose for of_report in report_instances for f in of_report))
    lines = []
    for name in instance_names:
        of = [
            (s, next((f for f in fs if f.whose == name), None)) for s, fs in zip(sides, report_instances, strict=False)
        ]
        lines.append(InstanceRow(name, tuple(_instance(side, f, rows) for side, f in of)))
    return tuple(lines)


def _instance(side: SideLabel, f: CommitFigures | None, rows: Rows) -> InstanceSide:
    if f is None:
        return InstanceSide(side, NOTHING, NOTHING, NOTHING, NOTHING, ())
    return InstanceSide(
        side=side,
        waits=figure(f.lfs_waits, count),
        wait=figure(f.lfs_avg_s, seconds),
        write=figure(f.lfpw_avg_s, seconds),
        other=figure(f.naive_overhead_s, seconds),
        sources=rows.links(f.evidence, in_section=False),
    )

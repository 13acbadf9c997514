"""What surrounds a commit: counts and ratios of each report with what they mean, and RAC's instances one by one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from awrdiff.analysis.model.commits import CommitFigures
from awrdiff.analysis.model.evidence import Estimate
from awrdiff.web.presenters.commit.words import (
    NO_CHANGE,
    NOTHING,
    Link,
    Rows,
    Show,
    Shown,
    SideLabel,
    change,
    count,
    figure,
    ratio,
    seconds,
    share,
    size,
)
from awrdiff.web.presenters.section.figures import Cell
from parsers.model import Better


@dataclass(frozen=True, slots=True)
class Listed:
    """A figure of every report: its field, how it prints, which way is better, and what it says."""

    name: str
    label: str
    show: Show
    unit: str
    hint: str
    better: Better = "neither"


LINES = (
    Listed("lfs_waits", "commit waits", count, "count", "waits for log file sync, foreground sessions only"),
    Listed("lfs_total_s", "time in log file sync", seconds, "s", "all sessions together", "lower"),
    Listed("lfs_db_time_share", "share of DB time", share, "share", "", "lower"),
    Listed("naive_share", "not the write, of a wait", share, "share", "1 − LFPW ÷ LFS, an upper estimate", "lower"),
    Listed("naive_total_s", "not the write, in total", seconds, "s", "waits × (LFS − LFPW)", "lower"),
    Listed("naive_db_time_share", "not the write, of DB time", share, "share", "", "lower"),
    Listed(
        "waiter_weighted_write_s", "a write as its waiters meet it", seconds, "s",
        "E[w²] ÷ E[w] of the write histogram: slow writes weigh by their length; bounds a factor 4 apart", "lower",
    ),
    Listed("lfpw_waits", "redo writes", count, "count", "waits for log file parallel write"),
    Listed(
        "group_commit", "commit waits per redo write", ratio, "ratio",
        "group commit: how many waits one write ended",
    ),
    Listed(
        "synch_writes_per_write", "synch writes per redo write", ratio, "ratio",
        "the same from the statistics: redo synch writes ÷ redo writes",
    ),
    Listed(
        "commit_wait_ratio", "synch writes per commit", ratio, "ratio",
        "below 1: PL/SQL or NOWAIT commits that do not wait; above 1: other syncs such as DDL, sequences, AQ",
    ),
    Listed(
        "calls_per_commit", "user calls per commit", ratio, "ratio",
        "a select costs parse + execute + fetches; commit, rollback and DML cost two calls: "
        "ten calls are a handful of statements",
    ),
    Listed("redo_per_write_bytes", "redo per write", size, "bytes", "small writes: little was waiting when LGWR wrote"),
    Listed("wastage_share", "redo wastage", share, "share", "the unused rest of the last block of each write", "lower"),
    Listed(
        "polling_share", "synch writes that polled", share, "share",
        "redo synch poll writes ÷ redo synch writes: the session looked by itself instead of being posted",
    ),
    Listed("polls_per_poll_write", "polls per polled write", ratio, "ratio", "how often such a session looked"),
    Listed("polling.interval_s", "one sleep between polls", seconds, "s", "LFS ÷ polls per wait, where most poll"),
    Listed(
        "polling.posted_s", "a commit wait if it were posted", seconds, "s",
        "one whole redo write, and no more than one sleep less than now", "lower",
    ),
    Listed(
        "broadcast_ack_s", "broadcast acknowledgement", seconds, "s",
        "RAC: the other instances' answer to a commit, per acknowledgement", "lower",
    ),
    Listed(
        "background_lfs_waits", "commit waits of background sessions", count, "count",
        "kept apart: the figures above are of foreground sessions",
    ),
    Listed("background_lfs_avg_s", "their average", seconds, "s", "", "lower"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class FigureRow:
    label: str
    hint: str
    figures: tuple[Shown, ...]
    change: Cell


def present(reports: Sequence[CommitFigures], pair: tuple[int, int] | None) -> tuple[FigureRow, ...]:
    return tuple(row for line in LINES if (row := _row(line, reports, pair)) is not None)


def _row(line: Listed, reports: Sequence[CommitFigures], pair: tuple[int, int] | None) -> FigureRow | None:
    found = [_found(f, line.name) for f in reports]
    if all(e is None for e in found):
        return None
    moved = change(found[pair[0]], found[pair[1]], line.unit, line.better) if pair else NO_CHANGE
    label = line.label
    if line.name == "lfs_db_time_share" and any(f.of_call_time for f in reports):
        label = "share of call time"
    return FigureRow(label, line.hint, tuple(figure(e, line.show) for e in found), moved)


def _found(figures: CommitFigures, name: str) -> Estimate | None:
    """`polling.interval_s` is that of `polling`, where there is one."""
    found: object = figures
    for part in name.split("."):
        found = getattr(found, part) if found is not None else None
    return found if isinstance(found, Estimate) else None


@dataclass(frozen=True, slots=True)
class InstanceSide:
    """One instance in one report; empty figures where its top lists do not hold the event."""

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
    found: Sequence[tuple[CommitFigures, ...]], sides: Sequence[SideLabel], rows: Rows
) -> tuple[InstanceRow, ...]:
    """Every instance that a global report names, in each of the reports."""
    named = list(dict.fromkeys(f.whose for of_report in found for f in of_report))
    made = []
    for name in named:
        of = [(s, next((f for f in fs if f.whose == name), None)) for s, fs in zip(sides, found, strict=False)]
        made.append(InstanceRow(name, tuple(_instance(side, f, rows) for side, f in of)))
    return tuple(made)


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

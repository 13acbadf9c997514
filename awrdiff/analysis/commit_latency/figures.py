"""The estimate for one report: commit wait against redo write.

`naive_overhead_s` = average log file sync − average log file parallel write, per commit wait. It is an upper
estimate of what is not I/O: a slow write keeps many sessions waiting, so it weighs more in the first average
than in the second. It may be negative, and is shown so. Shares are fractions (0..1).
"""

from __future__ import annotations

from awrdiff.analysis.commit_latency.inputs import Inputs, inputs_of
from awrdiff.analysis.commit_latency.intervals import complement, estimate, minus, over, times
from awrdiff.analysis.model import CommitFigures, Estimate
from awrdiff.analysis.side import Event, Side
from parsers.model import Value

LEAST_WAITS = 1_000
LEAST_SHARE = 0.01  # of DB time


def figures_of(side: Side) -> CommitFigures:
    return figures_from(inputs_of(side))


def figures_from(inputs: Inputs) -> CommitFigures:
    lfs, write = _average(inputs.lfs), _average(inputs.lfpw)
    waits = _count(inputs.lfs)
    overhead = minus(lfs, write) if lfs and write else None
    total = times(overhead, waits) if overhead and waits else None
    ratio = over(write, lfs) if lfs and write else None
    db_time = _estimate(inputs.db_time)
    lfs_total = estimate(inputs.lfs.total) if inputs.lfs else None
    share = over(lfs_total, db_time) if lfs_total and db_time else None
    return CommitFigures(
        lfs_waits=waits,
        lfs_avg_s=lfs,
        lfpw_avg_s=write,
        naive_overhead_s=overhead,
        naive_share=complement(ratio) if ratio else None,
        naive_total_s=total,
        naive_db_time_share=over(total, db_time) if total and db_time else None,
        lfs_db_time_share=share,
        group_commit=_over(waits, _count(inputs.lfpw)),
        calls_per_commit=_over(_estimate(inputs.user_calls), _estimate(inputs.commits)),
        redo_per_write_bytes=_over(_estimate(inputs.redo_size), _estimate(inputs.redo_writes)),
        material=is_material(waits, share),
        missing=inputs.missing,
        evidence=inputs.evidence,
    )


def is_material(waits: Estimate | None, share: Estimate | None) -> bool:
    """Under 1,000 commit waits or under 1 % of DB time nothing is to be won here."""
    return waits is not None and share is not None and waits.value >= LEAST_WAITS and share.value >= LEAST_SHARE


def _average(event: Event | None) -> Estimate | None:
    average = event.average if event else None
    return estimate(average) if average else None


def _count(event: Event | None) -> Estimate | None:
    return estimate(event.waits) if event and event.waits else None


def _estimate(value: Value | None) -> Estimate | None:
    return estimate(value) if value else None


def _over(a: Estimate | None, b: Estimate | None) -> Estimate | None:
    return over(a, b) if a and b else None

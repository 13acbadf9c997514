"""Whether commits matter in a report: by their share of DB time, how long one takes, or how busy the log writer is.

Commits that take a third of a second matter even where row locks make them 0.2 % of DB time. Thresholds and their
reasons: docs/commit-latency.md, section 2.
"""

from __future__ import annotations

from collections.abc import Iterator

from awrdiff.analysis.commit_latency.log_writer import BUSY
from awrdiff.analysis.model.commits import CommitFigures, Distribution
from awrdiff.analysis.model.evidence import Estimate
from awrdiff.analysis.words import percent, seconds

LEAST_WAITS = 100  # fewer have no average, and give no cause
LEAST_SHARE = 0.01  # of DB time
AVERAGE_S = 0.010  # what a commit may take on average where nothing else is promised
P99_S = 0.100


def material_by(f: CommitFigures) -> tuple[str, ...]:
    """Each reason in words; empty where commits do not matter."""
    return tuple(_reasons(f)) if enough_waits(f) else ()


def enough_waits(f: CommitFigures) -> bool:
    return f.lfs_waits is not None and f.lfs_waits.value >= LEAST_WAITS


def few_waits(f: CommitFigures) -> bool:
    """So few that their average says nothing of a commit."""
    return f.lfs_waits is not None and f.lfs_waits.value < LEAST_WAITS


def average_of(f: CommitFigures) -> Estimate | None:
    """The average commit wait, where there are enough of them."""
    return None if few_waits(f) else f.lfs_avg_s


def _reasons(f: CommitFigures) -> Iterator[str]:
    share, wait = f.lfs_db_time_share, f.lfs_avg_s
    if share is not None and share.value >= LEAST_SHARE:
        yield f"commit waits are {percent(share.value)} of {'call' if f.of_call_time else 'DB'} time"
    if wait is not None and wait.value > AVERAGE_S:
        yield f"a commit waits {seconds(wait.value)} on average"
    p99 = f.lfs_histogram.p99.low_s if f.lfs_histogram is not None else 0.0
    if p99 >= P99_S:
        yield f"{percent(_share_from(f.lfs_histogram, p99))} of the commit waits take {seconds(p99)} or longer"
    busy = f.log_writer.busy if f.log_writer is not None else None
    if busy is not None and busy.value > BUSY:
        if busy.value > 1:  # workers, or several instances
            yield "redo writes were under way all the time, more than one at once"
        else:
            yield f"the log writer was busy {percent(busy.value)} of the time"


def _share_from(found: Distribution | None, edge_s: float) -> float:
    """Of the waits, those from this edge of a bucket on (0..1)."""
    points = found.cdf if found is not None else ()
    return next((1.0 - p.share.value for p in points if p.edge_s == edge_s), 1.0)


__all__ = [
    "AVERAGE_S",
    "LEAST_SHARE",
    "LEAST_WAITS",
    "P99_S",
    "average_of",
    "enough_waits",
    "few_waits",
    "material_by",
]

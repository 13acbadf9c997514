"""From the first report's commit waits to the second's: differences and ratios, each with its interval."""

from __future__ import annotations

from collections.abc import Mapping

from awrdiff.analysis.commit_latency.intervals import minus, over
from awrdiff.analysis.model.comparison import CommitFigures, Estimate

_DIFFERENCES = (
    "lfs_waits",
    "lfs_total_s",
    "lfs_avg_s",
    "lfpw_avg_s",
    "naive_overhead_s",
    "naive_share",
    "naive_total_s",
    "naive_db_time_share",
    "lfs_db_time_share",
    "measured_overhead_s",
    "waiter_weighted_write_s",
    "group_commit",
    "calls_per_commit",
    "redo_per_write_bytes",
    "polling_share",
)
_RATIOS = ("lfs_waits", "lfs_total_s", "lfs_avg_s", "lfpw_waits", "lfpw_avg_s", "redo_per_write_bytes")


def change_between(first: CommitFigures, second: CommitFigures) -> Mapping[str, Estimate | None]:
    """Second − first under the figure's own name; second ÷ first under its name with `_ratio`."""
    change: dict[str, Estimate | None] = {}
    for name in _DIFFERENCES:
        a, b = _pair(first, second, name)
        change[name] = minus(b, a) if a and b else None
    for name in _RATIOS:
        a, b = _pair(first, second, name)
        change[f"{name}_ratio"] = over(b, a) if a and b else None
    return change


def _pair(first: CommitFigures, second: CommitFigures, name: str) -> tuple[Estimate | None, Estimate | None]:
    return getattr(first, name), getattr(second, name)

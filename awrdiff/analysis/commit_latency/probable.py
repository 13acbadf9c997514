"""Which cause of a commit wait may be named without its caveat."""

from __future__ import annotations

from awrdiff.analysis.model.commits import Cause, CommitLatency

MUCH = 0.25  # of LFS − LFPW: what accounts for less is not why commits wait


def probable(latency: CommitLatency) -> Cause | None:
    """The first cause of the wait itself, where it is certain enough and accounts for enough of what it is part of."""
    top = next((c for c in latency.causes if c.explains_s is not None), None)
    if top is None or top.explains_s is None or top.confidence not in ("proven", "high"):
        return None
    difference = latency.reports[top.reports[-1]].naive_overhead_s
    if (
        top.part_of in ("difference", "wait")
        and difference is not None
        and top.explains_s.value < MUCH * difference.value
    ):
        return None
    return top


__all__ = ["MUCH", "probable"]

"""Commit waits for each transaction that a benchmark counted: a number that reports do not print.

What a benchmark calls a transaction is not what the report counts: in the published pair of a starved log writer it was
200 per second beside 158.9 of the load profile. Source: docs/commit-latency.md, section 8.
"""

from __future__ import annotations

from dataclasses import dataclass

from awrdiff.analysis.commit_latency.intervals import exactly, over
from awrdiff.analysis.model.commits import CommitFigures
from awrdiff.analysis.model.evidence import Estimate


@dataclass(frozen=True, slots=True)
class PerTransaction:
    """`counted`: transactions per second as typed; `printed_per_s` those of the report. Waits and seconds for each."""

    counted: float
    printed_per_s: float | None
    waits: Estimate | None
    waited_s: Estimate | None


def per_transaction(
    f: CommitFigures, elapsed_s: float | None, transactions: float | None, counted: float
) -> PerTransaction | None:
    """None where the report prints no elapsed time. Raises ValueError for a rate that is none."""
    if counted <= 0:
        raise ValueError("Transactions per second are a positive number.")
    if not elapsed_s:
        return None
    whole = exactly(counted * elapsed_s)
    printed = transactions / elapsed_s if transactions is not None else None
    each = [over(e, whole) if e is not None else None for e in (f.lfs_waits, f.lfs_total_s)]
    return PerTransaction(counted, printed, *each)


__all__ = ["PerTransaction", "per_transaction"]

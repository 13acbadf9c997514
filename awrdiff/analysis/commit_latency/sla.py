"""Commit time against an SLA and per transaction of a benchmark. docs/commit-latency.md, sections 7 and 8."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from awrdiff.analysis.commit_latency.interval_arithmetic import exactly, over
from awrdiff.analysis.figures_in_words import percent, several
from awrdiff.analysis.model.commit_latency import Between, CommitFigures, CommitLatency, Distribution
from awrdiff.analysis.model.estimates_and_evidence import Estimate

SHARES = (0.73, 0.76, 0.87)
_SAME_EDGE = 1.03  # 16 ms is 16.4 ms from 12.2 on
BREACH = 0.75  # of the SLA: from here on the commit time has probably reached it

Verdict = Literal["breached", "probably breached", "within"]


def commit_time(lfs_avg: Estimate) -> Estimate:
    """Seconds: wait ÷ its share in the experiments."""
    middle = sum(SHARES) / len(SHARES)
    return Estimate(lfs_avg.low / max(SHARES), lfs_avg.value / middle, lfs_avg.high / min(SHARES))


class Sla(Struct, frozen=True):
    """`used`: average ÷ SLA. `above`: share of waits over it, as bounds."""

    sla_s: float
    used: Estimate
    commit_time_s: Estimate
    verdict: Verdict
    text: str
    above: Estimate | None = None
    p95_s: Between | None = None
    p99_s: Between | None = None


def against_sla(lfs_avg: Estimate, sla_s: float, histogram: Distribution | None = None) -> Sla:
    """Raises ValueError for sla_s ≤ 0."""
    if sla_s <= 0:
        raise ValueError("An SLA is a positive time.")
    used = Estimate(lfs_avg.low / sla_s, lfs_avg.value / sla_s, lfs_avg.high / sla_s)
    verdict: Verdict = "breached" if used.value >= 1.0 else "probably breached" if used.value >= BREACH else "within"
    usage = f"The average commit wait is {used.value * 100:.0f} % of the SLA"
    texts: dict[Verdict, str] = {
        "breached": f"{usage}: the wait alone is longer.",
        "probably breached": f"{usage}: with what a commit takes besides its wait, it is probably breached already.",
        "within": f"{usage}; single commits may still take longer than the average.",
    }
    above = share_above(histogram, sla_s) if histogram is not None else None
    text = texts[verdict]
    if above is not None:
        low, high = (percent(max(s, 0.0)) for s in (above.low, above.high))
        part = low if low == high else f"{low} to {high}" if above.low > 0 else f"up to {high}"
        longer = f"By the histogram {part} of the waits were longer."
        text += f" {longer if above.high > 0 else 'No commit wait was longer, by the histogram.'}"
    percentiles = (histogram.p95, histogram.p99) if histogram is not None else (None, None)
    return Sla(sla_s, used, commit_time(lfs_avg), verdict, text, above, *percentiles)


def share_above(histogram: Distribution, limit_s: float) -> Estimate:
    """Bounds; edges within 3 % count as the limit."""
    if limit_s * _SAME_EDGE < histogram.buckets[0].low_s:
        return Estimate(1.0, 1.0, 1.0)
    before = [p.share.low for p in histogram.cdf if p.edge_s <= limit_s * _SAME_EDGE]
    after = [p.share.high for p in histogram.cdf if p.edge_s >= limit_s / _SAME_EDGE]
    high = max(1.0 - max(before, default=0.0), 0.0)
    low = min(max(1.0 - min(after, default=1.0), 0.0), high)
    return Estimate(low, (low + high) / 2, high)


def slas_of_reports(latency: CommitLatency, sla_s: float) -> list[Sla | None]:
    slas = []
    for f in latency.reports:
        sla = against_sla(f.lfs_avg_s, sla_s, f.lfs_histogram) if f.lfs_avg_s is not None else None
        if sla is not None and f.has_few_waits and f.lfs_waits is not None:
            few = several(f.lfs_waits.value, "wait", "waits")
            sla = replace(sla, text=f"{sla.text} That is of {few}, too few to tell.")
        slas.append(sla)
    return slas


def per_transaction(
    f: CommitFigures, elapsed_s: float, transactions_per_s: float
) -> tuple[Estimate | None, Estimate | None]:
    """Commit waits, and their seconds, of each; ValueError: invalid rate."""
    if transactions_per_s <= 0:
        raise ValueError("Transactions per second are a positive number.")
    whole = exactly(transactions_per_s * elapsed_s)
    return over(f.lfs_waits, whole), over(f.lfs_total_s, whole)

"""From the commit wait to the time a commit takes, and to a promise made about it.

A commit is more than its log file sync. In Craig Shallahamer's three experiments the wait was 73 %, 76 % and 87 % of
the commit time on average, so that a commit took 15 to 37 % longer than its wait; at one row per commit 77 % and 45 %,
at 10,000 rows 96 %. Source and its limits: docs/commit-latency.md, section 7.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from awrdiff.analysis.model.commits import CommitLatency
from awrdiff.analysis.model.evidence import Estimate

SHARES = (0.73, 0.76, 0.87)
BREACH = 0.75  # of the SLA: from here on the commit time has probably reached it

Verdict = Literal["breached", "probably breached", "within"]


def commit_time(lfs_avg: Estimate) -> Estimate:
    """Seconds per commit: the wait divided by its share of the commit time, over the experiments' averages."""
    middle = sum(SHARES) / len(SHARES)
    return Estimate(lfs_avg.low / max(SHARES), lfs_avg.value / middle, lfs_avg.high / min(SHARES))


@dataclass(frozen=True, slots=True)
class Sla:
    """`used`: the average commit wait as a fraction of the SLA. An average within says nothing of single commits."""

    sla_s: float
    used: Estimate
    commit_time_s: Estimate
    verdict: Verdict
    text: str


def against_sla(lfs_avg: Estimate, sla_s: float) -> Sla:
    """The average commit wait against a promised commit time, both in seconds. Raises ValueError for sla_s ≤ 0."""
    if sla_s <= 0:
        raise ValueError("An SLA is a positive time.")
    used = Estimate(lfs_avg.low / sla_s, lfs_avg.value / sla_s, lfs_avg.high / sla_s)
    verdict = _verdict(used.value)
    said = f"The average commit wait is {used.value * 100:.0f} % of the SLA"
    texts: dict[Verdict, str] = {
        "breached": f"{said}: the wait alone is longer.",
        "probably breached": f"{said}: with what a commit takes besides its wait, it is probably breached already.",
        "within": f"{said}; single commits may still take longer than the average.",
    }
    return Sla(sla_s, used, commit_time(lfs_avg), verdict, texts[verdict])


def _verdict(used: float) -> Verdict:
    if used >= 1.0:
        return "breached"
    return "probably breached" if used >= BREACH else "within"


def of_reports(latency: CommitLatency, sla_s: float) -> list[Sla | None]:
    """Each report's average commit wait against the SLA; None where it prints no commit waits."""
    return [against_sla(f.lfs_avg_s, sla_s) if f.lfs_avg_s is not None else None for f in latency.reports]

"""Data Guard SYNC: the log writer's wait for the standby, which is neither the local disk nor the CPU.

Local and remote write run side by side, so the remote one costs between max(0, R − L) and R per redo write, where R
and L are the averages; with both histograms better: E[max(L, R)] − E[L], taking the two as independent. Source:
docs/commit-latency.md, section 3.
"""

from __future__ import annotations

from awrdiff.analysis.commit_latency.histograms import distribution_of
from awrdiff.analysis.commit_latency.inputs import statistic_row
from awrdiff.analysis.commit_latency.intervals import over
from awrdiff.analysis.commit_latency.moments import representatives
from awrdiff.analysis.model.commits import Bucket, Distribution, RemoteWrite
from awrdiff.analysis.model.evidence import Estimate
from awrdiff.analysis.report.side import Event, Side
from parsers.model import Value

EVENTS = ("sync remote write", "lgwr-lns wait on channel", "lns wait on sendreq")
_LEAST = 0.5  # waits per redo write: below, it is not every commit that goes to a standby


def remote_write_of(
    side: Side, writes: Value | None, local: Event | None, local_waits: Distribution | None
) -> RemoteWrite | None:
    """The remote write, where there is about one to every redo write."""
    event = next((side.background[n] for n in EVENTS if n in side.background), None)
    per_write = _per_write(event, writes)
    average = event.average if event else None
    if event is None or per_write is None or average is None or per_write.value < _LEAST:
        return None
    remote = Estimate(average.low, average.number, average.high)
    own = local.average if local else None
    known = distribution_of(side.report, event.name, waits=event.waits, total_s=event.total)
    exact = _beyond(local_waits, known) if local_waits and known else None
    low = max(remote.low - own.high, 0.0) if own else 0.0
    middle = exact if exact is not None else (low + remote.value) / 2
    value = min(max(middle, low), remote.high)
    cost = Estimate(low, value, remote.high)
    evidence = (event.evidence(), event.evidence("avg_wait_s"), statistic_row("redo writes"))
    return RemoteWrite(event.name, remote, per_write, cost, exact is not None, evidence)


def _per_write(event: Event | None, writes: Value | None) -> Estimate | None:
    if event is None or event.waits is None or writes is None:
        return None
    w = event.waits
    return over(Estimate(w.low, w.number, w.high), Estimate(writes.low, writes.number, writes.high))


def _beyond(local: Distribution, remote: Distribution) -> float | None:
    """E[max(L, R)] − E[L] for independent L and R with the buckets' representatives; seconds."""
    ours, theirs = _weighted(local), _weighted(remote)
    if not ours or not theirs:
        return None
    longest = sum(p * q * max(a, b) for a, p in ours for b, q in theirs)
    return longest - sum(p * a for a, p in ours)


def _weighted(distribution: Distribution) -> list[tuple[float, float]]:
    """(representative in seconds, share); empty where waits lie beyond the last edge."""
    if distribution.open_ended:
        return []
    closed: list[Bucket] = [b for b in distribution.buckets if b.high_s is not None]
    whole = sum(b.waits.value for b in closed)
    if whole <= 0:
        return []
    return [(m, b.waits.value / whole) for m, b in zip(representatives(closed, None), closed, strict=True)]

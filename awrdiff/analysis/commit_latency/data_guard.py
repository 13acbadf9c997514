"""Data Guard SYNC: the standby costs max(0, R − L) of overlapping writes; by histograms E[max(L, R)] − E[L].

docs/commit-latency.md, section 3.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from awrdiff.analysis.commit_latency.histograms import distribution_of, representatives
from awrdiff.analysis.commit_latency.inputs_from_report import row, statistic_row
from awrdiff.analysis.commit_latency.interval_arithmetic import estimate, over
from awrdiff.analysis.figures_in_words import listing
from awrdiff.analysis.model.commit_latency import Bucket, Distribution, RemoteWrite
from awrdiff.analysis.model.estimates_and_evidence import Estimate, Evidence
from awrdiff.analysis.report.figures_by_name import Event, Side
from parsers.model import Value

_OF_BOTH = "lns wait on sendreq"  # also of a standby that nothing waits for
# By how the name begins. Shipping that nothing waits for (LNS ASYNC ..., ASYNC Remote Write) and a standby's own Redo
# transport open or attach are none of them.
EVENTS = ("sync remote write", "redo writer remote sync", "lgwr wait on lns", "lgwr-lns wait", _OF_BOTH)
_LEAST = 0.5  # waits per redo write: below, it is not every commit that goes to a standby


def remote_write_of(
    side: Side, writes: Value | None, local: Event | None, local_waits: Distribution | None
) -> RemoteWrite | None:
    """About one per redo write; the longest of several."""
    destinations = [*_destinations(side)]
    synchronous = [(text, row) for is_sync, text, row in destinations if is_sync]
    if destinations and not synchronous:  # redo is shipped, and nothing waits for it
        return None
    remote_events = [
        e for e in events_of(side) if (n := _per_write(e, writes)) is not None and n.value >= _LEAST and e.average
    ]

    def is_certain(event: Event) -> bool:
        return bool(synchronous) or not event.name.lower().startswith(_OF_BOTH)

    event = max(remote_events, key=lambda e: (is_certain(e), e.total.number), default=None)
    per_write = _per_write(event, writes)
    average = event.average if event else None
    if event is None or per_write is None or average is None:
        return None
    remote = estimate(average)
    own = local.average if local else None
    histogram = distribution_of(side.report, event.name, waits=event.waits, total_s=event.total)
    ours, theirs = ([*_weighted(d)] if d else [] for d in (local_waits, histogram))
    exact: float | None = None  # E[max(L, R)] − E[L] in seconds for independent L and R
    if ours and theirs:
        exact = sum(p * q * max(a, b) for a, p in ours for b, q in theirs) - sum(p * a for a, p in ours)
    low = max(remote.low - own.high, 0.0) if own else 0.0
    middle = exact if exact is not None else (low + remote.value) / 2
    value = min(max(middle, low), remote.high)
    cost = Estimate(low, value, remote.high)
    evidence = (event.evidence(), event.evidence("avg_wait_s"), statistic_row("redo writes"))
    return RemoteWrite(
        event=event.name,
        avg_s=remote,
        per_write=per_write,
        cost_s=cost,
        from_histograms=exact is not None,
        evidence=(*evidence, *(row for _, row in synchronous)),
        destination=listing([text for text, _ in synchronous]),
        certain=is_certain(event),
    )


def events_of(side: Side) -> list[Event]:
    """Log writer waits for a standby, however rare."""
    return [e for name, e in (side.background or side.foreground).items() if name.startswith(EVENTS)]


def _destinations(side: Side) -> Iterator[tuple[bool, str, Evidence]]:
    """`log_archive_dest_n` with a transport, not deferred: whether SYNC, words, row."""
    for n in range(1, 32):
        name = f"log_archive_dest_{n}"
        value = (side.text("init_parameters", "begin_value", name) or "").upper()
        state = side.text("init_parameters", "begin_value", f"log_archive_dest_state_{n}") or ""
        modes = [m for m in ("ASYNC", "SYNC") if re.search(rf"\b{m}\b", value)]
        if "SERVICE" in value and modes and not state.upper().startswith(("DEFER", "RESET")):
            patterns = (r"\b(?:NO)?AFFIRM\b", r"NET_TIMEOUT\s*=\s*\d+")
            more = [w for pattern in patterns for w in re.findall(pattern, value)[:1]]
            text = f"{name} ships {' '.join([modes[0], *more])}"
            yield modes[0] == "SYNC", text, row("init_parameters", name, "begin_value")


def _per_write(event: Event | None, writes: Value | None) -> Estimate | None:
    if event is None or event.waits is None or writes is None:
        return None
    return over(estimate(event.waits), estimate(writes))


def _weighted(distribution: Distribution) -> list[tuple[float, float]]:
    """(seconds, share) pairs; empty with waits beyond the last edge."""
    if distribution.open_ended:
        return []
    closed: list[Bucket] = [b for b in distribution.buckets if b.high_s is not None]
    whole = sum(b.waits.value for b in closed)
    if whole <= 0:
        return []
    return [(m, b.waits.value / whole) for m, b in zip(representatives(closed, None), closed, strict=True)]

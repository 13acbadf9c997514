"""Causes in the redo writes: length, tail and number."""

from __future__ import annotations

from math import inf

from msgspec.structs import replace

from awrdiff.analysis.commit_latency.causes import host_cpu_and_memory, next_steps
from awrdiff.analysis.commit_latency.causes.log_writer_cpu import writes_hold_lost_cpu
from awrdiff.analysis.commit_latency.causes.rule_types import Answer, Match, NotPrinted, ReportFacts, Step
from awrdiff.analysis.commit_latency.inputs_from_report import statistic_row
from awrdiff.analysis.commit_latency.interval_arithmetic import estimate, over, scaled, within
from awrdiff.analysis.commit_latency.log_writer import BUSY, writes_queue
from awrdiff.analysis.commit_latency.tails import LEAST_WRITES, claim_of
from awrdiff.analysis.figures_in_words import number, percent, seconds, size
from awrdiff.analysis.model.commit_latency import Confidence
from awrdiff.analysis.model.estimates_and_evidence import Estimate

SLOW_WRITE_S = 0.020
SATURATED_PCT = 90.0  # of the host's CPUs
QUICK_BYTES_PER_S = 200e6  # of large writes: such storage is not slow
IO_RATIO = 1.5
QUEUED = 0.10  # of a commit wait, beyond the write: less is no queue
LARGE_BYTES = 64 * 1024.0  # of a write: its length is that of its bytes as well
LEAST_PART = 0.05  # of commit time, that the writes could make waits of
_OF_STANDBY = (
    "What a commit finds left of the write under way is reckoned as half of a write as a waiter meets it. A write "
    "lasts until the standby has its redo: ask about the network and the standby's log before the redo storage here."
)


def enough_writes(f: ReportFacts) -> bool:
    """100 writes, each 5 % of a commit wait on average."""
    g = f.figures
    writes = g.lfpw_waits or (estimate(w) if (w := f.inputs.statistics.get("redo writes")) is not None else None)
    if writes is not None and writes.value < LEAST_WRITES:
        return False
    share = over(g.lfpw_avg_s, g.lfs_avg_s)
    return share is None or share.value >= LEAST_PART


def io_bound(f: ReportFacts) -> Answer:
    """avgL / avgW ≤ 1.5 and the shapes are the same (unresolved or no histograms: medium); or avgW ≥ 20 ms whatever the
    ratio. From 100 redo writes on, that by the waits there are to each could be 5 % of LFS time; not where the CPU that
    `lgwr-cpu` measures as lost is a quarter of a write or more. That commits queue behind slow writes is said only
    where one is under way more than 60 % of the time, or the waits have their tail. It claims no more than the wait.
    """
    write, wait = f.figures.lfpw_avg_s, f.figures.lfs_avg_s
    if wait is None or write is None:
        is_printed = wait is None or f.figures.lfpw_at_most_s is not None
        return None if is_printed else NotPrinted("log file parallel write")
    if not enough_writes(f):
        return None
    match: Match | None = None
    if write.value >= SLOW_WRITE_S:
        match = _slow(f, wait, write)
    elif f.ratio is not None and f.ratio.value <= IO_RATIO:
        match = _alike(f, wait, write)
    if match is None or writes_hold_lost_cpu(f):
        return None
    remaining_s = max(wait.value - f.claimed_s("wake-up"), 0.0)
    return replace(with_busy_host(f, match), explains_s=within(write, -inf, remaining_s))


def with_busy_host(f: ReportFacts, match: Match, *, whose: str = "The host's") -> Match:
    """Hosts ≥ 90 % busy without stages: LFPW includes lost CPU."""
    busy = f.side.host_busy_pct
    if busy is None or busy < SATURATED_PCT or f.figures.measured_overhead_s is not None:
        return match
    text = (
        f"{match.text} {whose} CPUs were {percent(busy / 100)} busy, and a log writer that waits for a CPU after "
        "its I/O counts that as writing: part of it may be lost CPU."
    )
    confidence: Confidence = "medium" if match.confidence == "high" else match.confidence
    rows = (*match.evidence, host_cpu_and_memory.os_row("BUSY_TIME"))
    return replace(match, text=text, confidence=confidence, evidence=rows, checks=(next_steps.RUN_QUEUE, *match.checks))


def _slow(f: ReportFacts, wait: Estimate, write: Estimate) -> Match:
    carried = f.figures.redo_per_write_bytes
    if carried is not None and carried.value >= LARGE_BYTES and carried.value / write.value >= QUICK_BYTES_PER_S:
        speed, rows = carried.value / write.value, (statistic_row("redo size"), statistic_row("redo writes"))
        text = f"An average redo write takes {seconds(write.value)} and carries {size(carried.value, 3)}: "
        text += f"{size(speed, 3)} per second, so it is large rather than slow."
        title, direct = "Commits wait for large redo writes.", (next_steps.DIRECT_LOADS,)
        return Match(text, "medium", (*f.lfs_rows, *rows), write, "write", title=title, checks=direct)
    text = f"An average redo write takes {seconds(write.value)}: far too long, whatever else a commit waits for."
    title = how = ""
    if f.ratio is not None and f.ratio.value > IO_RATIO:
        text += f" A commit waits {number(f.ratio.value)} times that"
        how = f"one write is {seconds(write.value)} of the {seconds(wait.value)} that a commit waits"
        title = "Redo writes are far too slow."
        if writes_queue(f.figures):
            text += ": writes queue behind writes"
            how += ", the rest is the queue"
            title = "Redo writes are far too slow, and commits queue behind them."
        text += "."
    caveat = (
        "The log writer times its writes itself: where it waits for a CPU, that is counted as writing. What the host "
        "and the storage measure tells the two apart."
    )
    match = Match(text, "high", f.lfs_rows, write, "write", weighs_s=wait.value, title=title, caveat=caveat, size=how)
    return replace(match, step=Step.TAIL)


def _alike(f: ReportFacts, wait: Estimate, write: Estimate) -> Match | None:
    g, rows = f.figures, f.lfs_rows
    text = f"A commit waits {seconds(wait.value)}, a redo write takes {seconds(write.value)}"
    if wait.value < write.value:
        text += " (commits joined writes under way)"
    carried = g.redo_per_write_bytes
    if carried is not None and carried.value >= LARGE_BYTES:
        text += f"; each carries {size(carried.value, 3)} of redo on average"
        rows = (*rows, statistic_row("redo size"), statistic_row("redo writes"))
    if g.distance is None:
        return Match(f"{text}. How long each of them took is not printed.", "medium", rows, write, "write")
    if g.distance.shape == "unresolved":
        return Match(f"{text}. The histograms do not tell the two apart.", "medium", rows, write, "write")
    if g.distance.shape != "same":
        return None
    rows = (*rows, *(h.evidence for h in (g.lfs_histogram, g.lfpw_histogram) if h is not None))
    return Match(f"{text}, and the two are distributed alike.", "high", rows, write, "write")


def write_tail(f: ReportFacts) -> Answer:
    """At least half of all commit time lies above some T that at most a tenth of the writes and half of the waits
    reach, and avgL / avgW > 2; high where at least half of commit time lies in the tail whatever the buckets' bounds.
    There must be 100 writes, and the slow ones must also be able to hold that time: five of them at least, to each no
    more commits than the report has sessions (1,000 where it does not say) and than arrive while it is under way (ten
    times the usual rate, and three always, allowed), commit time at most twice what writes and waiters give, and at
    most a fifth of it in waits longer than the longest write's bucket.
    """
    g = f.figures
    if not f.is_mostly_not_io or g.lfs_avg_s is None:
        return None
    if g.lfs_histogram is None or g.lfpw_histogram is None:
        return NotPrinted("histograms of log file sync and log file parallel write")
    tail = g.tail
    if tail is None or g.lfpw_avg_s is None:
        return None
    text = (
        f"{percent(tail.lfs_time.value)} of commit time lies in waits of {seconds(tail.limit_s)} and longer "
        f"({_share(tail.waits_share)} of all), as long as the {round(tail.slow_writes.value):,} slow writes "
        f"({_share(tail.writes.value)} of all) took; about "
        f"{number(tail.waits_per_write)} commits waited for each of those."
    )
    if (typical := g.typical_overhead_s) is not None and typical.high > 0:
        range_text = f"{seconds(typical.low)} to" if typical.low > 0 else "no more than"
        text += f" A typical commit waits {range_text} {seconds(typical.high)} beside a typical write."
    claim = claim_of(tail, g.lfs_avg_s, g.lfpw_avg_s)
    high = tail.lfs_time.high * g.lfs_avg_s.high
    estimate = Estimate(min(claim, tail.lfs_time.low * g.lfs_avg_s.low), claim, max(claim, high))
    certain = tail.lfs_time.low >= 0.5
    size = f"{percent(tail.lfs_time.value)} of commit time, in {_share(tail.waits_share)} of the waits"
    return Match(text, "high" if certain else "medium", (*tail.evidence, *f.lfs_rows), estimate, size=size)


def _share(part: float) -> str:
    return "under 0.01 %" if part < 1e-4 else percent(part)


def busy(f: ReportFacts) -> Answer:
    """A redo write under way more than 60 % of the time, 100 of them at least. Claims that share of E[w²] / (2 · E[w]):
    what a commit finds left of it. Not where commits wait for hardly longer than a write (LFS − LFPW under 10 % of
    avgL): they join writes under way.
    """
    g = f.figures
    ledger = g.log_writer
    if ledger is None or ledger.busy is None:
        return NotPrinted(
            "the log writer's own time (redo write total time, or log file parallel write and elapsed time)"
        )
    if ledger.busy.value <= BUSY or (g.lfpw_waits is not None and g.lfpw_waits.value < LEAST_WRITES):
        return None
    if f.unexplained is not None and g.lfs_avg_s is not None and f.difference_s < QUEUED * g.lfs_avg_s.value:
        return None  # commits wait for hardly more than a write: they join those under way
    under_way = f"A redo write was under way {percent(ledger.busy.value)} of the time"
    if ledger.busy.value > 1:  # several at once, of workers or instances
        under_way = f"Redo writes were under way all the time, {number(ledger.busy.value)} at once on average"
    text = f"{under_way}: most commits come upon one and wait for its end before their own write begins."
    write, total, elapsed = g.waiter_weighted_write_s or g.lfpw_avg_s, g.lfpw_total_s, f.side.elapsed
    claim = scaled(write, min(ledger.busy.value, 1.0) / 2) if write is not None else None
    writing_s = total.value if total is not None and elapsed is not None else -inf
    is_writing = writing_s >= ledger.busy.value * (elapsed.number if elapsed is not None else 0.0) / 2
    step = Step.QUEUE if is_writing else Step.BUSY
    confidence: Confidence = "high" if ledger.busy.low > BUSY else "medium"
    size = f"{percent(min(ledger.busy.value, 1.0))} of the time"
    match = Match(text, confidence, (*ledger.evidence, *f.lfs_rows), claim, step=step, size=size)
    return match if g.remote is None else replace(match, caveat=_OF_STANDBY)

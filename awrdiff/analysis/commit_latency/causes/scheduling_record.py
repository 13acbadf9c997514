"""What a record of the log writers' scheduling adds to the causes: that they waited for a CPU, or that they did not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from awrdiff.analysis.commit_latency.causes import checks
from awrdiff.analysis.commit_latency.causes.facts import ReportFacts
from awrdiff.analysis.model.commits import Cause, Confidence
from awrdiff.analysis.model.evidence import Estimate
from awrdiff.analysis.model.traces import Scheduled
from awrdiff.analysis.words import percent, seconds

LEAST_COVERED_S = 30.0  # of the window
MUCH = 0.10  # of a commit wait: waiting for a CPU, per redo write
LITTLE = 0.02
STALLED = "The log writer was off its CPU or stalled."
QUEUED = "The log writer waited for a CPU."


@dataclass(frozen=True, slots=True)
class RunQueueWait:
    """`per_write_s`: waiting for a CPU per redo write, at the window's average rate of writes."""

    record: Scheduled
    per_write_s: float
    of_wait: float  # of the average commit wait (0..1); more where the minutes recorded are not like the window

    @property
    def representative(self) -> bool:
        return self.of_wait <= 1.0


def run_queue_wait(facts: ReportFacts, records: Sequence[Scheduled]) -> RunQueueWait | None:
    """The longest record of this report's window; None where it is short, or a figure to set it against is missing."""
    best = max(records, key=lambda r: r.covered_s, default=None)
    rate = facts.side.per_second(facts.inputs.statistics.get("redo writes"))
    if rate is None and facts.inputs.lfpw is not None:
        rate = facts.side.per_second(facts.inputs.lfpw.waits)
    wait = facts.figures.lfs_avg_s
    if best is None or best.covered_s < LEAST_COVERED_S or not rate or wait is None or wait.value <= 0:
        return None
    each = best.waited_s / (best.covered_s * rate)
    return RunQueueWait(best, each, each / wait.value)


def sentence(wait: RunQueueWait) -> str:
    busy = percent(wait.record.cpu_s / wait.record.covered_s)
    text = (
        f"Recorded over {seconds(wait.record.covered_s)} of the window: the log writers ran {busy} of the time and "
        f"waited for a CPU {seconds(wait.per_write_s)} per redo write"
    )
    if wait.representative:
        return f"{text}, {percent(wait.of_wait)} of a commit wait."
    text += "."
    return f"{text} That is longer than a commit waited: those minutes are not representative of the window."


def with_record(cause: Cause, wait: RunQueueWait) -> Cause:
    """`lgwr-cpu` with the record: proven from a tenth of a commit wait on. Up to a fiftieth its queue for a CPU is
    denied and nothing else: a stall that stages measure stays as sure; of a record
    that cannot be like the window no more than what it says."""
    text = f"{cause.text} {sentence(wait)}"
    rows = (*cause.evidence, wait.record.evidence)
    if wait.of_wait >= MUCH and wait.representative:
        left = tuple(c for c in cause.checks if c not in (checks.RUN_QUEUE, checks.RECORD_CPU))
        return replace(
            cause, text=text, confidence="proven", evidence=rows, checks=left, explains_s=_at_most(cause, wait)
        )
    if wait.of_wait <= LITTLE:
        text += " While it was recorded no queue for a CPU held it up; paging and steal are not in such a record."
        weak: Confidence = "note" if len(set(cause.reports)) == 1 else cause.confidence
        confidence: Confidence = weak if cause.confidence == "low" else cause.confidence  # what stages measure stays
        left = tuple(c for c in cause.checks if c not in (checks.RUN_QUEUE, checks.RECORD_CPU))
        title = STALLED if cause.title == QUEUED else cause.title
        return replace(cause, title=title, text=text, confidence=confidence, evidence=rows, checks=left)
    return replace(cause, text=text, evidence=rows)


def _at_most(cause: Cause, wait: RunQueueWait) -> Estimate | None:
    """The claim stays within what the budget left it."""
    claim = cause.explains_s
    return claim if claim is None or claim.value <= wait.per_write_s else Estimate(0.0, wait.per_write_s, claim.high)


__all__ = ["LITTLE", "MUCH", "QUEUED", "STALLED", "RunQueueWait", "run_queue_wait", "sentence", "with_record"]

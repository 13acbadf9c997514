"""DB time in no wait and not on CPU.

Source: Oracle Database Reference, V$SYS_TIME_MODEL: DB time holds waits, CPU and the queue for CPU.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from awrdiff.analysis.commit_latency.histograms import distribution_of
from awrdiff.analysis.figures_in_words import number, percent, seconds
from awrdiff.analysis.model.comparison import Range, Subject
from awrdiff.analysis.report.figures_by_name import Event, Side
from awrdiff.analysis.verdict import capacity_limits
from awrdiff.analysis.verdict.active_sessions_attribution import unaccounted_share
from awrdiff.analysis.verdict.rule_inputs import Facts, FactsOfTwo, row
from awrdiff.analysis.verdict.rule_result import QUIET, Candidate, Observation, Reason, RuleResult, Unknown, reasons_for
from awrdiff.analysis.verdict.rules import finding_sizes, memory
from awrdiff.analysis.verdict.rules.cpu import BUSY, DB_CPU
from awrdiff.analysis.verdict.thresholds import FEWEST, QUEUEING_PCT, UNACCOUNTED

_MOST = 0.5
_DIRECT, _DIRECT_WAIT = "physical reads direct", "direct path read"
_LONG_S = 1.0  # no read of a storage that works takes longer
_CENTISECONDS = 100.0  # OS statistics


def unaccounted_time(facts: Facts) -> RuleResult:
    """{UNACCOUNTED:%} of DB time is in no wait and not on CPU; a queue for CPU from {QUEUEING_PCT} % busy on."""
    missing = [share for side in facts.sides if (share := unaccounted_share(side)) is not None]
    whole = [active for side in facts.sides if (active := side.active_sessions) is not None]
    if min(len(missing), len(whole)) < len(facts.sides):
        return Unknown("Foreground Wait Events and DB CPU, both in full")
    # Medians of rows need not add up to that of DB time: what First lacks then is nobody's.
    of_median = isinstance(facts, FactsOfTwo) and facts.of_median
    if max(missing[-1:] if of_median else missing) < UNACCOUNTED:
        return QUIET
    sizes_ = [share * active for share, active in zip(missing, whole, strict=True)]
    sessions = finding_sizes.of_sides([Range(size, size) for size in sizes_])
    of_last = missing[0] < UNACCOUNTED or (missing[-1] >= UNACCOUNTED and sizes_[-1] >= sizes_[0]) or of_median
    side, in_first = facts.sides[-1 if of_last else 0], not of_last
    evidence = (row("time_model", "DB time", "time_s"), DB_CPU)
    text = f"{finding_sizes.share_text(missing)} is in no wait and not on CPU: {finding_sizes.text(sessions)}"
    if (busy := side.host_busy_pct) is not None and busy >= QUEUEING_PCT:
        title = "Sessions queued for CPU in First." if in_first else "Sessions queue for CPU."
        text += f", on a host that {'was' if in_first else 'is'} {percent(busy / 100)} busy{' in First' * in_first}."
        return Observation(
            title, text, (*evidence, BUSY[0]), sessions, Subject("cpu", "queue"), finding_sizes.tone(sessions)
        )
    reasons = reasons_of(side, sizes_[0 if in_first else -1])
    report = "the report" if len(missing) == 1 else "First's report" if in_first else "Second's report"
    gone = in_first and missing[-1] < UNACCOUNTED
    why = f"; nothing in {report} says why."
    if reasons:
        why = f". Possible reasons that {report} prints: {'; '.join(r.text for r in reasons)}."
    of, share = ("First's DB time was", missing[0]) if gone else ("DB time is", missing[-1])
    return Observation(
        f"{'Most' if share > _MOST else 'Part'} of {of} unaccounted for.",
        f"{text}{why}",
        (*evidence, *(r.evidence for r in reasons)),
        sessions,
        Subject("other", "unaccounted"),
        finding_sizes.tone(sessions),
    )


def reasons_of(side: Side, sessions: float) -> tuple[Reason, ...]:
    if side.elapsed is None:
        return ()
    candidates = [*memory.signs(side)]
    candidates += [Candidate(cap.text, cap.evidence, most_s=None) for cap in capacity_limits.caps(side)]
    candidates += [*_run_queue(side), *_direct_reads(side)]
    return reasons_for(candidates, sessions * side.elapsed.number, side.elapsed.number)


def _run_queue(side: Side) -> Iterator[Candidate]:
    busy = side.value("os_statistics", "value", "BUSY_TIME")
    queued = side.value("os_statistics", "value", "OS_CPU_WAIT_TIME")
    if queued is not None and busy is not None and queued.number >= 0.25 * busy.number > 0:
        times = number(queued.number / busy.number)
        text = f"processes waited in the run queue {times} times as long as CPUs were busy (OS_CPU_WAIT_TIME)"
        yield Candidate(text, row("os_statistics", "OS_CPU_WAIT_TIME", "value"), queued.number / _CENTISECONDS)


def _direct_reads(side: Side) -> Iterator[Candidate]:
    direct, reads = (side.statistic(n) for n in (_DIRECT, "physical reads"))
    events = [e for name, e in side.foreground.items() if name.startswith(_DIRECT_WAIT) and e.waits is not None]
    requests = _direct_requests(side, events)
    if requests is None or direct is None or reads is None or direct.number < 0.3 * reads.number or not reads.number:
        return
    most_s = requests * max([_LONG_S, *(_longest_s(side, e) for e in events)])
    waits = sum(e.waits.number for e in events if e.waits)
    average = sum(e.total.number for e in events) / waits if waits >= FEWEST else None
    text = f"{percent(direct.number / reads.number)} of the reads are direct, whose waits are counted in part only"
    usual_s = requests * average if average is not None else None
    by = f"at the {seconds(average)} that the counted ones take" if average is not None else ""
    yield Candidate(text, row("instance_activity", _DIRECT, "total"), most_s, usual_s, by)


def _direct_requests(side: Side, events: Sequence[Event]) -> float | None:
    """I/O by function counts all requests, wait events those waited for."""
    waits = [e.waits.high for e in events if e.waits is not None]
    rate = side.value("iostat_by_function", "read_requests_per_s", "Direct Reads")
    requests = rate.high * side.elapsed.high if rate is not None and side.elapsed is not None else None
    return max((n for n in (requests, sum(waits) if waits else None) if n is not None), default=None)


def _longest_s(side: Side, event: Event) -> float:
    histogram = distribution_of(side.report, event.name)
    buckets = histogram.buckets[-1:] if histogram else ()
    edges = [b.high_s if b.high_s is not None else event.total.high for b in buckets]
    return max([2 * event.average.high if event.average else 0.0, *edges])

"""DB time that is neither in a wait nor on CPU."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from awrdiff.analysis.commit_latency.histograms import distribution_of
from awrdiff.analysis.model.comparison import Range, Sessions, Subject
from awrdiff.analysis.report.side import Event, Side
from awrdiff.analysis.verdict.facts import FactsOfOne, FactsOfTwo, FirstSecond, row
from awrdiff.analysis.verdict.reasons import Candidate, Reason, reasons_for
from awrdiff.analysis.verdict.rule_result import QUIET, Observation, RuleResult, Unknown
from awrdiff.analysis.verdict.rules import headroom, memory, sizes
from awrdiff.analysis.verdict.rules.cpu import BUSY, DB_CPU, QUEUEING
from awrdiff.analysis.words import number, percent, seconds

LEAST = 0.15  # of DB time, on the side where it is more
_MOST = 0.5
_DIRECT, _DIRECT_WAIT = "physical reads direct", "direct path read"
_FEWEST = 100  # waits: an average of fewer is that of a few
_LONG_S = 1.0  # no read of a storage that works takes longer
_CENTISECONDS = 100.0  # OS statistics


def of_two(facts: FactsOfTwo) -> RuleResult:
    """At least 15 % of DB time is in no wait and not on CPU.

    Sessions queued for CPU only where the host was at least 70 % busy in that window; else it is said as what it is,
    with the reasons for it that the report itself prints and that can hold it: from half of that time on, or from a
    tenth with how much at most. Paging comes last: its pages can hold that time, but no row says how long anybody
    waited for one.

    Source: Oracle Database Reference, V$SYS_TIME_MODEL: DB time holds waits, CPU and the queue for CPU.
    """
    missing, a = facts.unaccounted, facts.attribution
    if missing is None or a is None:
        return Unknown("Foreground Wait Events and DB CPU, both in full")
    # Medians of rows need not add up to that of DB time: what First lacks then is nobody's.
    if (missing.second if facts.of_median else max(missing.first, missing.second)) < LEAST:
        return QUIET
    sizes_ = [share * whole for share, whole in ((missing.first, a.first_per_s), (missing.second, a.second_per_s))]
    sessions = Sessions(*(Range(size, size) for size in sizes_))
    side = _looked_at(facts, missing, sizes_)
    text = f"{percent(missing.first)} → {percent(missing.second)} of DB time is in no wait and not on CPU"
    text += f": {sizes.text(sessions)}"
    busy = side.host_busy_pct
    evidence = (row("time_model", "DB time", "time_s"), row("time_model", "DB CPU", "time_s"))
    if busy is not None and busy >= QUEUEING:
        first = side is facts.first
        said = f"{text}, on a host that {'was' if first else 'is'} {percent(busy / 100)} busy{' in First' * first}."
        on_host = (*evidence, row("os_statistics", "BUSY_TIME", "value"))
        title = "Sessions queued for CPU in First." if first else "Sessions queue for CPU."
        return Observation(title, said, on_host, sessions, Subject("cpu", "queue"), sizes.tone(sessions))
    reasons = reasons_of(side, sizes_[side is facts.second])
    text += reasons_text(reasons, "Second's report" if side is facts.second else "First's report")
    gone = side is facts.first and missing.second < LEAST
    title = title_of(missing.first if gone else missing.second, "First's DB time was" if gone else "DB time is")
    return Observation(
        title,
        text,
        (*evidence, *(r.evidence for r in reasons)),
        sessions,
        Subject("other", "unaccounted"),
        sizes.tone(sessions),
    )


def of_one(facts: FactsOfOne) -> RuleResult:
    """At least 15 % of DB time is in no wait and not on CPU.

    Sessions queued for CPU only where the host was at least 70 % busy; else it is said as what it is, with the reasons
    for it that the report itself prints and that can hold it: from half of that time on, or from a tenth with how much
    at most. Paging comes last: its pages can hold that time, but no row says how long anybody waited for one.

    Source: Oracle Database Reference, V$SYS_TIME_MODEL: DB time holds waits, CPU and the queue for CPU.
    """
    missing, whole, side = facts.unaccounted, facts.sessions, facts.side
    if missing is None or whole is None:
        return Unknown("Foreground Wait Events and DB CPU, both in full")
    if missing < LEAST:
        return QUIET
    size = missing * whole
    text = f"{percent(missing)} of DB time is in no wait and not on CPU: {number(size)} active sessions"
    evidence = (row("time_model", "DB time", "time_s"), DB_CPU)
    sessions, busy = Range(size, size), side.host_busy_pct
    if busy is not None and busy >= QUEUEING:
        said = f"{text}, on a host that is {percent(busy / 100)} busy."
        on_host = (*evidence, BUSY[0])
        return Observation("Sessions queue for CPU.", said, on_host, sessions, Subject("cpu", "queue"), tone="worse")
    reasons = reasons_of(side, size)
    text += reasons_text(reasons, "the report")
    title = title_of(missing, "DB time is")
    rows = (*evidence, *(r.evidence for r in reasons))
    return Observation(title, text, rows, sessions, Subject("other", "unaccounted"), tone="worse")


def title_of(share: float, of: str) -> str:
    return f"{'Most' if share > _MOST else 'Part'} of {of} unaccounted for."


def reasons_text(reasons: tuple[Reason, ...], report: str) -> str:
    if not reasons:
        return f"; nothing in {report} says why."
    return f". Possible reasons that {report} prints: {'; '.join(r.text for r in reasons)}."


def _looked_at(facts: FactsOfTwo, missing: FirstSecond, sizes_: list[float]) -> Side:
    """The side with more of it, of those where it is a share worth a word."""
    if missing.first < LEAST or facts.of_median:
        return facts.second
    return facts.second if missing.second >= LEAST and sizes_[1] >= sizes_[0] else facts.first


def reasons_of(side: Side, sessions: float) -> tuple[Reason, ...]:
    """What the report says of the time that no row explains, `sessions` of it on average, and that can hold it."""
    if side.elapsed is None:
        return ()
    found = [*memory.signs(side)]
    found += [Candidate(cap.said, cap.evidence, most_s=None) for cap in headroom.caps(side)]
    found += [*_run_queue(side), *_direct_reads(side)]
    return reasons_for(found, sessions * side.elapsed.number, side.elapsed.number)


def _run_queue(side: Side) -> Iterator[Candidate]:
    busy = side.value("os_statistics", "value", "BUSY_TIME")
    queued = side.value("os_statistics", "value", "OS_CPU_WAIT_TIME")
    if queued is not None and busy is not None and queued.number >= 0.25 * busy.number > 0:
        times = number(queued.number / busy.number)
        text = f"processes waited in the run queue {times} times as long as CPUs were busy (OS_CPU_WAIT_TIME)"
        yield Candidate(text, row("os_statistics", "OS_CPU_WAIT_TIME", "value"), queued.number / _CENTISECONDS)


def _direct_reads(side: Side) -> Iterator[Candidate]:
    """Where the number of requests is printed: blocks say nothing of it, up to 128 and more are read at once."""
    direct, reads = (side.statistic(n) for n in (_DIRECT, "physical reads"))
    events = [e for name, e in side.foreground.items() if name.startswith(_DIRECT_WAIT) and e.waits is not None]
    requests = _direct_requests(side, events)
    if requests is None or direct is None or reads is None or direct.number < 0.3 * reads.number or not reads.number:
        return
    most_s = requests * max([_LONG_S, *(_longest_s(side, e) for e in events)])
    waits = sum(e.waits.number for e in events if e.waits)
    average = sum(e.total.number for e in events) / waits if waits >= _FEWEST else None
    text = f"{percent(direct.number / reads.number)} of the reads are direct, whose waits are counted in part only"
    usual_s = requests * average if average is not None else None
    by = f"at the {seconds(average)} that the counted ones take" if average is not None else ""
    yield Candidate(text, row("instance_activity", _DIRECT, "total"), most_s, usual_s, by)


def _direct_requests(side: Side, events: Sequence[Event]) -> float | None:
    """Requests of direct reads; None = not printed.

    I/O by function counts every request, the wait events only those that were waited for.
    """
    waits = [e.waits.high for e in events if e.waits is not None]
    rate = side.value("iostat_by_function", "read_requests_per_s", "Direct Reads")
    requests = [rate.high * side.elapsed.high] if rate is not None and side.elapsed is not None else []
    return max([*requests, *([sum(waits)] if waits else [])], default=None)


def _longest_s(side: Side, event: Event) -> float:
    """Upper edge of the longest bucket that holds waits (an open one: all of its time), or twice the average."""
    found = distribution_of(side.report, event.name)
    edges = [b.high_s if b.high_s is not None else event.total.high for b in found.buckets[-1:]] if found else []
    return max([2 * event.average.high if event.average else 0.0, *edges])

"""DB time that is neither in a wait nor on CPU."""

from __future__ import annotations

from collections.abc import Iterator

from awrdiff.analysis.model.comparison import Evidence, Range, Sessions, Subject
from awrdiff.analysis.report.side import Side
from awrdiff.analysis.verdict.rules import headroom, memory, sizes
from awrdiff.analysis.verdict.rules.cpu import QUEUEING
from awrdiff.analysis.verdict.rules.facts import QUIET, Answer, Facts, Said, Two, Unknown, row
from awrdiff.analysis.words import number, percent

_MOVED = 1.25  # a rate of reads
LEAST = 0.15  # of DB time, on the side where it is more
_MOST = 0.5
_DIRECT = "physical reads direct"


def unaccounted(facts: Facts) -> Answer:
    """At least 15 % of DB time is in no wait and not on CPU.

    Sessions queued for CPU only where the host was at least 70 % busy in that window; else it is said as what it is,
    with the reasons for it that the report itself supports.

    Source: Oracle Database Reference, V$SYS_TIME_MODEL: DB time holds waits, CPU and the queue for CPU.
    """
    missing, a = facts.unaccounted, facts.attribution
    if missing is None or a is None:
        return Unknown("Foreground Wait Events and DB CPU, both in full")
    if max(missing.first, missing.second) < LEAST:
        return QUIET
    sizes_ = [share * whole for share, whole in ((missing.first, a.first_per_s), (missing.second, a.second_per_s))]
    sessions = Sessions(*(Range(size, size) for size in sizes_))
    side = _looked_at(facts, missing, sizes_)
    text = f"{percent(missing.first)} → {percent(missing.second)} of DB time is in no wait and not on CPU"
    text += f": {sizes.said(sessions)}"
    busy = side.host_busy_pct
    evidence = (row("time_model", "DB time", "time_s"), row("time_model", "DB CPU", "time_s"))
    if busy is not None and busy >= QUEUEING:
        first = side is facts.first
        said = f"{text}, on a host that {'was' if first else 'is'} {percent(busy / 100)} busy{' in First' * first}."
        on_host = (*evidence, row("os_statistics", "BUSY_TIME", "value"))
        title = "Sessions queued for CPU in First." if first else "Sessions queue for CPU."
        return Said(title, said, on_host, sessions, Subject("cpu", "queue"), sizes.tone(sessions))
    candidates, rows = candidates_of(side, direct_reads=not _reads_as_before(facts, side))
    text += supported(candidates, "Second's report" if side is facts.second else "First's report")
    gone = side is facts.first and missing.second < LEAST
    title = title_of(missing.first if gone else missing.second, "First's DB time was" if gone else "DB time is")
    return Said(title, text, (*evidence, *rows), sessions, Subject("other", "unaccounted"), sizes.tone(sessions))


def title_of(share: float, of: str) -> str:
    return f"{'Most' if share > _MOST else 'Part'} of {of} recorded as neither wait nor CPU."


def supported(candidates: list[str], report: str) -> str:
    if not candidates:
        return f"; nothing in {report} says why."
    return f". Possible reasons that {report} prints: {'; '.join(candidates)}."


def _looked_at(facts: Facts, missing: Two, sizes_: list[float]) -> Side:
    """The side with more of it, of those where it is a share worth a word."""
    if missing.first < LEAST:
        return facts.second
    return facts.second if missing.second >= LEAST and sizes_[1] >= sizes_[0] else facts.first


def candidates_of(side: Side, *, direct_reads: bool = True) -> tuple[list[str], tuple[Evidence, ...]]:
    """What the report says of the time that no row explains, and where; `direct_reads`: whether these may be it."""
    found = [(t.said, t.evidence) for t in memory.troubles(side)]
    found += [(cap.said, cap.evidence) for cap in headroom.caps(side)]
    found += [*_run_queue(side), *(_direct_reads(side) if direct_reads else ())]
    return [said for said, _ in found], tuple(e for _, e in found)


def _run_queue(side: Side) -> Iterator[tuple[str, Evidence]]:
    busy = side.value("os_statistics", "value", "BUSY_TIME")
    queued = side.value("os_statistics", "value", "OS_CPU_WAIT_TIME")
    if queued is not None and busy is not None and queued.number >= 0.25 * busy.number > 0:
        times = number(queued.number / busy.number)
        said = f"processes waited in the run queue {times} times as long as CPUs were busy (OS_CPU_WAIT_TIME)"
        yield said, row("os_statistics", "OS_CPU_WAIT_TIME", "value")


def _direct_reads(side: Side) -> Iterator[tuple[str, Evidence]]:
    direct, reads = (side.statistic(n) for n in (_DIRECT, "physical reads"))
    if direct is not None and reads is not None and direct.number >= 0.3 * reads.number > 0:
        said = f"{percent(direct.number / reads.number)} of the reads are direct, whose waits are counted in part only"
        yield said, row("instance_activity", _DIRECT, "total")


def _reads_as_before(facts: Facts, side: Side) -> bool:
    """The time grew from the other side and direct reads did not: then they are not what it went into."""
    other = facts.first if side is facts.second else facts.second
    now, before = (s.per_second(s.statistic(_DIRECT)) for s in (side, other))
    return _grew(facts, side) and before is not None and (now or 0.0) < _MOVED * before


def _grew(facts: Facts, side: Side) -> bool:
    """Whether `side` has half as much unaccounted time again as the other."""
    missing, a = facts.unaccounted, facts.attribution
    if missing is None or a is None:
        return False
    sizes_ = (missing.first * a.first_per_s, missing.second * a.second_per_s)
    mine, others = sizes_[::-1] if side is facts.second else sizes_
    return mine >= 1.5 * others

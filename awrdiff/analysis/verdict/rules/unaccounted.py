"""DB time that is neither in a wait nor on CPU."""

from __future__ import annotations

from awrdiff.analysis.model.comparison import Evidence, Range, Sessions, Subject
from awrdiff.analysis.report.side import Side
from awrdiff.analysis.verdict.rules import headroom, memory, sizes
from awrdiff.analysis.verdict.rules.cpu import QUEUEING
from awrdiff.analysis.verdict.rules.facts import QUIET, Answer, Facts, Said, Unknown, row
from awrdiff.analysis.words import percent

LEAST = 0.15  # of DB time, on the side where it is more


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
    side = facts.second if sizes_[1] >= sizes_[0] else facts.first
    text = f"{percent(missing.first)} → {percent(missing.second)} of DB time is in no wait and not on CPU"
    text += f": {sizes.said(sessions)}"
    busy = side.host_busy_pct
    evidence = (row("time_model", "DB time", "time_s"), row("time_model", "DB CPU", "time_s"))
    if busy is not None and busy >= QUEUEING:
        said = f"{text}, on a host that is {percent(busy / 100)} busy."
        on_host = (*evidence, row("os_statistics", "BUSY_TIME", "value"))
        return Said("Sessions queue for CPU.", said, on_host, sessions, Subject("cpu", "queue"), sizes.tone(sessions))
    candidates, rows = candidates_of(side)
    text += f". The report supports: {'; '.join(candidates)}." if candidates else "; nothing in the report says why."
    title = "Part of DB time is recorded as neither wait nor CPU."
    return Said(title, text, (*evidence, *rows), sessions, Subject("other", "unaccounted"), sizes.tone(sessions))


def candidates_of(side: Side) -> tuple[list[str], tuple[Evidence, ...]]:
    """What the report says of the time that no row explains, and where."""
    busy = side.value("os_statistics", "value", "BUSY_TIME")
    queued = side.value("os_statistics", "value", "OS_CPU_WAIT_TIME")
    found = [(t.said, t.evidence) for t in memory.troubles(side)]
    found += [(cap.said, cap.evidence) for cap in headroom.caps(side)]
    if queued is not None and busy is not None and queued.number >= 0.25 * busy.number > 0:
        share = percent(queued.number / busy.number)
        said = f"processes queued for {share} as long as CPUs were busy (OS_CPU_WAIT_TIME)"
        found.append((said, row("os_statistics", "OS_CPU_WAIT_TIME", "value")))
    direct, reads = (side.statistic(n) for n in ("physical reads direct", "physical reads"))
    if direct is not None and reads is not None and direct.number >= 0.3 * reads.number > 0:
        said = f"{percent(direct.number / reads.number)} of the reads are direct, whose waits are counted in part only"
        found.append((said, row("instance_activity", "physical reads direct", "total")))
    return [said for said, _ in found], tuple(e for _, e in found)

"""Reads, their latency, and how much of them the buffer cache saves."""

from __future__ import annotations

from awrdiff.analysis.model.comparison import Severity
from awrdiff.analysis.verdict.rules.facts import QUIET, UNKNOWN, Answer, Facts, Said, Two, row
from awrdiff.analysis.words import change, number, percent, seconds

_READ_EVENTS = ("db file sequential read", "cell single block physical read")


def physical_reads(facts: Facts) -> Answer:
    """Blocks read per second moved apart from the work."""
    reads = facts.rate("physical reads", "Physical read (blocks)", "Physical reads")
    work = facts.work_factor(reads.factor or 0.0) if reads is not None else None
    if reads is None or work is None:
        return UNKNOWN
    if max(reads.first, reads.second) < 100 or reads.factor is None or 0.5 <= reads.factor / work <= 2.0:
        return QUIET
    grew = reads.factor > work
    text = (
        f"{number(reads.first)} → {number(reads.second)} blocks read per second "
        f"({change(reads.first, reads.second)}), {facts.work_said(work)}."
    )
    title = "Many more physical reads." if grew else "Far fewer physical reads."
    severity: Severity = "warning" if grew else "note"
    evidence = (
        row("instance_activity", "physical reads", "total"),
        row("load_profile", "Physical reads", "per_second"),
    )
    return Said(title, text, evidence, severity=severity)


def read_latency(facts: Facts) -> Answer:
    """A single-block read takes longer (or less long), where such reads matter."""
    for name in _READ_EVENTS:
        a, b = facts.first.foreground.get(name), facts.second.foreground.get(name)
        if a is None or b is None or a.average is None or b.average is None:
            continue
        share = max(facts.first.share_of_db_time(a.total) or 0.0, facts.second.share_of_db_time(b.total) or 0.0)
        two = Two(a.average.number, b.average.number)
        if share < 0.05 or two.factor is None or 1 / 1.25 < two.factor < 1.25:
            return QUIET
        slower = two.factor > 1
        text = f"{name}: {seconds(two.first)} → {seconds(two.second)} per read ({change(two.first, two.second)})."
        title = "Single-block reads became slower." if slower else "Single-block reads became faster."
        return Said(title, text, (b.evidence("avg_wait_s"),), severity="warning" if slower else "note")
    return UNKNOWN if not (facts.first.foreground and facts.second.foreground) else QUIET


def hit_ratios(facts: Facts) -> Answer:
    """Hit ratios that lost points; a ratio alone says little, so it is a note."""
    names = ("Buffer Hit %", "Library Hit %", "Soft Parse %", "Execute to Parse %", "Latch Hit %")
    found: list[tuple[str, Two]] = []
    known = False
    for name in names:
        two = facts.both(lambda s, n=name: v.number if (v := s.value("instance_efficiency", "pct", n)) else None)  # type: ignore[misc]
        known = known or two is not None
        if two is not None and two.diff <= -2.0 and two.first > 0:
            found.append((name, two))
    if not known:
        return UNKNOWN
    if not found:
        return QUIET
    text = "; ".join(f"{n.removesuffix(' %')} {percent(t.first / 100)} → {percent(t.second / 100)}" for n, t in found)
    evidence = tuple(row("instance_efficiency", n, "pct") for n, _ in found)
    return Said("Hit ratios lost points.", text + ".", evidence, severity="note")


def temp_io(facts: Facts) -> Answer:
    """Sorts and hash joins that spill to the temporary tablespace."""
    if not facts.second.foreground or not facts.first.foreground:
        return UNKNOWN
    names = ("direct path read temp", "direct path write temp")
    found = [e for n in names if (e := facts.second.foreground.get(n))]
    share = sum(facts.second.share_of_db_time(e.total) or 0.0 for e in found)
    earlier = sum(facts.first.share_of_db_time(e.total) or 0.0 for n in names if (e := facts.first.foreground.get(n)))
    if share < 0.05:
        return QUIET
    severity: Severity = "warning" if share > 1.5 * earlier else "note"
    text = f"Reads and writes of temporary segments: {percent(earlier)} → {percent(share)} of DB time."
    return Said("Work spills to disk.", text, tuple(e.evidence() for e in found), severity=severity)

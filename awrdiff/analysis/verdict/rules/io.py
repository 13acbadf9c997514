"""Reads, their latency, and spills to temporary segments.

Source: Oracle Database Performance Tuning Guide, buffer cache, PGA memory, ADDM: DBIO_EXPECTED; Reference, wait events.
"""

from __future__ import annotations

from awrdiff.analysis.figures_in_words import change, number, seconds
from awrdiff.analysis.model.comparison import Range, Subject
from awrdiff.analysis.report.figures_by_name import Side
from awrdiff.analysis.verdict.capacity_limits import saturated_host
from awrdiff.analysis.verdict.rule_inputs import FactsOfOne, FactsOfTwo, FirstSecond, row
from awrdiff.analysis.verdict.rule_result import QUIET, WAITS, WORK, Contradicted, Observation, RuleResult, Unknown
from awrdiff.analysis.verdict.rules import finding_sizes
from awrdiff.analysis.verdict.rules.storage import (
    READ_S,
    READS,
    READS_SUBJECT,
    average_text,
    least_average,
    reads_of,
    size_text,
)
from awrdiff.analysis.verdict.thresholds import FELT, FEWEST

TEMP_EVENTS = ("direct path read temp", "direct path write temp")
TEMP_BLOCKS = ("physical reads direct temporary tablespace", "physical writes direct temporary tablespace")
_MORE_SPILLS, _LESS_SPILLS = "More work spills to disk.", "Less work spills to disk."
_LEAST_READS = 100  # blocks per second
_MANY = 1.5  # more and fewer are said from here on, of the thing itself


def physical_reads(facts: FactsOfTwo) -> RuleResult:
    """{_LEAST_READS} blocks read per second, moved by half, and by a factor of two against every measure of work."""
    reads = facts.rate("physical reads", "Physical read (blocks)", "Physical reads")
    if reads is None or reads.factor is None:
        return Unknown("physical reads")
    units = facts.per_unit(reads.factor)
    if units is None:
        return WORK
    if max(reads.first, reads.second) < _LEAST_READS or 1 / _MANY < reads.factor < _MANY:
        return QUIET
    middle = reads.factor / (facts.work_factor(reads.factor) or 1.0)
    if units.low < 2 and units.high > 0.5:  # one measure moved along: no more than the work asked for
        nearest = min(units.ratios, key=lambda n: abs(units.ratios[n] - 1))
        return Contradicted(f"{nearest} moved along") if not 0.5 < middle < 2 else QUIET
    grew = units.low >= 2
    if grew != (reads.factor > 1):
        return QUIET
    sessions = finding_sizes.sessions_waiting(facts, is_read)
    text = f"{number(reads.first)} → {number(reads.second)} blocks read per second"
    if all(map(facts.is_comparable, (reads.factor, units.low, units.high))):
        text += f" ({change(reads.first, reads.second)}): {units.text()}"
    text += f". Sessions wait for reads: {finding_sizes.text(sessions)}."
    are_timed = bool(facts.first.foreground and facts.second.foreground)
    waits = finding_sizes.rows_of(*(finding_sizes.events_named(s, is_read)[:2] for s in (facts.second, facts.first)))
    return Observation(
        "More physical reads." if grew else "Fewer physical reads.",
        text,
        (row("instance_activity", "physical reads", "total"), *waits),
        sessions if are_timed else None,
        Subject("storage", "reads"),
        finding_sizes.tone(sessions) if (sessions.change > 0) == grew else "neutral",
    )


def is_read(name: str) -> bool:
    return name.startswith(("db file", "direct path read", "read by other session", "cell ")) and "write" not in name


def read_latency_of_two(facts: FactsOfTwo) -> RuleResult:
    """Single-block reads, {FELT:%} of DB time on a side and {FEWEST} on each, became slower or faster by a quarter."""
    if not (facts.first.foreground and facts.second.foreground):
        return WAITS
    for name in READS:
        a, b = facts.first.foreground.get(name), facts.second.foreground.get(name)
        if a is None or b is None or a.average is None or b.average is None:
            continue
        share = max(facts.first.share_of_db_time(a.total) or 0.0, facts.second.share_of_db_time(b.total) or 0.0)
        two = FirstSecond(a.average.number, b.average.number)
        apart = a.average.high < b.average.low or b.average.high < a.average.low
        few = any(e.waits is not None and e.waits.number < FEWEST for e in (a, b))
        if few or share < FELT or not apart or two.factor is None or 1 / 1.25 < two.factor < 1.25:
            return QUIET  # a quarter: what cached and uncached blocks differ by from hour to hour
        slower = two.factor > 1
        text = f"{name}: {seconds(two.first)} → {seconds(two.second)} per read ({change(two.first, two.second)})"
        sessions = finding_sizes.sessions_waiting(facts, lambda event, n=name: event == n)  # type: ignore[misc]
        title = f"Single-block reads {facts.became('slower' if slower else 'faster')}."
        change_text = f"{text}; {finding_sizes.text(sessions)}."
        tone = finding_sizes.tone_of(sessions, "worse" if slower else "better")
        return Observation(title, change_text, (b.evidence("avg_wait_s"),), sessions, Subject("storage", "reads"), tone)
    return QUIET


def read_latency_of_one(facts: FactsOfOne) -> RuleResult:
    """A single-block read takes over {READ_S:s}; such reads are {FELT:%} of DB time, the host not saturated."""
    if not facts.side.foreground:
        return WAITS
    event = reads_of(facts)
    if event is None or least_average(event) <= READ_S:
        return QUIET
    if busy := saturated_host(facts.side):
        return Contradicted(busy)
    sessions, average = facts.sessions_in(event.total) or Range(0.0, 0.0), event.average_s or 0.0
    beyond = 1 - READ_S / average
    text = f"{event.name}: {seconds(average)} per read on average, {size_text(facts, sessions)}; what is beyond "
    text += (
        f"{seconds(READ_S)} of each read is {number(beyond * (finding_sizes.middle(sessions) or 0.0))} active sessions."
    )
    return Observation(
        "Single-block reads are slow.",
        text,
        (event.evidence("avg_wait_s"),),
        Range(sessions.low * beyond, sessions.high * beyond),
        READS_SUBJECT,
        tone="worse",
        explains=("top-wait",),
    )


def temp_io_of_two(facts: FactsOfTwo) -> RuleResult:
    """Waits for temporary segments, {FELT:%} of DB time on a side; more spills only from {_MANY} times on."""
    if not facts.second.foreground or not facts.first.foreground:
        return WAITS
    sessions = finding_sizes.sessions_waiting(facts, TEMP_EVENTS.__contains__)
    shares = finding_sizes.shares_of(facts, sessions)
    before, now = (finding_sizes.events_named(s, TEMP_EVENTS.__contains__) for s in facts.sides)
    if not (before or now) or finding_sizes.most(shares) < FELT:
        return QUIET
    a, b = _temp(facts.first), _temp(facts.second)
    evidence = finding_sizes.rows_of(now, before)
    names = {e.name for e in (*before, *now)}
    which, done = ("Writes", "written") if TEMP_EVENTS[1] in names else ("Reads", "read")
    if len(names) > 1:
        which, done = "Reads and writes", "read and written"
    text = f"{which} of temporary segments: {finding_sizes.text(sessions)}"
    if a is None or b is None:
        return Observation(
            "Work uses temporary segments.", f"{text}.", evidence, sessions, TEMP, finding_sizes.tone(sessions)
        )
    text += f"; {number(a[0])} → {number(b[0])} per second"
    text += f", {seconds(a[1])} → {seconds(b[1])} each" if a[1] and b[1] else ""
    if b[0] > 0 and b[0] >= _MANY * a[0]:
        title = _MORE_SPILLS
    elif a[1] > 0 and b[1] / a[1] >= 1.25:
        title = f"Temporary segments are {done} more slowly."
    else:
        title = _LESS_SPILLS if b[0] * _MANY <= a[0] else "Work uses temporary segments."
    reads, writes = (facts.rate(name) for name in TEMP_BLOCKS)
    if reads is not None and writes is not None:  # waits count direct reads and writes in part only
        before_blocks, blocks = reads.first + writes.first, reads.second + writes.second
        is_fewer = title == _MORE_SPILLS and blocks < _MANY * before_blocks
        if is_fewer or (title == _LESS_SPILLS and blocks * _MANY > before_blocks):
            title = f"Sessions wait {'more' if sessions.change > 0 else 'less'} for temporary segments."
            text += f"; {number(before_blocks)} → {number(blocks)} blocks per second"
            evidence = (*evidence, *(row("instance_activity", name, "total") for name in TEMP_BLOCKS))
    return Observation(title, f"{text}.", evidence, sessions, TEMP, finding_sizes.tone(sessions))


def temp_io_of_one(facts: FactsOfOne) -> RuleResult:
    """Waits for temporary segments of {FELT:%} of DB time."""
    if not facts.side.foreground:
        return WAITS
    events = finding_sizes.events_named(facts.side, TEMP_EVENTS.__contains__)
    sessions = finding_sizes.waits(facts.side, TEMP_EVENTS.__contains__)
    if not events or (facts.share(sessions) or 0.0) < FELT:
        return QUIET
    each = ", ".join(f"{e.name} {average_text(e)} each" for e in events if e.average)
    text = "Sorts, hashes, builds of indexes and temporary tables that memory does not hold: "
    text += f"{size_text(facts, sessions)}{f' ({each})' if each else ''}."
    return Observation("Work spills to temporary segments.", text, finding_sizes.rows_of(events), sessions, TEMP)


TEMP = Subject("storage", "temporary segments")


def _temp(side: Side) -> tuple[float, float] | None:
    """(reads and writes per second, seconds of one)"""
    events = finding_sizes.events_named(side, TEMP_EVENTS.__contains__)
    if side.elapsed is None or any(e.waits is None for e in events) or (not events and side.foreground_is_partial):
        return None
    waits = sum(e.waits.number for e in events if e.waits)
    return waits / side.elapsed.number, sum(e.total.number for e in events) / waits if waits else 0.0

"""Storage in one report: how long reads and writes take, and what spills to disk."""

from __future__ import annotations

from awrdiff.analysis.commit_latency.histograms import distribution_of
from awrdiff.analysis.model.comparison import Range, Subject
from awrdiff.analysis.report.side import Event
from awrdiff.analysis.verdict.answer import QUIET, WAITS, Answer, Contradicted, Observation, Unknown
from awrdiff.analysis.verdict.rules import sizes
from awrdiff.analysis.verdict.rules.cpu import SATURATED
from awrdiff.analysis.verdict.rules.io import READ_EVENTS, TEMP, TEMP_EVENTS
from awrdiff.analysis.verdict.rules.storage import (
    KINDS,
    SLOW_S,
    TAIL,
    TOGETHER,
    average_of,
    average_said,
    felt,
    least_average,
    write_of,
)
from awrdiff.analysis.verdict.single.facts import Alone
from awrdiff.analysis.words import number, percent, seconds

_SHARE = 0.05  # of DB time
_READ_S = 0.010  # what ADDM expects of a single-block read (DBIO_EXPECTED)
_READS = Subject("storage", "reads")


def read_latency(alone: Alone) -> Answer:
    """A single-block read takes more than 10 ms on average, where such reads are 5 % of DB time.

    That is what ADDM expects of one (DBIO_EXPECTED); its size is what the reads take beyond it. On a saturated host
    every wait ends late: not said there.

    Source: Oracle Database Performance Tuning Guide, ADDM: DBIO_EXPECTED is 10 ms unless set.
    """
    if not alone.side.foreground:
        return WAITS
    event = _reads(alone)
    if event is None or least_average(event) <= _READ_S:
        return QUIET
    busy = alone.side.host_busy_pct or 0.0
    if busy >= SATURATED:
        return Contradicted(f"BUSY_TIME: the host is {percent(busy / 100)} busy")
    sessions, average = alone.spent(event.total) or Range(0.0, 0.0), average_of(event)
    beyond = 1 - _READ_S / average
    text = f"{event.name}: {seconds(average)} per read on average, {_of(alone, sessions)}; what is beyond "
    text += f"{seconds(_READ_S)} of each read is {number(beyond * (sizes.middle(sessions) or 0.0))} active sessions."
    return Observation(
        "Single-block reads are slow.",
        text,
        (event.evidence("avg_wait_s"),),
        Range(sessions.low * beyond, sessions.high * beyond),
        _READS,
        tone="worse",
        explains=("top-wait",),
    )


def _reads(alone: Alone) -> Event | None:
    """Single-block reads, where they are worth a word."""
    events = (alone.side.foreground.get(name) for name in READ_EVENTS)
    return next((e for e in events if e and (alone.side.share_of_db_time(e.total) or 0.0) >= _SHARE), None)


def _of(alone: Alone, sessions: Range | None) -> str:
    return (
        f"{number(sizes.middle(sessions) or 0.0)} active sessions, {percent(alone.share(sessions) or 0.0)} of DB time"
    )


def read_tail(alone: Alone) -> Answer:
    """At least 1 % of the single-block reads took over 32 ms, where such reads are 5 % of DB time.

    From the histogram: an average hides some reads of a second among many of half a millisecond. Quiet where the
    average itself is too long.

    Source: Oracle Database Reference, V$EVENT_HISTOGRAM; docs/commit-latency.md, section 4.
    """
    event = _reads(alone)
    if event is None:
        return QUIET if alone.side.foreground else WAITS
    found = distribution_of(alone.side.report, event.name)
    if found is None or found.over_32ms is None:
        return Unknown(f"Wait Event Histogram: {event.name}")
    if found.over_32ms.low < TAIL or least_average(event) > _READ_S:
        return QUIET
    sessions = alone.spent(event.total)
    text = f"{event.name}: {percent(found.over_32ms.value)} of the reads took over 32 ms, beside an average of "
    text += f"{seconds(average_of(event))}; all of them are {_of(alone, sessions)}."
    evidence = (found.evidence, event.evidence("avg_wait_s"))
    return Observation("Some single-block reads take long.", text, evidence, sessions, _READS)


def temp_io(alone: Alone) -> Answer:
    """Waits for temporary segments of 5 % of DB time.

    Source: Oracle Database Performance Tuning Guide, PGA memory: work areas.
    """
    if not alone.side.foreground:
        return WAITS
    events = sizes.chosen(alone.side, TEMP_EVENTS.__contains__)
    sessions = sizes.waits(alone.side, TEMP_EVENTS.__contains__)
    if not events or (alone.share(sessions) or 0.0) < _SHARE:
        return QUIET
    each = ", ".join(f"{e.name} {average_said(e)} each" for e in events if e.average)
    text = f"Sorts, hashes, builds of indexes and temporary tables that memory does not hold: {_of(alone, sessions)}"
    text += f" ({each})." if each else "."
    return Observation("Work spills to temporary segments.", text, sizes.rows_of(events), sessions, TEMP)


def writes_together(alone: Alone) -> Answer:
    """Three kinds of writes take more than 20 ms on average: one storage behind them.

    Not said of a saturated host, where every wait ends late because its process gets no CPU.

    Source: real reports of one cluster: five kinds of writes at 0.3 to 2.3 s together.
    """
    events = [e for kind in KINDS if (e := write_of(alone.side, kind))]
    if not events:
        return Unknown("Background Wait Events: kinds of writes")
    slow = [e for e in events if least_average(e) > SLOW_S]
    if len(slow) < TOGETHER:
        return QUIET
    busy = alone.side.host_busy_pct or 0.0
    if busy >= SATURATED:
        return Contradicted(f"BUSY_TIME: the host is {percent(busy / 100)} busy")
    sessions = sizes.waits(alone.side, felt)
    text = f"{'; '.join(f'{e.name} {average_said(e)}' for e in slow)} on average. "
    text += f"Sessions wait for writes: {_of(alone, sessions)}."
    title = f"Writes of {'every kind' if len(slow) == len(events) else f'{len(slow)} kinds'} are slow."
    return Observation(
        title,
        text,
        sizes.rows_of(slow),
        sessions,
        Subject("storage", "writes"),
        tone="worse",
        explains=("commit-latency", "temp-io", "log-file-switch"),
    )


def is_told(alone: Alone, name: str) -> bool:
    """Whether a rule of this file speaks of the event."""
    return name in TEMP_EVENTS and isinstance(temp_io(alone), Observation)

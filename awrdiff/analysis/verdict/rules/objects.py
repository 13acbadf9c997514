"""Which object sessions contend for, or read and write most: a segment that stands for most of what waits are about.

Oracle counts waits, reads and writes by segment, not their time; the time of an object is that of the events times its
share of the count. Of waits, reports print the share of what was captured in segments, of the rest the share of all.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from awrdiff.analysis.model.comparison import Evidence, Range, Sessions, Subject, Tone
from awrdiff.analysis.report.side import Event, Side
from awrdiff.analysis.report.statements import Statement
from awrdiff.analysis.rows.align import anchor, common_key
from awrdiff.analysis.rows.deltas import rate
from awrdiff.analysis.verdict.rules.facts import QUIET, Answer, Facts, Forbidden, Quiet, Said, Unknown
from awrdiff.analysis.verdict.rules.waits import shown
from awrdiff.analysis.words import listing, number, percent
from parsers.model import Row, Section
from parsers.sections.registry import REGISTRY

OF_DB_TIME = 0.05  # what less is waited for is not worth an object's name
OF_CAPTURED = 0.5  # one segment with less is not "the" object
MOVED = 1.25
_ALL = 0.995  # of the time of events: the rest would not show in the figure
_CAPTURED = re.compile(r"captured segments account for\s+([\d.]+)\s*%", re.IGNORECASE)
_MOST = 2  # statements


@dataclass(frozen=True, slots=True)
class Contention:
    """Events that are waited for on segments of one list. `events`: beginnings of their names."""

    rule: str  # what is said of the events themselves
    what: str
    events: tuple[str, ...]
    section: str
    column: str
    but: str = "\n"  # events with this in their name are about something else

    def of(self, side: Side) -> list[Event]:
        return [e for n, e in side.foreground.items() if n.startswith(self.events) and self.but not in n]

    def share(self, side: Side) -> float:
        """Of DB time, 0..1."""
        return sum(side.share_of_db_time(e.total) or 0.0 for e in self.of(side))


CONTENTION = (
    Contention(
        "row-locks",
        "row lock waits",
        ("enq: tx - row lock contention",),
        "segments_by_row_lock_waits",
        "row_lock_waits",
    ),
    Contention("", "ITL waits", ("enq: tx - allocate itl entry",), "segments_by_itl_waits", "itl_waits"),
    Contention(
        "buffer-busy",
        "buffer busy waits",
        ("buffer busy waits", "read by other session", "enq: tx - index contention"),
        "segments_by_buffer_busy_waits",
        "buffer_busy_waits",
    ),
    Contention(
        "interconnect",
        "global cache buffer busy waits",
        ("gc buffer busy",),
        "segments_by_gc_buffer_busy",
        "gc_buffer_busy",
    ),
    Contention(
        "interconnect",
        "blocks received for consistent reads",
        ("gc cr ",),
        "segments_by_cr_blocks_received",
        "cr_blocks_received",
    ),
    Contention(
        "interconnect",
        "current blocks received",
        ("gc current ",),
        "segments_by_current_blocks_received",
        "current_blocks_received",
    ),
)
READS_AND_WRITES = (
    Contention(
        "read-latency",
        "physical reads",
        (
            "db file sequential read",
            "db file scattered read",
            "db file parallel read",
            "direct path read",
            "cell single block",
            "cell multiblock",
            "cell smart table",
        ),
        "segments_by_physical_reads",
        "physical_reads",
        but="temp",
    ),
    Contention(
        "",
        "physical writes",
        ("direct path write", "free buffer waits"),
        "segments_by_physical_writes",
        "physical_writes",
        but="temp",
    ),
)


@dataclass(frozen=True, slots=True)
class Segments:
    """An object's rows of one list: its partitions together. `share` (0..1) as printed, `count` added up."""

    name: str  # OWNER.NAME
    share: float
    count: float
    row: Row


def hot_object(facts: Facts) -> Answer:
    """Sessions wait for each other for 5 % of a side's DB time, and one object has half of what was counted.

    With less than half no object is "the" hot one: the waits are spread.
    """
    return _first_of(facts, CONTENTION)


def hot_object_io(facts: Facts) -> Answer:
    """The same of reads and writes.

    Forbidden where the list holds less than half of them all, and one object most of that little.
    """
    return _first_of(facts, READS_AND_WRITES)


def _first_of(facts: Facts, contentions: Iterable[Contention]) -> Answer:
    """All that is said; else why not."""
    if not facts.first.foreground or not facts.second.foreground:
        return Unknown("wait events of both sides")
    answers = [_answer(facts, c) for c in contentions]
    said = tuple(a for a in answers if isinstance(a, Said))
    if said:
        return said
    for kind in (Forbidden, Unknown):
        found = next((a for a in answers if isinstance(a, kind)), None)
        if found is not None:
            return found
    return QUIET


def _answer(facts: Facts, contention: Contention) -> Answer:
    """Of Second where it waits there, else of First."""
    for name, side in (("Second", facts.second), ("First", facts.first)):
        if contention.share(side) < OF_DB_TIME:
            continue
        largest = hottest(side, contention, f" of {name}")
        return _said(facts, contention, name, largest) if isinstance(largest, Segments) else largest
    return QUIET


def hottest(side: Side, contention: Contention, which: str = "") -> Segments | Quiet | Forbidden | Unknown:
    """The object that most of it is about; `which`: of which report, for the words of why not."""
    section = side.report.section(contention.section)
    if section is None or not section.records:
        return Unknown(f"{REGISTRY.by_id[contention.section].title}{which}")
    largest = max(objects_of(section, contention.column), key=lambda o: o.share, default=None)
    if largest is None or largest.share >= OF_CAPTURED:
        return largest or QUIET
    captured = captured_share(section)
    if captured is None or captured >= OF_CAPTURED or largest.share < OF_CAPTURED * captured:
        return QUIET
    return Forbidden(f"{contention.section}{which}: captured segments account for {percent(captured)} of the total")


def captured_share(section: Section) -> float | None:
    """Share (0..1) of the total that all listed segments are; None where shares are of what was captured."""
    return next((float(m[1]) / 100 for note in section.notes if (m := _CAPTURED.search(note))), None)


def objects_of(section: Section, column: str) -> Iterable[Segments]:
    """The list by object: partitions of one table are one. Objects without a name are left out."""
    rows: dict[str, list[Row]] = defaultdict(list)
    for record in section.records:
        owner, name = section.text(record, "owner"), section.text(record, "object_name")
        if name and "**" not in f"{owner}{name}":
            rows[f"{owner}.{name}" if owner else name].append(record)
    for key, records in rows.items():
        shares = [v.number / 100 for r in records if (v := section.number(r, "pct_total")) is not None]
        counts = [v.number for r in records if (v := section.number(r, column)) is not None]
        yield Segments(key, sum(shares), sum(counts), records[0])


def _said(facts: Facts, contention: Contention, name: str, largest: Segments) -> Said:
    side = facts.second if name == "Second" else facts.first
    sessions = Sessions(
        sessions_on(facts.first, contention, largest.name), sessions_on(facts.second, contention, largest.name)
    )
    return Said(
        f"Most {contention.what} {'are' if name == 'Second' else 'of First were'} on {largest.name}.",
        told(side, contention, largest, f" of {name}"),
        _evidence(facts, side, contention, largest),
        sessions=sessions,
        subject=Subject("object", largest.name),
        tone=_tone(sessions),
        explains=(contention.rule,) if contention.rule else (),
    )


def told(side: Side, contention: Contention, largest: Segments, which: str = "") -> str:
    """How much of it is on the object, what it takes, and which statements name the object."""
    events = longest(side, contention)
    took = sum(side.per_second(e.total) or 0.0 for e in events)
    of = "" if captured_share(_section(side, contention)) is not None else " that were captured by segment"
    text = (
        f"{number(largest.count)} {contention.what}{which}, {percent(largest.share)} of all{of}; "
        f"{shown(_most_of(events))} took {number(took)} active sessions, "
        f"{percent(contention.share(side))} of DB time."
    )
    named = statements_on(side, largest.name, [e.name for e in events])
    if named:
        text += f" The object is named by {listing([s.key.sql_id for s in named])} ({_beginning(named[0])})."
    return text


def _most_of(events: Sequence[Event]) -> list[str]:
    """The longest, until next to nothing of their time is left out."""
    whole, told = sum(e.total.number for e in events), 0.0
    names: list[str] = []
    for event in events:
        if names and told >= _ALL * whole:
            break
        names.append(event.name)
        told += event.total.number
    return names


def longest(side: Side, contention: Contention) -> list[Event]:
    return sorted(contention.of(side), key=lambda e: -e.total.number)


def _section(side: Side, contention: Contention) -> Section:
    section = side.report.section(contention.section)
    if section is None:
        raise LookupError(contention.section)
    return section


def sessions_on(side: Side, contention: Contention, name: str) -> Range | None:
    """The events' time times the object's share of the count; where it is not listed, at most that of the last."""
    section = side.report.section(contention.section)
    if side.elapsed is None or section is None:
        return None
    rates = [rate(e.total, side.elapsed) for e in contention.of(side)]
    low, high = sum(max(r.low, 0.0) for r in rates), sum(r.high for r in rates)
    listed = list(objects_of(section, contention.column))
    own = next((o.share for o in listed if o.name == name), None)
    if own is None:
        return Range(0.0, high * min((o.share for o in listed), default=1.0))
    return Range(low * min(own, 1.0), high * min(own, 1.0))


def _tone(sessions: Sessions) -> Tone:
    a, b = sessions.first, sessions.second
    if a is None or b is None:
        return "neutral"
    return "worse" if b.low > MOVED * a.high else "better" if a.low > MOVED * b.high else "neutral"


def statements_on(side: Side, name: str, events: Iterable[str]) -> list[Statement]:
    """Statements of a side whose text names the object, first those that were sampled waiting for the events."""
    table = name.rpartition(".")[2]
    word, upper = re.compile(rf"(?<![\w$#]){re.escape(table)}(?![\w$#])", re.IGNORECASE), table.upper()
    found = [s for s in side.statements.values() if upper in s.text.upper() and word.search(s.text)]
    waiting = {e.lower() for e in events}

    def size(statement: Statement) -> tuple[float, float]:
        sampled = sum(p for e, p in statement.waits.items() if e.lower() in waiting)
        return -sampled, -(statement.elapsed.number if statement.elapsed else 0.0)

    return sorted(found, key=size)[:_MOST]


def _beginning(statement: Statement) -> str:
    text = " ".join(statement.text.split())
    return text if len(text) <= 60 else f"{text[:60].rstrip()} …"


def _evidence(facts: Facts, side: Side, contention: Contention, largest: Segments) -> tuple[Evidence, ...]:
    key = common_key(*(s.report.section(contention.section) for s in (facts.first, facts.second)))
    return (segment_row(side, contention, largest, key), longest(side, contention)[0].evidence())


def segment_row(side: Side, contention: Contention, largest: Segments, key: Iterable[str] | None = None) -> Evidence:
    """`key`: the columns that two compared reports have in common; else all of the section's own."""
    section = _section(side, contention)
    parts = [section.text(largest.row, c) for c in (section.key if key is None else key) if c in section.index]
    return Evidence(contention.section, largest.name, contention.column, anchor(contention.section, *parts))


__all__ = [
    "CONTENTION",
    "READS_AND_WRITES",
    "Contention",
    "Segments",
    "captured_share",
    "hot_object",
    "hot_object_io",
    "objects_of",
    "statements_on",
]

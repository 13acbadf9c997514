"""Segments with most of the contention, reads or writes. Time is the events' by share of waits, as Oracle times no
segment.

Source: Oracle Database Reference, V$SEGMENT_STATISTICS.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

from msgspec import Struct
from msgspec.structs import replace

from awrdiff.analysis.commit_latency.histograms import distribution_of, least_time
from awrdiff.analysis.figures_in_words import listing, number, percent
from awrdiff.analysis.model.commit_latency import Distribution
from awrdiff.analysis.model.comparison import Evidence, Range, Sessions, Subject, Tone
from awrdiff.analysis.report.figures_by_name import Event, Side, once_per_side
from awrdiff.analysis.report.rac_cluster_figures import captured_share
from awrdiff.analysis.report.segments import (
    SegmentList,
    Segments,
    elsewhere_at_most,
    is_material,
    is_separate,
    objects_of,
    whole_of,
)
from awrdiff.analysis.report.sql_statements import Statement
from awrdiff.analysis.rows.align import anchor, common_key
from awrdiff.analysis.verdict.rule_inputs import Facts
from awrdiff.analysis.verdict.rule_result import QUIET, Contradicted, Observation, Quiet, RuleResult, Unknown
from awrdiff.analysis.verdict.rules import finding_sizes
from awrdiff.analysis.verdict.rules.waits import names_text
from awrdiff.analysis.verdict.thresholds import FELT
from parsers.model import Value
from parsers.sections.registry import REGISTRY

OF_CAPTURED = 0.5  # one segment with less is not "the" object
GROWTH = 1.25
_WAITS_EACH = 1.1  # a wait for reads of a block or more: more waits than that are for other reads
_ALL = 0.995  # of the time of events: the rest would not show in the figure
_NEARLY_ALL = 0.9
_NEXT = 0.25  # of all: an object that is named beside the largest
_MOST = 2  # statements
_MUCH = 0.5  # of the time of events, in one statement
# A statement that waited for less of all I/O is not who reads, unless it does hardly anything else: one of many alike.
_OF_IO, _OF_ITSELF = 0.1, 0.5


class Contention(Struct, frozen=True):
    """`events`: starts of names. `alike`: waits last alike on all segments."""

    rule: str  # what is said of the events themselves
    what: str
    events: tuple[str, ...]
    counter: SegmentList
    but: str = "\n"  # events with this in their name are about something else
    alike: bool = True

    def of(self, side: Side) -> list[Event]:
        return [e for n, e in side.foreground.items() if n.startswith(self.events) and self.but not in n]

    def share(self, side: Side) -> float:
        """Share (0..1) of DB time."""
        return sum(side.share_of_db_time(e.total) or 0.0 for e in self.of(side))

    @property
    def counts(self) -> str:
        """Noun of the count; a read may have many blocks."""
        return f"blocks in {self.what}" if self.counter.column in _IN_BLOCKS else self.what


_IN_BLOCKS = {"physical_reads", "direct_reads", "physical_writes", "direct_writes"}
CONTENTION = (
    Contention(
        "row-locks",
        "row lock waits",
        ("enq: tx - row lock contention",),
        SegmentList("segments_by_row_lock_waits", "row_lock_waits"),
        alike=False,
    ),
    Contention(
        "",
        "ITL waits",
        ("enq: tx - allocate itl entry",),
        SegmentList("segments_by_itl_waits", "itl_waits"),
        alike=False,
    ),
    Contention(
        "buffer-busy",
        "buffer busy waits",
        ("buffer busy waits",),  # alone: the list holds no read by other session in any of 19 real reports
        SegmentList("segments_by_buffer_busy_waits", "buffer_busy_waits"),
    ),
    Contention(
        "interconnect",
        "global cache buffer busy waits",
        ("gc buffer busy",),
        SegmentList("segments_by_gc_buffer_busy", "gc_buffer_busy"),
    ),
    Contention(
        "interconnect",
        "blocks received for consistent reads",
        ("gc cr ",),
        SegmentList("segments_by_cr_blocks_received", "cr_blocks_received"),
    ),
    Contention(
        "interconnect",
        "current blocks received",
        ("gc current ",),
        SegmentList("segments_by_current_blocks_received", "current_blocks_received"),
    ),
)
_DIRECT_READS = SegmentList(
    "segments_by_direct_physical_reads",
    "direct_reads",
    "physical reads direct",
    temporary="physical reads direct temporary tablespace",
)
_DIRECT_WRITES = SegmentList(
    "segments_by_direct_physical_writes",
    "direct_writes",
    "physical writes direct",
    temporary="physical writes direct temporary tablespace",
)
_READS = SegmentList("segments_by_physical_reads", "physical_reads", "physical reads")
_CACHED = (
    "db file sequential read",
    "db file scattered read",
    "db file parallel read",
    "cell single block",
    "cell multiblock",
)
_DIRECT = ("direct path read", "cell smart table")
_OF_ALL_READS = Contention("read-latency", "physical reads", (*_CACHED, *_DIRECT), _READS, but="temp")
_OF_CACHED_READS = Contention(
    "read-latency", "reads through the buffer cache", _CACHED, replace(_READS, less=_DIRECT_READS)
)
_OF_DIRECT_READS = Contention("", "direct path reads", _DIRECT, _DIRECT_READS, but="temp")
_WRITES = (
    Contention("", "direct path writes", ("direct path write",), _DIRECT_WRITES, but="temp"),
    Contention(
        "", "physical writes", ("free buffer waits",), SegmentList("segments_by_physical_writes", "physical_writes")
    ),
)


def reads_and_writes(*sides: Side) -> tuple[Contention, ...]:
    if any(is_material(side, _DIRECT_READS, _READS) or _OF_DIRECT_READS.share(side) >= FELT for side in sides):
        return (_OF_CACHED_READS, _OF_DIRECT_READS, *_WRITES)
    return (_OF_ALL_READS, *_WRITES)


def hot_object(facts: Facts) -> RuleResult:
    """Sessions wait for each other for {FELT:%} of a side's DB time; one object has {OF_CAPTURED:%} of them."""
    return _first_of(facts, CONTENTION, "worse")


def hot_object_io(facts: Facts) -> RuleResult:
    """Sessions wait for I/O for {FELT:%} of a side's DB time; one object has {OF_CAPTURED:%} of them."""
    return _first_of(facts, reads_and_writes(*facts.sides), "neutral")


def _first_of(facts: Facts, contentions: Iterable[Contention], tone: Tone) -> RuleResult:
    if not all(side.foreground for side in facts.sides):
        return Unknown("wait events of both sides" if len(facts.sides) > 1 else "wait events")
    answers: list[RuleResult] = []
    for contention in contentions:
        side = next((side for side in reversed(facts.sides) if contention.share(side) >= FELT), None)
        if side is not None:
            largest = hottest(side, contention, _which(facts, side))
            of = _object(facts, side, contention, largest, tone) if isinstance(largest, Segments) else largest
            answers.append(of)
    observations = tuple(a for a in answers if isinstance(a, Observation))
    return observations or next((a for kind in (Contradicted, Unknown) for a in answers if isinstance(a, kind)), QUIET)


def _which(facts: Facts, side: Side) -> str:
    return f" of {'Second' if side is facts.sides[1] else 'First'}" if len(facts.sides) > 1 else ""


def hottest(side: Side, contention: Contention, which: str = "") -> Segments | Quiet | Contradicted | Unknown:
    """`which`: report named in the reasons against."""
    counter = contention.counter
    section = side.section(counter.section)
    if section is None or not section.records:
        return Unknown(f"{REGISTRY.by_id[counter.section].title}{which}")
    if not is_separate(side, counter):
        return Unknown(f"which physical reads{which} are by direct path")
    if not _are_of_them(side, contention):
        waits, blocks = number(_waits(side, contention)), number(whole_of(side, counter))
        return Contradicted(f"{counter.section}{which}: {waits} waits for {blocks} {contention.counts}")
    largest = max(objects_of(side, counter).values(), key=lambda o: o.share, default=None)
    if largest is None or largest.share >= OF_CAPTURED:
        return largest or QUIET
    captured = captured_share(section)
    if captured is None or captured >= OF_CAPTURED or largest.share < OF_CAPTURED * captured:
        return QUIET
    return Contradicted(f"{counter.section}{which}: captured segments account for {percent(captured)} of the total")


def _object(facts: Facts, side: Side, contention: Contention, largest: Segments, tone: Tone) -> Observation:
    sessions = finding_sizes.of_sides([SegmentWaits(s, contention).sessions_on(largest.name) for s in facts.sides])
    key = common_key(*(s.section(contention.counter.section) for s in facts.sides)) if len(facts.sides) > 1 else None
    # count alone where samples place their time elsewhere
    most = "By number most" if _sampled_elsewhere(side, contention, largest) else "Most"
    are = "are" if side is facts.sides[-1] else "of First were"
    return Observation(
        f"{most} {contention.what} {are} on {largest.name}.",
        object_text(side, contention, largest, _which(facts, side)),
        (segment_row(side, contention, largest, key), longest(side, contention)[0].evidence()),
        sessions,
        Subject("object", largest.name),
        _tone(sessions) if isinstance(sessions, Sessions) else tone,
        explains=(contention.rule,) if contention.rule else (),
    )


def object_text(side: Side, contention: Contention, largest: Segments, which: str = "") -> str:
    events = longest(side, contention)
    took = sum(side.per_second(e.total) or 0.0 for e in events)
    elsewhere = _sampled_elsewhere(side, contention, largest)
    apart = contention.counter.less is not None  # its shares are reckoned with the statistics of all
    section = side.section(contention.counter.section)
    is_whole = apart or (section is not None and captured_share(section) is not None)
    of = "" if is_whole else " that were captured by segment"
    least = "at least " if apart and largest.at_most > largest.share else ""
    whole, summed = sum(e.total.number for e in events), 0.0
    names: list[str] = []
    for event in events:
        if names and summed >= _ALL * whole:
            break
        names.append(event.name)
        summed += event.total.number
    rivals = [o for o in objects_of(side, contention.counter).values() if o.name != largest.name]
    second = max(rivals, key=lambda o: o.share, default=None)
    beside = f" ({second.name}: {percent(second.share)})" if second is not None and second.share >= _NEXT else ""
    text = (
        f"{least}{number(largest.count)} {contention.counts}{which}, {percent(largest.share)} of all{of}"
        f"{beside}; {names_text(names)} took {number(took)} active sessions, "
        f"{percent(contention.share(side))} of DB time{' on all objects' if largest.share < _NEARLY_ALL else ''}."
    )
    if not contention.alike and largest.share < 1:
        text += f" How long those on the object took is not printed{elsewhere}."
    statements = statements_on(side, contention, largest.name)
    if statements and not elsewhere:
        beginning = " ".join(statements[0].text.split())
        beginning = beginning if len(beginning) <= 60 else f"{beginning[:60].rstrip()} …"
        text += f" The object is named by {listing([s.key.sql_id for s in statements])} ({beginning})."
    return text


def _sampled_elsewhere(side: Side, contention: Contention, largest: Segments) -> str:
    if contention.alike or largest.share >= 1:
        return ""
    events = contention.of(side)
    waiting = {e.name.lower() for e in events}
    shares = [(sum(p for e, p in s.waits.items() if e.lower() in waiting) / 100, s) for s in side.statements.values()]
    share, most = max(shares, key=lambda share_and_statement: share_and_statement[0], default=(0.0, None))
    whole = sum(side.share_of_db_time(e.total) or 0.0 for e in events)
    if most is None or not most.text or share < _MUCH * whole or word_of(largest.name).search(most.text):
        return ""
    return f"; {percent(share)} of the samples are of {most.key.sql_id} waiting so, whose text does not name it"


def longest(side: Side, contention: Contention) -> list[Event]:
    return sorted(contention.of(side), key=lambda e: -e.total.number)


class SegmentWaits(Struct, frozen=True, dict=True):
    """Waits on a list's segments, for all objects."""

    side: Side
    contention: Contention

    @cached_property
    def objects(self) -> Mapping[str, Segments]:
        return objects_of(self.side, self.contention.counter)

    def sessions_on(self, name: str) -> Range | None:
        """Unlisted: at most the last one's share of waits."""
        if self.side.elapsed is None or not self._tells_time:
            return None
        own = self.objects.get(name)
        share = min(own.share, 1.0) if own is not None else 0.0
        at_most = min(own.at_most if own is not None else self._elsewhere_at_most, 1.0)
        if not self.contention.alike:
            share, at_most = self._of_the_shortest(share), 1.0 - self._of_the_shortest(1.0 - at_most)
        low, high = _part(self._events, share), _part(self._events[::-1], at_most)
        return Range(max(low.low, 0.0) / self.side.elapsed.high, high.high / self.side.elapsed.low)

    @cached_property
    def _tells_time(self) -> bool:
        counter = self.contention.counter
        listed = self.side.section(counter.section) is not None and is_separate(self.side, counter)
        return listed and _are_of_them(self.side, self.contention)

    @cached_property
    def _elsewhere_at_most(self) -> float:
        return elsewhere_at_most(self.side, self.contention.counter)

    @cached_property
    def _events(self) -> Sequence[Event]:
        return sorted(self.contention.of(self.side), key=lambda e: e.average.number if e.average else 0.0)

    @cached_property
    def _distributions(self) -> Sequence[Distribution | None]:
        histograms = _histograms(self.side)
        for event in self._events:
            if event.name not in histograms:
                histograms[event.name] = distribution_of(self.side.report, event.name)
        return [histograms[e.name] for e in self._events]

    def _of_the_shortest(self, share: float) -> float:
        """Share (0..1) of time in the shortest `share` of waits."""
        if share >= 1.0:
            return 1.0
        return min((least_time(d, share) if d is not None else 0.0 for d in self._distributions), default=0.0)


@once_per_side
def _histograms(_: Side) -> dict[str, Distribution | None]:
    return {}


def _part(events: Sequence[Event], share: float) -> Value:
    if any(e.waits is None for e in events):
        return Value(share * sum(e.total.number for e in events), share * sum(e.total.half for e in events))
    remaining, number, half = share * sum(e.waits.number for e in events if e.waits), 0.0, 0.0
    for event in events:
        waits = event.waits.number if event.waits else 0.0
        of = min(remaining / waits, 1.0) if waits > 0 else 1.0
        remaining -= of * waits
        number += of * event.total.number
        half += of * event.total.half
    return Value(number, half)


def _are_of_them(side: Side, contention: Contention) -> bool:
    """False where waits exceed blocks: one report had a hundred times as many."""
    counter = contention.counter
    return counter.less is None or _waits(side, contention) <= _WAITS_EACH * whole_of(side, counter)


def _waits(side: Side, contention: Contention) -> float:
    return sum(e.waits.number for e in contention.of(side) if e.waits is not None)


def _tone(sessions: Sessions) -> Tone:
    a, b = sessions.first, sessions.second
    if a is None or b is None:
        return "neutral"
    return "worse" if b.low > GROWTH * a.high else "better" if a.low > GROWTH * b.high else "neutral"


def statements_on(side: Side, contention: Contention, name: str) -> list[Statement]:
    """Those whose texts name the object, most waiting first; of I/O none that spends its time otherwise."""
    word, upper, events = word_of(name), name.rpartition(".")[2].upper(), contention.of(side)
    statements = [s for s in side.statements.values() if upper in s.text.upper() and word.search(s.text)]
    waiting = {e.name.lower() for e in events}
    is_io, io_s = contention.counter.column in _IN_BLOCKS, sum(e.total.number for e in events)

    def sampled(statement: Statement) -> float:
        return sum(p for e, p in statement.waits.items() if e.lower() in waiting)

    def size(statement: Statement) -> tuple[float, float]:
        return -sampled(statement), -(statement.elapsed.number if statement.elapsed else 0.0)

    return sorted((s for s in statements if sampled(s) or not (is_io and _hardly_waits(s, io_s))), key=size)[:_MOST]


def _hardly_waits(statement: Statement, io_s: float) -> bool:
    """Less than a tenth of all I/O, and less than half of its own time; False where not printed."""
    waited, elapsed, cpu = map(statement.value, ("user_io_wait_time_s", "elapsed_time_s", "cpu_time_s"))
    if elapsed is None or (waited is None and cpu is None):
        return False
    most_s = waited.high if waited is not None else elapsed.high - cpu.low if cpu is not None else elapsed.high
    return most_s < _OF_IO * io_s and most_s < _OF_ITSELF * elapsed.low


def word_of(name: str) -> re.Pattern[str]:
    """Name of the object without its owner, as a word of a text."""
    return re.compile(rf"(?<![\w$#]){re.escape(name.rpartition('.')[2])}(?![\w$#])", re.IGNORECASE)


def segment_row(side: Side, contention: Contention, largest: Segments, key: Iterable[str] | None = None) -> Evidence:
    """`key`: columns that compared reports share, else the section's."""
    section = side.section(contention.counter.section)
    if section is None:
        raise LookupError(contention.counter.section)
    parts = [section.text(largest.row, c) for c in (section.key if key is None else key) if c in section.index]
    column = contention.counter.column if section.id == contention.counter.section else "value"  # of a global report
    return Evidence(section.id, largest.name, column, anchor(section.id, *parts))

"""Wait events that carry the change of DB time, and families of them.

Source: Oracle Database Reference, wait events, classes of wait events, enqueue names.
"""

from __future__ import annotations

from collections import defaultdict

from msgspec import Struct

from awrdiff.analysis.commit_latency.inputs_from_report import LFPW, LFS
from awrdiff.analysis.figures_in_words import change, listing, number, percent, seconds, sentence, several, size
from awrdiff.analysis.model.comparison import Consumer, Evidence, Range, Subject, Tone
from awrdiff.analysis.names.wait_events import subject_of
from awrdiff.analysis.report.figures_by_name import Event, Side
from awrdiff.analysis.verdict import capacity_limits
from awrdiff.analysis.verdict.active_sessions_attribution import CPU
from awrdiff.analysis.verdict.rule_inputs import Facts, FactsOfOne, FactsOfTwo
from awrdiff.analysis.verdict.rule_result import QUIET, WAITS, Observation, RuleResult
from awrdiff.analysis.verdict.rules import commits, finding_sizes, network
from awrdiff.analysis.verdict.rules.io import TEMP_EVENTS, temp_io_of_one
from awrdiff.analysis.verdict.thresholds import FEWEST, OF_CHANGE, SLOW_S


class Family(Struct, frozen=True):
    """Events by lower-case prefix. `least`: share (0..1) of DB time, or of `beside` events' time."""

    events: str
    who: str
    what: str
    least: float
    beside: str = ""
    contended: str = ""  # events by their beginning: where these are most of it, sessions contend

    def includes(self, name: str) -> bool:
        return name.startswith(self.events)

    def title(self, events: list[Event], *, less: bool = False) -> str:
        """Contention only where other sessions asked first."""
        contend = [e.total.number for e in events if self.contended and e.name.lower().startswith(self.contended)]
        who, what = self.who, self.what
        if contend and 2 * sum(contend) >= sum(e.total.number for e in events):
            who, what = "Sessions contend", "in the global cache"
        return f"{who}{' less' * less} {what}."

    def share_beside(self, side: Side) -> float:
        whole = _seconds(side, self.beside) if self.beside else 0.0
        return _seconds(side, self.events) / whole if whole > 0 else 0.0


def _seconds(side: Side, beginning: str) -> float:
    return sum(e.total.number for e in finding_sizes.events_named(side, lambda name: name.startswith(beginning)))


LOG_SWITCHES = Family("log file switch", "Sessions wait", "for log switches", 0.01, beside="log file sync")
ROW_LOCKS = Family("enq: tx - row lock", "Sessions wait", "for each other's row locks", 0.05)
BUFFER_BUSY = Family("buffer busy waits", "Sessions contend", "for the same blocks", 0.05)
INTERCONNECT = Family("gc ", "Sessions wait", "for blocks of other instances", 0.15, contended="gc buffer busy")
PGA_LIMIT = Family("acknowledge over pga limit", "Sessions wait", "because PGA memory is over its limit", 0.01)
FAMILIES = (ROW_LOCKS, BUFFER_BUSY, INTERCONNECT, LOG_SWITCHES, PGA_LIMIT)
# Locks by the beginning of their events, the longer before what it begins with; of others the lock's two letters.
_LOCKS = {
    "enq: ss": "for temporary space",
    "enq: ts": "for temporary space",
    "enq: sq": "for values of sequences",
    "enq: sv": "for values of ordered sequences",
    "enq: hw": "for space of a segment (its high water mark)",
    "enq: fb": "for new blocks of a segment",
    "enq: st": "for space of a tablespace",
    "enq: us": "for undo segments",
    "enq: tx - index": "for splits of index blocks",
    "enq: tx - allocate itl": "for ITL slots",
    "enq: tx": "for transactions of others",
    "enq: tm": "for table locks",
    "enq: ul": "for user locks",
    "enq: cf": "for the control file",
    "enq: ko": "for checkpoints of an object",
    "enq: ro": "for the reuse of an object's blocks",
    "enq: ps": "for parallel processes",
}
OF_LOCKS = 0.05  # of DB time, as for row locks


def lock_families(*sides: Side) -> list[Family]:
    names = dict.fromkeys(n for s in sides for n in s.foreground if n.startswith("enq: "))
    families: dict[str, Family] = {}
    for name in names:
        begin = next((b for b in _LOCKS if name.startswith(b)), name[: len("enq: xx")])
        what = _LOCKS.get(begin, f"for the lock {begin[-2:].upper()}")
        if not ROW_LOCKS.includes(name):
            families.setdefault(name, Family(name, "Sessions wait", what, OF_LOCKS))
    return list(families.values())


_PART = 0.10  # of a lock wait: a commit of less is no reason for it
_BUSY = 0.5  # of the window: a log writer that writes for less has time to spare
_TWICE = 2.0  # times as long as a write takes on the other side
_AS_LONG = 0.9  # of the other side's writes: shorter ones explain no more locks


class LockChain(Struct, frozen=True):
    """`text`: a figure per link. `holds_all`: a lock wait lasts a commit, or a queue of them."""

    text: str
    rows: tuple[Evidence, ...]
    holds_all: bool


def chain_of(side: Side, other: Side | None = None) -> LockChain | None:
    """None where waits differ, LGWR is neither busy nor slower, or its writes are shorter than `other`'s."""
    locks = finding_sizes.events_named(side, ROW_LOCKS.includes)
    commit, write = _average_of(side.foreground.get(LFS)), _average_of(side.background.get(LFPW))
    lock = locks[0].average if locks else None
    if lock is None or commit is None or write is None or side.elapsed is None:
        return None
    queue = 1 + (side.per_second(locks[0].total) or 0.0)  # who waits in front, and the holder
    is_queue = commit.each_s <= lock.number <= queue * commit.each_s
    busy, before = write.total_s / side.elapsed.number, _average_of(other.background.get(LFPW)) if other else None
    holds_all = is_queue and busy >= _BUSY and write.each_s >= SLOW_S
    if not holds_all and not _PART * lock.number <= commit.each_s <= lock.number:
        return None
    if busy < _BUSY and (before is None or write.each_s < _TWICE * before.each_s):
        return None
    if before is not None and write.each_s < _AS_LONG * before.each_s:
        return None
    writes = f"writes {percent(min(busy, 1.0))} of the time" if busy >= _BUSY else "is slow"
    text = f"of the {seconds(lock.number)} that a lock is waited for, up to {seconds(commit.each_s)} are its holder's "
    text += f"commit, behind a log writer that {writes}: {seconds(write.each_s)} a write"
    text += f" ({seconds(before.each_s)} on the other side)." if before is not None else "."
    return LockChain(text, (commit.row, write.row), holds_all)


def shorter_slow_writes(good: Side, bad: Side) -> tuple[float, float] | None:
    """Seconds per redo write where both are slow and the bad side's shorter: they explain no more locks."""
    a, b = (_average_of(side.background.get(LFPW)) for side in (good, bad))
    if a is None or b is None or not SLOW_S <= b.each_s < _AS_LONG * a.each_s:
        return None
    return a.each_s, b.each_s


class _Waits(Struct, frozen=True):
    each_s: float
    total_s: float
    row: Evidence


def _average_of(event: Event | None) -> _Waits | None:
    if event is None or event.average is None or event.waits is None or event.waits.number < FEWEST:
        return None
    return _Waits(event.average.number, event.total.number, event.evidence("avg_wait_s"))


_TELLING = 0.005  # active sessions: a factor of less is a factor of nothing
_HARDLY = 1e-5  # active sessions: less than a tenth of a second in an hour
_FAMILY_NAMES = 3  # events of a family
_MOST_CHANGES = 4  # events of a change: at most six can be as much as one of it
_RATE, _EACH = "waits per second ", " per wait"  # around a figure
_MAIN = 0.6  # of it: what is nearer to half is the doing of both, of how often and of how long
_TOP = 0.10  # of DB time
_MOST = 3
# In these sessions wait for each other or for a limit that somebody set; in the others for work to be done.
_TROUBLE = ("Application", "Concurrency", "Configuration", "Scheduler", "Administrative")


def event_latency(facts: FactsOfTwo) -> RuleResult:
    """Events that carry {OF_CHANGE:%} of the change of DB time, mainly by longer or shorter waits."""
    return _carriers(facts, latency=True)


def event_count(facts: FactsOfTwo) -> RuleResult:
    """Events that carry {OF_CHANGE:%} of the change of DB time, mainly by more or fewer waits."""
    return _carriers(facts, latency=False)


def _carriers(facts: FactsOfTwo, *, latency: bool) -> RuleResult:
    a = facts.attribution
    if a is None or not facts.first.foreground or not facts.second.foreground:
        return WAITS
    whole = a.second_per_s - a.first_per_s
    if abs(whole) < 0.05 * max(a.first_per_s, a.second_per_s):
        return QUIET
    carriers = [p for p in a.parts if _carries(p, whole, latency=latency)]
    by_family: dict[Family | None, list[Consumer]] = defaultdict(list)
    for part in carriers:
        by_family[next((f for f in FAMILIES if f.includes(part.key.lower())), None)].append(part)
    return tuple(_carrier(facts, parts, whole, latency=latency) for parts in by_family.values()) or QUIET


def _carrier(facts: FactsOfTwo, parts: list[Consumer], whole: float, *, latency: bool) -> Observation:
    names, grew, main = [p.key for p in parts], whole > 0, True
    if not all(map(_is_one_sided, parts)):
        by = [sum(getattr(p, n) or 0.0 for p in parts) for n in ("by_latency_per_s", "by_count_per_s")]
        main = by[0 if latency else 1] / (sum(by) or 1.0) >= _MAIN
    sessions = finding_sizes.sessions_waiting(facts, {name.lower() for name in names}.__contains__)
    of = listing(names) if len(names) <= 2 else f"{', '.join(names[:2])} and {len(names) - 2} more"
    how = ("Longer" if grew else "Shorter") if latency else ("More" if grew else "Fewer")
    if not main:
        other = ("more" if grew else "fewer") if latency else ("longer" if grew else "shorter")
        how = f"{how} and {other}"
    rest = [f"{len(parts) - _MOST_CHANGES} more"] if len(parts) > _MOST_CHANGES else []
    part = finding_sizes.part_of(abs(sum(p.diff_per_s for p in parts)), abs(whole), grew=grew, apart=facts.unrelated)
    ways = (latency,) if main else (latency, not latency)
    details = dict.fromkeys(_details(parts[:3], latency=way) for way in ways)
    by_latency = f"each wait is {'longer' if grew else 'shorter'}"
    by_count = f"there are {'more' if grew else 'fewer'} waits"
    why = listing([by_latency if way else by_count for way in ways])
    return Observation(
        f"{how} waits for {of}.",
        f"{listing([*names[:_MOST_CHANGES], *rest])}: {part}, {'mainly ' * main}because {why} ({'; '.join(details)}).",
        tuple(Evidence(p.section, p.key, "total_wait_time_s", p.row_id) for p in parts),
        sessions,
        Subject("event", parts[0].key),
        "worse" if grew else "better",
    )


def _carries(part: Consumer, whole: float, *, latency: bool) -> bool:
    if part.by_count_per_s is None or part.by_latency_per_s is None or part.diff_per_s * whole <= 0:
        return False
    mainly_latency = abs(part.by_latency_per_s) >= abs(part.by_count_per_s) and not _is_one_sided(part)
    return mainly_latency == latency and abs(part.diff_per_s) >= OF_CHANGE * abs(whole)


def _is_one_sided(part: Consumer) -> bool:
    return min(part.first_per_s or 0.0, part.second_per_s or 0.0) < _HARDLY


def _details(parts: list[Consumer], *, latency: bool) -> str:
    texts = [_detail(p, latency=latency) for p in parts]
    if all(s.startswith(_RATE) for s in texts):
        return _RATE + listing([s.removeprefix(_RATE) for s in texts])
    if all(s.endswith(_EACH) for s in texts):
        return listing([s.removesuffix(_EACH) for s in texts]) + _EACH
    if len(set(texts)) == 1:
        return texts[0]
    return "; ".join(f"{p.key}: {s}" for p, s in zip(parts, texts, strict=True))


def _detail(part: Consumer, *, latency: bool) -> str:
    if part.first_avg_s is None or part.second_avg_s is None:
        return f"none listed in {'First' if part.first_per_s is None else 'Second'}"
    if _is_one_sided(part) and part.first_per_s and part.second_per_s:
        return f"hardly any in {'First' if part.first_per_s < part.second_per_s else 'Second'}"
    if latency:
        return f"{seconds(part.first_avg_s)} → {seconds(part.second_avg_s)}{_EACH}"
    if not part.first_per_s or part.second_per_s is None or not part.first_avg_s or not part.second_avg_s:
        return "next to none in First" if not part.first_per_s else "of no printed length"
    if part.first_per_s < _TELLING:
        return "next to none in First"
    return f"{_RATE}{change(part.first_per_s / part.first_avg_s, part.second_per_s / part.second_avg_s)}"


def log_file_switch(facts: Facts) -> RuleResult:
    """Waits of any kind for a log switch, {LOG_SWITCHES.least:%} of DB time or of the time that commits waited."""
    # completion, checkpoint incomplete, archiving needed, private strand flush incomplete: a log is full
    return _family(facts, LOG_SWITCHES)


def row_locks(facts: Facts) -> RuleResult:
    """Row locks of {ROW_LOCKS.least:%} of DB time on a side."""
    return _family(facts, ROW_LOCKS)


def enqueues(facts: Facts) -> RuleResult:
    """A lock other than of rows, {OF_LOCKS:%} of DB time on a side: sequences, space, tables, index splits by name."""
    if not all(side.foreground for side in facts.sides):
        return WAITS
    answers = [_family(facts, family) for family in lock_families(*facts.sides)]
    return tuple(each for each in answers if isinstance(each, Observation)) or QUIET


def pga_limit(facts: Facts) -> RuleResult:
    """Waits as PGA memory is over PGA_AGGREGATE_LIMIT, {PGA_LIMIT.least:%} of DB time on a side: ORA-04036 is next."""
    return _family(facts, PGA_LIMIT)


def buffer_busy(facts: Facts) -> RuleResult:
    """Buffer busy waits of {BUFFER_BUSY.least:%} of DB time on a side."""
    return _family(facts, BUFFER_BUSY)


def interconnect(facts: Facts) -> RuleResult:
    """Global cache waits of {INTERCONNECT.least:%} of DB time on a side."""
    return _family(facts, INTERCONNECT)


def _family(facts: Facts, family: Family) -> RuleResult:
    sides = facts.sides
    if not all(side.foreground for side in sides) or sides[-1].db_time is None:
        return WAITS
    events = [finding_sizes.events_named(side, family.includes) for side in sides]
    sessions = finding_sizes.size_waiting(facts, family.includes)
    shares = finding_sizes.shares_of(facts, sessions) if any(events) else [0.0]
    if max(finding_sizes.most(shares), *(family.share_beside(side) for side in sides)) < family.least:
        return QUIET
    tone, latest = finding_sizes.tone(sessions), events[-1] or events[0]
    at_limit = family is LOG_SWITCHES and capacity_limits.is_out_of_logs(sides[-1])
    title = family.title(latest, less=tone == "better" and not at_limit)
    if isinstance(facts, FactsOfTwo) and facts.unrelated:
        pairs = zip(sides, shares, strict=True)
        matter = [max(share or 0.0, family.share_beside(side)) >= family.least for side, share in pairs]
        where = "on both sides" if all(matter) else f"in {'First' if matter[0] else 'Second'}"
        title = f"{family.title(latest if matter[1] else events[0])[:-1]} {where}."
    most: dict[str, float] = {}
    for side, listed in reversed(list(zip(sides, events, strict=True))):
        for event in listed:
            most[event.name] = max(most.get(event.name, 0.0), side.per_second(event.total) or 0.0)
    names = sorted(most, key=lambda n: -most[n])
    labels = [f"{e.name} ({seconds(e.average.number)} per wait)" if e.average else e.name for e in latest]
    since = finding_sizes.share_text(shares)
    if not events[0] and sides[0].foreground_is_partial:
        since = f"{percent(shares[-1] or 0.0)} of DB time, not in First's top list"
    text = f"{names_text(names if len(sides) > 1 else labels)}: {since}, {finding_sizes.text(sessions)}"
    if len(sides) > 1 and len(names) <= _FAMILY_NAMES and (a := _average(events[0])) and (b := _average(events[1])):
        text += f", {seconds(a)} → {seconds(b)} per wait"  # printed as 0: of no length that is known
    # a cluster's load profile estimates it in KB
    loads = [side.load("Estd Interconnect traffic (KB)") for side in sides] if family is INTERCONNECT else []
    traffic = [f"{size(load.number * 1024, 3)} per second" for load in loads if load is not None]
    text += f"; {' → '.join(traffic)} over the interconnect." if len(traffic) == len(sides) else "."
    main_names = {n.lower() for n in names[:_FAMILY_NAMES]}
    rows = finding_sizes.rows_of(*([e for e in each if e.name.lower() in main_names] for each in reversed(events)))
    of, *other = sides if tone == "better" else sides[::-1]
    if (
        family is ROW_LOCKS
        and (chain := chain_of(of, *other * (not facts.unrelated and tone != "neutral"))) is not None
    ):
        title, rows = title if facts.unrelated else f"{title[:-1]}, behind slow commits.", (*rows, *chain.rows)
        text += f" In First, {chain.text}" if of is not sides[-1] else f" {sentence(chain.text)}"
    elif family is ROW_LOCKS and other and (each := shorter_slow_writes(other[0], of)) is not None:
        course = " → ".join(map(seconds, each if of is sides[-1] else each[::-1]))
        text += f" Redo writes are slow on both sides ({course}) and do not explain the difference."
        rows = (*rows, of.background[LFPW].evidence("avg_wait_s"))
    return Observation(title, text, rows, sessions, Subject("event", names[0]), tone, at_limit=at_limit)


def names_text(names: list[str]) -> str:
    return listing(names if len(names) <= _FAMILY_NAMES else [*names[:2], f"{len(names) - 2} more"])


def _average(events: list[Event]) -> float | None:
    if len(events) == 1:  # as printed, or as narrow as its total and number make it
        return events[0].average_s
    waits = [e.waits.number for e in events if e.waits is not None]
    if not events or len(waits) < len(events) or sum(waits) <= 0:
        return None
    return sum(e.total.number for e in events) / sum(waits)


def top_wait(facts: FactsOfOne) -> RuleResult:
    """The {_MOST} largest events of {_TOP:%} of DB time or more that no other rule speaks of."""
    if not facts.side.foreground or facts.attribution is None:
        return WAITS

    def matters(family: Family) -> bool:
        share = facts.share(finding_sizes.waits(facts.side, family.includes)) or 0.0
        return max(share, family.share_beside(facts.side)) >= family.least

    families = [f for f in (*FAMILIES, *lock_families(facts.side)) if matters(f)]
    parts = [p for p in facts.parts if _is_top(facts, p) and not any(f.includes(p.key.lower()) for f in families)]
    return tuple(_top_wait(facts, p) for p in parts[:_MOST]) or QUIET


def _is_top(facts: FactsOfOne, part: Consumer) -> bool:
    name, whole = part.key.lower(), facts.sessions or 0.0
    if part.key == CPU or not whole or (part.first_per_s or 0.0) < _TOP * whole:
        return False
    if name == LFS:
        return not commits.commits_matter(facts)
    if network.includes(name):
        return not isinstance(network.network_bound(facts), tuple)
    return name != capacity_limits.QUANTUM and not (
        name in TEMP_EVENTS and isinstance(temp_io_of_one(facts), Observation)
    )


def _top_wait(facts: FactsOfOne, part: Consumer) -> Observation:
    event = facts.side.foreground[part.key.lower()]
    sessions = facts.sessions_in(event.total) or Range(0.0, 0.0)
    share = facts.share(sessions) or 0.0
    text = f"{percent(share)} of DB time, {number(finding_sizes.middle(sessions) or 0.0)} active sessions"
    about = subject_of(part.key)
    text = f"{sentence(about)}: {text}" if about else text
    if event.waits is not None and event.waits.number > 0:
        rate = facts.side.per_second(event.waits) or 0.0
        text += f"; {several(event.waits.number, 'wait', 'waits')}"
        text += f" ({number(rate)} per second)" if rate >= 1 else ""
        text += f" of {seconds(event.average.number)} each" if event.average else ""
    title = f"{'Most' if share >= 0.5 else 'Much'} of DB time is waiting for {part.key}."
    tone: Tone = "worse" if part.wait_class in _TROUBLE else "neutral"
    return Observation(title, f"{text}.", (event.evidence(),), sessions, Subject("event", part.key), tone=tone)

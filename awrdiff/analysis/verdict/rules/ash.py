"""Rules of ASH: events, CPU and buffer cache of ASH reports; blockers of AWR's ASH part (12.1 and later) as well.

Shares are of all samples, within twice the scatter.

Source: Oracle Database Performance Tuning Guide, "Active Session History" (`CPU + Wait for CPU` includes the queue).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from awrdiff.analysis.figures_in_words import change, listing, number, percent, several, size
from awrdiff.analysis.model.comparison import Evidence, Range, Sessions, Subject, Tone
from awrdiff.analysis.report.figures_by_name import Side
from awrdiff.analysis.report.printed_rows import printed_rows
from awrdiff.analysis.verdict import capacity_limits
from awrdiff.analysis.verdict.rule_inputs import Facts, FactsOfOne, FactsOfTwo
from awrdiff.analysis.verdict.rule_result import QUIET, Contradicted, Observation, Quiet, RuleResult, Unknown
from awrdiff.analysis.verdict.rules import finding_sizes
from awrdiff.analysis.verdict.statement_changes import OF_SIDE, sessions_in_samples
from awrdiff.analysis.verdict.thresholds import OF_CHANGE

KIND = "ash"
CPU = "CPU + Wait for CPU"
MOST = 3
_CACHED = re.compile(r"^(db file (sequential|scattered|parallel) read|cell (single|multi)block physical read)", re.I)
_DIRECT = re.compile(r"^(direct path read|cell smart)", re.I)
_MANAGED = re.compile(r"^resmgr:", re.I)
# `oracle@host (LGWR)`; jobs (J000), parallel (P000, PPA7) and shared servers (S000) work for somebody.
_BACKGROUND = re.compile(r"\b(?i:oracle)\S* \((?!J\d|P\d|PP|S\d)[A-Z]\w{3}\)")
_SESSION = re.compile(r"(\d+),\s*(\d+)\(\s*(\d+)\)")  # `95, 1( 1)`: sid, serial number and instance
_NO_LONGER_THERE = re.compile(r"NOT FOUND")
_ENQUEUE = "enq:"
_SIZE = re.compile(r"([\d,.]+)\s*([KMGT]?)", re.I)
_POWERS = {"": 0, "K": 1, "M": 2, "G": 3, "T": 4}
_ACTIVE = re.compile(r"([\d,]+)/([\d,]+)")
_HARDLY = 0.10  # of the window: a blocker that is active in less of it is idle inside its transaction
_RESIZED = 1.10  # less is rounding and granules
_LISTS_OF_EVENTS = ("top_user_events", "top_background_events")
_BLOCKERS = "top_blocking_sessions"  # left out where nothing blocks; in AWR reports beside Top Events
_NO_EVENTS = Unknown("Top User Events (ASH)")
_NO_BLOCKERS = Unknown("Top Blocking Sessions (ASH)")
_NO_CACHE = Unknown("Buffer Cache of an ASH report")


class SampledPart(Struct, frozen=True):
    """Events together. `share`: 0..1 of samples; `sessions`: approximate."""

    name: str
    share: float
    sessions: Range
    evidence: Evidence
    events: tuple[str, ...] = ()
    beside: str = ""
    active: float | None = None  # 0..1 of the window that it was itself sampled active in

    @property
    def size(self) -> str:
        return f"about {finding_sizes.sessions_text(self.sessions.middle)}, {percent(self.share)} of the samples"


def events_of(side: Side) -> dict[str, SampledPart]:
    parts = [p for i in _LISTS_OF_EVENTS for p in _parts(side, i, "event", "pct_event")]
    return {p.name: p for p in sorted(parts, key=lambda p: -p.share)}


def blockers_of(side: Side) -> dict[str, SampledPart]:
    parts = _parts(side, _BLOCKERS, "blocking_session", "pct_activity")
    return {p.name: _within_waits(side, p) for p in parts}


def _within_waits(side: Side, part: SampledPart) -> SampledPart:
    """At most the measured time of its events, where AWR prints it: samples get lost."""
    events = [side.foreground.get(name) or side.background.get(name) for name in map(str.lower, part.events)]
    measured = [r for e in events if e is not None and (r := side.sessions(e.total))]
    if not measured or len(measured) < len(events):
        return part
    most = finding_sizes.total(measured).high
    return replace(part, sessions=Range(min(part.sessions.low, most), min(part.sessions.high, most)))


def _parts(side: Side, section_id: str, column: str, share: str) -> Iterator[SampledPart]:
    by_name: dict[str, SampledPart] = {}
    for row in printed_rows(side.report.section(section_id)):
        name, pct = row.text(column), row.number(share)
        if not name or pct is None:
            continue
        events = (row.text("event"),) if column != "event" and row.text("event") else ()
        part = pct.number / 100
        if (previous := by_name.get(name)) is not None:  # once for each event that it is sampled in
            by_name[name] = replace(previous, events=(*previous.events, *events))
            if part > previous.share:
                sessions = sessions_in_samples(side, pct.number)
                by_name[name] = replace(by_name[name], share=part, sessions=sessions)
            continue
        printed = (row.text("user"), row.text("program"))  # of a session that was never sampled: NOT FOUND
        beside = ", ".join(text for text in printed if text and not _NO_LONGER_THERE.search(text))
        active = _ACTIVE.match(row.text("samples_active"))
        of = int(active[2].replace(",", "")) if active else 0
        active_share = int(active[1].replace(",", "")) / of if active and of else None
        sessions, evidence = sessions_in_samples(side, pct.number), row.evidence(name, share)
        by_name[name] = SampledPart(name, part, sessions, evidence, events, beside, active_share)
    yield from by_name.values()


# Events


def events_of_one(facts: FactsOfOne) -> RuleResult:
    """Events and CPU with {OF_SIDE:%} of the samples, beyond their scatter."""
    parts = events_of(facts.side)
    if not parts:
        return _NO_EVENTS
    least = OF_SIDE * (facts.sessions or 0.0)
    large = [p for p in parts.values() if p.sessions.low >= least > 0]
    return tuple(map(_in_event, large)) or QUIET


def _in_event(part: SampledPart) -> Observation:
    doing, queue = f"waiting for {part.name}", ""
    if part.name == CPU:
        doing, queue = "on CPU", " Samples do not tell a session on CPU from one that queues for it."
    title = f"{'Most' if part.share >= 0.5 else 'Much'} of the sampled time is {doing}."
    return Observation(title, f"{part.name}: {part.size}.{queue}", (part.evidence,), part.sessions, _subject(part.name))


def _subject(event: str) -> Subject:
    return Subject("cpu", "CPU") if event == CPU else Subject("event", event)


def events_of_two(facts: FactsOfTwo) -> RuleResult:
    """Events and CPU whose sampled sessions moved by {OF_CHANGE:%} of the busier side, beyond the scatter of both."""
    sides = facts.sides
    by_side = [events_of(side) if side.report.kind == KIND else {} for side in sides]
    if not all(by_side):
        return _NO_EVENTS
    busier = max(s.active_sessions or 0.0 for s in sides)
    observed = []
    for name in dict.fromkeys([*by_side[1], *by_side[0]]):
        a, b = (of[name].sessions if name in of else _most_below_list(of) for of in by_side)
        sessions = Sessions(a, b)
        if abs(sessions.change) >= OF_CHANGE * busier > 0:
            middles = [of[name].sessions.middle if name in of else None for of in by_side]
            observed.append((sessions, name, middles))
    observed.sort(key=lambda t: -abs(t[0].change))
    return tuple(_change_of_part(facts, *t, by_side) for t in observed[:MOST]) or QUIET


def _most_below_list(listed: dict[str, SampledPart]) -> Range:
    return Range(0.0, min(p.sessions.high for p in listed.values()))


def _change_of_part(
    facts: FactsOfTwo, sessions: Sessions, name: str, middles: list[float | None], by_side: list[dict[str, SampledPart]]
) -> Observation:
    more = sessions.change > 0
    what = "on CPU" if name == CPU else f"waiting for {name}"
    a, b = (
        f"under {number(_most_below_list(of).high)}" if s is None else number(s)
        for s, of in zip(middles, by_side, strict=True)
    )
    by = f" ({change(middles[0], middles[1])})" if middles[0] and middles[1] else ""
    named_sides = zip(("First", "Second"), by_side, strict=True)
    shares = [f"{percent(of[name].share)} of {side}'s samples" for side, of in named_sides if name in of]
    rows = tuple(of[name].evidence for of in reversed(by_side) if name in of)[:1]
    title = f"{'More' if more else 'Fewer'} sessions are {what}{' in Second' * facts.different_databases}."
    text = f"{name}: {a} → {b} active sessions{by}; {listing(shares)}."
    tone: Tone = "worse" if more else "better"
    return Observation(title, text, rows, sessions, _subject(name), tone)


# CPU


def sampled_cpu(facts: Facts) -> RuleResult:
    """As many sessions sampled on CPU, or queueing for it, as a side has CPUs, and no resource manager."""
    answers = [(side, _queue(side)) for side in reversed(facts.sides) if side.report.kind == KIND]
    side, part = next((a for a in answers if isinstance(a[1], SampledPart)), (None, None))
    if side is None or not isinstance(part, SampledPart):
        order = (Contradicted, Quiet, Unknown)
        return next((a for kind in order for _, a in answers if isinstance(a, kind)), _NO_EVENTS)
    on_cpu = [events_of(s).get(CPU) for s in facts.sides]
    sessions, is_last = finding_sizes.of_sides([p.sessions if p else None for p in on_cpu]), side is facts.sides[-1]
    title = "Sessions queue for CPU." if is_last else "In First alone sessions queued for CPU."
    which = f"{'Second' if is_last else 'First'}: " * (len(facts.sides) > 1)
    text = f"{which}{part.size} are on CPU or wait for it, on {several(side.cpus or 0, 'CPU', 'CPUs')}."
    return Observation(title, text, (part.evidence,), sessions, _subject(CPU), finding_sizes.tone(sessions))


def _queue(side: Side) -> SampledPart | Quiet | Contradicted | Unknown:
    events = events_of(side)
    if not events or side.cpus is None:
        return _NO_EVENTS if not events else Unknown("CPUs of an ASH report")
    on_cpu = events.get(CPU)
    if on_cpu is None or on_cpu.sessions.low < side.cpus:
        return QUIET
    managed = next((p for p in events.values() if _MANAGED.match(p.name)), None)
    if managed is not None:
        return Contradicted(f"{managed.name} has {percent(managed.share)} of the samples")
    return on_cpu


# Blockers


def sampled_blockers(facts: Facts) -> RuleResult:
    """A session, of no background process, that others wait for in {OF_CHANGE:%} of the samples of a side."""
    if not any(map(_is_sampled, facts.sides)):
        return _NO_BLOCKERS
    observed, denied = [], []
    for side in reversed(facts.sides):
        least, listed = OF_CHANGE * (side.active_sessions or 0.0), _others_blockers(side)
        blockers = [p for p in blockers_of(side).values() if p.sessions.low >= least > 0]
        own = [_blocker(facts, side, p) for p in blockers if p in listed]
        observed += own
        denied += [Contradicted(f"{_session(side, p.name)} is {p.beside}") for p in blockers[:1] if not own]
    return tuple(observed) or next(iter(denied), QUIET)


def _is_sampled(side: Side) -> bool:
    return any(map(side.has, (_BLOCKERS, "top_events", *_LISTS_OF_EVENTS)))


def _session(side: Side, name: str) -> str:
    """`95,1`, of another instance than the report's `95,1@2`."""
    match = _SESSION.fullmatch(name)
    if match is None:
        return name
    own = {str(instance.number) for instance in side.report.instances}
    return f"{match[1]},{match[2]}{f'@{match[3]}' * (own != {match[3]})}"


def _blocker(facts: Facts, side: Side, part: SampledPart) -> Observation:
    is_last, begin, of = side is facts.sides[-1], "", "the"
    sessions: finding_sizes.Size = part.sessions
    if isinstance(facts, FactsOfTwo):
        name, other = ("Second", facts.first) if is_last else ("First", facts.second)
        there = max(_others_blockers(other), key=lambda p: p.share, default=None)
        beside = there.sessions if there is not None else finding_sizes.NOTHING if _is_sampled(other) else None
        sessions = Sessions(beside, part.sessions) if is_last else Sessions(part.sessions, beside)
        begin, of = f"{name}: ", f"{name}'s"
    who, session = f" ({part.beside})" if part.beside else "", _session(side, part.name)
    events = listing(list(dict.fromkeys(part.events))[:MOST])
    size = finding_sizes.sessions_text(part.sessions.middle)
    text = f"Session {session}{who} blocks {percent(part.share)} of {of} samples, about {size}: {events}."
    holds_lock = any(event.startswith(_ENQUEUE) for event in part.events)  # a mutex is held by no transaction
    if holds_lock and part.active is not None and part.active <= 1:
        idle = ": idle inside its transaction" * (part.active < _HARDLY)
        text += f" It was itself active in {percent(part.active)} of the time{idle}."
    return Observation(
        f"{begin}Session {session} keeps others waiting.",
        text,
        (part.evidence,),
        sessions,
        Subject("other", f"Session {session}"),
        finding_sizes.tone(sessions) if is_last else "neutral",
        at_limit=is_last and part.sessions.low >= capacity_limits.ONE_SESSION,
    )


def _others_blockers(side: Side) -> list[SampledPart]:
    return [p for p in blockers_of(side).values() if not _BACKGROUND.search(p.beside)]


# The buffer cache


def cache_of_one(facts: FactsOfOne) -> RuleResult:
    """Reads into the buffer cache, with its size, have {OF_SIDE:%} of the samples, and more than reads past it."""
    side = facts.side
    cache, reads = _size(side, "buffer_cache"), _reads(side, _CACHED)
    if cache is None or not events_of(side):
        return _NO_CACHE
    direct = _reads(side, _DIRECT)
    share = sum(p.share for p in reads)
    if max(share, sum(p.share for p in direct)) < OF_SIDE:
        return QUIET
    if sum(p.share for p in direct) > share:
        return Contradicted(f"{direct[0].name} has {percent(direct[0].share)} of the samples")
    sessions = finding_sizes.total(p.sessions for p in reads)
    of = f" of an SGA of {size(whole, 4)}" if (whole := _size(side, "sga_size")) else ""
    text = (
        f"About {finding_sizes.sessions_text(sessions.middle)}, {percent(share)} of the samples, wait for blocks"
        f" that the buffer cache, {size(cache, 4)}{of}, did not hold ({listing([p.name for p in reads[:MOST]])})."
        " What a larger one would save stands in the Buffer Pool Advisory of an AWR report."
    )
    title = f"Blocks are read into a buffer cache of {size(cache, 4)}."
    subject = Subject("memory", "buffer cache")
    return Observation(title, text, (reads[0].evidence,), subject=subject, explains=("sampled-events",))


def cache_of_two(facts: FactsOfTwo) -> RuleResult:
    """The buffer cache is {_RESIZED} times as large or small, and sampled reads into it moved the other way."""
    sides = facts.sides
    caches = [_size(side, "buffer_cache") for side in sides]
    if caches[0] is None or caches[1] is None or not all(events_of(side) for side in sides):
        return _NO_CACHE
    factor = caches[1] / caches[0] if caches[0] else 1.0
    if 1 / _RESIZED < factor < _RESIZED:
        return QUIET
    sessions = Sessions(*(finding_sizes.total(p.sessions for p in _reads(side, _CACHED)) for side in sides))
    tone = finding_sizes.tone(sessions)
    if tone != ("worse" if factor < 1 else "better"):
        return Contradicted("sessions in reads into the cache, which did not move against its size")
    a, b = (number(s.middle) if s is not None else "?" for s in (sessions.first, sessions.second))
    of_size, of_reads = ("smaller", "more") if factor < 1 else ("larger", "fewer")
    title = f"The buffer cache is {of_size}, and {of_reads} sessions read into it."
    text = f"{size(caches[0], 4)} → {size(caches[1], 4)}; {a} → {b} active sessions in reads into it."
    rows = tuple(p.evidence for p in _reads(facts.second, _CACHED)[:1])
    return Observation(title, text, rows, sessions, Subject("memory", "buffer cache"), tone, ("sampled-events",))


def _reads(side: Side, kind: re.Pattern[str]) -> list[SampledPart]:
    return [p for p in events_of(side).values() if kind.match(p.name)]


def _size(side: Side, column: str) -> float | None:
    """`728M (71.4%)` in bytes."""
    row = next(printed_rows(side.report.section("ash_configuration")), None)
    match = _SIZE.match(row.text(column)) if row is not None else None
    return float(match[1].replace(",", "")) * 1024 ** _POWERS[match[2].upper()] if match else None

"""Memory: swap, paging and kernel CPU of the host; a shared pool that is short of it.

Source: Oracle Database Reference, V$OSSTAT, V$MEMORY_DYNAMIC_COMPONENTS; Performance Tuning Guide, shared pool.
"""

from __future__ import annotations

from msgspec import Struct

from awrdiff.analysis.figures_in_words import number, percent, seconds, sentence, several, size
from awrdiff.analysis.model.comparison import Evidence, Range, Subject, Tone
from awrdiff.analysis.report.figures_by_name import Event, Side, is_same_host
from awrdiff.analysis.verdict import capacity_limits
from awrdiff.analysis.verdict.active_sessions_attribution import unaccounted_share
from awrdiff.analysis.verdict.rule_inputs import LEAST_SESSIONS, Facts, FactsOfTwo, rate_of, row
from awrdiff.analysis.verdict.rule_result import (
    QUIET,
    WAITS,
    Candidate,
    Contradicted,
    Observation,
    Reason,
    RuleResult,
    Unknown,
    reasons_for,
)
from awrdiff.analysis.verdict.rules import finding_sizes
from awrdiff.analysis.verdict.thresholds import FELT, UNACCOUNTED

_EVENTS = ("latch: shared pool", "sga: allocation forcing component growth")
_LONG_S = 0.1  # on average: the latch is held for microseconds, unless its holder frees memory or has no CPU
_MANY = 10.0  # hard parses per second: each takes the latch many times
_POOL, _SECTION = "shared pool", "memory_dynamic_components"
_NEAR = 1.05  # of its least size
_SUBJECT = Subject("memory", "shared pool")
_EXPLAINS = ("parsing-dominates", "cost-per-unit", "top-wait")


class Pressure(Struct, frozen=True):
    """`sizes`: of the pool, in words; `denied`: another explanation."""

    sessions: Range
    each_s: float
    sizes: str
    rows: tuple[Evidence, ...]
    denied: str

    @property
    def text(self) -> str:
        return f"{seconds(self.each_s)} per wait, which neither CPU nor hard parses explain. The pool: {self.sizes}"


def pressure_of(side: Side) -> Pressure | Unknown | None:
    """None where waits are few, or the pool had room."""
    background = _in_background(side)
    events = [*finding_sizes.events_named(side, _EVENTS.__contains__), *background]
    waits = sum(e.waits.number for e in events if e.waits is not None)
    total = sum(e.total.number for e in events)
    sessions, whole, processes = _waiting(side), side.active_sessions, _total(side, background)
    if not events or sessions is None or not whole:
        return None
    if sessions.middle - processes.middle < FELT * whole and processes.middle < LEAST_SESSIONS:
        return None
    if not waits or total / waits < _LONG_S:
        return None
    if side.value(_SECTION, "begin_bytes", _POOL) is None:
        return Unknown("Memory Dynamic Components: shared pool")
    rows = (*(e.evidence() for e in events), row(_SECTION, _POOL, "begin_bytes"))
    begin, end, most, is_least = _of_pool(side)
    printed = side.value(_SECTION, "operations", _POOL)
    resized, of_pool = printed.number if printed is not None else 0, ""
    if begin is not None and end is not None and (begin != end or is_least or resized):
        of_pool = f"{size(end, 3)} throughout"
        if begin != end:
            of_pool = f"{size(begin, 3)} at the beginning, {size(end, 3)} at the end"
        of_pool += f", its least; it had up to {size(most or 0.0, 3)}" if is_least else ""
        of_pool += f"; resized {several(resized, 'time', 'times')}" if resized else ""
    denied = capacity_limits.saturated_host(side) or capacity_limits.sign_in_settings(side) or ""
    rate = rate_of(side, "parse count (hard)", "Hard parses (SQL)", "Hard parses") or 0.0
    if not denied and rate >= _MANY:
        denied = f"parse count (hard): {number(rate)} per second"
    return Pressure(sessions, total / waits, of_pool, rows, denied) if of_pool else None


def _in_background(side: Side) -> list[Event]:
    """Background waits are outside DB time."""
    return [e for name, e in side.background.items() if name in _EVENTS]


def _total(side: Side, events: list[Event]) -> Range:
    return finding_sizes.total(r for e in events if (r := side.sessions(e.total)) is not None)


def _waiting(side: Side) -> Range | None:
    sessions = finding_sizes.waits(side, _EVENTS.__contains__)
    return finding_sizes.total((sessions, _total(side, _in_background(side)))) if sessions is not None else None


def _of_pool(side: Side) -> tuple[float | None, float | None, float | None, bool]:
    """Bytes at begin, at end, at most; whether it ends at its least."""
    columns = ("begin_bytes", "current_bytes", "min_bytes", "max_bytes")
    printed = (side.value(_SECTION, column, _POOL) for column in columns)
    begin, end, least, most = (v.number if v is not None else None for v in printed)
    end = begin if end is None else end
    is_least = end is not None and least is not None and most is not None and end <= _NEAR * least < most / _NEAR
    return begin, end, most, is_least


def shared_pool_pressure(facts: Facts) -> RuleResult:
    """Waits of {_LONG_S:s} for shared pool latch or growth, {FELT:%} of DB time; pool resized, CPU to spare."""
    if not all(side.foreground for side in facts.sides):
        return WAITS
    each = [pressure_of(side) for side in facts.sides]
    pressure = each[-1] or each[0]
    if not isinstance(pressure, Pressure):
        return pressure or QUIET
    if pressure.denied:
        return Contradicted(pressure.denied)
    sessions = finding_sizes.of_sides([_waiting(side) for side in facts.sides])
    doubt, title = "", "The shared pool is short of memory."
    if pressure is not each[-1]:
        _, end, _, is_least = _of_pool(facts.sides[-1])
        if end is None:
            doubt = "the size of the pool is not printed"
        elif is_least:
            doubt = f"the pool has {size(end, 3)}, the least that it had"
        title = facts.end_of_trouble(title[:-1], "The shared pool is no longer short of memory.", doubt)
    text = f"Sessions wait for its latch: {finding_sizes.text(sessions)}"
    text += (
        f"; in {'Second' if pressure is each[1] else 'First'} {pressure.text}." if each[1:] else f", {pressure.text}."
    )
    tone = "neutral" if doubt and not facts.unrelated else finding_sizes.tone(sessions)
    return Observation(title, text, pressure.rows, sessions, _SUBJECT, tone, explains=_EXPLAINS)


_OS = "os_statistics"
_PAGED = 1 << 20  # bytes per second, either way: a host with memory to spare pages out next to nothing
_SMALLEST_PAGE = 4096  # bytes; some platforms page by more at once
_LONGEST_S = 1.0  # no page of a storage that works takes longer
_SWAP_LEFT, _SWAP_LEFT_SHARE = 100 << 20, 0.05  # bytes; of the most that was free in any report at hand
_AMPLE = 0.25  # of the physical memory, free at begin and end: nothing had to be swapped for want of it
_LOADED = 2.0  # load averages per CPU
NO_HOST = Unknown("Operating System Statistics of one host: SWAP_FREE_BYTES, VM_IN_BYTES, VM_OUT_BYTES, SYS_TIME")
_INPUTS = ("SWAP_FREE_BYTES", "VM_IN_BYTES", "VM_OUT_BYTES", "SYS_TIME")
EXHAUSTED = "The host is out of memory."


class Shortage(Struct, frozen=True):
    """`swap`: used up. `kernel`: more CPU than programs. `ample`: row denying both."""

    reasons: tuple[Reason, ...]
    swap: Reason | None
    kernel: bool
    ample: str
    unaccounted: float  # share (0..1) of DB time

    @property
    def is_exhausted(self) -> bool:
        return self.swap is not None or self.kernel

    @property
    def is_at_limit(self) -> bool:
        """Swap used up, 15 % of DB time unaccounted for."""
        return self.swap is not None and self.unaccounted >= UNACCOUNTED

    @property
    def text(self) -> str:
        return "; ".join(r.text for r in self.reasons)


def shortage(side: Side, beside: Side | None = None) -> Shortage:
    """`beside`: report possibly of the same host."""
    missing = unaccounted_share(side) or 0.0
    swap, kernel = _swap(side, beside, missing), _kernel(side)
    candidates = [r for r in (swap, _paging(side), kernel) if r is not None]
    spent_s, elapsed_s = (v.number if v is not None else 0.0 for v in (side.db_time, side.elapsed))
    reasons = reasons_for(candidates, missing * spent_s, elapsed_s)
    by_row = {r.evidence: r for r in reasons}
    weighs = missing >= UNACCOUNTED and kernel is not None and kernel.evidence in by_row
    used_up = by_row.get(swap.evidence) if swap is not None else None
    return Shortage(reasons, used_up, weighs, _ample(side), missing)


def signs(side: Side) -> tuple[Candidate, ...]:
    """Swap beside free memory is no sign."""
    swap = _swap(side, None, unaccounted_share(side) or 0.0) if not _ample(side) else None
    return tuple(r for r in (swap, _paging(side), _kernel(side)) if r is not None)


def memory_exhausted(facts: Facts) -> RuleResult:
    """Swap used up, or more SYS than USER time beside {UNACCOUNTED:%} of DB time unaccounted for; little is free."""
    sides = facts.sides
    if not any(map(is_printed, sides)):
        return NO_HOST
    shortages = [shortage(side, *(s for s in sides if s is not side)) for side in sides]
    short = [each.is_exhausted and not each.ample for each in shortages]
    if not any(short):
        return next((Contradicted(each.ample) for each in reversed(shortages) if each.is_exhausted), QUIET)
    at, text = -1 if short[-1] else 0, sentence(shortages[-1].text)
    if len(sides) > 1:
        text = f"In {'Second' if short[-1] else 'First'} {shortages[at].text}"
    free = _readings(sides[at], "FREE_MEMORY_BYTES")
    text = f"{text.removesuffix('.')}{f'; {size(free[-1])} of memory are free' if free else ''}"
    sessions: finding_sizes.Size = None
    missing = [unaccounted_share(side) for side in sides]
    if None not in missing and finding_sizes.most(missing) >= UNACCOUNTED:
        whole = [(share or 0.0) * (side.active_sessions or 0.0) for side, share in zip(sides, missing, strict=True)]
        sessions = finding_sizes.of_sides([Range(size, size) for size in whole])
        text += f". {finding_sizes.share_text(missing)} is unaccounted for"
    doubt = "" if short[-1] else doubt_of_memory(sides[-1], sides[0])
    ended = facts.end_of_trouble("The host is out of memory", "The host is no longer out of memory.", doubt)
    tone: Tone = "neutral" if short[-1] or doubt else "better"
    if facts.unrelated or not isinstance(facts, FactsOfTwo) or (not short[0] and short[1] and facts.db_time_rose):
        tone = "worse"
    return Observation(
        EXHAUSTED if short[-1] else ended,
        text + ".",
        tuple(r.evidence for r in shortages[at].reasons),
        sessions,
        Subject("memory", "host"),
        tone,
        severity="warning" if short[-1] or facts.unrelated else "note",
        at_limit=short[-1] and shortages[-1].is_at_limit,
        explains=("unaccounted-time", "load-against-db-time"),
    )


def doubt_of_memory(side: Side, beside: Side) -> str:
    """Figure that leaves it open; "" where memory is free."""
    if _ample(side):
        return ""
    readings, most = _readings(side, "SWAP_FREE_BYTES"), _most_swap(side, beside)
    if not readings:
        return "its free swap is not printed"
    if most > 0 and readings[-1] < max(_SWAP_LEFT, _SWAP_LEFT_SHARE * most):
        return f"{size(readings[-1], 3)} of swap left"
    return "the kernel takes more CPU than programs (SYS over USER)" if _kernel(side) is not None else ""


def exhausted_text(side: Side, beside: Side | None = None) -> str:
    swap = shortage(side, beside).swap
    return f"{EXHAUSTED[:-1]}: {swap.text}." if swap is not None else EXHAUSTED


def is_printed(side: Side) -> bool:
    return any(side.value(_OS, "value", name) for name in _INPUTS)


def _readings(side: Side, name: str) -> tuple[float, ...]:
    """An unchanged end is printed blank."""
    printed = (side.value(_OS, column, name) for column in ("value", "end_value"))
    return tuple(v.number for v in printed if v is not None)


def _swap(side: Side, beside: Side | None, missing: float) -> Candidate | None:
    """A host without swap prints 0; swap filled long ago is harmless."""
    readings = _readings(side, "SWAP_FREE_BYTES")
    if not readings:
        return None
    most = _most_swap(side, beside)
    limit = max(_SWAP_LEFT, _SWAP_LEFT_SHARE * most)
    if most <= 0 or min(readings) >= limit:
        return None
    went = readings[-1] < limit and readings[0] > 2 * limit
    load, cpus = side.load_average, side.cpus
    is_loaded = load is not None and cpus and load.high >= _LOADED * cpus
    pressed = missing >= UNACCOUNTED and (_kernel(side) is not None or is_loaded)
    if not (went or pressed or _paging_rate(side, "VM_OUT_BYTES") >= _PAGED):
        return None
    text = f"swap is used up ({size(readings[0], 3)} free at the beginning, {size(readings[-1], 3)} at the end"
    text += f"; the other report of this host has {size(most, 3)} free)" if most > max(readings) else ")"
    return Candidate(text, row(_OS, "SWAP_FREE_BYTES", "value"), most_s=None)


def _most_swap(side: Side, beside: Side | None) -> float:
    same_host = beside is not None and is_same_host(side.report.host.name, beside.report.host.name)
    readings_beside = _readings(beside, "SWAP_FREE_BYTES") if beside is not None and same_host else ()
    return max((*_readings(side, "SWAP_FREE_BYTES"), *readings_beside), default=0.0)


def _paging(side: Side) -> Candidate | None:
    """Linux: 0 beside heavy file reads, so these are swap pages."""
    rates = {way: _paging_rate(side, name) for name, way in (("VM_IN_BYTES", "in"), ("VM_OUT_BYTES", "out"))}
    paged = {way: rate for way, rate in rates.items() if rate >= _PAGED}
    if not paged:
        return None
    text = " and ".join(f"{size(rate, 3)} {way}" for way, rate in paged.items())
    pages_per_s = sum(paged.values()) / _SMALLEST_PAGE
    most_s = pages_per_s * _LONGEST_S * (side.elapsed.high if side.elapsed else 0.0)
    return Candidate(
        f"{text} are paged per second",
        row(_OS, f"VM_{next(iter(paged)).upper()}_BYTES", "value"),
        most_s,
        is_timed=False,
    )


def _paging_rate(side: Side, name: str) -> float:
    return side.per_second(side.value(_OS, "value", name)) or 0.0


def _kernel(side: Side) -> Candidate | None:
    system, user = (side.value(_OS, "value", n) for n in ("SYS_TIME", "USER_TIME"))
    if system is None or user is None or system.number <= user.number or user.number <= 0:
        return None
    busy = percent(system.number / (system.number + user.number))
    of_capacity = f", {percent(side.host_busy_pct / 100)} of what it has" if side.host_busy_pct is not None else ""
    text = f"the kernel takes {busy} of the CPU time that the host uses{of_capacity} (SYS over USER)"
    return Candidate(text, row(_OS, "SYS_TIME", "value"), system.number / 100)  # printed in centiseconds


def _ample(side: Side) -> str:
    physical = side.value(_OS, "value", "PHYSICAL_MEMORY_BYTES")
    free = _readings(side, "FREE_MEMORY_BYTES")
    if not free and side.has(_OS) and not side.lists_all(_OS):
        return "the file does not hold all rows of its report"
    if physical is None or not free or min(free) < _AMPLE * physical.number or _paging(side):
        return ""
    return f"FREE_MEMORY_BYTES: {percent(min(free) / physical.number)} of the host's memory"


def swap_left(side: Side) -> str:
    """`its swap is still nearly full`; "" with room."""
    readings = _readings(side, "SWAP_FREE_BYTES")
    if not readings or max(readings) <= 0 or readings[-1] >= _SWAP_LEFT:
        return ""
    return f"its swap is still nearly full ({size(readings[-1], 3)} free)"

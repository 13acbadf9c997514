"""The memory of the host: swap, paging, and what the kernel spends on it."""

from __future__ import annotations

from dataclasses import dataclass

from awrdiff.analysis.model.comparison import Evidence, Range, Sessions, Subject
from awrdiff.analysis.report.side import Side
from awrdiff.analysis.verdict.rules.facts import QUIET, Answer, Facts, Said, Unknown, row
from awrdiff.analysis.words import percent, size

_OS = "os_statistics"
_PAGED = 1 << 20  # bytes per second, either way: a host with memory to spare pages out next to nothing
_SWAP_LEFT = 0.01  # of the physical memory
UNACCOUNTED = 0.15  # of DB time
NO_HOST = Unknown("Operating System Statistics of one host: SWAP_FREE_BYTES, VM_IN_BYTES, VM_OUT_BYTES, SYS_TIME")
_INPUTS = ("SWAP_FREE_BYTES", "VM_IN_BYTES", "VM_OUT_BYTES", "SYS_TIME")


@dataclass(frozen=True, slots=True)
class Trouble:
    """One sign that memory is short: in words, and where it is printed.

    `most_s`: seconds that processes can have spent on it; None = not told by what is printed, as of paging.
    """

    said: str
    evidence: Evidence
    severe: bool = False
    most_s: float | None = None


def troubles(side: Side) -> tuple[Trouble, ...]:
    """Swap that is used up, paging, more time in the kernel than in programs."""
    return tuple(t for t in (_swap(side), *_paging(side), _kernel(side)) if t is not None)


def memory_exhausted(facts: Facts) -> Answer:
    """Swap used up, or more SYS than USER time beside 15 % of DB time that is neither wait nor CPU.

    Paging and little free memory are told beside it. Its size is the time that no row explains.

    Source: Oracle Database Reference, V$OSSTAT.
    """
    if not any(is_printed(s) for s in (facts.first, facts.second)):
        return NO_HOST
    missing, a = facts.unaccounted, facts.attribution
    shares = (missing.first, missing.second) if missing is not None else (0.0, 0.0)
    short = [is_short(s, share) for s, share in zip((facts.first, facts.second), shares, strict=True)]
    if not any(short):
        return QUIET
    side, which = (facts.second, "Second") if short[1] else (facts.first, "First")
    found = troubles(side)
    text = f"In {which} {'; '.join(t.said for t in found)}{free_memory(side)}"
    sessions = None
    if missing is not None and a is not None and max(shares) >= UNACCOUNTED:
        lost = (missing.first * a.first_per_s, missing.second * a.second_per_s)
        sessions = Sessions(*(Range(x, x) for x in lost))
        text += f". {percent(shares[0])} → {percent(shares[1])} of DB time is neither wait nor CPU"
    new = short[1] and not short[0]
    return Said(
        "The host is out of memory."
        if short[1]
        else facts.eased("The host is out of memory", "The host is no longer out of memory."),
        text + ".",
        tuple(t.evidence for t in found),
        sessions,
        Subject("memory", "host"),
        "worse" if new and facts.rose else "better" if not short[1] else "neutral",
        severity="warning" if short[1] else "note",
        explains=("unaccounted-time", "load-against-db-time"),
    )


def is_printed(side: Side) -> bool:
    return any(side.value(_OS, "value", name) for name in _INPUTS)


def is_short(side: Side, unaccounted: float) -> bool:
    """`unaccounted`: share (0..1) of DB time that is neither wait nor CPU."""
    found = troubles(side)
    return any(t.severe for t in found) or (unaccounted >= UNACCOUNTED and _kernel(side) is not None)


def _swap(side: Side) -> Trouble | None:
    """Used up at the end, with paging or after more of it was free: a host without swap prints 0 as well."""
    physical = side.value(_OS, "value", "PHYSICAL_MEMORY_BYTES")
    begin = side.value(_OS, "value", "SWAP_FREE_BYTES")
    end = side.value(_OS, "end_value", "SWAP_FREE_BYTES") or begin
    if physical is None or begin is None or end is None:
        return None
    least = _SWAP_LEFT * physical.number
    if end.number >= least or not (begin.number > 2 * least or _paged(side, "VM_OUT_BYTES") >= _PAGED):
        return None
    said = f"swap is used up ({size(begin.number, 3)} free at the beginning, {size(end.number, 3)} at the end)"
    return Trouble(said, row(_OS, "SWAP_FREE_BYTES", "value"), severe=True)


def _paging(side: Side) -> tuple[Trouble, ...]:
    named = (("VM_IN_BYTES", "in"), ("VM_OUT_BYTES", "out"))
    return tuple(
        Trouble(f"{size(rate, 3)} per second are paged {way}", row(_OS, name, "value"))
        for name, way in named
        if (rate := _paged(side, name)) >= _PAGED
    )


def _paged(side: Side, name: str) -> float:
    return side.per_second(side.value(_OS, "value", name)) or 0.0


def _kernel(side: Side) -> Trouble | None:
    system, user = (side.value(_OS, "value", n) for n in ("SYS_TIME", "USER_TIME"))
    if system is None or user is None or system.number <= user.number or user.number <= 0:
        return None
    busy = percent(system.number / (system.number + user.number))
    said = f"the kernel takes {busy} of the host's CPU time (SYS over USER)"
    return Trouble(said, row(_OS, "SYS_TIME", "value"), most_s=system.number / 100)  # printed in centiseconds


def free_memory(side: Side) -> str:
    free = side.value(_OS, "end_value", "FREE_MEMORY_BYTES") or side.value(_OS, "value", "FREE_MEMORY_BYTES")
    return f"; {size(free.number)} of memory are free" if free is not None else ""

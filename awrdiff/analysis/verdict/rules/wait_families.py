"""Families of wait events with one meaning, and what sessions wait for in them."""

from __future__ import annotations

from msgspec import Struct

from awrdiff.analysis.report.side import Event, Side
from awrdiff.analysis.verdict.rules import sizes


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
    return sum(e.total.number for e in sizes.events_named(side, lambda name: name.startswith(beginning)))


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

"""Troubles of a side judged alone, with thresholds and active sessions.

Source: Oracle Database Performance Tuning Guide; Reference, V$OSSTAT, enqueue names, classes of wait events.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial

from msgspec import Struct

from awrdiff.analysis.commit_latency.inputs_from_report import LFPW
from awrdiff.analysis.figures_in_words import listing, number, percent, seconds, several
from awrdiff.analysis.model.diagnosis import Health, Trouble
from awrdiff.analysis.report.figures_by_name import Event, Side
from awrdiff.analysis.report.kinds import OF_AN_INTERVAL
from awrdiff.analysis.verdict import capacity_limits, thresholds
from awrdiff.analysis.verdict.active_sessions_attribution import unaccounted_share
from awrdiff.analysis.verdict.capacity_limits import (
    COMMITTING,
    OF_CPUS,
    SWITCHING,
    Threshold,
    cpus_of,
    is_cpu_capped,
    is_cpu_overloaded,
    is_host_full,
    is_slow,
    queued_share,
)
from awrdiff.analysis.verdict.rules import memory
from awrdiff.analysis.verdict.rules.log_switches import switches_of
from awrdiff.analysis.verdict.rules.parsing import PARSE
from awrdiff.analysis.verdict.rules.waits import ROW_LOCKS
from awrdiff.analysis.verdict.thresholds import FEWEST, SLOW_S

OVERLOAD = "CPU overload"
CAP = "CPU cap"
MEMORY = "memory"
LOCKS = "locks"
SWITCHES = "log switches"
COMMITS = "commits"
IO = "I/O"
PARSING = "parsing"
CLUSTER = "cluster"
CONCURRENCY = "concurrency"
CROWD = "crowd"
_LOCKS = ("enq: tx - row", "enq: tx - contention", "enq: tx - allocate", "enq: tm ", "enq: ul ")
_LIBRARY = ("library cache lock", "library cache pin")
_SWITCHES = ("log file switch", "log buffer space")
_COMMITS = ("log file sync",)
_NEARLY_ALL = 0.9  # of a kind: one event's name and figure stand for it
_SMALL, _MOST_PARTS = 0.1, 2  # of a kind: less is not named, nor more of them
_FILE_IO = ("db file", "direct path", "read by other session", "cell ")


def health_of(side: Side, troubles: Iterable[Trouble]) -> Health:
    """Calm only where everything was read."""
    if any(True for _ in troubles):
        return "sick"
    return "calm" if not unread_of(side) else "partial"


def unread_of(side: Side) -> tuple[str, ...]:
    """Missing inputs without which no hour is judged."""
    report = side.report
    if report.kind not in OF_AN_INTERVAL:
        return ("load, waits and DB time of an interval",)
    missing = {
        "the database's name": bool(report.database.name or report.database.dbid),
        "the interval": side.elapsed is not None,
        "DB time": side.active_sessions is not None,
        "wait events": side.lists_waits,
    }
    return tuple(name for name, is_there in missing.items() if not is_there)


def troubles_of(side: Side, beside: Side | None = None) -> tuple[Trouble, ...]:
    """Most sessions first. `beside`: perhaps the same host."""
    if unread_of(side):
        return ()
    troubles = [*_of_cpu(side), *_of_memory(side, beside)]
    for name, (least, judge) in _OF_WAITS.items():
        waits = Waits(side, events_in(name, side), sessions_in(name, side))
        if (waits.events or name == PARSING) and least.is_met(side, waits.sessions) and (trouble := judge(waits)):
            rule, text = trouble
            troubles.append(Trouble(name, rule, waits.sessions, waits.share, text))
    cpus, whole = cpus_of(side), side.active_sessions or 0.0
    if not troubles and cpus and whole >= 2 * cpus:
        text = f"{number(whole)} active sessions on {number(cpus)} CPUs"
        return (Trouble(CROWD, "load-against-db-time", whole, 1.0, text),)
    return tuple(sorted(troubles, key=lambda t: -t.sessions))


def _of_cpu(side: Side) -> Iterator[Trouble]:
    whole, managed, queued = side.active_sessions or 0.0, capacity_limits.managed_share(side), queued_share(side)
    cap = next(iter(capacity_limits.caps(side)), None)
    if is_cpu_capped(side):
        of = f": {cap.text}" if cap is not None else ""
        yield Trouble(
            CAP, "resource-manager", managed * whole, managed, f"the resource manager holds {percent(managed)} back{of}"
        )
        return
    if is_cpu_overloaded(side):
        reason = f"the host is {percent((side.host_busy_pct or 0.0) / 100)} busy" if is_host_full(side) else ""
        reason = reason or (cap.text if cap else "")
        yield Trouble(OVERLOAD, "host-cpu-saturated", queued * whole, queued, f"{reason}, {percent(queued)} queued")


def _of_memory(side: Side, beside: Side | None) -> Iterator[Trouble]:
    missing = unaccounted_share(side) or 0.0
    if missing < thresholds.UNACCOUNTED:
        return
    shortage = memory.shortage(side, beside)
    if shortage.is_exhausted and not shortage.ample:
        text = f"out of swap, {percent(missing)} of DB time unaccounted for"
        yield Trouble(MEMORY, "memory-exhausted", missing * (side.active_sessions or 0.0), missing, text)


def _waiting(side: Side, wanted: Callable[[str], bool]) -> tuple[list[Event], float]:
    events = [e for name, e in side.foreground.items() if wanted(name)]
    return sorted(events, key=lambda e: -e.total.number), sum(side.per_second(e.total) or 0.0 for e in events)


class Waits(Struct, frozen=True):
    """Waits of one kind, longest event first; `sessions`: active sessions in them."""

    side: Side
    events: list[Event]
    sessions: float

    @property
    def share(self) -> float:
        """Share of DB time (0..1)."""
        return self.sessions / (self.side.active_sessions or self.sessions)

    @property
    def text(self) -> str:
        return self.of_whole(self.sessions)

    def of_whole(self, sessions: float) -> str:
        whole = several(self.side.active_sessions or self.sessions, "active session", "active sessions")
        return f"{number(sessions)} of {whole}"

    @property
    def by_event(self) -> dict[str, float]:
        """Active sessions."""
        return {event.name: self.side.per_second(event.total) or 0.0 for event in self.events}

    @property
    def main(self) -> Event | None:
        """Event of nearly all of them, whose name stands for the kind."""
        largest = self.events[0]
        return largest if self.by_event[largest.name] >= _NEARLY_ALL * self.sessions else None

    def holding(self, kind: str, parts: Mapping[str, float]) -> str:
        """`enq: TX - row lock contention holds 1.9 of …`; of several `locks hold 2.9 of …, row locks 1.9 and …`."""
        if self.main is not None:
            verb = "hold" if self.main.name.endswith("waits") else "holds"
            return f"{self.main.name} {verb} {self.of_whole(self.by_event[self.main.name])}"
        name, largest = max(parts.items(), key=lambda part: part[1])
        if largest >= _NEARLY_ALL * self.sessions:
            return f"{name} hold {self.of_whole(largest)}"
        return f"{kind} hold {self.text}, {self.listed(parts, number)}"

    def listed(self, parts: Mapping[str, float], text: Callable[[float], str], more: Mapping[str, str] = {}) -> str:
        """Largest parts; `more`: by name, what follows a part."""
        ranked = sorted(parts.items(), key=lambda part: -part[1])[:_MOST_PARTS]
        large = [part for part in ranked if part[1] >= _SMALL * self.sessions] or ranked[:1]
        return listing([f"{name} {text(sessions)}{more.get(name, '')}" for name, sessions in large])


RuleAndText = tuple[str, str] | None  # None: another figure denies the trouble


def rule_of_lock(event: str) -> str:
    if event.lower().startswith(_LIBRARY):
        return "shared-pool-pressure"
    return "row-locks" if ROW_LOCKS.includes(event.lower()) else "enqueues"


def _log_switches(waits: Waits) -> RuleAndText:
    switches = switches_of(waits.side)
    often = f", a switch every {seconds(3600 / switches.per_hour)}" if switches and switches.per_hour else ""
    return "log-file-switch", f"{waits.holding('log switches', waits.by_event)}{often}"


def _locks(waits: Waits) -> RuleAndText:
    names = {name[0].lower() + name[1:]: sessions for name, sessions in _by_lock_name(waits.side).items()}
    return rule_of_lock(waits.events[0].name), waits.holding("locks", names)


def _commits(waits: Waits) -> RuleAndText:
    write = waits.side.background.get(LFPW)
    if write is not None and is_slow(write):
        text = f"a redo write takes {seconds(write.average_s or 0.0)}"
    elif is_slow(waits.events[0]) and COMMITTING.is_met(waits.side, waits.sessions):
        text = f"a commit waits {seconds(waits.events[0].average_s or 0.0)}"
    else:
        return None
    return "commit-latency", f"{text}, commits hold {waits.text}"


def _slow_io(waits: Waits) -> RuleAndText:
    times_and_waits = [(e.total.number, e.waits.number) for e in waits.events if e.waits is not None]
    count = sum(number_of_waits for _, number_of_waits in times_and_waits)
    each_s = sum(total_s for total_s, _ in times_and_waits) / count if count else 0.0
    if count < FEWEST or each_s < SLOW_S:
        return None
    if waits.main is not None and is_slow(waits.main):
        each = seconds(waits.main.average_s or 0.0)
        return "read-latency", f"{waits.main.name} takes {each}, slow I/O holds {waits.text}"
    averages = {e.name: f" at {seconds(e.average_s)} each" for e in waits.events if e.average_s is not None}
    return "read-latency", f"slow I/O holds {waits.text}, {waits.listed(waits.by_event, number, averages)}"


def part_of_db_time(share: float) -> str:
    """Parsing by background processes may exceed DB time."""
    return f"{percent(share)} of DB time" if share <= 1 else "more than all of DB time"


def _of_class(rule: str, kind: str, waits: Waits) -> RuleAndText:
    if waits.main is not None:
        return rule, waits.holding(kind, waits.by_event)
    whole = waits.side.active_sessions or waits.sessions
    listed = waits.listed(waits.by_event, lambda sessions: percent(sessions / whole))
    return rule, f"{kind} {percent(waits.share)} of DB time, {listed}"


_EVENTS: dict[str, Callable[[str], bool]] = {
    LOCKS: lambda event: event.startswith((*_LOCKS, *_LIBRARY)),
    SWITCHES: lambda event: event.startswith(_SWITCHES),
    COMMITS: lambda event: event.startswith(_COMMITS),
    # Reads, and writes past the cache.
    IO: lambda event: event.startswith(_FILE_IO) and "parallel write" not in event,
}
_CLASSES = {CLUSTER: "Cluster", CONCURRENCY: "Concurrency"}


def events_in(name: str, side: Side) -> list[Event]:
    return _waiting(side, _wanted(name, side))[0]


def sessions_in(name: str, side: Side) -> float:
    """Active sessions; 0 where not printed."""
    whole = side.active_sessions or 0.0
    if name == OVERLOAD:
        return queued_share(side) * whole
    if name == MEMORY:
        return (unaccounted_share(side) or 0.0) * whole
    if name == CAP:
        return capacity_limits.managed_share(side) * whole
    if name == PARSING:
        return side.per_second(side.time_model(PARSE)) or 0.0
    return whole if name == CROWD else _waiting(side, _wanted(name, side))[1]


def _wanted(name: str, side: Side) -> Callable[[str], bool]:
    if name in _CLASSES:
        return lambda event: side.foreground[event].wait_class == _CLASSES[name] and not event.startswith(_LIBRARY)
    return _EVENTS.get(name, lambda _event: False)


# From which on waits of a kind are a trouble, and its rule and text.
_OF_WAITS: dict[str, tuple[Threshold, Callable[[Waits], RuleAndText]]] = {
    LOCKS: (
        Threshold(0.10, 1.0),
        _locks,
    ),
    SWITCHES: (SWITCHING, _log_switches),
    COMMITS: (Threshold(0.0, COMMITTING.sessions), _commits),  # slow redo writes: whatever the share
    IO: (Threshold(0.25, 1.0), _slow_io),
    PARSING: (
        Threshold(0.30, 1.0),
        lambda of: ("parsing-dominates", f"parsing takes {part_of_db_time(of.share)}"),
    ),
    CLUSTER: (Threshold(0.40, 1.0, OF_CPUS), partial(_of_class, "interconnect", "cluster waits take")),
    CONCURRENCY: (Threshold(0.25, 1.0, OF_CPUS), partial(_of_class, "buffer-busy", "contention in memory takes")),
}


ROW_LOCK_WAITS = "Row locks"
_LOCK_NAMES = {
    "enq: TX - row": ROW_LOCK_WAITS,
    "enq: TX - allocate": "Waits for a free ITL slot",
    "enq: TX": "Waits for other transactions",
    "enq: TM": "Table locks",
    "enq: UL": "User locks",
    "library": "Library cache locks",
}


def main_lock(bad: Side, good: Side, *, is_rise: bool) -> tuple[str, str, float]:
    """(longest event, name, active sessions). `is_rise`: grown most."""
    before = _by_lock_name(good) if is_rise else {}
    grew = {name: now - before.get(name, 0.0) for name, now in _by_lock_name(bad).items()}
    name = max(grew, key=grew.__getitem__)
    event = next(event for event in events_in(LOCKS, bad) if _lock_name(event) == name)
    return event.name, name, max(grew[name], 0.0)


def _by_lock_name(side: Side) -> dict[str, float]:
    sessions: dict[str, float] = {}
    for event in events_in(LOCKS, side):
        sessions[_lock_name(event)] = sessions.get(_lock_name(event), 0.0) + (side.per_second(event.total) or 0.0)
    return sessions


def _lock_name(event: Event) -> str:
    return next((name for begin, name in _LOCK_NAMES.items() if event.name.startswith(begin)), event.name)

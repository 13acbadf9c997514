"""Locks that sessions wait for, by their common names."""

from __future__ import annotations

from awrdiff.analysis.report.side import Event, Side
from awrdiff.analysis.verdict.troubles import LOCKS, events_in, rule_of_lock

ROW_LOCKS = "Row locks"
_NAMES = {
    "enq: TX - row": ROW_LOCKS,
    "enq: TX - allocate": "Waits for a free ITL slot",
    "enq: TX": "Waits for other transactions",
    "enq: TM": "Table locks",
    "enq: UL": "User locks",
    "library": "Library cache locks",
}


def main_lock(bad: Side, good: Side, *, is_rise: bool) -> tuple[str, str, float]:
    """(longest event, name, active sessions) of the locks that grew most (`is_rise`) or are waited for most."""
    event, sessions = _main(bad, good, is_rise=is_rise)
    return event.name, _name(event), max(sessions, 0.0)


def rule_of(bad: Side, good: Side, *, is_rise: bool) -> str:
    """Rule whose finding names them."""
    return rule_of_lock(_main(bad, good, is_rise=is_rise)[0].name)


def _main(bad: Side, good: Side, *, is_rise: bool) -> tuple[Event, float]:
    before = _by_name(good) if is_rise else {}
    grew = {name: now - before.get(name, 0.0) for name, now in _by_name(bad).items()}
    name = max(grew, key=grew.__getitem__)
    return next(event for event in events_in(LOCKS, bad) if _name(event) == name), grew[name]


def _by_name(side: Side) -> dict[str, float]:
    sessions: dict[str, float] = {}
    for event in events_in(LOCKS, side):
        sessions[_name(event)] = sessions.get(_name(event), 0.0) + (side.per_second(event.total) or 0.0)
    return sessions


def _name(event: Event) -> str:
    return next((name for begin, name in _NAMES.items() if event.name.startswith(begin)), event.name)

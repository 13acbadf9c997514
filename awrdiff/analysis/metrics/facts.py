"""Figures that the analysis has already, or that are more than what one cell prints."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from awrdiff.analysis.model.commits import CommitFigures
from awrdiff.analysis.model.evidence import Estimate
from awrdiff.analysis.report.side import FOREGROUND, Event, Side
from parsers.model import Value

WAIT_CLASSES = "foreground_wait_classes"
NOTHING = Value(0.0, 0.0)


class Sources(NamedTuple):
    """What a figure is taken from: the report as the analysis asks about it, and what it says of commits."""

    side: Side
    commits: CommitFigures


Fact = Callable[[Sources], Value | None]


def transactions(sources: Sources) -> Value | None:
    return _exact(sources.side.transactions)


def host_busy(sources: Sources) -> Value | None:
    return _exact(sources.side.host_busy_pct)


def sessions_at_end(sources: Sources) -> Value | None:
    return _exact(sources.side.report.period.end.sessions)


def of_commits(name: str) -> Fact:
    """The middle of an estimate, as near as the farther of its ends."""

    def fact(sources: Sources) -> Value | None:
        found: Estimate | None = getattr(sources.commits, name)
        return Value(found.value, max(found.high - found.value, found.value - found.low)) if found else None

    return fact


def of_wait_class(name: str) -> Fact:
    """A class that the list of all classes leaves out was not waited for."""

    def fact(sources: Sources) -> Value | None:
        found = sources.side.value(WAIT_CLASSES, "total_wait_time_s", name)
        return NOTHING if found is None and sources.side.lists_all(WAIT_CLASSES) else found

    return fact


def of_event(name: str) -> Fact:
    """Of sessions. An event that the list of all events leaves out was not waited for; one of the top is silent."""

    def fact(sources: Sources) -> Value | None:
        event = sources.side.foreground.get(name.lower())
        if event is None:
            return NOTHING if sources.side.lists_all(FOREGROUND) else None
        return event.total

    return fact


def of_background_event(name: str) -> Fact:
    def fact(sources: Sources) -> Value | None:
        event = sources.side.background.get(name)
        return event.total if event else None

    return fact


def average_of(name: str, *, background: bool) -> Fact:
    def fact(sources: Sources) -> Value | None:
        events: dict[str, Event] = sources.side.background if background else sources.side.foreground
        event = events.get(name.lower())
        return event.average if event else None

    return fact


def _exact(number: float | None) -> Value | None:
    return Value(number, 0.0) if number is not None else None

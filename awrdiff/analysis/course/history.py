"""How one statement or one event went over the reports of a database.

Of each report the largest are kept: what is not among them is unknown, never 0. Of the events that are figures of their
own (awrdiff/analysis/metrics) more is known: a report that lists all events says of the others that nobody waited.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal

from msgspec import Struct

from awrdiff.analysis.course.slots import Point
from awrdiff.analysis.metrics.declared import BY_ID
from awrdiff.analysis.metrics.largest import LargestEvent, LargestStatement
from awrdiff.analysis.metrics.packed import figure_in, load_largest
from parsers.model import Value

Change = Literal["entered", "left", "changed plan"]
_BY_NAME = {m.title.lower(): m.id for m in BY_ID.values() if m.id.startswith("event_")}
_AVERAGE = {m.title.removeprefix("Average ").lower(): m.id for m in BY_ID.values() if m.id.startswith("average_")}


class StatementAt(Struct, frozen=True):
    """In one report; `found` None: not among its largest. `among`: how many these are, None where they are not kept.

    `changes`: since the report before that has the largest.
    """

    point: Point
    found: LargestStatement | None
    among: int | None
    changes: tuple[Change, ...] = ()
    plans_before: tuple[str, ...] = ()


class EventAt(Struct, frozen=True):
    """In one report. `is_listed`: among its largest; where it is not, sessions may be known of a figure of its own."""

    point: Point
    found: LargestEvent | None
    among: int | None
    is_listed: bool
    changes: tuple[Change, ...] = ()


Largest = Mapping[str, Any]  # as packed: awrdiff/analysis/metrics/packed.py


def statement_in(points: Iterable[tuple[Point, Largest | None]], sql_id: str) -> list[StatementAt]:
    """In the order of `points`. Of a statement in several pluggable databases the one that took longest."""
    found = (_statement(point, largest, sql_id) for point, largest in points)
    return list(_with_changes_of_statement(found))


def _statement(point: Point, largest: Largest | None, sql_id: str) -> StatementAt:
    if largest is None:
        return StatementAt(point, None, None)
    rows = [row for row in largest["statements"] if row[0] == sql_id]
    _, own = load_largest({"events": [], "statements": rows})
    return StatementAt(point, own[0] if own else None, len(largest["statements"]))


def _with_changes_of_statement(found: Iterable[StatementAt]) -> Iterator[StatementAt]:
    before: StatementAt | None = None
    plans: tuple[str, ...] = ()
    for one in found:
        if one.among is None:
            yield one
            continue
        changes = list(_entered_or_left(before.found if before else None, one.found, is_first=before is None))
        now = one.found.plans if one.found is not None else ()
        if plans and now and plans[0] != now[0]:
            changes.append("changed plan")
        yield StatementAt(one.point, one.found, one.among, tuple(changes), plans if "changed plan" in changes else ())
        before, plans = one, now or plans


def _entered_or_left(before: object, now: object, *, is_first: bool) -> Iterator[Change]:
    if not is_first and before is None and now is not None:
        yield "entered"
    if before is not None and now is None:
        yield "left"


def event_in(points: Iterable[tuple[Point, Largest | None]], name: str) -> list[EventAt]:
    """In the order of `points`; case does not count in Oracle's own names."""
    found: list[EventAt] = []
    before: EventAt | None = None
    for point, largest in points:
        one = _event(point, largest, " ".join(name.split()).lower())
        if one.among is not None:
            listed = [before.found if before and before.is_listed else None, one.found if one.is_listed else None]
            changes = tuple(_entered_or_left(*listed, is_first=before is None))
            before = one = EventAt(one.point, one.found, one.among, one.is_listed, changes)
        found.append(one)
    return found


def _event(point: Point, largest: Largest | None, name: str) -> EventAt:
    if largest is None:
        return EventAt(point, None, None, is_listed=False)
    rows = [row for row in largest["events"] if row[0].lower() == name]
    own, _ = load_largest({"events": rows, "statements": []})
    among = len(largest["events"])
    if own:
        return EventAt(point, own[0], among, is_listed=True)
    sessions, average = _figure(point, _BY_NAME.get(name)), _figure(point, _AVERAGE.get(name))
    known = LargestEvent(name, None, sessions, None, average) if sessions is not None else None
    return EventAt(point, known, among, is_listed=False)


def _figure(point: Point, metric: str | None) -> Value | None:
    return figure_in(point.figures, metric) if metric is not None and point.figures is not None else None


__all__ = ["Change", "EventAt", "Largest", "StatementAt", "event_in", "statement_in"]

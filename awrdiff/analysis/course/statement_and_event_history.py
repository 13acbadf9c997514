"""Course of one statement or event among each report's largest.

Others are unknown, never 0, except metrics of events in complete lists.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal

from msgspec import Struct

from awrdiff.analysis.course.report_timeline import Point
from awrdiff.analysis.metrics.binary_storage import figure_in, load_largest
from awrdiff.analysis.metrics.catalogue import BY_ID
from awrdiff.analysis.metrics.top_events_and_statements import LargestEvent, LargestStatement
from parsers.model import Value

Change = Literal["entered", "left", "changed plan"]
_BY_NAME = {m.title.lower(): m.id for m in BY_ID.values() if m.id.startswith("event_")}
_AVERAGE = {m.title.removeprefix("Average ").lower(): m.id for m in BY_ID.values() if m.id.startswith("average_")}


class StatementAt(Struct, frozen=True):
    """`entry`: None outside the largest, of which there are `among`. `changes`: since the report before."""

    point: Point
    entry: LargestStatement | None
    among: int | None
    changes: tuple[Change, ...] = ()
    plans_before: tuple[str, ...] = ()


class EventAt(Struct, frozen=True):
    """Sessions of the largest (`is_listed`), else of a metric."""

    point: Point
    entry: LargestEvent | None
    among: int | None
    is_listed: bool
    changes: tuple[Change, ...] = ()


Largest = Mapping[str, Any]  # as packed: awrdiff/analysis/metrics/binary_storage.py


def statement_in(points: Iterable[tuple[Point, Largest | None]], sql_id: str) -> list[StatementAt]:
    """In order; of several pluggable databases the longest."""
    statements = (_statement(point, largest, sql_id) for point, largest in points)
    return list(_with_changes_of_statement(statements))


def _statement(point: Point, largest: Largest | None, sql_id: str) -> StatementAt:
    if largest is None:
        return StatementAt(point, None, None)
    rows = [row for row in largest["statements"] if row[0] == sql_id]
    _, own = load_largest({"events": [], "statements": rows})
    return StatementAt(point, own[0] if own else None, len(largest["statements"]))


def _with_changes_of_statement(statements: Iterable[StatementAt]) -> Iterator[StatementAt]:
    before: StatementAt | None = None
    plans: tuple[str, ...] = ()
    for statement in statements:
        if statement.among is None:
            yield statement
            continue
        changes = list(_entered_or_left(before.entry if before else None, statement.entry, is_first=before is None))
        now = statement.entry.plans if statement.entry is not None else ()
        if plans and now and plans[0] != now[0]:
            changes.append("changed plan")
        before_plans = plans if "changed plan" in changes else ()
        yield StatementAt(statement.point, statement.entry, statement.among, tuple(changes), before_plans)
        before, plans = statement, now or plans


def _entered_or_left(before: object, now: object, *, is_first: bool) -> Iterator[Change]:
    if not is_first and before is None and now is not None:
        yield "entered"
    if before is not None and now is None:
        yield "left"


def event_in(points: Iterable[tuple[Point, Largest | None]], name: str) -> list[EventAt]:
    """In order; names compare without case."""
    events: list[EventAt] = []
    before: EventAt | None = None
    for point, largest in points:
        event = _event(point, largest, " ".join(name.split()).lower())
        if event.among is not None:
            listed = [before.entry if before and before.is_listed else None, event.entry if event.is_listed else None]
            changes = tuple(_entered_or_left(*listed, is_first=before is None))
            before = event = EventAt(event.point, event.entry, event.among, event.is_listed, changes)
        events.append(event)
    return events


def _event(point: Point, largest: Largest | None, name: str) -> EventAt:
    if largest is None:
        return EventAt(point, None, None, is_listed=False)
    rows = [row for row in largest["events"] if row[0].lower() == name]
    own, _ = load_largest({"events": rows, "statements": []})
    among = len(largest["events"])
    if own:
        return EventAt(point, own[0], among, is_listed=True)
    sessions, average = _figure(point, _BY_NAME.get(name)), _figure(point, _AVERAGE.get(name))
    from_metric = LargestEvent(name, None, sessions, None, average) if sessions is not None else None
    return EventAt(point, from_metric, among, is_listed=False)


def _figure(point: Point, metric: str | None) -> Value | None:
    return figure_in(point.figures, metric) if metric is not None and point.figures is not None else None

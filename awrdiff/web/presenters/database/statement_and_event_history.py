"""History of a statement or event of a database."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import timedelta
from itertools import pairwise
from typing import Annotated, Any

from msgspec import Meta, Struct

from awrdiff.analysis.course.report_timeline import Slot, apart, follows
from awrdiff.analysis.course.statement_and_event_history import Change, EventAt, StatementAt
from awrdiff.analysis.figures_in_words import number
from awrdiff.web import value_formatting as fmt
from awrdiff.web.charts.axis import Time
from awrdiff.web.presenters.database.metrics_over_time import At, Noted, figure_course
from awrdiff.web.presenters.database.stacked_active_sessions import report_address, when
from parsers.model import Value

LISTED, NOT_LISTED, NOT_TAKEN = "listed", "not listed", "not taken yet"
_LETTERS: dict[Change, str] = {"entered": "E", "left": "L", "changed plan": "P"}
_MOST_MARKS = 40  # on a chart; the table has all
_STATEMENT = (  # attribute, title, unit, what the title says of it
    ("sessions", "Active sessions", "", "while it ran"),
    ("elapsed_per_exec_s", "Time of one execution", "s", "elapsed"),
    ("executions_per_s", "Executions", "per_s", "per second"),
    ("gets_per_exec", "Gets of one execution", "", "blocks"),
    ("cpu_per_exec_s", "CPU of one execution", "s", ""),
    ("reads_per_exec", "Reads of one execution", "", "blocks"),
    ("rows_per_exec", "Rows of one execution", "", ""),
)
_EVENT = (
    ("sessions", "Active sessions", "", "that waited for it"),
    ("average_s", "Average wait", "s", ""),
    ("waits_per_s", "Waits", "per_s", "per second"),
)
_UNITS = {"s": ", s", "per_s": " per second"}  # behind the name of a column
_MOST_CHARTS = 4
HistoryPoint = StatementAt | EventAt
_Column = tuple[str, str, str, str]


class HistoryReport(Struct):
    """One report. Figures in base units; null is unknown, never 0."""

    report: str
    begin: str
    end: str
    state: Annotated[str, Meta(description="whether it is listed")]
    among: Annotated[int | None, Meta(description="how many were")]
    changes: list[str]
    sessions: float | None


class StatementReport(HistoryReport):
    elapsed_per_exec_s: float | None
    executions_per_s: float | None
    gets_per_exec: float | None
    cpu_per_exec_s: float | None
    reads_per_exec: float | None
    rows_per_exec: float | None
    plans: list[str]


class EventReport(HistoryReport):
    average_s: float | None
    waits_per_s: float | None


def of_statement(sql_id: str, points: Sequence[StatementAt]) -> dict[str, Any]:
    return _page(sql_id, "SQL statement", "statements", _STATEMENT, points)


def of_event(name: str, points: Sequence[EventAt]) -> dict[str, Any]:
    printed = next((at.entry.name for at in points if at.is_listed and at.entry is not None), name)
    return _page(printed, "wait event", "events", _EVENT, points)


def _page(
    name: str, kind: str, many: str, figures: Sequence[_Column], points: Sequence[HistoryPoint]
) -> dict[str, Any]:
    printed = [f for f in figures if any(_value(at, f[0]) is not None for at in points)]
    slots = [Slot((at.point,)) for at in points]
    report_ids = {slot.points[0].report for slot in apart(slots)[0]}
    beside = [at for at in points if at.point.report in report_ids]
    return {
        "name": name,
        "kind": kind,
        "summary": list(_summary(points, many)),
        "charts": _charts(printed, beside),
        "heads": [f"{title}{_UNITS.get(unit, '')}" for _, title, unit, _ in printed],
        "lines": list(_lines(printed, points, many)),
        "has_plans": any(_plans(at) for at in points),
        "letters": {_LETTERS[change] for at in points for change in at.changes},
        "around": len(points) - len(beside),  # longer reports around others, in the table alone
    }


def is_listed(at: HistoryPoint) -> bool:
    return at.is_listed if isinstance(at, EventAt) else at.entry is not None


def _value(at: HistoryPoint, attribute: str) -> Value | None:
    value: Value | None = getattr(at.entry, attribute) if at.entry is not None else None
    return value


def _plans(at: HistoryPoint) -> tuple[str, ...]:
    return at.entry.plans if isinstance(at, StatementAt) and at.entry is not None else ()


def _summary(points: Sequence[HistoryPoint], many: str) -> Iterator[str]:
    known_points = [at for at in points if at.among is not None]
    listed = [at for at in known_points if is_listed(at)]
    of = fmt.count_text(len(known_points), "report")
    if not listed:
        yield f"In none of {of} is it among the {many} that took longest: nothing is known of it there."
        return
    first, last = (f"{at.point.begin.day} {at.point.begin:%b %Y %H:%M}" for at in (listed[0], listed[-1]))
    yield (
        f"Among the {many} that took longest in {len(listed)} of {of}, first {first}, last {last}; "
        "of the others nothing is known."
    )
    plans = list(dict.fromkeys(plan for at in listed for plan in _plans(at)))
    if plans:
        changed = sum("changed plan" in at.changes for at in points)
        yield f"{fmt.count_text(len(plans), 'plan')}: {', '.join(plans[:8])}; " + (
            f"changed {fmt.count_text(changed, 'time')}." if changed else "the most active one did not change."
        )


def _charts(figures: Sequence[_Column], points: Sequence[HistoryPoint]) -> list[dict[str, Any]]:
    if not points:
        return []
    begin = min(at.point.begin for at in points)
    span = max(at.point.end for at in points) - begin
    across = Time(begin, max(span, timedelta(hours=1)).total_seconds())
    slots = [Slot((at.point,)) for at in points]
    near = [True, *(follows(a, b) for a, b in pairwise(slots))]
    noted: list[Noted] = [
        (at.point.begin, "".join(_LETTERS[c] for c in at.changes), "; ".join(_changes_text(at)), "mark")
        for at in points
        if at.changes
    ]
    return [
        figure_course(
            title,
            unit,
            across,
            [At(at.point.begin, at.point.end, _value(at, name), close) for at, close in zip(points, near, strict=True)],
            noted if len(noted) <= _MOST_MARKS else [n for n in noted if "P" in n[1]][:_MOST_MARKS],
            beside=beside,
        )
        for name, title, unit, beside in figures[:_MOST_CHARTS]
    ]


def _changes_text(at: HistoryPoint) -> Iterator[str]:
    for change in at.changes:
        if change == "changed plan" and isinstance(at, StatementAt):
            yield f"plan {at.plans_before[0]} → {_plans(at)[0]}"
        else:
            yield change


def _lines(figures: Sequence[_Column], points: Sequence[HistoryPoint], many: str) -> Iterator[dict[str, Any]]:
    for at in points:
        if at.among is None:
            note = "its figures are not taken yet"
        elif not is_listed(at):
            note = f"not among the {at.among} {many} that took longest" if at.among else f"no {many} are printed"
        else:
            note = ""
        yield {
            "when": when(Slot((at.point,))),
            "url": report_address(at.point.report),
            "cells": [_cell(_value(at, name), unit) for name, _, unit, _ in figures],
            "plans": _plans(at),
            "note": "; ".join(filter(None, (*_changes_text(at), note))),
            "is_listed": is_listed(at),
        }


def _cell(value: Value | None, unit: str) -> str:
    if value is None:
        return fmt.NONE
    return fmt.quantity(value.number, unit, value.half) if unit == "s" else number(value.number)


def documents(points: Sequence[HistoryPoint]) -> list[StatementReport] | list[EventReport]:
    return [_document(at) for at in points]  # type: ignore[return-value] # all of one kind


def _document(at: HistoryPoint) -> StatementReport | EventReport:
    columns = _STATEMENT if isinstance(at, StatementAt) else _EVENT
    own: dict[str, Any] = {
        "report": at.point.report,
        "begin": at.point.begin.isoformat(),
        "end": at.point.end.isoformat(),
        "state": NOT_TAKEN if at.among is None else LISTED if is_listed(at) else NOT_LISTED,
        "among": at.among,
        "changes": list(at.changes),
        **{name: v.number if (v := _value(at, name)) is not None else None for name, *_ in columns},
    }
    return StatementReport(**own, plans=list(_plans(at))) if isinstance(at, StatementAt) else EventReport(**own)

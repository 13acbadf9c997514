"""Chosen figures of a database over time, with normal bands."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from itertools import pairwise
from typing import Any
from urllib.parse import urlencode

from awrdiff.analysis.course.metric_history import FigureAt, MetricHistory
from awrdiff.analysis.course.report_timeline import Slot, apart, follows
from awrdiff.analysis.export.csv import csv_line
from awrdiff.analysis.metrics.catalogue import BY_ID, METRICS
from awrdiff.analysis.metrics.declaration_helpers import GROUPS, UNITS, Metric
from awrdiff.analysis.normal.hour_of_week_normal import ALARM
from awrdiff.analysis.normal.level_shifts import Step
from awrdiff.web import value_formatting as fmt
from awrdiff.web.charts.axis import Linear, Time, round_ticks
from awrdiff.web.charts.frame import Chart, Frame, Rule, Run, explored, levels, moments_of, room, rules
from awrdiff.web.charts.shapes import Mark, Place, area, decimal, line, point, runs
from awrdiff.web.presenters.database.stacked_active_sessions import (
    Changes,
    changes_of,
    report_url,
    since_before,
    when,
)
from awrdiff.web.presenters.database.timeline_span import Span
from parsers.model import Value

_HEIGHT, _MOST_TICKS = 150, 4
_MOST_POINTS = 120  # more of them are no longer to be told apart


@dataclass(frozen=True, slots=True)
class At:
    """Report or slot. `low` to `high`: normal range; `follows`: no gap before; `mark`: CSS class."""

    begin: datetime
    end: datetime
    value: Value | None
    follows: bool = True
    low: float | None = None
    middle: float | None = None
    high: float | None = None
    mark: str = ""


Noted = tuple[datetime, str, str, str]  # when, letters, what it is, CSS class


def figure_course(
    title: str, unit: str, across: Time, points: Sequence[At], noted: Iterable[Noted] = (), *, beside: str = ""
) -> dict[str, Any]:
    """`unit`: as in fmt; `beside`: addition to the title."""
    placed_points = [((across.at(at.begin) + across.at(at.end)) / 2, at) for at in points]
    known_points = [(x, at) for x, at in placed_points if at.value is not None]
    tops = [v for at in points for v in (at.high, at.value.number if at.value is not None else None) if v is not None]
    lows = [v for at in points for v in (at.low, at.value.number if at.value is not None else None) if v is not None]
    scale = fmt.scale_of(max(map(abs, tops), default=0.0), unit or None)
    ticks = round_ticks(max(tops, default=0.0) * scale.factor, _MOST_TICKS, low=min([0.0, *lows]) * scale.factor)
    up = Linear(ticks[0][0] / scale.factor, ticks[-1][0] / scale.factor)
    frame = Frame(up, up)
    suffix = f" {scale.suffix}" if scale.suffix else ""
    tick_labels = levels(up, [(value / scale.factor, text) for value, text in ticks], suffix)
    names = moments_of(across)
    return {
        "title": title,
        "beside": beside,
        "coverage": f"{len(known_points)} of {fmt.count_text(len(points), 'report')} print it",
        "chart": Chart(
            marks=(
                *_band(placed_points, frame),
                *(line("known", places) for places in _course_lines(placed_points, frame)),
                *(
                    point(f"known {at.mark}".strip(), (x, frame.y(at.value.number)), _title_of(at, unit))
                    for x, at in known_points
                    if at.value is not None and (at.mark or len(known_points) <= _MOST_POINTS)
                ),
            ),
            height=_HEIGHT,
            alt=f"{title} over time. The table below has the same figures.",
            left=room(tick_labels),
            right=14,
            top=18,
            bottom=22,
            rules=(
                *rules(tick_labels),
                *rules(names, upright=True),
                *(
                    Rule(decimal(across.at(at)), upright=True, cls=cls, title=text, text=letters)
                    for at, letters, text, cls in noted
                    if across.begin <= at <= across.end
                ),
            ),
            levels=tick_labels,
            names=names,
        ),
        "data": explored(
            [at.begin for _, at in known_points],
            [
                Run(
                    title,
                    "",
                    [at.value.number for _, at in known_points if at.value],
                    [_title_of(at, unit) for _, at in known_points],
                )
            ],
            unit=unit or None,
        ),
    }


def _title_of(at: At, unit: str) -> str:
    when = _moment(at.begin)
    return f"{when}: {fmt.quantity(at.value.number, unit or None, at.value.half)}" if at.value is not None else when


@lru_cache(maxsize=4096)  # each is said of every figure
def _moment(begin: datetime) -> str:
    return f"{begin:%a} {begin.day} {begin:%b %Y %H:%M}"


def _course_lines(placed_points: Sequence[tuple[float, At]], frame: Frame) -> Iterator[list[Place]]:
    for run in runs(placed_points, lambda a, b: b[1].follows and (a[1].value is None) == (b[1].value is None)):
        if run[0][1].value is not None:
            yield [(x, frame.y(at.value.number)) for x, at in run if at.value is not None]


def _band(placed_points: Sequence[tuple[float, At]], frame: Frame) -> Iterator[Mark]:
    for run in runs(placed_points, lambda a, b: b[1].follows and (a[1].low is None) == (b[1].low is None)):
        if len(run) > 1 and run[0][1].low is not None:
            upper, lower, middle = (
                [(x, frame.y(v)) for x, at in run if (v := getattr(at, name)) is not None]
                for name in ("high", "low", "middle")
            )
            yield area("band", upper, lower)
            yield line("middle", middle)


MOST = 4
USUAL = "db_time"
_BY_TITLE = {m.title.lower(): m for m in METRICS}
_SUFFIXED = ("s", "bytes", "bytes_per_s", "percent")  # units that figures are written with


def asked_metrics(texts: Sequence[str]) -> tuple[list[Metric], list[str]]:
    """By id or title, any case. Second: unknown names."""
    wanted = [
        text.strip()
        for parameter in texts
        for text in ([parameter] if _metric_named(parameter) else parameter.split(","))
        if text.strip()
    ]
    metrics = {m.id: m for text in wanted if (m := _metric_named(text)) is not None}
    unknown = [text[:80] for text in wanted if _metric_named(text) is None]
    return list(metrics.values())[:MOST] or [BY_ID[USUAL]], unknown[:MOST]


def _metric_named(text: str) -> Metric | None:
    plain = text.strip()
    return BY_ID.get(plain) or _BY_TITLE.get(plain.lower())


def present(
    metric_courses: Sequence[MetricHistory],
    unknown: Sequence[str],
    slots: Sequence[Slot],
    *,
    span: Span,
    course: str,
) -> dict[str, Any]:
    drawn_slots, around = apart(slots)
    changes = changes_of(drawn_slots)
    ids = [metric_course.metric.id for metric_course in metric_courses]
    query: dict[str, Any] = {**span.query, "course": course}
    metrics = [metric_course.metric for metric_course in metric_courses]
    return {
        "chosen": [(m.title, _url(query, [i for i in ids if i != m.id])) for m in metrics],  # address without it
        "unknown": unknown,
        "groups": list(_groups(ids, query)),
        "titles": [m.title for m in METRICS],
        "courses": _courses(metric_courses, drawn_slots, changes, span) if drawn_slots else [],
        "steps": [_step_text(step, course.metric) for course in metric_courses for step in course.steps],
        "heads": [m.title if m.unit in _SUFFIXED else f"{m.title}, {unit_text(m)}" for m in metrics],
        "lines": list(_lines(metric_courses, slots, changes)),
        "query": urlencode({**query, "metric": ids}, doseq=True),  # of its CSV and JSON
        "has_room": len(ids) < MOST,
        "around": len(around),
    }


def _url(query: dict[str, Any], ids: Sequence[str]) -> str:
    return f"?{urlencode({**query, 'metric': list(ids)}, doseq=True)}"


def _groups(ids: Sequence[str], query: dict[str, Any]) -> Iterator[tuple[str, list[tuple[str, str, str]]]]:
    kept_ids = list(ids)[-(MOST - 1) :]
    for group, title in GROUPS.items():
        own = [m for m in METRICS if m.group == group]
        yield title, [(m.title, unit_text(m), _url(query, [*(i for i in kept_ids if i != m.id), m.id])) for m in own]


def unit_text(metric: Metric) -> str:
    return UNITS.get(metric.unit, metric.unit)


def _courses(
    metric_courses: Sequence[MetricHistory], slots: Sequence[Slot], changes: Sequence[Changes], span: Span
) -> list[dict[str, Any]]:
    begin = span.begin or slots[0].begin
    length = max((span.end or slots[-1].end) - begin, slots[-1].end - begin, timedelta(hours=1))
    across = Time(begin, length.total_seconds())
    near = [True, *(follows(a, b) for a, b in pairwise(slots))]
    drawn_ids = {id(slot) for slot in slots}
    marks: list[Noted] = [(*change, "mark") for change in changes]
    return [
        figure_course(
            course.metric.title,
            chart_unit(course.metric),
            across,
            [
                _at(at, close=close)
                for at, close in zip((at for at in course.at if id(at.slot) in drawn_ids), near, strict=True)
            ],
            [
                *marks,
                *(
                    (s.begin, _factor(s, course.metric), _step_text(s, course.metric), "mark step")
                    for s in course.steps
                ),
            ],
            beside=unit_text(course.metric),
        )
        for course in metric_courses
    ]


def chart_unit(metric: Metric) -> str:
    return metric.unit if metric.unit in _SUFFIXED else ""


def _at(figure: FigureAt, *, close: bool) -> At:
    normal, slot = figure.normal, figure.slot
    if normal is None:
        return At(slot.begin, slot.end, figure.value, close)
    middle = normal.median.number
    mark = "far" if figure.value is not None and abs(normal.departure(figure.value)) >= ALARM else ""
    low = max(middle - normal.deviation, 0.0) if middle >= 0 else middle - normal.deviation
    return At(slot.begin, slot.end, figure.value, close, low, middle, middle + normal.deviation, mark)


def _factor(step: Step, metric: Metric) -> str:
    if metric.unit == "percent":
        return fmt.points(step.factor)
    return f"×{fmt.significant(step.factor, 2)}" if step.factor >= 1 else f"÷{fmt.significant(1 / step.factor, 2)}"


def _step_text(step: Step, metric: Metric) -> str:
    back = ", back at a level of the weeks before" if step.returns else ""
    begin, proved = (f"{at.day} {at:%b %Y %H:%M}" for at in (step.begin, step.proved_at))
    return f"{metric.title} {_factor(step, metric)} from {begin} on{back}; settled by the report of {proved}"


def _lines(
    courses: Sequence[MetricHistory], slots: Sequence[Slot], changes: Sequence[Changes]
) -> Iterator[tuple[str, str, list[tuple[str, str]], str]]:
    """When, address, figures and what is normal, since the report before."""
    for n, (slot, between) in enumerate(zip(slots, since_before(slots, changes), strict=True)):
        cells = [_figure_and_normal(course.at[n], course.metric) for course in courses]
        yield when(slot), report_url(slot), cells, between


def _figure_and_normal(figure: FigureAt, metric: Metric) -> tuple[str, str]:
    value, normal, unit = figure.value, figure.normal, chart_unit(metric) or None
    text = fmt.quantity(value.number, unit, value.half) if value is not None else fmt.NONE
    if normal is None:
        return text, ""
    return text, f"normal {fmt.quantity(normal.median.number, unit)} ± {fmt.quantity(normal.deviation, unit, digits=2)}"


def document(courses: Sequence[MetricHistory], slots: Sequence[Slot]) -> dict[str, Any]:
    """Base units; null if not printed or no normal known."""
    return {
        "metrics": [
            {
                "id": course.metric.id,
                "title": course.metric.title,
                "unit": course.metric.unit,
                "better": course.metric.better,
                "steps": [
                    {
                        "begin": step.begin.isoformat(),
                        "seen": step.proved_at.isoformat(),
                        "factor": step.factor,
                        "returns": step.returns,
                    }
                    for step in course.steps
                ],
            }
            for course in courses
        ],
        "reports": [
            _slot_document(slot, [course.at[n] for course in courses], courses) for n, slot in enumerate(slots)
        ],
    }


def _slot_document(slot: Slot, figures: Sequence[FigureAt], courses: Sequence[MetricHistory]) -> dict[str, Any]:
    ids = [course.metric.id for course in courses]
    return {
        "reports": [point.report for point in slot.points],
        "begin": slot.begin.isoformat(),
        "end": slot.end.isoformat(),
        "instances": [len(slot.points), slot.of],
        "values": {i: at.value.number if at.value is not None else None for i, at in zip(ids, figures, strict=True)},
        "normal": {
            i: {
                "median": at.normal.median.number,
                "deviation": at.normal.deviation,
                "of": at.normal.of,
                "by": at.normal.by,
            }
            if at.normal is not None
            else None
            for i, at in zip(ids, figures, strict=True)
        },
    }


def csv_lines(courses: Sequence[MetricHistory], slots: Sequence[Slot]) -> Iterator[str]:
    """One row per report, in base units, with normals."""
    columns = ("", " normal", " deviation")
    heads = [f"{course.metric.id}{column}" for course in courses for column in columns]
    yield csv_line(["begin", "end", "instances", "of", *heads])
    for n, slot in enumerate(slots):
        cells: list[object] = []
        for metric_course in courses:
            at = metric_course.at[n]
            normal = (at.normal.median.number, at.normal.deviation) if at.normal is not None else (None, None)
            numbers = (at.value.number if at.value is not None else None, *normal)
            cells += ["" if number is None else number for number in numbers]
        yield csv_line([slot.begin.isoformat(), slot.end.isoformat(), len(slot.points), slot.of, *cells])

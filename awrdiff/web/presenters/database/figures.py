"""Any figures of a database over time: what was chosen, what can be, and each with its normal band and steps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import pairwise
from typing import Any
from urllib.parse import urlencode

from awrdiff.analysis.course.normal import FigureAt, Followed
from awrdiff.analysis.course.slots import Slot, apart, follows
from awrdiff.analysis.export.csv import csv_line
from awrdiff.analysis.metrics.catalogue import GROUPS, UNITS
from awrdiff.analysis.metrics.declare import Metric
from awrdiff.analysis.metrics.declared import BY_ID, METRICS
from awrdiff.analysis.normal.baseline import ALARM
from awrdiff.analysis.normal.steps import Step
from awrdiff.web import format as fmt
from awrdiff.web.charts.axis import Time
from awrdiff.web.presenters.database.course import At, FigureCourse, Noted, figure_course
from awrdiff.web.presenters.database.span import Span
from awrdiff.web.presenters.database.stacked import Changes, between_text, changes_of, partial_text, report_url, when
from parsers.model import Value

MOST = 4
USUAL = "db_time"
_BY_TITLE = {m.title.lower(): m for m in METRICS}
_SUFFIXED = ("s", "bytes", "bytes_per_s", "percent")  # units that figures are written with


@dataclass(frozen=True, slots=True)
class FigureLink:
    """One that can be chosen; `url` adds it to those that are."""

    title: str
    unit: str
    url: str


@dataclass(frozen=True, slots=True)
class FigureGroup:
    title: str
    figures: tuple[FigureLink, ...]


@dataclass(frozen=True, slots=True)
class ChosenFigure:
    id: str
    title: str
    without: str  # where it is not chosen


@dataclass(frozen=True, slots=True)
class FigureLine:
    when: str
    url: str
    cells: tuple[tuple[str, str], ...]  # the figure, and what is normal
    between: str


@dataclass(frozen=True, slots=True)
class FiguresPage:
    chosen: Sequence[ChosenFigure]
    unknown: Sequence[str]  # what was asked for and is none
    groups: Sequence[FigureGroup]
    titles: Sequence[str]
    courses: Sequence[FigureCourse]
    steps: Sequence[str]
    heads: Sequence[str]
    lines: Sequence[FigureLine]
    query: str  # of the address, for its CSV and JSON
    has_room: bool
    around: int  # longer reports around others, in the table alone


def asked_metrics(texts: Sequence[str]) -> tuple[list[Metric], list[str]]:
    """By id or title, in any case; the usual one where nothing is asked for. And what is no figure."""
    wanted = [text.strip() for one in texts for text in ([one] if _named(one) else one.split(",")) if text.strip()]
    found = {m.id: m for text in wanted if (m := _named(text)) is not None}
    unknown = [text[:80] for text in wanted if _named(text) is None]
    return list(found.values())[:MOST] or [BY_ID[USUAL]], unknown[:MOST]


def _named(text: str) -> Metric | None:
    plain = text.strip()
    return BY_ID.get(plain) or _BY_TITLE.get(plain.lower())


def present(
    followed: Sequence[Followed],
    unknown: Sequence[str],
    slots: Sequence[Slot],
    *,
    span: Span,
    course: str,
) -> FiguresPage:
    """`slots`: those of what is followed."""
    drawn, around = apart(slots)
    changes = changes_of(drawn)
    ids = [one.metric.id for one in followed]
    query: dict[str, Any] = {**span.query, "course": course}
    courses = _courses(followed, drawn, changes, span) if drawn else []
    return FiguresPage(
        chosen=[
            ChosenFigure(one.metric.id, one.metric.title, _url(query, [i for i in ids if i != one.metric.id]))
            for one in followed
        ],
        unknown=unknown,
        groups=list(_groups(ids, query)),
        titles=[m.title for m in METRICS],
        courses=courses,
        steps=[text for one in followed for text in _steps_said(one)],
        heads=[_headed(one.metric) for one in followed],
        lines=list(_lines(followed, slots, changes)),
        query=urlencode({**query, "metric": ids}, doseq=True),
        has_room=len(ids) < MOST,
        around=len(around),
    )


def _url(query: dict[str, Any], ids: Sequence[str]) -> str:
    return f"?{urlencode({**query, 'metric': list(ids)}, doseq=True)}"


def _groups(ids: Sequence[str], query: dict[str, Any]) -> Iterator[FigureGroup]:
    kept = list(ids)[-(MOST - 1) :]
    for group, title in GROUPS.items():
        own = [m for m in METRICS if m.group == group]
        links = (FigureLink(m.title, unit_said(m), _url(query, [*(i for i in kept if i != m.id), m.id])) for m in own)
        yield FigureGroup(title, tuple(links))


def unit_said(metric: Metric) -> str:
    return UNITS.get(metric.unit, metric.unit)


def _headed(metric: Metric) -> str:
    return metric.title if metric.unit in _SUFFIXED else f"{metric.title}, {unit_said(metric)}"


def _courses(
    followed: Sequence[Followed], slots: Sequence[Slot], changes: Sequence[Changes], span: Span
) -> list[FigureCourse]:
    begin = span.begin or slots[0].begin
    length = max((span.end or slots[-1].end) - begin, slots[-1].end - begin, timedelta(hours=1))
    across = Time(begin, length.total_seconds())
    near = [True, *(follows(a, b) for a, b in pairwise(slots))]
    marks = [Noted(at, letters, title) for at, letters, title in changes]
    return [
        figure_course(
            one.metric.title,
            chart_unit(one.metric),
            across,
            [_at(at, close=close) for at, close in zip(_drawn(one, slots), near, strict=True)],
            [*marks, *(_noted(step, one.metric) for step in one.steps)],
            beside=unit_said(one.metric),
        )
        for one in followed
    ]


def _drawn(one: Followed, slots: Sequence[Slot]) -> list[FigureAt]:
    kept = {id(slot) for slot in slots}
    return [at for at in one.at if id(at.slot) in kept]


def chart_unit(metric: Metric) -> str:
    return metric.unit if metric.unit in _SUFFIXED else ""


def _at(found: FigureAt, *, close: bool) -> At:
    normal, slot = found.normal, found.slot
    if normal is None:
        return At(slot.begin, slot.end, found.value, close)
    middle = normal.median.number
    far = found.value is not None and abs(normal.departure(found.value)) >= ALARM
    low = max(middle - normal.deviation, 0.0) if middle >= 0 else middle - normal.deviation
    return At(slot.begin, slot.end, found.value, close, low, middle, middle + normal.deviation, "far" if far else "")


def _noted(step: Step, metric: Metric) -> Noted:
    return Noted(step.begin, _factor(step, metric), _step_said(step, metric), "mark step")


def _factor(step: Step, metric: Metric) -> str:
    if metric.unit == "percent":
        return fmt.points(step.factor)
    return f"×{fmt.significant(step.factor, 2)}" if step.factor >= 1 else f"÷{fmt.significant(1 / step.factor, 2)}"


def _step_said(step: Step, metric: Metric) -> str:
    back = ", back at a level of the weeks before" if step.returns else ""
    seen = f"{step.seen.day} {step.seen:%b %Y %H:%M}"
    return f"{metric.title} {_factor(step, metric)} from {_moment(step)} on{back}; settled by the report of {seen}"


def _moment(step: Step) -> str:
    return f"{step.begin.day} {step.begin:%b %Y %H:%M}"


def _steps_said(one: Followed) -> list[str]:
    return [_step_said(step, one.metric) for step in one.steps]


def _lines(followed: Sequence[Followed], slots: Sequence[Slot], changes: Sequence[Changes]) -> Iterator[FigureLine]:
    said = {at: text for at, _, text in changes}
    before: Slot | None = None
    for n, slot in enumerate(slots):
        cells = tuple((_text(one.at[n].value, one.metric), _normal_text(one.at[n], one.metric)) for one in followed)
        between = (between_text(before, slot), said.get(slot.begin, ""), partial_text(slot).removeprefix(", "))
        yield FigureLine(when(slot), report_url(slot), cells, "; ".join(text for text in between if text))
        before = slot


def _text(value: Value | None, metric: Metric) -> str:
    return fmt.quantity(value.number, chart_unit(metric) or None, value.half) if value is not None else fmt.NONE


def _normal_text(found: FigureAt, metric: Metric) -> str:
    """`normal 2.1 ± 0.2`"""
    if found.normal is None:
        return ""
    middle, unit = found.normal.median, chart_unit(metric) or None
    return f"normal {fmt.quantity(middle.number, unit)} ± {fmt.quantity(found.normal.deviation, unit, digits=2)}"


def document(followed: Sequence[Followed], slots: Sequence[Slot]) -> dict[str, Any]:
    """In base units; null of what is not printed, or where too few reports say what is normal."""
    return {
        "metrics": [
            {
                "id": one.metric.id,
                "title": one.metric.title,
                "unit": one.metric.unit,
                "better": one.metric.better,
                "steps": [
                    {
                        "begin": step.begin.isoformat(),
                        "seen": step.seen.isoformat(),
                        "factor": step.factor,
                        "returns": step.returns,
                    }
                    for step in one.steps
                ],
            }
            for one in followed
        ],
        "reports": [_slot_document(slot, [one.at[n] for one in followed], followed) for n, slot in enumerate(slots)],
    }


def _slot_document(slot: Slot, found: Sequence[FigureAt], followed: Sequence[Followed]) -> dict[str, Any]:
    ids = [one.metric.id for one in followed]
    return {
        "reports": [point.report for point in slot.points],
        "begin": slot.begin.isoformat(),
        "end": slot.end.isoformat(),
        "instances": [len(slot.points), slot.of],
        "values": {i: at.value.number if at.value is not None else None for i, at in zip(ids, found, strict=True)},
        "normal": {
            i: {
                "median": at.normal.median.number,
                "deviation": at.normal.deviation,
                "of": at.normal.of,
                "by": at.normal.by,
            }
            if at.normal is not None
            else None
            for i, at in zip(ids, found, strict=True)
        },
    }


def csv_lines(followed: Sequence[Followed], slots: Sequence[Slot]) -> Iterator[str]:
    """A row for each report: the figure in its base unit, and what is normal there."""
    columns = ("", " normal", " deviation")
    heads = [f"{one.metric.id}{column}" for one in followed for column in columns]
    yield csv_line(["begin", "end", "instances", "of", *heads])
    for n, slot in enumerate(slots):
        cells: list[object] = []
        for one in followed:
            at = one.at[n]
            normal = (at.normal.median.number, at.normal.deviation) if at.normal is not None else (None, None)
            numbers = (at.value.number if at.value is not None else None, *normal)
            cells += ["" if number is None else number for number in numbers]
        yield csv_line([slot.begin.isoformat(), slot.end.isoformat(), len(slot.points), slot.of, *cells])

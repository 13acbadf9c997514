"""One figure over time: hourly normal band, steps, gaps."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache

from awrdiff.web import format as fmt
from awrdiff.web.charts.axis import Linear, Time, round_ticks
from awrdiff.web.charts.frame import Chart, Frame, Rule, Run, explored, levels, moments_of, room, rules
from awrdiff.web.charts.marks import Mark, Place, area, line, point, runs, written
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


@dataclass(frozen=True, slots=True)
class Noted:
    at: datetime
    text: str
    title: str
    cls: str = "mark"


@dataclass(frozen=True, slots=True)
class FigureCourse:
    """`beside`: addition to the title; `said`: number of reports."""

    title: str
    beside: str
    said: str
    chart: Chart
    data: str


def figure_course(
    title: str, unit: str, across: Time, points: Sequence[At], noted: Iterable[Noted] = (), *, beside: str = ""
) -> FigureCourse:
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
    return FigureCourse(
        title,
        beside,
        f"{len(known_points)} of {fmt.count_text(len(points), 'report')} print it",
        Chart(
            marks=(
                *_band(placed_points, frame),
                *(line("known", places) for places in _lines(placed_points, frame)),
                *(
                    point(f"known {at.mark}".strip(), (x, frame.y(at.value.number)), _title_of(at, unit))
                    for x, at in known_points
                    if at.value is not None and (at.mark or len(known_points) <= _MOST_POINTS)
                ),
            ),
            height=_HEIGHT,
            said=f"{title} over time. The table below has the same figures.",
            left=room(tick_labels),
            right=14,
            top=18,
            bottom=22,
            rules=(
                *rules(tick_labels),
                *rules(names, upright=True),
                *(
                    Rule(written(across.at(n.at)), upright=True, cls=n.cls, title=n.title, text=n.text)
                    for n in noted
                    if across.begin <= n.at <= across.end
                ),
            ),
            levels=tick_labels,
            names=names,
        ),
        explored(
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
    )


def _title_of(at: At, unit: str) -> str:
    when = _moment(at.begin)
    return f"{when}: {fmt.quantity(at.value.number, unit or None, at.value.half)}" if at.value is not None else when


@lru_cache(maxsize=4096)  # each is said of every figure
def _moment(begin: datetime) -> str:
    return f"{begin:%a} {begin.day} {begin:%b %Y %H:%M}"


def _lines(placed_points: Sequence[tuple[float, At]], frame: Frame) -> Iterator[list[Place]]:
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

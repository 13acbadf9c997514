"""Activity over time of both windows as one time line, and its table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from awrdiff.analysis.model.sampled import Activity, Stretch
from awrdiff.web import format as fmt
from awrdiff.web.charts.axis import Linear, elapsed_ticks, round_ticks
from awrdiff.web.charts.frame import SIDES, Chart, Frame, Label, fitting, levels, rules
from awrdiff.web.charts.marks import Mark, area, bar, line, steps

_MOST_X, _MOST_Y = 8, 4
_JOINS_S = 4.0  # lengths are printed to a tenth of a minute: a gap of less is none


@dataclass(frozen=True, slots=True)
class SlotCell:
    clock: str
    sessions: str
    mostly: str


@dataclass(frozen=True, slots=True)
class SlotRow:
    offset: str
    first: SlotCell | None
    second: SlotCell | None


@dataclass(frozen=True, slots=True)
class ActivityView:
    chart: Chart
    rows: tuple[SlotRow, ...]


def present(activity: Activity | None) -> ActivityView | None:
    return ActivityView(_chart(activity), tuple(_rows(activity))) if activity is not None else None


def _chart(activity: Activity) -> Chart:
    sides = (activity.first, activity.second)
    both = (*activity.first, *activity.second)
    seconds = max(s.begin_s + s.length_s for s in both)
    ticks = round_ticks(max(s.sessions for s in both), _MOST_Y)
    frame = Frame(Linear(0, seconds), Linear(0, ticks[-1][0]))
    sessions = levels(frame.up, ticks)
    edges = [
        (cls, _edge(run, frame)) for cls, side in zip(("first", "second"), sides, strict=True) for run in _runs(side)
    ]
    return Chart(
        marks=(
            *(area(f"area {cls}", edge, [(edge[0][0], 100), (edge[-1][0], 100)]) for cls, edge in edges),
            *(line(f"edge {cls}", [(edge[0][0], 100), *edge]) for cls, edge in edges),
            *_hits(activity, frame),
        ),
        height=180,
        said="Active sessions over both windows by the time since their beginning. "
        f"{_highest_text(activity)}. The table below has the same figures.",
        left=44,
        right=12,
        top=26,
        bottom=34,
        rules=rules(sessions),
        levels=sessions,
        names=fitting([Label(frame.x(s), _minutes(s) if s else "begin") for s in elapsed_ticks(seconds, _MOST_X)]),
        legend=SIDES,
    )


def _highest_text(activity: Activity) -> str:
    tops = (max(side, key=lambda s: s.sessions) for side in (activity.first, activity.second))
    highest = ", ".join(
        f"{name} {fmt.significant(top.sessions)} from {_offset(top)} on"
        for name, top in zip(("First", "Second"), tops, strict=True)
    )
    return f"Highest: {highest}"


def _rows(activity: Activity) -> Iterator[SlotRow]:
    if not activity.joined:
        sides = [(s.begin_s, at, s) for at, side in enumerate((activity.first, activity.second)) for s in side]
        for _, at, one in sorted(sides, key=lambda s: s[:2]):
            yield SlotRow(_offset(one), _cell(one) if at == 0 else None, _cell(one) if at else None)
        return
    first, second = ({s.number: s for s in side} for side in (activity.first, activity.second))
    for number in sorted({*first, *second}):
        a, b = first.get(number), second.get(number)
        shown = a or b
        if shown is not None:
            yield SlotRow(_offset(shown), _cell(a), _cell(b))


def _cell(one: Stretch | None) -> SlotCell | None:
    if one is None:
        return None
    name, sessions = one.events[0] if one.events else ("", 0.0)
    mostly = f"{name} {fmt.significant(sessions)}" if name else ""
    return SlotCell(one.clock, fmt.significant(one.sessions), mostly)


def _offset(one: Stretch) -> str:
    return _minutes(one.begin_s)


def _minutes(seconds: float) -> str:
    """`+5 min`, `+1:05 h`."""
    minutes = round(seconds / 60)
    return f"+{minutes} min" if minutes < 60 else f"+{minutes // 60}:{minutes % 60:02} h"


def _edge(run: Sequence[Stretch], frame: Frame) -> list[tuple[float, float]]:
    edges = [*(s.begin_s for s in run), run[-1].begin_s + run[-1].length_s]
    return [(frame.x(at), frame.y(sessions)) for at, sessions in steps(edges, [s.sessions for s in run])]


def _hits(activity: Activity, frame: Frame) -> Iterator[Mark]:
    """The slots of both sides one above the other would hide each other: Second's are the lower half."""
    for name, side, top in (("First", activity.first, 0), ("Second", activity.second, 50)):
        for one in side:
            events = ", ".join(f"{event} {fmt.significant(n)}" for event, n in one.events[:3])
            title = f"{name}, {one.clock}: {fmt.significant(one.sessions)} active sessions ({events})"
            x = frame.x(one.begin_s)
            yield bar("hit", (x, max(frame.x(one.begin_s + one.length_s), x + 0.1)), (top, top + 50), title)


def _runs(side: Sequence[Stretch]) -> Iterator[list[Stretch]]:
    """Slots without a gap between them: where nothing was sampled there is no line."""
    run: list[Stretch] = []
    for one in side:
        if run and one.begin_s > run[-1].begin_s + run[-1].length_s + _JOINS_S:
            yield run
            run = []
        run.append(one)
    if run:
        yield run

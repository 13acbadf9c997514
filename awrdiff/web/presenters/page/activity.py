"""Activity of both windows on one time line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from awrdiff.analysis.model.sampled import Activity, Stretch
from awrdiff.web import format as fmt
from awrdiff.web.charts.axis import Linear, elapsed_ticks, round_ticks
from awrdiff.web.charts.frame import SIDES, Chart, Frame, Label, fitting, levels, rules
from awrdiff.web.charts.marks import Mark, area, bar, line, runs, steps

_MOST_X, _MOST_Y = 8, 4
_JOINS_S = 4.0  # lengths are printed to a tenth of a minute: a gap of less is none


def present(activity: Activity | None) -> Chart | None:
    return _chart(activity) if activity is not None else None


def in_brief(activity: Activity | None) -> Chart | None:
    """As a strip for the first screen."""
    return _chart(activity, in_brief=True) if activity is not None else None


def _chart(activity: Activity, *, in_brief: bool = False) -> Chart:
    sides = (activity.first, activity.second)
    stretches = (*activity.first, *activity.second)
    seconds = max(s.begin_s + s.length_s for s in stretches)
    ticks = round_ticks(max(s.sessions for s in stretches), 1 if in_brief else _MOST_Y)
    frame = Frame(Linear(0, seconds), Linear(0, ticks[-1][0]))
    sessions = levels(frame.up, ticks)
    edges = [
        (cls, _edge(run, frame))
        for cls, side in zip(("first", "second"), sides, strict=True)
        for run in runs(side, _joined)
    ]
    return Chart(
        marks=(
            *(area(f"area {cls}", edge, [(edge[0][0], 100), (edge[-1][0], 100)], cls) for cls, edge in edges),
            *(line(f"edge {cls}", [(edge[0][0], 100), *edge], cls) for cls, edge in edges),
            *_hits(activity, frame),
        ),
        height=40 if in_brief else 180,
        said=f"Active sessions by the time since each window began. {_highest_text(activity)}.",
        left=34 if in_brief else 44,
        right=12,
        top=8,
        bottom=22,
        rules=rules(sessions),
        levels=sessions,
        names=fitting([Label(frame.x(s), _minutes(s) if s else "begin") for s in elapsed_ticks(seconds, _MOST_X)]),
        keys=() if in_brief or not (activity.first and activity.second) else SIDES,
    )


def _highest_text(activity: Activity) -> str:
    sides = [("First", activity.first), ("Second", activity.second)]
    tops = [(name, max(side, key=lambda s: s.sessions)) for name, side in sides if side]
    highest = ", ".join(f"{name} {fmt.significant(top.sessions)} from {_minutes(top.begin_s)} on" for name, top in tops)
    return f"Highest: {highest}"


def _minutes(seconds: float) -> str:
    minutes = round(seconds / 60)
    return f"+{minutes} min" if minutes < 60 else f"+{minutes // 60}:{minutes % 60:02} h"


def _edge(run: Sequence[Stretch], frame: Frame) -> list[tuple[float, float]]:
    edges = [*(s.begin_s for s in run), run[-1].begin_s + run[-1].length_s]
    return [(frame.x(at), frame.y(sessions)) for at, sessions in steps(edges, [s.sessions for s in run])]


def _hits(activity: Activity, frame: Frame) -> Iterator[Mark]:
    """Second's slots are the lower half: sides would overlap."""
    for name, side, top in (("First", activity.first, 0), ("Second", activity.second, 50)):
        for stretch in side:
            events = ", ".join(f"{event} {fmt.significant(n)}" for event, n in stretch.events[:3])
            title = f"{name}, {stretch.clock}: {fmt.significant(stretch.sessions)} active sessions"
            title += f" ({events})" if events else ""
            x = frame.x(stretch.begin_s)
            across = x, max(frame.x(stretch.begin_s + stretch.length_s), x + 0.1)
            yield bar("hit", across, (top, top + 50), title, key=name.lower())


def _joined(before: Stretch, after: Stretch) -> bool:
    return after.begin_s <= before.begin_s + before.length_s + _JOINS_S

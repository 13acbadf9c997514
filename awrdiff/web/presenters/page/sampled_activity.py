"""Sampled activity: both windows on one time line, events with their statements, lists of two ASH reports."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from awrdiff.analysis.entities.kinds import KINDS, Ref, refs
from awrdiff.analysis.model.ash_activity import Activity, Sampled, SampledKind, SampledRow
from awrdiff.analysis.model.comparison import ComparedSection
from awrdiff.analysis.names.wait_events import wait_class_of
from awrdiff.analysis.rows.ash_shares_by_event import StatementShares, outside_the_list, statements_by_event
from awrdiff.analysis.verdict.db_time_bars import FILLS, OTHER_FILL, REST_FILL, shades_of
from awrdiff.web import value_formatting as fmt
from awrdiff.web.charts.axis import Linear, elapsed_ticks, round_ticks
from awrdiff.web.charts.frame import SIDES, Chart, Frame, Key, Label, fitting, levels, rules
from awrdiff.web.charts.shapes import Mark, area, bar, line, name, runs, steps

_SIDES = ("First", "Second")
_MOST_X, _MOST_Y = 8, 4
_JOINS_S = 4.0  # lengths are printed to a tenth of a minute: a gap of less is none


def activity_chart(activity: Activity, *, in_brief: bool = False) -> Chart:
    """`in_brief`: a strip for the first screen."""
    sides = (activity.first, activity.second)
    stretches = (*activity.first, *activity.second)
    seconds = max(s.begin_s + s.length_s for s in stretches)
    ticks = round_ticks(max(s.sessions for s in stretches), 1 if in_brief else _MOST_Y)
    frame = Frame(Linear(0, seconds), Linear(0, ticks[-1][0]))
    sessions = levels(frame.up, ticks)
    edges = []
    for cls, side in zip(("first", "second"), sides, strict=True):
        for run in runs(side, lambda before, after: after.begin_s <= before.begin_s + before.length_s + _JOINS_S):
            times = [*(s.begin_s for s in run), run[-1].begin_s + run[-1].length_s]
            corners = steps(times, [s.sessions for s in run])
            edges.append((cls, [(frame.x(at), frame.y(n)) for at, n in corners]))
    tops = [(name, max(side, key=lambda s: s.sessions)) for name, side in zip(_SIDES, sides, strict=True) if side]
    highest = ", ".join(f"{name} {fmt.significant(top.sessions)} from {_minutes(top.begin_s)} on" for name, top in tops)
    return Chart(
        marks=(
            *(area(f"area {cls}", edge, [(edge[0][0], 100), (edge[-1][0], 100)], cls) for cls, edge in edges),
            *(line(f"edge {cls}", [(edge[0][0], 100), *edge], cls) for cls, edge in edges),
            *_hits(activity, frame),
        ),
        height=40 if in_brief else 180,
        alt=f"Active sessions by the time since each window began. Highest: {highest}.",
        left=34 if in_brief else 44,
        right=12,
        top=8,
        bottom=22,
        rules=rules(sessions),
        levels=sessions,
        names=fitting([Label(frame.x(s), _minutes(s) if s else "begin") for s in elapsed_ticks(seconds, _MOST_X)]),
        keys=() if in_brief or not (activity.first and activity.second) else SIDES,
    )


def _minutes(seconds: float) -> str:
    minutes = round(seconds / 60)
    return f"+{minutes} min" if minutes < 60 else f"+{minutes // 60}:{minutes % 60:02} h"


def _hits(activity: Activity, frame: Frame) -> Iterator[Mark]:
    """Second's slots are the lower half: sides would overlap."""
    for side_name, side, top in (("First", activity.first, 0), ("Second", activity.second, 50)):
        for stretch in side:
            events = ", ".join(f"{event} {fmt.significant(n)}" for event, n in stretch.events[:3])
            title = f"{side_name}, {stretch.clock}: {fmt.significant(stretch.sessions)} active sessions"
            title += f" ({events})" if events else ""
            x = frame.x(stretch.begin_s)
            across = x, max(frame.x(stretch.begin_s + stretch.length_s), x + 0.1)
            yield bar("hit", across, (top, top + 50), title, key=side_name.lower())


_HEIGHT, _LEAST = 320, 15.0  # pixels, of the frame and of what is high enough for its name
_COLUMNS = ((0.0, 49.0), (51.0, 100.0))
_MOST = 2.0  # × what is listed: higher is drawn of nothing, the rest is written
CPU = FILLS["CPU"]
_MOST_EVENTS = 6  # with a colour of their own
OUTSIDE, UNNAMED = "not listed", "events not listed"


def events_chart(
    section: ComparedSection, sessions: Sequence[float | None], address: Callable[[str], str]
) -> Chart | None:
    """None if a side lacks the list. `sessions`: averages of First and Second; `address`: prefix."""
    first, second = sessions
    statements = statements_by_event(section)
    if not first or not second or not all(any(s.sides[at] for s in statements) for at in (0, 1)):
        return None
    return _Drawing(statements, (first, second), section, address).chart()


@dataclass(frozen=True, slots=True)
class _Block:
    """Statement or rest: span in active sessions, events with shares."""

    name: str
    low: float
    high: float
    parts: tuple[tuple[str, str, float], ...]

    @property
    def sessions(self) -> float:
        return self.high - self.low


class _Drawing:
    def __init__(
        self,
        statements: Sequence[StatementShares],
        sessions: tuple[float, float],
        section: ComparedSection,
        address: Callable[[str], str],
    ) -> None:
        self._sessions = sessions
        by_size = [
            (max(side.whole * mean if side else 0.0 for side, mean in zip(s.sides, sessions, strict=True)), s)
            for s in statements
        ]
        self._statements = [s for _, s in sorted(by_size, key=lambda entry: entry[0], reverse=True)]
        events = {e for s in statements for of in s.sides if of for e in of.events}
        self._events = sorted(events, key=self._time_of, reverse=True)
        top_events = [event for event in self._events if not event.startswith("CPU")][:_MOST_EVENTS]
        shades = shades_of([wait_class_of(event) or "Other" for event in top_events])
        self._classes = {e: CPU if e.startswith("CPU") else OTHER_FILL for e in self._events}
        self._classes |= dict(zip(top_events, shades, strict=True))
        columns = frozenset(section.key)
        paths = {s.sql_id: ref.path for s in statements if (ref := refs(s.row, columns).get("sql_id")) is not None}
        self._urls = {sql_id: address(path) for sql_id, path in paths.items()}
        self._blocks = [list(self._stacked(at)) for at in (0, 1)]
        listed = max(b.high for blocks in self._blocks for b in blocks if b.name != OUTSIDE)
        self._most = min(max(blocks[-1].high for blocks in self._blocks), _MOST * listed)
        self._frame = Frame(Linear(0, 100), Linear(0, self._most))

    def _time_of(self, event: str) -> tuple[float, str]:
        shares = [(side.events.get(event), at) for s in self._statements for at, side in enumerate(s.sides) if side]
        return sum(v.number * self._sessions[at] for v, at in shares if v is not None), event

    def _key(self, event: str) -> str:
        return str(self._events.index(event))

    def keys(self) -> tuple[Key, ...]:
        drawn_classes = {cls for blocks in self._blocks for block in blocks for _, cls, _ in block.parts}
        keys = [Key(cls, event, key=self._key(event)) for event, cls in self._classes.items() if cls != OTHER_FILL]
        more = (Key(OTHER_FILL, "other events", key=OTHER_FILL), Key(REST_FILL, "not listed: unknown", key=REST_FILL))
        return (*keys, *(key for key in more if key.cls in drawn_classes))

    def chart(self) -> Chart:
        sessions = [f"{name} {fmt.significant(n)}" for name, n in zip(_SIDES, self._sessions, strict=True)]
        return Chart(
            marks=tuple(mark for at in (0, 1) for mark in self._column(at)),
            height=_HEIGHT,
            alt=f"Active sessions by statement and event: {', '.join(sessions)}. The table below has the same shares.",
            top=8,
            bottom=26,
            names=tuple(Label(sum(x) / 2, text) for x, text in zip(_COLUMNS, sessions, strict=True)),
            keys=self.keys(),
        )

    def _column(self, at: int) -> Iterator[Mark]:
        (start, end), names = _COLUMNS[at], []
        for block in self._blocks[at]:
            whole, below = sum(share for _, _, share in block.parts), 0.0
            y = self._frame.y(block.low), self._frame.y(min(block.high, self._most))
            for event, cls, share in block.parts:
                x = [start + (end - start) * part / whole for part in (below, below + share)]
                below += share
                figures = [fmt.significant(block.sessions * part) for part in (share / whole, 1.0)]
                title = f"{_SIDES[at]}, {block.name}: {event} {' of '.join(dict.fromkeys(figures))}"
                key = self._key(event) if cls not in (OTHER_FILL, REST_FILL) else cls
                yield bar(cls, (x[0], x[1]), y, title, self._urls.get(block.name, ""), key=key)
            if (y[0] - y[1]) / 100 * _HEIGHT >= _LEAST:
                more = " ↑" if block.high > self._most * 1.001 else ""
                names.append(name(f"{block.name} {fmt.significant(block.sessions, 2)}{more}", (start, sum(y) / 2)))
        yield from names

    def _stacked(self, at: int) -> Iterator[_Block]:
        sessions_per_percent, below = self._sessions[at] / 100, 0.0
        for s in self._statements:
            side = s.sides[at]
            if side is None or not side.whole:
                continue
            parts = [(e, self._classes[e], v.number) for e in self._events if (v := side.events.get(e)) is not None]
            parts.append((UNNAMED, REST_FILL, side.unnamed))
            yield _Block(s.sql_id, below, below + side.whole * sessions_per_percent, tuple(p for p in parts if p[2]))
            below += side.whole * sessions_per_percent
        outside = outside_the_list(self._statements, at)
        if outside:
            yield _Block(
                OUTSIDE, below, below + outside * sessions_per_percent, (("by statement", REST_FILL, outside),)
            )


MOST = 8  # of a list; the others open
_HEADINGS: dict[SampledKind, str] = {
    "event": "By event",
    "sql": "By statement",
    "object": "By object",
    "session": "By session",
    "blocker": "By blocking session",
}
_HEADING_TEXTS: dict[SampledKind, tuple[str, str]] = {
    "event": ("event", "event"),
    "sql": ("sql", "sql_id"),
    "object": ("object", "object"),
    "session": ("session", "session"),
    "blocker": ("session", "blocking_session"),
}


def sampled_view(sampled: Sampled) -> dict[str, Any]:
    every = (side for sampled_list in sampled.lists for row in sampled_list.rows for side in (row.first, row.second))
    largest = max((side.middle for side in every if side is not None), default=0.0) or 1.0
    lists = []
    for each_list in sampled.lists:
        rows = []
        for row in each_list.rows:
            # Levels, and widths of their bars in percent of the largest level of all lists.
            sides = [
                (fmt.significant(side.middle, 2), round(100 * side.middle / largest, 1)) if side is not None else None
                for side in (row.first, row.second)
            ]
            rows.append((row, path_of(each_list.kind, row.key), sides, _change_cell(row)))
        lists.append((each_list.kind, _HEADINGS[each_list.kind], rows[:MOST], rows[MOST:]))
    counts = [f"{n:,}" if n is not None else "an unknown number of" for n in sampled.samples]
    return {
        "lists": lists,
        "first": fmt.significant(sampled.first.middle),
        "second": fmt.significant(sampled.second.middle),
        "samples": f"{counts[0]} samples in First, {counts[1]} in Second",
    }


def _change_cell(row: SampledRow) -> tuple[str, str, str]:
    """Text, class, reason."""
    if row.change is None:
        side = "First" if row.first is None else "Second"
        return "?", "na", f"not in {side}'s top list: unknown there, not zero"
    if not row.certain:
        return "≈", "same", "no more than the digits printed, or twice the scatter of the samples, leave open"
    way = fmt.direction(row.change)
    return f"{fmt.ARROWS[way]} {fmt.signed(row.change)}", {"up": "worse", "down": "better", "same": "same"}[way], ""


def path_of(kind: SampledKind, text: str) -> str:
    entity, column = _HEADING_TEXTS[kind]
    way = next(way for way in KINDS[entity].ways if way.columns == (column,))
    key = way.key([text])
    return Ref(entity, key).path if key else ""

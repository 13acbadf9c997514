"""Statements by event: active sessions (height), event shares (width)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from awrdiff.analysis.entities.kinds import refs
from awrdiff.analysis.model.comparison import ComparedSection
from awrdiff.analysis.names.events import wait_class_of
from awrdiff.analysis.rows.by_event import StatementShares, outside_the_list, statements_by_event
from awrdiff.analysis.verdict import bars
from awrdiff.analysis.verdict.bars import FILLS, OTHER_FILL, REST_FILL
from awrdiff.web import format as fmt
from awrdiff.web.charts.axis import Linear
from awrdiff.web.charts.frame import Chart, Frame, Key, Label
from awrdiff.web.charts.marks import Mark, bar, name

_HEIGHT, _LEAST = 320, 15.0  # pixels, of the frame and of what is high enough for its name
_COLUMNS = ((0.0, 49.0), (51.0, 100.0))
_SIDES = ("First", "Second")
_MOST = 2.0  # × what is listed: higher is drawn of nothing, the rest is written
CPU = FILLS["CPU"]
_MOST_EVENTS = 6  # with a colour of their own
OUTSIDE, UNNAMED = "not listed", "events not listed"


def events_chart(section: ComparedSection, sessions: Sequence[float | None], address: Callable[[str], str]) -> Chart | None:
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
        self._statements = sorted(statements, key=self._size, reverse=True)
        self._events = sorted({e for s in statements for of in s.sides if of for e in of.events}, key=self._time_of)[
            ::-1
        ]
        self._classes = dict(self._classed())
        columns = frozenset(section.key)
        paths = {s.sql_id: ref.path for s in statements if (ref := refs(s.row, columns).get("sql_id")) is not None}
        self._urls = {sql_id: address(path) for sql_id, path in paths.items()}
        self._blocks = [list(self._stacked(at)) for at in (0, 1)]
        listed = max(b.high for blocks in self._blocks for b in blocks if b.name != OUTSIDE)
        self._most = min(max(blocks[-1].high for blocks in self._blocks), _MOST * listed)
        self._frame = Frame(Linear(0, 100), Linear(0, self._most))

    def _size(self, of: StatementShares) -> float:
        return max(side.whole * mean if side else 0.0 for side, mean in zip(of.sides, self._sessions, strict=True))

    def _time_of(self, event: str) -> tuple[float, str]:
        shares = [(side.events.get(event), at) for s in self._statements for at, side in enumerate(s.sides) if side]
        return sum(v.number * self._sessions[at] for v, at in shares if v is not None), event

    def _classed(self) -> Iterator[tuple[str, str]]:
        top_events = [event for event in self._events if not event.startswith("CPU")][:_MOST_EVENTS]
        shades = bars.shades_of([wait_class_of(event) or "Other" for event in top_events])
        by_name = dict(zip(top_events, shades, strict=True))
        for event in self._events:
            yield event, CPU if event.startswith("CPU") else by_name.get(event, OTHER_FILL)

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
            said=f"Active sessions by statement and event: {', '.join(sessions)}. The table below has the same shares.",
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

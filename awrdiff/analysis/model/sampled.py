"""Samples of active sessions (ASH) of two windows: over time, and by dimension."""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Struct

from awrdiff.analysis.model.ranked import Range

SampledKind = Literal["event", "sql", "object", "session", "blocker"]


class Stretch(Struct, frozen=True):
    """Slot of a window: `begin_s` from its begin, active sessions in total and by event, largest first.

    `number`: counterpart in the other window.
    """

    number: int
    clock: str
    begin_s: float
    length_s: float
    sessions: float
    events: tuple[tuple[str, float], ...]


class Activity(Struct, frozen=True):
    """`Activity Over Time` of both sides, or ADDM's analyses; empty if not printed.

    `joined`: equal numbers have equal lengths.
    """

    first: tuple[Stretch, ...]
    second: tuple[Stretch, ...]
    joined: bool

    def as_dict(self) -> dict[str, Any]:
        return {"joined": self.joined, "first": [*map(_stretch, self.first)], "second": [*map(_stretch, self.second)]}


def _stretch(stretch: Stretch) -> dict[str, Any]:
    return {
        "number": stretch.number,
        "clock": stretch.clock,
        "begin_s": stretch.begin_s,
        "length_s": stretch.length_s,
        "sessions": float(f"{stretch.sessions:.6g}"),
        "events": [{"event": name, "sessions": float(f"{n:.6g}")} for name, n in stretch.events],
    }


class SampledRow(Struct, frozen=True):
    """Active sessions of one event, statement, object or session; None = not listed.

    `certain`: change beyond print and twice the sampling error.
    """

    key: str
    beside: str
    first: Range | None
    second: Range | None
    certain: bool
    section: str
    row_id: str

    @property
    def change(self) -> float | None:
        """Second less First; None unless both list it."""
        return None if self.first is None or self.second is None else self.second.middle - self.first.middle

    @property
    def size(self) -> float:
        """Sort order; an unlisted side counts as 0."""
        first, second = (side.middle if side is not None else 0.0 for side in (self.first, self.second))
        return abs(second - first)

    def as_dict(self) -> dict[str, Any]:
        sides = (("first", self.first), ("second", self.second))
        return {
            "key": self.key,
            "beside": self.beside,
            **{name: [side.low, side.high] if side is not None else None for name, side in sides},
            "certain": self.certain,
            "section": self.section,
            "row_id": self.row_id,
        }


class SampledList(Struct, frozen=True):
    kind: SampledKind
    rows: tuple[SampledRow, ...]

    def as_dict(self) -> dict[str, Any]:
        return {"kind": self.kind, "rows": [r.as_dict() for r in self.rows]}


class Sampled(Struct, frozen=True):
    """Two ASH reports: printed active sessions, sample counts, lists by change."""

    first: Range
    second: Range
    samples: tuple[int | None, int | None]
    lists: tuple[SampledList, ...]

    def of_kind(self, kind: SampledKind) -> tuple[SampledRow, ...]:
        return next((ranking.rows for ranking in self.lists if ranking.kind == kind), ())

    def as_dict(self) -> dict[str, Any]:
        return {
            "active_sessions": {
                "first": [self.first.low, self.first.high],
                "second": [self.second.low, self.second.high],
            },
            "samples": {"first": self.samples[0], "second": self.samples[1]},
            "lists": [ranking.as_dict() for ranking in self.lists],
        }

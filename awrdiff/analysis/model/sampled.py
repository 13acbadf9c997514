"""What samples of active sessions (ASH) say of two windows: over time, and by what was sampled."""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Struct

from awrdiff.analysis.model.ranked import Range

SampledKind = Literal["event", "sql", "object", "session", "blocker"]


class Stretch(Struct, frozen=True):
    """One slot of a window: `begin_s` from its beginning on, active sessions in all and by event, the largest first.

    `number`: which slot it is among those of its length, to be found again in the other window.
    """

    number: int
    clock: str
    begin_s: float
    length_s: float
    sessions: float
    events: tuple[tuple[str, float], ...]


class Activity(Struct, frozen=True):
    """`Activity Over Time` of both sides, or ADDM's analyses; a side that prints neither is empty.

    `joined`: slots of the same number are of the same length.
    """

    first: tuple[Stretch, ...]
    second: tuple[Stretch, ...]
    joined: bool

    def as_dict(self) -> dict[str, Any]:
        return {"joined": self.joined, "first": [*map(_stretch, self.first)], "second": [*map(_stretch, self.second)]}


def _stretch(one: Stretch) -> dict[str, Any]:
    return {
        "number": one.number,
        "clock": one.clock,
        "begin_s": one.begin_s,
        "length_s": one.length_s,
        "sessions": float(f"{one.sessions:.6g}"),
        "events": [{"event": name, "sessions": float(f"{n:.6g}")} for name, n in one.events],
    }


class SampledRow(Struct, frozen=True):
    """Active sessions of one event, statement, object or session; None = not in that side's top list.

    `certain`: the change is more than the digits printed and twice the scatter of so many samples allow.
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
        """Second less First; None where a side does not list it."""
        return None if self.first is None or self.second is None else self.second.middle - self.first.middle

    @property
    def size(self) -> float:
        """What it is ordered by: a side that does not list it counts as none."""
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
    """Two ASH reports: active sessions as printed, how many samples, and the lists, the largest change first."""

    first: Range
    second: Range
    samples: tuple[int | None, int | None]
    lists: tuple[SampledList, ...]

    def of_kind(self, kind: SampledKind) -> tuple[SampledRow, ...]:
        return next((one.rows for one in self.lists if one.kind == kind), ())

    def as_dict(self) -> dict[str, Any]:
        return {
            "active_sessions": {
                "first": [self.first.low, self.first.high],
                "second": [self.second.low, self.second.high],
            },
            "samples": {"first": self.samples[0], "second": self.samples[1]},
            "lists": [one.as_dict() for one in self.lists],
        }


__all__ = ["Activity", "Sampled", "SampledKind", "SampledList", "SampledRow", "Stretch"]

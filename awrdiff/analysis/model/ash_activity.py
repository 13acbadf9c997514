"""Samples of active sessions (ASH) of two windows: over time, and by dimension."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from awrdiff.analysis.model.ranked_changes import Range

SampledKind = Literal["event", "sql", "object", "session", "blocker"]


class Stretch(Struct, frozen=True):
    """Slot of a window, `begin_s` from its begin.

    Active sessions in total and by event, largest first; `number`: counterpart in the other window.
    """

    number: int
    clock: str
    begin_s: float
    length_s: float
    sessions: float
    events: tuple[tuple[str, float], ...]


class Activity(Struct, frozen=True):
    """`Activity Over Time` of both sides, or ADDM's analyses.

    `joined`: equal numbers have equal lengths.
    """

    first: tuple[Stretch, ...]
    second: tuple[Stretch, ...]
    joined: bool


class SampledRow(Struct, frozen=True):
    """Active sessions of one subject; None = not listed.

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
        """An unlisted side counts as 0."""
        first, second = (side.middle if side is not None else 0.0 for side in (self.first, self.second))
        return abs(second - first)


class SampledList(Struct, frozen=True):
    kind: SampledKind
    rows: tuple[SampledRow, ...]


class Sampled(Struct, frozen=True):
    """Two ASH reports: active sessions, sample counts, lists by change."""

    first: Range
    second: Range
    samples: tuple[int | None, int | None]
    lists: tuple[SampledList, ...]

    def of_kind(self, kind: SampledKind) -> tuple[SampledRow, ...]:
        return next((ranking.rows for ranking in self.lists if ranking.kind == kind), ())

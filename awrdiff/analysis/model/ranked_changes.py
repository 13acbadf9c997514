"""Changes for better and worse: a row per event, statement, object or kind of work."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from awrdiff.analysis.model.estimates_and_evidence import Evidence

Tone = Literal["worse", "better", "neutral"]
SubjectKind = Literal[
    "event", "sql", "object", "parameter", "cpu", "host", "memory", "storage", "work", "commit", "other"
]
View = Literal["part", "again"]
_WIDE = 1.25


class Range(Struct, frozen=True):
    """Active sessions (seconds per elapsed second), within printed resolution."""

    low: float
    high: float

    @property
    def middle(self) -> float:
        return (self.low + self.high) / 2

    @property
    def is_open(self) -> bool:
        """True if it may exceed its minimum by a quarter."""
        return self.high > _WIDE * self.low


class Sessions(Struct, frozen=True):
    """Active sessions of a finding on each side; None = unknown."""

    first: Range | None
    second: Range | None

    @property
    def change(self) -> float:
        """Second less First: 0 for overlapping ranges or unknown."""
        a, b = self.first or Range(0.0, 0.0), self.second or Range(0.0, 0.0)
        return max(b.low - a.high, 0.0) + min(b.high - a.low, 0.0)

    @property
    def level(self) -> float:
        return max([0.0, *(side.middle for side in (self.first, self.second) if side is not None)])

    @property
    def size(self) -> float:
        return max(abs(self.change), self.level)


class Subject(Struct, frozen=True):
    """Subject: event, statement (SQL id), object (owner.name), parameter …"""

    kind: SubjectKind
    key: str


class Connected(Struct, frozen=True):
    """Related subject with its relation: `13 % of Second's samples`."""

    subject: Subject
    said: str


class Mover(Struct, frozen=True):
    """Subject with active sessions; `change`: Second less First, never 0.

    `view`: parts (CPU, waits, rest) add up to DB time; "again" is the same time by statement, object or work.
    """

    subject: Subject
    view: View
    sessions: Sessions
    change: float
    tone: Tone
    about: str = ""
    how: str = ""
    evidence: Evidence | None = None
    findings: tuple[int, ...] = ()  # places among those of the comparison
    connected: tuple[Connected, ...] = ()


class Setting(Struct, frozen=True):
    """Changed parameter; `first`, `second`: None if not listed."""

    name: str
    first: str | None
    second: str | None
    evidence: Evidence


class Ranked(Struct, frozen=True):
    """`movers`: largest change first; `first`, `second`: active sessions.

    `yardstick`: base of thresholds in percent of DB time. `settings`: changed parameters.
    """

    first: float
    second: float
    yardstick: float
    movers: tuple[Mover, ...]
    settings: tuple[Setting, ...] = ()

    def share(self, mover: Mover) -> float:
        """Change in percent of the busier side's DB time."""
        return 100.0 * abs(mover.change) / self.yardstick

    def from_step(self, step: float, *, rising: bool) -> tuple[Mover, ...]:
        """Movers in one direction worth `step` percent of DB time."""
        return tuple(m for m in self.movers if (m.change > 0) == rising and self.share(m) >= step)

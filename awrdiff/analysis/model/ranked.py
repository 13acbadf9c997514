"""What got worse and what got better: one row for each event, statement, object or kind of work, in active sessions."""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Struct

from awrdiff.analysis.model.evidence import Evidence
from awrdiff.analysis.model.listed import listed

Tone = Literal["worse", "better", "neutral"]
SubjectKind = Literal[
    "event", "sql", "object", "parameter", "cpu", "host", "memory", "storage", "work", "commit", "other"
]
View = Literal["part", "again"]
_WIDE = 1.25


class Range(Struct, frozen=True):
    """Active sessions (seconds per second of elapsed time), as narrow as the print allows."""

    low: float
    high: float

    @property
    def middle(self) -> float:
        return (self.low + self.high) / 2

    @property
    def is_open(self) -> bool:
        """Whether it may be a quarter more than the least that it is: then it is told as a range."""
        return self.high > _WIDE * self.low


class Sessions(Struct, frozen=True):
    """What a finding is about, in active sessions of each side; None = that side does not say."""

    first: Range | None
    second: Range | None

    @property
    def change(self) -> float:
        """Second less First as far as it is certain: 0 where the ranges overlap; an unknown side counts as 0."""
        a, b = self.first or Range(0.0, 0.0), self.second or Range(0.0, 0.0)
        return max(b.low - a.high, 0.0) + min(b.high - a.low, 0.0)

    @property
    def level(self) -> float:
        return max([0.0, *(side.middle for side in (self.first, self.second) if side is not None)])

    @property
    def size(self) -> float:
        return max(abs(self.change), self.level)

    def as_dict(self) -> dict[str, Any]:
        return {
            name: [side.low, side.high] if side is not None else None
            for name, side in (("first", self.first), ("second", self.second))
        }


class Subject(Struct, frozen=True):
    """Who or what a finding is about: an event, statement (its SQL id), object (owner.name), parameter …"""

    kind: SubjectKind
    key: str


class Connected(Struct, frozen=True):
    """Another subject that a row has to do with, and by what: `13 % of Second's samples`."""

    subject: Subject
    said: str

    def as_dict(self) -> dict[str, Any]:
        return {**listed(self.subject), "said": self.said}


class Mover(Struct, frozen=True):
    """One subject with the active sessions of both sides; `change` is Second less First, 0 < |change| always.

    `view`: the parts are CPU, waits and what is neither, and add up to DB time; what is there "again" is time of theirs
    seen by statement, object or kind of work, and is never added to them.
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

    def as_dict(self) -> dict[str, Any]:
        return {
            "subject": listed(self.subject),
            "view": self.view,
            "sessions": self.sessions.as_dict(),
            "change": float(f"{self.change:.12g}"),
            "tone": self.tone,
            "about": self.about,
            "how": self.how,
            "evidence": listed(self.evidence),
            "findings": list(self.findings),
            "connected": [c.as_dict() for c in self.connected],
        }


class Setting(Struct, frozen=True):
    """A parameter that differs. It has no size: `first` and `second` are None where that side does not list it."""

    name: str
    first: str | None
    second: str | None
    evidence: Evidence


class Ranked(Struct, frozen=True):
    """`movers`: the largest change first, worse and better mixed. `first` and `second`: active sessions of the sides;
    `yardstick`: those that a threshold in percent of DB time is of. `settings`: the parameters that differ."""

    first: float
    second: float
    yardstick: float
    movers: tuple[Mover, ...]
    settings: tuple[Setting, ...] = ()

    def share(self, mover: Mover) -> float:
        """Its change in percent of DB time of the busier side."""
        return 100.0 * abs(mover.change) / self.yardstick

    def from_step(self, step: float, *, rising: bool) -> tuple[Mover, ...]:
        """Those whose change is worth `step` percent of DB time and goes that way."""
        return tuple(m for m in self.movers if (m.change > 0) == rising and self.share(m) >= step)

    def as_dict(self) -> dict[str, Any]:
        return {
            "db_time_per_s": {"first": float(f"{self.first:.12g}"), "second": float(f"{self.second:.12g}")},
            "movers": [m.as_dict() for m in self.movers],
            "settings": listed(self.settings),
        }


__all__ = ["Connected", "Mover", "Range", "Ranked", "Sessions", "Setting", "Subject", "SubjectKind", "Tone", "View"]

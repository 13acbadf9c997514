"""Answers of a rule."""

from __future__ import annotations

from msgspec import Struct

from awrdiff.analysis.model.comparison import Evidence, Range, Sessions, Severity, Subject, Tone


class Observation(Struct, frozen=True):
    """Answer of a rule that fires. `severity` stands only without `sessions`.

    `worse` of one report keeps sessions from their work; `at_limit`: Second's resource is at its limit (limits.py).
    """

    title: str
    text: str
    evidence: tuple[Evidence, ...] = ()
    sessions: Sessions | Range | None = None
    subject: Subject | None = None
    tone: Tone = "neutral"
    explains: tuple[str, ...] = ()
    severity: Severity = "note"
    at_limit: bool = False

    @property
    def of_both_sides(self) -> Sessions | None:
        if isinstance(self.sessions, Range):
            raise TypeError(f"{self.title} A rule of two reports speaks of both sides.")
        return self.sessions

    @property
    def of_one_side(self) -> Range | None:
        if isinstance(self.sessions, Sessions):
            raise TypeError(f"{self.title} A rule of one report speaks of one side.")
        return self.sessions


class Quiet(Struct, frozen=True):
    """Checked, nothing to say."""


class Contradicted(Struct, frozen=True):
    """Denied by another figure, in row `by`."""

    by: str


class Unknown(Struct, frozen=True):
    """Not checkable: table or row `lacks` is not printed."""

    lacks: str


RuleResult = Observation | tuple[Observation, ...] | Quiet | Contradicted | Unknown
QUIET = Quiet()
UNKNOWN = Unknown("an input that a report does not print")
WAITS = Unknown("Foreground Wait Events")
DB_TIME = Unknown("DB time and elapsed time")
WORK = Unknown("transactions, user calls, executions or logical reads")

"""A team's judgement of a finding, for exported comparisons."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from msgspec import Struct
from msgspec.structs import asdict

from awrdiff.analysis.words import listing


class Judged(Struct, frozen=True):
    """Valid judgement: `by` (login name) and `by_shown`, `role`, time; `explained_by`: the other finding's title;
    `signed`: those who agree.
    """

    state: str  # confirmed, rejected, explained_by
    by: str
    at: datetime
    why: str = ""
    role: str = ""
    explained_by: str = ""
    signed: tuple[str, ...] = ()
    by_shown: str = ""
    team: str = ""  # what all who judged agree on, else `disputed`
    others: tuple[Judged, ...] = ()  # who judged it before, each with what holds of them

    @property
    def is_rejected(self) -> bool:
        return (self.team or self.state) == "rejected"

    @property
    def said(self) -> str:
        disputed = "Disputed. " if self.team == "disputed" else ""
        return disputed + " ".join(judgement.said_alone for judgement in (*self.others, self))

    @property
    def said_alone(self) -> str:
        name = self.by_shown or self.by
        who, day = f"{name} as {self.role}" if self.role else name, f"{self.at.day} {self.at:%b %Y}"
        other = self.explained_by.rstrip(".")
        what = f"Explained by “{other}” ({who}, {day})" if other else f"{self.state.capitalize()} by {who} on {day}"
        why = f", because {self.why}".rstrip(".") if self.why else ""
        signed = f" Signed off by {listing(list(self.signed))}." if self.signed else ""
        return f"{what}{why}.{signed}"

    def as_dict(self) -> dict[str, Any]:
        further = [judgement._own() for judgement in self.others]
        return {**self._own(), "team": self.team or self.state, "others": further}

    def _own(self) -> dict[str, Any]:
        fields = {**asdict(self), "at": self.at.isoformat(), "signed": list(self.signed)}
        return {name: value for name, value in fields.items() if name not in ("team", "others")}

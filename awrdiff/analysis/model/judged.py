"""What a team makes of a finding, for those who take a comparison away."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from awrdiff.analysis.words import listing


@dataclass(frozen=True, slots=True)
class Judged:
    """A verdict that holds: `by` whom, by the name that they sign in with and as they are called (`by_shown`), as
    what (`role`) and when; `explained_by` is the other finding's title, `signed`
    who agrees."""

    state: str  # confirmed, rejected, explained_by
    by: str
    at: datetime
    why: str = ""
    role: str = ""
    explained_by: str = ""
    signed: tuple[str, ...] = ()
    by_shown: str = ""

    @property
    def is_rejected(self) -> bool:
        return self.state == "rejected"

    @property
    def said(self) -> str:
        name = self.by_shown or self.by
        who, day = f"{name} as {self.role}" if self.role else name, f"{self.at.day} {self.at:%b %Y}"
        other = self.explained_by.rstrip(".")
        what = f"Explained by “{other}” ({who}, {day})" if other else f"{self.state.capitalize()} by {who} on {day}"
        why = f", because {self.why}".rstrip(".") if self.why else ""
        signed = f" Signed off by {listing(list(self.signed))}." if self.signed else ""
        return f"{what}{why}.{signed}"

    def as_dict(self) -> dict[str, Any]:
        return {**asdict(self), "at": self.at.isoformat(), "signed": list(self.signed)}


__all__ = ["Judged"]

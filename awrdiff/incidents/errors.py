"""What incidents can refuse, in a sentence for the person who asks."""

from __future__ import annotations

from awrdiff.incidents.merging import Merged


class IncidentRefused(ValueError):
    """A field that cannot be, or no more room."""


class ChangedMeanwhile(Exception):
    """Somebody saved the same field while somebody else was writing: nothing of the latter was saved. The message says
    who; `merged` is what would have been saved, with what was typed where both changed a field."""

    def __init__(self, said: str, merged: Merged) -> None:
        super().__init__(said)
        self.merged = merged

    @property
    def fields(self) -> dict[str, dict[str, str]]:
        """Those that both changed: what is there now, and what was typed."""
        known = self.merged.conflicts.items()
        return {name: {"now": now, "typed": self.merged.texts[name]} for name, now in known}
